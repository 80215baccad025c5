package sql

import (
	"fmt"
	"math"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// The functions over time. A window of times collects the values of each instance into an array, which is
// put into the order of records: values are added up as the evaluator does it.

// arrays writes an engine's SQL for operations on arrays.
type arrays interface {
	// collect returns the aggregate of ns, record and value of a window.
	collect() string
	// ordered returns the values of what collect has made, in the order of ns and record: those after a
	// time up to the record itself.
	ordered(list, after string) string
	// reduce puts the values of an array together from the first to the last: f is of a and p.
	reduce(list, init, f string) string
	// sorted returns an array in order, with values that are not numbers at its end.
	sorted(list string) string
	// element returns a value of an array, from 1 on.
	element(list, place string) string
	// length returns how many values there are.
	length(list string) string
}

func (b *builder) over(n *syntax.CallExpr, t pcp.Type, x values, skip []fail) values {
	switch {
	case b.err != nil:
		return x
	case n.Fun == "smooth":
		return b.refuse(n, "each value of smooth() depends on all those before it, and engines look back through windows only")
	case n.Fun == "shift":
		return b.shift(n, x, skip)
	case n.Fun == "avg_over", n.Fun == "quantile_over":
		x = b.doubles(x, n.X)
	}
	list := b.past(n, x, skip)
	if b.err != nil {
		return x
	}
	out := values{typ: t, many: x.many, one: x.one, fails: x.fails}
	value := ""
	switch n.Fun {
	case "avg_over":
		value = b.reduce("list", b.literal(pcp.Double, 0), "a + p") + " / " + b.double(b.length("list"))
	case "max_over":
		value = b.reduce("list", b.element("list", "1"), choose(b.compare("<", t, "a", "p"), "p", "a"))
	case "min_over":
		value = b.reduce("list", b.element("list", "1"), choose(b.compare("<", t, "p", "a"), "p", "a"))
	default:
		return b.quantileOver(n, out, list)
	}
	out.table = b.define(syntax.Print(n), "SELECT "+columns(x.many)+", "+value+" AS value", "FROM "+list)
	return out
}

// past returns a table of the arrays of values that there are in a window of time before each record. The
// window of the engine is of whole seconds, as ClickHouse knows no longer ones, and somewhat too long; the
// order of records then decides.
func (b *builder) past(n *syntax.CallExpr, x values, skip []fail) string {
	from := b.table(n.X, x)
	if len(skip) > 0 {
		from += " JOIN " + b.records(skip) + " AS r USING (" + row + ")"
	}
	parts := "host, seg"
	if x.many {
		parts += ", inst"
	}
	const second, longest = 1e9, math.MaxInt32
	return b.define(syntax.Print(n)+", values",
		"SELECT "+columns(x.many)+", "+b.ordered("list", fmt.Sprintf("ns - %d", n.Over.Nanoseconds))+" AS list", "FROM (",
		"  SELECT "+columns(x.many)+", ns, "+b.collect()+" OVER past AS list", "  FROM (",
		"    SELECT "+columns(x.many)+", value, ns, CAST(floor("+b.double("ns")+" / 1e9) AS "+b.types[pcp.Int64]+") AS second",
		"    FROM (SELECT "+columns(x.many)+", value, "+b.nanoseconds("time", b.opt.Micros)+" AS ns FROM "+from+") AS x", "  ) AS x",
		fmt.Sprintf("  WINDOW past AS (PARTITION BY %s ORDER BY second RANGE BETWEEN %d PRECEDING AND 1 FOLLOWING)", parts, min(n.Over.Nanoseconds/second+2, longest)),
		") AS x")
}

func (b *builder) double(v string) string { return "CAST(" + v + " AS " + b.types[pcp.Double] + ")" }

// quantileOver returns the quantiles of arrays, as the evaluator interpolates.
func (b *builder) quantileOver(n *syntax.CallExpr, out values, list string) values {
	spots := b.define(syntax.Print(n)+", places", "SELECT "+columns(out.many)+", "+b.sorted("list")+" AS list,",
		"  "+shareOf(n)+" * "+b.double(b.length("list")+" - 1")+" AS spot", "FROM "+list)
	last := b.element("list", b.length("list"))
	sides := b.define(syntax.Print(n)+", neighbours", "SELECT "+columns(out.many)+", "+last+" AS last, spot - floor(spot) AS part,",
		"  "+b.element("list", "floor(spot) + 1")+" AS low, "+b.element("list", "least(floor(spot) + 2, "+b.double(b.length("list"))+")")+" AS high",
		"FROM "+spots)
	out.table = b.define(syntax.Print(n), "SELECT "+columns(out.many)+",",
		"  CASE WHEN "+fmt.Sprintf(b.isNaN, "last")+" THEN "+b.nan(),
		"    WHEN part = 0 OR NOT low < high THEN low",
		"    ELSE low * (1e0 - part) + high * part END AS value",
		"FROM "+sides)
	return out
}

// shift returns the values of the last record that is old enough.
func (b *builder) shift(n *syntax.CallExpr, x values, skip []fail) values {
	steps, insts := b.steps(union(skip, x.fails)), ""
	if x.many {
		insts = "inst, position, instance, "
	}
	earlier := b.define(syntax.Print(n)+", values", "SELECT host, seg, step AS since, "+insts+"value",
		"FROM "+b.table(n.X, x)+" JOIN "+steps+" USING ("+row+")")
	times := b.define(syntax.Print(n)+", times", "SELECT host, seg, step, "+b.nanoseconds("time", b.opt.Micros)+" AS ns FROM "+steps)
	last := b.define(syntax.Print(n)+", last records", "SELECT host, seg, step, asks,",
		"  max(past) OVER (PARTITION BY host, seg ORDER BY ns, asks ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS since", "FROM (",
		"  SELECT host, seg, step, step AS past, ns, 0 AS asks FROM "+times, "  UNION ALL",
		fmt.Sprintf("  SELECT host, seg, step, step - step AS past, ns - %d AS ns, 1 AS asks FROM %s", n.Over.Nanoseconds, times), ") AS x")
	since := b.define(syntax.Print(n)+", records", "SELECT "+row+", since", "FROM "+last+" JOIN "+steps+" USING (host, seg, step)", "WHERE asks = 1")
	x.number = ""
	x.table = b.define(syntax.Print(n), "SELECT "+columns(x.many)+", value", "FROM "+since+" JOIN "+earlier+" AS y USING (host, seg, since)")
	return x
}

func (duckdb) collect() string { return "list(struct_pack(t := ns, r := record, v := value))" }

func (duckdb) ordered(list, after string) string {
	of := "list_filter(" + list + ", lambda p: p.t > " + after + " AND (p.t < ns OR p.t = ns AND p.r <= record))"
	return "list_transform(list_sort(" + of + "), lambda p: p.v)"
}

func (duckdb) reduce(list, init, f string) string {
	return "list_reduce(" + list + ", lambda a, p: " + f + ", " + init + ")"
}

func (duckdb) sorted(list string) string { return "list_sort(" + list + ")" }

func (duckdb) element(list, place string) string { return list + "[CAST(" + place + " AS BIGINT)]" }

func (duckdb) length(list string) string { return "len(" + list + ")" }

func (clickhouse) collect() string { return "groupArray((ns, record, value))" }

func (clickhouse) ordered(list, after string) string {
	return "arrayMap(p -> p.3, arraySort(arrayFilter(p -> p.1 > " + after + " AND (p.1, p.2) <= (ns, record), " + list + ")))"
}

func (clickhouse) reduce(list, init, f string) string {
	return "arrayFold((a, p) -> " + f + ", " + list + ", " + init + ")"
}

func (clickhouse) sorted(list string) string { return "arraySort(" + list + ")" }

func (clickhouse) element(list, place string) string { return list + "[toInt64(" + place + ")]" }

func (clickhouse) length(list string) string { return "toInt64(length(" + list + "))" }

func (spark) collect() string { return "collect_list(struct(ns AS t, record AS r, value AS v))" }

func (spark) ordered(list, after string) string {
	of := "filter(" + list + ", p -> p.t > " + after + " AND (p.t < ns OR p.t = ns AND p.r <= record))"
	return "transform(array_sort(" + of + "), p -> p.v)"
}

func (spark) reduce(list, init, f string) string {
	return "aggregate(" + list + ", " + init + ", (a, p) -> " + f + ")"
}

func (spark) sorted(list string) string { return "array_sort(" + list + ")" }

func (spark) element(list, place string) string {
	return "element_at(" + list + ", CAST(" + place + " AS INT))"
}

func (spark) length(list string) string { return "size(" + list + ")" }
