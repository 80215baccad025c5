package sql

import (
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// An expression is evaluated at the records that have one of its metrics, with or without values.
// The choice matters to operators that use the previous record, and to those that have a value
// where a metric has none. If an operand has an error, operands to the right of it are not
// evaluated.

// A fail is a reason for an error in some records.
type fail struct {
	metric string
	steps  string // for a change of the metric itself, the table of its records: the one after fails too
}

// names finds the metrics that decide which records count, in the order of info.Operands.
func (b *builder) names(e syntax.Expr) {
	found := make(map[pcp.ID]string)
	for n := range syntax.Preorder(e) {
		ref, ok := n.(*syntax.MetricRef)
		if !ok {
			continue
		}
		d, ok := described(b.info, ref)
		if _, again := found[d.ID]; ok && !again {
			found[d.ID] = b.opt.name(d.ID, ref)
		}
	}
	for _, id := range b.info.Operands {
		if name, ok := found[id]; ok {
			b.operands = append(b.operands, name)
		}
	}
}

// described returns the descriptor of a metric whose values are used or that defined() asks about.
func described(info *check.Info, ref *syntax.MetricRef) (pcp.Desc, bool) {
	d, ok := info.Metrics[ref]
	if !ok {
		d, ok = info.Mentions[ref]
	}
	return d, ok
}

func (b *builder) metric(n *syntax.MetricRef) values {
	d, ok := b.info.Metrics[n]
	if !ok {
		return b.none(n, b.info.Types[n])
	}
	column, ok := map[pcp.Type]string{
		pcp.Int32: "i64", pcp.Int64: "i64", pcp.Uint32: "u64", pcp.Uint64: "u64",
		pcp.Float: "f64", pcp.Double: "f64", pcp.String: "text",
	}[d.Type]
	if d.Type == pcp.NoSupport {
		return b.refuse(n, "the type of the metric is Not Supported: it has no values")
	}
	if !ok {
		return b.refuse(n, "values of type "+d.Type.Text()+" are bytes in the tables")
	}
	name := b.opt.name(d.ID, n)
	many := d.InDom != pcp.NullInDom
	cols := row
	if many {
		cols += ", " + b.inst + ", position, instance"
	}
	value, there := b.column(column, d.Type), column+" IS NOT NULL"
	if d.Type == pcp.String { // a string that is not UTF-8 is stored as bytes, not as text
		value, there = column, "(text IS NOT NULL OR bytes IS NOT NULL)"
	}
	return values{typ: d.Type, many: many, fails: []fail{{metric: name}}, table: b.define(syntax.Print(n),
		append([]string{"SELECT " + cols + ", " + value + " AS value"}, b.rows("values", "metric = "+b.text(name)+" AND "+there)...)...)}
}

// records returns the table of the records that an expression is evaluated at, but those with an
// error.
func (b *builder) records(but []fail) string {
	var names []string
	for _, name := range b.operands {
		names = append(names, b.text(name))
	}
	what, in := "records with "+strings.Join(b.operands, ", "), "metric IN ("+strings.Join(names, ", ")+")"
	switch len(names) {
	case 0:
		what, in = "all records", "1 = 1"
	case 1:
		in = "metric = " + names[0]
	}
	lines := append([]string{"SELECT " + row}, b.rows("values", in)...)
	lines = append(append(lines, "UNION DISTINCT", "SELECT "+row), b.rows("missing", in)...)
	all := b.define(what, lines...)
	if len(but) == 0 {
		return all
	}
	lines = []string{"SELECT " + row + " FROM " + all}
	for _, f := range but {
		lines = append(lines, "EXCEPT DISTINCT SELECT "+row+" FROM "+b.failed(f))
	}
	return b.define("those without errors", lines...)
}

func (b *builder) failed(f fail) string {
	table := b.define("errors of "+f.metric, append([]string{"SELECT " + row}, b.rows("missing", "metric = "+b.text(f.metric)+" AND error <> 0")...)...)
	if f.steps == "" {
		return table
	}
	return b.define("errors of its changes",
		"SELECT "+row+" FROM "+table, "UNION DISTINCT",
		"SELECT s.host, s.seg, s.time, s.record FROM "+f.steps+" AS s",
		"JOIN "+f.steps+" AS p ON p.host = s.host AND p.seg = s.seg AND p.step = s.step - 1",
		"JOIN "+table+" AS f ON f.host = p.host AND f.seg = p.seg AND f.time = p.time AND f.record = p.record")
}

func (b *builder) steps(but []fail) string {
	return b.define("records, numbered",
		"SELECT "+row+", CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time, record) AS "+b.types[pcp.Int64]+") AS step",
		"FROM "+b.records(but))
}

func union(x, y []fail) []fail {
	all := slices.Clone(x)
	for _, f := range y {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}
