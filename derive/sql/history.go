package sql

import (
	"fmt"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// change returns the differences from the record before, for delta() and rate(). An instance has one
// if it was there in the record before: an error of a metric by itself is such a record, an error of
// an expression is not.
func (b *builder) change(n *syntax.CallExpr, t pcp.Type, x values, skip []fail) values {
	if b.err != nil {
		return x
	}
	operand := syntax.Unparen(n.X)
	_, bare := operand.(*syntax.MetricRef)
	out := values{typ: t, many: x.many, one: x.one}
	steps := ""
	if bare {
		steps = b.steps(skip)
		out.fails = []fail{{x.fails[0].metric, steps}}
	} else {
		steps = b.steps(union(skip, x.fails))
		out.fails = x.fails
	}
	now, last, parts := "x.value", "last_value", "host, seg" // in ClickHouse value would be the new one in WHERE
	if x.many {
		parts += ", inst"
	}
	of := b.info.Types[operand]
	value, where := "", "WHERE step = last_step + 1"
	if n.Fun == "delta" {
		value = b.delta(x.typ, now, last)
	} else {
		counter := of.Sem == pcp.Counter && of.Type != pcp.Int32
		if counter {
			where += " AND NOT (" + b.compare("<", x.typ, now, last) + ")"
		}
		value = b.rate(x.typ, counter, now, last)
		if f := check.TimeFactor(of.Units); f != 1 {
			value += " * " + float(f)
		}
	}
	out.table = b.define(syntax.Print(n),
		"SELECT "+columns(x.many)+", "+value+" AS value",
		"FROM (",
		"  SELECT "+columns(x.many)+", value, step,",
		"    lag(value) OVER w AS last_value, lag(time) OVER w AS last_time, lag(step, 1, -1) OVER w AS last_step",
		"  FROM "+b.table(n.X, x)+" JOIN "+steps+" USING ("+row+")",
		"  WINDOW w AS (PARTITION BY "+parts+" ORDER BY step)",
		") AS x",
		where)
	return out
}

func (b *builder) delta(t pcp.Type, now, last string) string {
	switch t {
	case pcp.Uint64:
		return "(" + b.convert(now, t, pcp.Double) + " - " + b.convert(last, t, pcp.Double) + ")"
	case pcp.Uint32:
		return "(" + now + " - " + last + ")"
	}
	return b.arithmetic("-", t, now, last)
}

func (b *builder) rate(t pcp.Type, counter bool, now, last string) string {
	diff := ""
	switch {
	case t == pcp.Uint32:
		diff = b.convert("("+now+" - "+last+")", pcp.Int64, pcp.Double)
	case t != pcp.Uint64 || counter:
		diff = b.convert(b.arithmetic("-", t, now, last), t, pcp.Double)
	default:
		up := b.convert(b.integer("-", t, now, last), t, pcp.Double)
		down := b.convert(b.integer("-", t, last, now), t, pcp.Double)
		diff = "CASE WHEN " + now + " < " + last + " THEN -" + down + " ELSE " + up + " END"
	}
	elapsed := b.convert(b.nanoseconds("time", b.opt.Micros)+" - "+b.nanoseconds("last_time", b.opt.Micros), pcp.Int64, pcp.Double)
	return diff + " / (" + elapsed + " / 1e9)"
}

func (b *builder) aggregate(n *syntax.CallExpr, t pcp.Type, x values) values {
	if b.err != nil {
		return x
	}
	x.table, x.number = b.table(n.X, x), "" // the extended language has the sum of a number
	from, value, empty := x.table, "", b.literal(t, 0)
	switch n.Fun {
	case "min", "max":
		value, empty = b.extreme(strings.ToLower(n.Fun.String()), t, x.order()), ""
	case "count":
		value = "CAST(count(*) AS " + b.types[t] + ")"
	case "sum":
		value = b.sum(t, x.order())
	case "avg":
		size := b.convert("count(*) OVER (PARTITION BY "+x.key()+")", pcp.Int64, pcp.Float)
		from = b.define(syntax.Print(n), "SELECT "+x.columns()+", "+b.single(b.toSingle("value", x.typ)+" / "+size)+" AS value",
			"FROM "+x.table)
		value = b.fold(b.types[pcp.Float], x.order())
	}
	lines := []string{"SELECT " + x.key() + ", " + value + " AS value", "FROM " + from, "GROUP BY " + x.key()}
	out := values{typ: t, many: x.grouped, fails: x.fails}
	if n.Fun == "count" && !x.grouped {
		out.fails = nil
	}
	if _, name := syntax.Unparen(n.X).(*syntax.MetricRef); !name && n.Fun != "count" || x.grouped {
		empty = ""
	}
	if empty != "" { // the records that do not have the metric
		lines = append(lines, "UNION ALL", "SELECT "+row+", "+empty, "FROM (",
			"  SELECT "+row+" FROM "+b.records(out.fails), "  EXCEPT DISTINCT SELECT "+row+" FROM "+x.table, ") AS x")
	}
	out.table = b.define(syntax.Print(n), lines...)
	return out
}

// toSingle returns a number in single precision. A double that is too large is infinite.
func (b *builder) toSingle(v string, from pcp.Type) string {
	if from == pcp.Double {
		return fmt.Sprintf(b.narrow, v)
	}
	return b.convert(v, from, pcp.Float)
}

// extreme returns the least or greatest value of a record, of equal ones the first: zeros have a sign. If
// the first value is not a number, it is the result.
func (b *builder) extreme(f string, t pcp.Type, order string) string {
	if !isFloat(t) {
		return f + "(value)"
	}
	first := fmt.Sprintf(b.argMin, "value", order)
	least := "value"
	if f == "max" {
		least = "-value"
	}
	rest := fmt.Sprintf(b.argMin, "value", "("+least+", "+order+")") + " FILTER (WHERE NOT " + fmt.Sprintf(b.isNaN, "value") + ")"
	return "CASE WHEN " + fmt.Sprintf(b.isNaN, first) + " THEN " + first + " ELSE " + rest + " END"
}

func (b *builder) sum(t pcp.Type, order string) string {
	if isFloat(t) {
		return b.fold(b.types[t], order)
	}
	return b.wrap(t, "sum(value)")
}
