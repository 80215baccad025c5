package derivetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pmtools/derive/diagnose"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// A Failure is an expression whose value or metadata differs from the expected one.
type Failure struct {
	Line    int        `json:"line"` // of the eval
	Expr    string     `json:"expr"`
	Message string     `json:"message,omitempty"` // what is wrong, unless it is values
	Values  []Mismatch `json:"values,omitempty"`
	More    int        `json:"more,omitempty"` // wrong values that are left out
	Steps   []Step     `json:"steps,omitempty"`
	problem *diagnose.Problem
}

// A Mismatch is a value that is not the expected one.
type Mismatch struct {
	Instance string        `json:"instance,omitempty"`
	At       time.Duration `json:"-"`              // after the start
	Seconds  float64       `json:"at"`             // the same
	Line     int           `json:"line,omitempty"` // of the row, 0 for an instance that has none
	Expected string        `json:"expected"`
	Found    string        `json:"found"`

	sample int
}

const maxMismatches = 12

// judge compares the result of an expression with the expected one, and traces a wrong value to its origin. It returns nil if
// nothing differs.
func (r *runner) judge(ctx context.Context, e *expectation, o *outcome) (*Failure, error) {
	fail := &Failure{Line: e.line, Expr: e.expr}
	switch {
	case o.problem != nil && e.err != "":
		if strings.Contains(o.problem.Msg+"\n"+strings.Join(o.problem.Notes, "\n"), e.err) {
			return nil, nil
		}
		fail.Message = fmt.Sprintf("expected error %s", e.err)
		fail.problem = o.problem
		return fail, nil
	case o.problem != nil:
		fail.Message, fail.problem = o.problem.Msg, o.problem
		return fail, nil
	case e.err != "":
		fail.Message = fmt.Sprintf("expected error %s, but there is none", e.err)
		return fail, nil
	case e.empty:
		fail.Message = "nothing is expected; --record writes what is now"
		return fail, nil
	}
	fail.Message = e.desc.differs(&o.desc)
	if err := r.compare(e, o, fail); err != nil {
		return nil, err
	}
	if len(fail.Values) == 0 && fail.Message == "" {
		return nil, nil
	}
	var err error
	if len(fail.Values) > 0 {
		fail.Steps, err = r.trace(ctx, e.expr, &fail.Values[0])
	}
	return fail, err
}

func (d *description) differs(found *pcp.Desc) string {
	if d == nil {
		return ""
	}
	var list []string
	add := func(what string, same bool, want, got string) {
		if !same {
			list = append(list, fmt.Sprintf("%s %s, expected %s", what, got, want))
		}
	}
	if d.typ != nil {
		add("type", *d.typ == found.Type, d.typ.String(), found.Type.String())
	}
	if d.sem != nil {
		add("semantics", *d.sem == found.Sem, d.sem.String(), found.Sem.String())
	}
	if d.units != nil {
		add("units", *d.units == found.Units, unitsText(*d.units), unitsText(found.Units))
	}
	if d.indom != nil {
		add("indom", *d.indom == found.InDom, indomText(*d.indom), indomText(found.InDom))
	}
	return strings.Join(list, "; ")
}

func unitsText(u pcp.Units) string {
	if text := u.String(); text != "" {
		return quoteWord(text)
	}
	return "none"
}

func indomText(d pcp.InDom) string {
	if d == pcp.NullInDom {
		return "null"
	}
	return d.String()
}

func (r *runner) compare(e *expectation, o *outcome, fail *Failure) error {
	if len(e.rows) == 0 {
		return nil
	}
	from, to, err := r.samplesOf(e, len(o.values))
	if err != nil {
		return err
	}
	want := make(map[string]*row)
	for _, row := range e.rows {
		if want[row.instance] = row; len(row.points) != to-from {
			return mistake(r.Name, row.line, fmt.Sprintf("%d values, and there are %d samples", len(row.points), to-from))
		}
	}
	for k := from; k < to; k++ {
		found := o.values[k]
		for _, row := range e.rows {
			if p := row.points[k-from]; !p.matches(found[row.instance]) {
				fail.mismatch(r, k, row.instance, row.line, p.String(), valueText(found[row.instance]))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if want[name] == nil && found[name].IsSet() {
				fail.mismatch(r, k, name, 0, "_", valueText(found[name]))
			}
		}
	}
	return nil
}

func (r *runner) samplesOf(e *expectation, all int) (from, to int, err error) {
	if !e.at.set {
		return 0, all, nil
	}
	from, to = int(e.at.from/r.step), int(e.at.to/r.step)+1
	if e.at.from%r.step != 0 || e.at.to%r.step != 0 || from >= to || to > all {
		return 0, 0, mistake(r.Name, e.line, fmt.Sprintf("there are samples every %v from 0s to %v only", r.step, time.Duration(all-1)*r.step))
	}
	return from, to, nil
}

func (f *Failure) mismatch(r *runner, k int, instance string, line int, expected, found string) {
	if len(f.Values) >= maxMismatches {
		f.More++
		return
	}
	at := time.Duration(k) * r.step
	f.Values = append(f.Values, Mismatch{instance, at, at.Seconds(), line, expected, found, k})
}

func valueText(v pcp.Value) string {
	switch {
	case !v.IsSet():
		return "_"
	case !v.Type().Arithmetic():
		return quoted(string(v.Bytes()))
	}
	switch text := string(format.AppendPlain(nil, v, -1)); text {
	case "NaN", "+Inf", "-Inf", "Inf":
		return strings.ToLower(strings.TrimPrefix(text, "+"))
	default:
		return text
	}
}
