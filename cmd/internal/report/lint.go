package report

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pmtools/derive/diagnose"
	"pmtools/derive/lint"
	"pmtools/derive/query"
)

// Is reports whether a text is a file of reports, not one of definitions: its first line that is not a
// comment begins a section.
func Is(text []byte) bool {
	for line := range strings.Lines(string(text[:min(len(text), 1<<20)])) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && line[0] != ';' {
			return line[0] == '['
		}
	}
	return false
}

// Lint looks for mistakes in files of definitions and of reports, whose formulas are checked as
// definitions are. The error is one of the source or of a context.
func Lint(ctx context.Context, l *lint.Linter, files []lint.File, opt lint.Options) (found []lint.Diagnostic, err error) {
	reports := slices.DeleteFunc(slices.Clone(files), func(f lint.File) bool { return !Is(f.Text) })
	if len(reports) == 0 {
		return l.Files(ctx, files, opt)
	}
	if defs := slices.DeleteFunc(slices.Clone(files), func(f lint.File) bool { return Is(f.Text) }); len(defs) > 0 {
		if found, err = l.Files(ctx, defs, opt); err != nil {
			return nil, err
		}
	}
	opt.Rules = slices.DeleteFunc(slices.Clone(opt.Rules), func(r *lint.Rule) bool { return r.Name == "no-help" }) // they have labels
	for _, f := range reports {
		c := &checker{Linter: l, opt: opt}
		if err := c.file(ctx, f); err != nil {
			return nil, err
		}
		slices.SortStableFunc(c.found, func(a, b lint.Diagnostic) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		found = append(found, c.found...)
	}
	return found, nil
}

// A checker looks for mistakes in one file.
type checker struct {
	*lint.Linter
	opt   lint.Options
	found []lint.Diagnostic
}

func (c *checker) file(ctx context.Context, f lint.File) error {
	lib := &Library{global: &Report{}}
	lib.Add(f.Name, string(f.Text))
	c.found = lib.Faults()
	reports := lib.reports
	if len(lib.global.Columns) > 0 {
		reports = append(reports, lib.global)
	}
	for _, r := range reports {
		r.File = f.Name
		wrong, err := c.formulas(ctx, r)
		if err != nil {
			return err
		}
		if !c.opt.Syntax {
			if err := c.columns(ctx, r, wrong); err != nil {
				return err
			}
		}
	}
	return nil
}

// formulas checks the formulas of a report as one file of definitions, a line for each, and returns the
// columns with errors.
func (c *checker) formulas(ctx context.Context, r *Report) (wrong map[*Column]bool, err error) {
	var lines []*Column
	var text strings.Builder
	for _, col := range r.Columns {
		switch {
		case col.formula == nil || strings.TrimSpace(col.Formula) == "":
		case !query.LegalName(col.Metric):
			c.report(col, col.from, 0, lint.Diagnostic{Severity: lint.SeverityError, Message: "'" + col.Metric + "' is not a name for a metric"})
		default:
			lines = append(lines, col)
			text.WriteString(col.Metric + " = " + oneLine(col.Formula) + "\n")
		}
	}
	wrong = make(map[*Column]bool)
	found, err := c.Files(ctx, []lint.File{{Name: r.File, Text: []byte(text.String())}}, c.opt)
	for _, d := range found {
		if d.Line < 1 || d.Line > len(lines) {
			continue
		}
		col := lines[d.Line-1]
		pos := d.Column - 1 - len(col.Metric+" = ")
		d.Fixes = nil
		c.report(col, col.formula, max(pos, 0), d)
		wrong[col] = wrong[col] || d.Severity == lint.SeverityError
	}
	return wrong, err
}

// oneLine returns a formula on one line, with each byte where it was.
func oneLine(formula string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "\\", " ").Replace(formula)
}

// report adds a diagnostic about a byte of a value.
func (c *checker) report(col *Column, s *setting, pos int, d lint.Diagnostic) {
	d.Line, d.Column, d.Source = s.place(pos)
	d.File, d.Metric = s.file, col.Metric
	c.found = append(c.found, d)
}

// columns reports the metrics that the source does not have, and the units that do not fit.
func (c *checker) columns(ctx context.Context, r *Report, wrong map[*Column]bool) error {
	b, err := r.bind(ctx, c.Source, c.Definitions)
	if err != nil {
		return err
	}
	for _, left := range b.Left {
		col := left.Column
		unknown := col.formula == nil && b.names[col.Metric] != nil
		if wrong[col] || col.Unit != "" && wrongUnit(col.Unit) != "" || unknown && c.opt.Unknown || !query.LegalName(col.Metric) && col.formula != nil {
			continue
		}
		d := lint.Diagnostic{Severity: lint.SeverityError, Message: left.Why.Msg, Notes: left.Why.Notes}
		if like := diagnose.DidYouMean(col.from.key, optionNames()); unknown && like != nil && !strings.Contains(col.from.key, ".") {
			d.Notes = append(d.Notes, col.from.key+" is not an option; "+like[0])
		}
		c.report(col, col.from, 0, d)
	}
	return nil
}
