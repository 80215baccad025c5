package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pmtools/cmd/internal/answer"
	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Bound is a report that has been fitted to a source.
type Bound struct {
	*Report
	Exprs   []string          // METRIC, or NAME = EXPR
	Left    []Left            // the columns that were left out
	plain   []string          // the same without conversions
	metrics []string          // that they are made of
	by      map[string]*shown // by the name of the expression
	src     *query.Source
	names   map[string]error // of metrics, as the source answers
}

// A Left column is one that does not fit the source.
type Left struct {
	Column *Column
	Why    *diagnose.Problem
}

// A shown column is one that the source has values of.
type shown struct {
	*Column
	indom pcp.InDom
	inst  []Filter
	limit float64

	divisor string // of a quotient
}

// Bind fits a report to a source. The error is that of a request, or a *diagnose.Problem if no column is
// left.
func (r *Report) Bind(ctx context.Context, src *query.Source, defs *derive.Set) (*Bound, error) {
	b, err := r.bind(ctx, src, defs)
	if err != nil || len(b.Exprs) > 0 {
		return b, err
	}
	p := query.Problemf("the source has no column of the report %s", r.Name)
	for _, left := range b.Left {
		p.Notes = append(p.Notes, left.placed(left.Why.Msg))
	}
	p.Notes = answer.Notes(p.Notes)
	return nil, p
}

// bind is Bind for any number of columns.
func (r *Report) bind(ctx context.Context, src *query.Source, defs *derive.Set) (*Bound, error) {
	b := &Bound{Report: r, by: make(map[string]*shown), src: src}
	if err := b.lookup(ctx); err != nil {
		return nil, err
	}
	binder := src.Bind(defs, true)
	for _, c := range r.Columns {
		if err := b.column(ctx, binder, c); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// lookup asks the source for all names at once.
func (b *Bound) lookup(ctx context.Context) error {
	var names []string
	for _, c := range b.Columns {
		names = append(names, c.Metric)
	}
	found, err := b.src.Lookup(ctx, names)
	if err != nil {
		return err
	}
	b.names = make(map[string]error, len(names))
	for i, name := range names {
		b.names[name] = found[i].Err
	}
	return nil
}

// column adds the expression of a column, or those of the metrics below its name. A metric of the
// source hides a formula of its name.
func (b *Bound) column(ctx context.Context, binder *query.Binder, c *Column) error {
	failed := b.names[c.Metric]
	switch {
	case c.Formula != "" && failed != nil:
		return b.add(ctx, binder, c, c.Metric, textwidth.OneLine(c.Formula))
	case errors.Is(failed, pmerr.NonLeaf):
		var below []string
		err := binder.Derived.Walk(ctx, c.Metric, false, func(name string, _ pcp.ID) bool { below = append(below, name); return true })
		for i := 0; err == nil && i < len(below); i++ {
			err = b.add(ctx, binder, c, below[i], below[i])
		}
		return err
	}
	return b.add(ctx, binder, c, c.Metric, c.Metric)
}

// add adds an expression under a name.
func (b *Bound) add(ctx context.Context, binder *query.Binder, c *Column, name, text string) error {
	if !query.LegalName(name) || !query.NameLike(name) {
		b.leave(c, query.Problemf("%q is not a name for a metric", name))
		return nil
	}
	e, err := binder.Compile(ctx, text)
	plain := text
	if err == nil {
		if b.Options.Is("omit_flat", false) && e.Info.Root.InDom == pcp.NullInDom {
			return nil
		}
		if text, err = b.converted(c, e, text); err == nil && text != e.Name {
			_, err = binder.Compile(ctx, text)
		}
	}
	if p, wrong := errors.AsType[*diagnose.Problem](err); wrong {
		b.leave(c, p)
		return nil
	}
	if err != nil {
		return err
	}
	s := b.shown(c, e.Info.Root.InDom)
	s.divisor = divisor(e.Tree)
	b.by[name] = s
	for ref := range e.Info.Metrics {
		b.metrics = append(b.metrics, ref.Name)
	}
	b.Exprs, b.plain = append(b.Exprs, named(name, text)), append(b.plain, named(name, plain))
	return nil
}

// named returns METRIC, or NAME = EXPR.
func named(name, text string) string {
	if text == name {
		return name
	}
	return name + " = " + text
}

// leave notes that a column is left out.
func (b *Bound) leave(c *Column, p *diagnose.Problem) { b.Left = append(b.Left, Left{c, p}) }

// left returns the lines about the columns that are left out: one for all that a report of the program itself lacks.
func (b *Bound) left() (list []*diagnose.Problem) {
	var columns, lacking []string
	for i := range b.Left {
		l := &b.Left[i]
		if l.Column.from.file == "" && l.Why.Unknown != "" {
			columns = append(columns, l.Column.Title())
			if !slices.Contains(lacking, l.Why.Unknown) {
				lacking = append(lacking, l.Why.Unknown)
			}
			continue
		}
		list = append(list, l.problem(b.Name))
	}
	if columns != nil {
		list = append(list, query.Problemf("report %s without %s: the source lacks %s", b.Name, strings.Join(columns, ", "), strings.Join(lacking, ", ")))
	}
	return list
}

// problem returns the line about a column that is left out of a report.
func (l *Left) problem(report string) *diagnose.Problem {
	return query.Problemf("%s", l.placed(fmt.Sprintf("report %s without %s: %s", report, l.Column.Metric, l.Why.Msg)))
}

// placed returns a text with the place of the column in its file before it.
func (l *Left) placed(text string) string {
	if s := l.Column.from; s.file != "" {
		return fmt.Sprintf("%s:%d: %s", s.file, l.Column.line(), text)
	}
	return text
}

// line returns the line of the formula, or else that of the metric.
func (c *Column) line() int {
	if c.formula != nil {
		return c.formula.line
	}
	return c.from.line
}

// shown returns how a column is shown, with what the options of the report say.
func (b *Bound) shown(c *Column, d pcp.InDom) *shown {
	s := &shown{Column: new(Column), indom: d, inst: c.Instances}
	*s.Column = *c
	if s.Precision < 0 {
		s.Precision = b.Options.Number("precision", defaultPrecision)
	}
	s.Precision = min(b.Options.Number("precision_force", s.Precision), maxWidth)
	s.Width = min(b.Options.Number("width_force", cmp.Or(s.Width, b.Options.Number("width", 0))), maxWidth)
	if s.inst == nil && b.Options.Get("instances") != "" {
		s.inst, _ = filters(b.Options.Get("instances"))
	}
	limit := float64(b.Options.Number("limit_filter", 0))
	if s.limit = cmp.Or(s.Limit, limit); b.Options.Get("limit_filter_force") != "" {
		s.limit = float64(b.Options.Number("limit_filter_force", 0))
	}
	return s
}

// defaultPrecision is how many digits numbers have after the point.
const defaultPrecision = 3

// raw reports whether counters of a column are shown as they are.
func (b *Bound) raw(c *Column) bool {
	return b.Options.Get("type") == "raw" || c.Type == "raw" || c.Type == "" && b.Options.Get("type_prefer") == "raw"
}

// converted returns the expression for a column in the units that are asked for: the rate of a counter,
// or if units are given by time where the metric's are not, of any number.
func (b *Bound) converted(c *Column, e *query.Expr, text string) (string, error) {
	t := e.Info.Root
	want := b.unit(c, t.Units)
	if !t.Type.Arithmetic() || want == "" && (t.Sem != pcp.Counter || b.raw(c)) {
		if t.Type.Arithmetic() && t.Sem == pcp.Counter {
			return "instant(" + text + ")", nil
		}
		return text, nil
	}
	to := t.Units
	if want != "" {
		u, _, err := pcp.ParseUnits(want)
		if err != nil {
			return "", query.Problemf("%s: %v", want, err)
		}
		to = u
	}
	rated := t.Sem == pcp.Counter && !b.raw(c)
	same, perTime := sameDimension(to, t.Units), to
	perTime.DimTime++
	switch {
	case same && rated:
		return rate(text, to), nil
	case sameDimension(perTime, t.Units) && !b.raw(c):
		if to.Dimensionless() {
			return "rate(" + text + ")", nil
		}
		return "rescale(rate(" + text + `), "` + to.String() + `")`, nil
	case !same:
		return "", query.Problemf("%s cannot be converted to %s", diagnose.Metadata(t), want)
	case to == t.Units:
		return instant(text, t.Sem == pcp.Counter), nil
	}
	return "rescale(" + instant(text, t.Sem == pcp.Counter) + ` * 1.0, "` + to.String() + `")`, nil
}

// instant returns an expression whose values are not converted to rates.
func instant(text string, counter bool) string {
	if counter {
		return "instant(" + text + ")"
	}
	return "(" + text + ")"
}

// rate returns the rate of a counter in units by the second. The rate of a time has no unit in the
// language, and so a factor stands for it.
func rate(text string, to pcp.Units) string {
	if to.DimTime == 1 && to.DimSpace == 0 && to.DimCount == 0 {
		factors := [...]string{"1000000000", "1000000", "1000", "1", "(1 / 60)", "(1 / 3600)"}
		if f := factors[min(int(to.ScaleTime), len(factors)-1)]; f != "1" {
			return f + " * rate(" + text + ")"
		}
		return "rate(" + text + ")"
	}
	if to.DimTime--; to.DimTime == -1 {
		to.ScaleTime = pcp.Sec
	}
	if to.Dimensionless() {
		return "rate(" + text + ")"
	}
	return "rescale(rate(" + text + `), "` + to.String() + `")`
}

func sameDimension(a, b pcp.Units) bool {
	return a.DimSpace == b.DimSpace && a.DimTime == b.DimTime && a.DimCount == b.DimCount
}

// unit returns the unit in which values of a column are shown; "" for that of the metric.
func (b *Bound) unit(c *Column, u pcp.Units) string {
	dimension := ""
	switch {
	case u.DimSpace == 1 && u.DimTime == 0 && u.DimCount == 0:
		dimension = "space_scale"
	case u.DimSpace == 0 && u.DimTime == 1 && u.DimCount == 0:
		dimension = "time_scale"
	case u.DimSpace == 0 && u.DimTime == 0 && u.DimCount == 1:
		dimension = "count_scale"
	default:
		return c.Unit
	}
	return cmp.Or(b.Options.Get(dimension+"_force"), c.Unit, b.Options.Get(dimension))
}

// wrongUnit returns the mistake in a unit, or "".
func wrongUnit(unit string) string {
	if _, _, err := pcp.ParseUnits(unit); err != nil {
		return strings.TrimSpace(fmt.Sprintf("%s is not a unit: %v", unit, err))
	}
	return ""
}
