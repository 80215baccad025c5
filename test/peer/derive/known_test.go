package derive

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/test/peer/harness"
)

// A known difference of the language: the row of known-differences.md, and which parts of an
// expression it is about.
type knownPart struct {
	row  string
	here func(x *explainer, n syntax.Node) bool
}

// knownParts are tried in turn on each node of an expression.
var knownParts = []knownPart{
	{"D1", (*explainer).divisionInMatch},
	{"D3", (*explainer).badAnon},
	{"D7", (*explainer).wideNot},
	{"D8", (*explainer).literalScale},
	{"D9", (*explainer).oppositeScale},
	{"D10", (*explainer).hugeScale},
	{"D11", (*explainer).unknownInChoice},
	{"D12", (*explainer).extremeOfNone},
	{"D13", (*explainer).brokenHistory},
	{"D14", (*explainer).unsignedFall},
	{"D16", (*explainer).choiceBySet},
	{"D26", (*explainer).novalueInstances},
	{"D27", (*explainer).constantNoNumber},
	{"V3", (*explainer).hugeRescale},
}

// An explainer looks for known differences in one expression.
type explainer struct {
	d       *derivedRun
	w       *world
	info    *check.Info // nil if the expression has an error
	id      string
	crashed bool // the reference died
	sole    bool // the texts of strings are all that differs
}

// classify returns the row of known-differences.md that explains a difference, or nothing. It goes
// by the expression, and little else.
func (d *derivedRun) classify(w *world, id, text string, crashed bool, ours, theirs part) string {
	e, err := check.Syntax().Parse(text)
	if err != nil {
		return classifyError(text, err, crashed)
	}
	x := &explainer{d: d, w: w, id: id, crashed: crashed, sole: ours.stringless() == theirs.stringless()}
	if info, err := check.Check(e, w, nil); err == nil {
		x.info = info
	}
	for _, k := range knownParts {
		for n := range syntax.Preorder(e) {
			if k.here(x, n) {
				return k.row
			}
		}
	}
	return ""
}

var (
	slashInMatch = regexp.MustCompile(`matchinst\([\s\v]*!?[\s\v]*/(?:[^/\\]|\\.)*/.*/|matchinst\([\s\v]*[^/!\s].*/|matchinst\([\s\v]*![\s\v]*[^/\s].*/`)
	moreUnits    = regexp.MustCompile(`"[^"]*\([umk]?[VAWCFK]\)[^"]+"`)
	anonCall     = regexp.MustCompile(`anon\([\s\v]*[A-Za-z]`)
)

// classifyError explains a difference about an expression that we refuse.
func classifyError(text string, err error, crashed bool) string {
	var se *syntax.Error
	switch {
	case errors.As(err, &se) && strings.HasPrefix(se.Msg, "novalue() may appear"):
		return "D2"
	case slashInMatch.MatchString(text):
		return "D1"
	case anonCall.MatchString(text):
		return "D3"
	case crashed && moreUnits.MatchString(text):
		return "V1"
	}
	return ""
}

// typeOf returns the type of a part, if it has one.
func (x *explainer) typeOf(e syntax.Expr) (check.Type, bool) {
	info, err := check.Check(e, x.w, nil)
	if err != nil {
		return check.Type{}, false
	}
	return info.Root, true
}

func (x *explainer) divisionInMatch(n syntax.Node) bool {
	m, ok := n.(*syntax.MatchInstExpr)
	return ok && slices.ContainsFunc(slices.Collect(syntax.Preorder(m.X)), func(n syntax.Node) bool {
		b, ok := n.(*syntax.BinaryExpr)
		return ok && b.Op == syntax.SLASH
	})
}

func (x *explainer) badAnon(n syntax.Node) bool {
	c, ok := n.(*syntax.CallExpr)
	return ok && c.Fun == "anon" && x.crashed
}

func (x *explainer) wideNot(n syntax.Node) bool {
	u, ok := n.(*syntax.UnaryExpr)
	if !ok || u.Op != syntax.NOT {
		return false
	}
	t, ok := x.typeOf(u.X)
	return ok && t.Type != pcp.Int32 && t.Type != pcp.Uint32
}

func (x *explainer) unknownInChoice(n syntax.Node) bool {
	c, ok := n.(*syntax.TernaryExpr)
	unknown := false
	if ok {
		syntax.Walk(c, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.MetricRef:
				unknown = unknown || x.w.byName[n.Name] == nil
			case *syntax.Spec:
				unknown = unknown || n.Tag == syntax.META && x.w.byName[n.Value] == nil
			case *syntax.CallExpr:
				return n.Fun != "defined"
			}
			return true
		})
	}
	return unknown
}

func (x *explainer) extremeOfNone(n syntax.Node) bool {
	c, ok := n.(*syntax.CallExpr)
	if !ok || x.info == nil || c.Fun != "min" && c.Fun != "max" {
		return false
	}
	return strings.Contains(x.values("count("+syntax.Print(c.X)+")"), "value 0")
}

func (x *explainer) brokenHistory(n syntax.Node) bool {
	c, ok := n.(*syntax.CallExpr)
	if !ok || c.Fun != "delta" && c.Fun != "rate" {
		return false
	}
	switch a := unparen(c.X).(type) {
	case *syntax.InstExpr, *syntax.MatchInstExpr:
		return true
	case *syntax.CallExpr:
		switch a.Fun {
		case "instant", "defined":
			return true
		case "count": // of an error, to be exact
			return x.info != nil && strings.Contains(x.values(syntax.Print(a)), "value 0")
		}
	}
	return false
}

// unsignedFall is seen over several records only.
func (x *explainer) unsignedFall(n syntax.Node) bool {
	c, ok := n.(*syntax.CallExpr)
	if !ok || c.Fun != "rate" || x.id != historyID || x.crashed {
		return false
	}
	t, ok := x.typeOf(c.X)
	return ok && t.Sem != pcp.Counter && (t.Type == pcp.Uint32 || t.Type == pcp.Uint64)
}

func (x *explainer) choiceBySet(n syntax.Node) bool {
	c, ok := n.(*syntax.TernaryExpr)
	if !ok || x.info == nil {
		return false
	}
	switch t, checked := x.info.Types[c]; {
	case !checked:
		return false
	case t.Type == pcp.String && (x.crashed || x.sole):
		return true
	case x.info.Choices[c] != check.NotStatic:
		return false
	}
	set := !x.info.Types[c.Cond].Singular()
	if x.info.Novalue(c.X) || x.info.Novalue(c.Y) {
		return set
	}
	var lists []string
	for _, arm := range []syntax.Expr{c.Cond, c.X, c.Y} {
		if !x.info.Types[arm].Singular() {
			lists = append(lists, valueOf.ReplaceAllString(x.values(syntax.Print(arm)), ""))
		}
	}
	return len(slices.Compact(lists)) > 1
}

// valueOf matches the value of an instance.
var valueOf = regexp.MustCompile(`(?m) value .*$`)

// novalueInstances is about choices whose instances the reference takes from novalue(): from the
// first arm, unless that is a single value and the second is a set.
func (x *explainer) novalueInstances(n syntax.Node) bool {
	c, ok := n.(*syntax.TernaryExpr)
	if !ok || !x.crashed || x.info == nil || x.info.Choices[c] != check.NotStatic {
		return false
	}
	from := c.X
	if x.info.Types[c.X].Singular() && !x.info.Types[c.Y].Singular() {
		from = c.Y
	}
	_, checked := x.info.Types[from]
	return checked && x.info.Novalue(from)
}

func (x *explainer) constantNoNumber(n syntax.Node) bool {
	c, ok := n.(*syntax.ConstExpr)
	if !ok || x.info == nil {
		return false
	}
	t, checked := x.info.Types[c]
	return checked && !t.Type.Arithmetic()
}

// values returns the lines of values of a part, by our pminfo, as they are within the whole
// expression: what is fetched with it can decide the record.
func (x *explainer) values(text string) string {
	rest := "0"
	for _, id := range x.info.Operands {
		rest += "+" + x.w.byID[id].name
	}
	text = "1 ? (" + text + ") : (" + rest + ")"
	b, err := newBatch(x.w, filepath.Join(x.d.dir, x.id+"-part"), []string{text})
	if err != nil {
		return err.Error()
	}
	o, err := x.d.ours.Run(harness.Command{Args: b.args(x.w)}, x.d.root)
	if err != nil {
		return err.Error()
	}
	var lines []string
	for _, l := range strings.Split(string(o.Stdout), "\n") {
		if strings.Contains(l, " value ") {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// unparen strips parentheses.
func unparen(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}
