package derivetest

import (
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A Bench tries other definitions in the place of those under test: files are read, metrics recorded and
// expectations parsed once. Goroutines may share it.
type Bench struct {
	Definitions []Definition // in the order in which they were loaded

	r        *runner
	programs map[string]*derive.Program
	checks   map[string][]*expectation // those that a definition has a part in
	plans    map[string]planned        // of definitions that can be evaluated here
}

// A planned is a definition that can be evaluated: it has a plan.
type planned struct {
	*eval.Plan
	typ check.Type
}

// same reports whether values and their description are those of another definition, whatever these are.
func (p planned) same(o planned) bool { return p.typ == o.typ && p.Same(o.Plan) }

// Bench runs the cases of a file and, if they all pass, returns a Bench of them.
func (f *File) Bench(ctx context.Context, opt *Options) (*Bench, *Report, error) {
	r, done, err := f.begin(ctx, opt)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	report, err := r.run(ctx)
	if err != nil || report.Failed() > 0 {
		return nil, report, err
	}
	b := &Bench{r: r}
	if b.Definitions, err = r.definitions(); err != nil {
		return nil, nil, err
	}
	names := make(map[string]bool)
	for p := range r.reg.Programs() {
		names[p.Name()] = true
		for name := range syntax.Mentions(p.Expr()) {
			names[name] = true
		}
	}
	for _, x := range f.Exprs() {
		for _, name := range r.mentions(x) {
			names[name] = true
		}
	}
	t, err := r.recording.copyOf(ctx, slices.Sorted(maps.Keys(names)))
	if err != nil {
		return nil, nil, err
	}
	r.recording = &recording{step: r.recording.step, tape: t}
	return b, report, b.prepare(ctx)
}

// mentions returns the names in the expression of a case, which may be the name of a definition.
func (r *runner) mentions(expr string) (names []string) {
	names = append(names, expr)
	if p, err := r.reg.Compile("", expr); err == nil {
		names = append(names, p.Metrics()...)
	}
	return names
}

// prepare finds what depends on which definition, and plans each.
func (b *Bench) prepare(ctx context.Context) error {
	b.programs, b.checks, b.plans = make(map[string]*derive.Program), make(map[string][]*expectation), make(map[string]planned)
	for p := range b.r.reg.Programs() {
		b.programs[p.Name()] = p
	}
	b.depend()
	for name, p := range b.programs {
		_, plan, _, err := b.open(ctx, p)
		if err != nil {
			return err
		}
		b.plans[name] = plan
	}
	return nil
}

// made returns the definitions that names belong to, and those that these are made of.
func (b *Bench) made(names []string) (list []*derive.Program) {
	for i := 0; i < len(names); i++ {
		if p := b.programs[names[i]]; p != nil && !slices.Contains(list, p) {
			list = append(list, p)
			names = append(names, p.Metrics()...)
		}
	}
	return list
}

// open returns a source that has a definition, and the others that it or its cases need, and its plan: nil if it cannot be
// evaluated, because the metrics have one of its name or because it is refused.
func (b *Bench) open(ctx context.Context, p *derive.Program) (src *derive.Source, plan planned, refused bool, err error) {
	src = derive.NewSource(&replay{tape: b.r.tape}, nil, b.r.sourceOptions())
	names := p.Metrics()
	for _, e := range b.checks[p.Name()] {
		names = append(names, b.r.mentions(e.expr)...)
	}
	for _, other := range b.made(names) {
		if other.Name() != p.Name() {
			src.Define(other)
		}
	}
	id := src.Define(p)[0]
	found, err := src.Check(ctx, id)
	if err != nil || found[0].Masked || found[0].Err != nil {
		return src, planned{}, err == nil && found[0].Err != nil, err
	}
	x, info := found[0].Expr, found[0].Info
	return src, planned{eval.New(x, info), info.Types[x]}, false, nil
}

// A Verdict is what comes of a definition in the place of another of its name.
type Verdict int

// The verdicts.
const (
	Untried Verdict = iota // the original cannot be evaluated here
	Refused                // the definition is wrong
	Same                   // it has the values and the description of the original, whatever these are
	Passed                 // all cases pass
	Failed                 // a case fails
)

// Try tries a definition in the place of that of its name.
func (b *Bench) Try(ctx context.Context, p *derive.Program) (Verdict, error) {
	was := b.plans[p.Name()]
	if was.Plan == nil {
		return Untried, nil
	}
	src, plan, refused, err := b.open(ctx, p)
	switch {
	case err != nil:
		return Untried, err
	case refused:
		return Refused, nil
	case plan.Plan == nil:
		return Untried, nil
	case plan.same(was):
		return Same, nil
	}
	return b.judged(ctx, src, p.Name())
}

// judged tries the cases that a definition has a part in with a source.
func (b *Bench) judged(ctx context.Context, src *derive.Source, name string) (Verdict, error) {
	r := *b.r
	list := b.checks[name]
	found, err := r.evaluate(ctx, src, list)
	if err != nil {
		return Untried, err
	}
	for _, e := range list {
		if fail, err := r.differs(e, found[e]); err != nil || fail != nil {
			return Failed, err
		}
	}
	return Passed, nil
}

// With returns a Bench of the same definitions and other metrics and cases, which are not recorded.
func (b *Bench) With(ctx context.Context, text []byte) (*Bench, error) {
	r, err := b.other(text)
	if err != nil {
		return nil, err
	}
	t := newTape()
	if err := r.write(ctx, t, len(r.metrics[0].rows[0].points)); err != nil {
		return nil, err
	}
	r.recording = &recording{step: r.File.Step, tape: t}
	return b.beside(ctx, r)
}

// Confirmed is With for values that are written into an archive, as for a run. It is nil if a case fails.
func (b *Bench) Confirmed(ctx context.Context, text []byte) (*Bench, error) {
	r, err := b.other(text)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pmderive")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if r.recording, err = r.File.recording(ctx, dir); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range r.metrics {
		names = append(names, m.name)
	}
	t, err := r.recording.copyOf(ctx, names)
	if err != nil {
		return nil, err
	}
	r.recording = &recording{step: r.File.Step, tape: t}
	other, err := b.beside(ctx, r)
	if err != nil {
		return nil, err
	}
	for name := range other.checks {
		src, _, _, err := other.open(ctx, b.programs[name])
		if err != nil {
			return nil, err
		}
		if v, err := other.judged(ctx, src, name); err != nil || v != Passed {
			return nil, err
		}
	}
	return other, nil
}

// other returns the runner of another file of cases for the same definitions.
func (b *Bench) other(text []byte) (*runner, error) {
	f, err := Parse(b.r.Name, text)
	if err != nil {
		return nil, err
	}
	r := &runner{File: f, opt: b.r.opt, reg: b.r.reg, text: b.r.text}
	r.opt.Run, r.opt.Keep, r.opt.Probe = nil, "", nil
	return r, nil
}

// beside returns the Bench of another runner.
func (b *Bench) beside(ctx context.Context, r *runner) (*Bench, error) {
	other := &Bench{Definitions: b.Definitions, r: r, programs: b.programs, checks: make(map[string][]*expectation), plans: make(map[string]planned)}
	other.depend()
	for name := range other.checks {
		_, plan, _, err := other.open(ctx, b.programs[name])
		if err != nil {
			return nil, err
		}
		other.plans[name] = plan
	}
	return other, nil
}

// depend finds which cases definitions have a part in.
func (b *Bench) depend() {
	for _, c := range b.r.selected(b.r.opt.Run) {
		for _, e := range c.checks {
			for _, p := range b.made(b.r.mentions(e.expr)) {
				b.checks[p.Name()] = append(b.checks[p.Name()], e)
			}
		}
	}
}

// Record returns the text of cases that expect nothing with what comes out for a definition as expectations.
func (b *Bench) Record(ctx context.Context, name string) ([]byte, error) {
	src, _, _, err := b.open(ctx, b.programs[name])
	if err != nil {
		return nil, err
	}
	r := *b.r
	return r.record(ctx, src)
}

// A Metric is a metric that a definition is made of, with its description in the notation of cases.
type Metric struct {
	Name        string
	Declaration string // TYPE SEMANTICS UNITS indom
	Desc        pcp.Desc
	Instances   []string
	Values      []string // some of those that it has
}

// maxSeen is how many values of a metric Metrics returns.
const maxSeen = 8

// Metrics returns the metrics that a definition is made of, of those that there are, by name. It is empty if some have types
// that files of cases have no values for.
func (b *Bench) Metrics(name string) (list []Metric) {
	names := make(map[string]bool)
	for _, p := range b.made([]string{name}) {
		for _, name := range p.Metrics() {
			names[name] = true
		}
	}
	t := b.r.tape
	for _, name := range slices.Sorted(maps.Keys(names)) {
		id, ok := t.ids[name]
		if !ok {
			continue
		}
		d := t.descs[id]
		if !slices.Contains(types, d.Type) {
			return nil
		}
		m := Metric{Name: name, Desc: d, Declaration: strings.ToLower(d.Type.String()) + " " + d.Sem.String() + " " + unitsText(d.Units)}
		if d.InDom != pcp.NullInDom {
			m.Declaration += " indom " + d.InDom.String()
			for _, in := range t.all[d.InDom] {
				m.Instances = append(m.Instances, quoteWord(in.Name))
			}
		}
		for _, f := range t.frames {
			v := &f.sets[t.column[id]]
			for i := range v.Insts {
				if text := valueText(v.Value(i)); len(m.Values) < maxSeen && !slices.Contains(m.Values, text) {
					m.Values = append(m.Values, text)
				}
			}
		}
		list = append(list, m)
	}
	return list
}

// Head returns the lines of a file of cases that say which definitions it is about, and how.
func (b *Bench) Head() string {
	var h strings.Builder
	h.WriteString("definitions")
	for _, name := range b.r.Definitions {
		h.WriteString(" " + quoteWord(name))
	}
	h.WriteString("\n")
	if b.r.File.Step != defaultStep {
		h.WriteString("step " + strconv.FormatFloat(b.r.File.Step.Seconds(), 'f', -1, 64) + "s\n") // 500ms are 500 minutes to PCP
	}
	if b.r.Expand {
		h.WriteString("expand\n")
	}
	return h.String()
}

// Past reports whether values of a definition depend on samples before.
func (b *Bench) Past(name string) bool {
	for _, p := range b.made([]string{name}) {
		for n := range syntax.Preorder(p.Expr()) {
			if c, ok := n.(*syntax.CallExpr); ok && (c.Fun == syntax.RATE || c.Fun == syntax.DELTA || c.Fun.IsOverTime()) {
				return true
			}
		}
	}
	return false
}
