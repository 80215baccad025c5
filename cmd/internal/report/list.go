package report

import (
	"fmt"
	"strings"

	"pmtools/cmd/internal/answer"
	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/internal/textwidth"
)

// listed is a report in JSON.
type listed struct {
	Report  string   `json:"report"`
	File    string   `json:"file,omitempty"`
	Line    int      `json:"line,omitempty"`
	About   string   `json:"about,omitempty"`
	Columns []string `json:"columns"`
}

// listedColumn is a column in JSON.
type listedColumn struct {
	Report    string   `json:"report"`
	Label     string   `json:"label"`
	Metric    string   `json:"metric"`
	Unit      string   `json:"unit,omitempty"`
	Formula   string   `json:"formula,omitempty"`
	Instances []string `json:"instances,omitempty"`
}

// List returns all reports, or the columns of those of names.
func (l *Library) List(names []string) (*answer.Table, error) {
	if len(names) == 0 {
		return l.all(), nil
	}
	out := &answer.Table{Header: []string{"report", "label", "metric", "unit", "formula"}, Wrap: true, Objects: []any{}}
	for _, name := range names {
		r, err := l.Find(name)
		if err != nil {
			return nil, err
		}
		for _, c := range r.Columns {
			x := listedColumn{Report: r.Name, Label: c.Title(), Metric: c.Metric, Unit: c.Unit, Formula: strings.Join(strings.Fields(c.Formula), " ")}
			metric := c.Metric
			for _, f := range c.Instances {
				x.Instances = append(x.Instances, f.pattern)
				metric += "[" + f.pattern + "]"
			}
			out.Rows = append(out.Rows, []string{x.Report, x.Label, metric, x.Unit, x.Formula})
			out.Objects = append(out.Objects, x)
		}
	}
	return out, nil
}

// all returns the list of all reports.
func (l *Library) all() *answer.Table {
	out := &answer.Table{Header: []string{"report", "columns", "from", "about"}, Wrap: true, Objects: []any{}}
	for _, r := range l.Reports() {
		x := listed{Report: r.Name, File: r.File, Line: r.Line, About: r.About, Columns: []string{}}
		for _, c := range r.Columns {
			x.Columns = append(x.Columns, c.Title())
		}
		from, about := ownName, r.About
		if r.File != "" {
			from = fmt.Sprintf("%s:%d", r.File, r.Line)
		}
		if about == "" {
			about = strings.Join(x.Columns, " ")
		}
		out.Rows = append(out.Rows, []string{r.Name, fmt.Sprint(len(r.Columns)), from, about})
		out.Objects = append(out.Objects, x)
	}
	return out
}

// Definitions returns what a report is made of: its formulas, and a definition for each other metric.
func (r *Report) Definitions() (list []*derive.Definition, err error) {
	for _, c := range r.Columns {
		name, text := "", c.Metric
		if c.Formula != "" {
			name, text = c.Metric, textwidth.OneLine(c.Formula)
		}
		p, bad := derive.Compile(name, text)
		if bad != nil {
			problem := *diagnose.Syntax(text, bad)
			problem.Msg = fmt.Sprintf("%s:%d: %s: %s", r.File, c.line(), c.Metric, problem.Msg)
			return nil, &problem
		}
		list = append(list, p)
	}
	return list, nil
}
