package describe

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/diagnose"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// A Trial is an expression that is worth trying.
type Trial struct {
	Name string `json:"name,omitempty"` // of what answers a usual question
	Expr string `json:"expression"`
	answer.Desc
	Why string `json:"-"`
}

// text returns the expression, with a name as a definition.
func (t *Trial) text() string {
	if t.Name != "" {
		return t.Name + " = " + t.Expr
	}
	return t.Expr
}

// trials returns expressions about a metric that hold for the source, and answers of usual questions that have a value there.
// The error is that of a request.
func (c *Catalogue) trials(ctx context.Context, d *Description) ([]Trial, error) {
	b := c.Source.Bind(c.Defs, true)
	var list []Trial
	for _, t := range append(usual(d.Metric), proposals(d.Metric, &d.desc)...) {
		e, err := b.Compile(ctx, t.Expr)
		known := slices.ContainsFunc(list, func(old Trial) bool { return old.Expr == t.Expr })
		if _, wrong := errors.AsType[*diagnose.Problem](err); wrong || known {
			continue
		}
		if err != nil {
			return nil, err
		}
		if t.Name != "" {
			v, err := c.First(ctx, t.Expr, c.Interval, false)
			if err != nil {
				return nil, err
			}
			if len(v.List) == 0 {
				continue
			}
		}
		values := e.Info.Root.Desc(pcp.NullID)
		if t.Desc = answer.DescOf(&values); !values.Units.Dimensionless() {
			t.Why += ", in " + format.UnitText(values.Units, "")
		}
		list = append(list, t)
	}
	return list, nil
}

// proposals returns the expressions that may be worth trying.
func proposals(name string, d *pcp.Desc) (list []Trial) {
	add := func(why, form string) {
		list = append(list, Trial{Expr: strings.Replace(form, "%s", name, 1), Why: why})
	}
	u := d.Units
	switch {
	case !d.Type.Arithmetic():
		return nil
	case d.Sem == pcp.Counter && u.DimTime == 1 && u.DimSpace == 0 && u.DimCount == 0:
		add("part of the time", "rate(%s)")
	case d.Sem == pcp.Counter && u.DimSpace == 1:
		add("per second", `rescale(rate(%s), "Mbyte/s")`)
	case d.Sem == pcp.Counter:
		add("per second", "rate(%s)")
	case u.DimSpace == 1 && u.DimTime == 0 && u.DimCount == 0:
		add("in a larger unit", `rescale(%s, "Gbyte")`)
	case u.DimTime == 1 && u.DimSpace == 0 && u.DimCount == 0:
		add("in seconds", `rescale(%s, "sec")`)
	}
	if d.Sem == pcp.Counter {
		add("between two samples", "delta(%s)")
	}
	if d.InDom == pcp.NullInDom {
		return list
	}
	switch {
	case d.Sem == pcp.Counter:
		add("all instances together", "rate(sum(%s))") // avg() of a counter has too few digits for its changes
		return list
	case u.DimSpace+u.DimCount > 0:
		add("all instances together", "sum(%s)")
	}
	add("the mean of the instances", "avg(%s)")
	add("the largest instance", "max(%s)")
	return list
}
