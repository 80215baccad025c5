package sql

import (
	"fmt"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// The functions of the extended language.

// inexact refuses a function that engines compute with other last digits.
func (b *builder) inexact(e syntax.Expr, fun syntax.Token) values {
	return b.refuse(e, "the last digits of "+fun.Symbol()+"() depend on the library of the engine")
}

// nan returns a number that is none.
func (b *builder) nan() string { return "CAST('NaN' AS " + b.types[pcp.Double] + ")" }

// ordering returns the order of values in which those that are not numbers come last.
func (b *builder) ordering(t pcp.Type, direction string) string {
	if !isFloat(t) {
		return "value" + direction
	}
	return "CASE WHEN " + fmt.Sprintf(b.isNaN, "value") + " THEN 1 ELSE 0 END, value" + direction
}

// ranked returns the instances of the largest or the smallest values of each record.
func (b *builder) ranked(n *syntax.CallExpr, x values) values {
	limit, ok := n.N.(*syntax.IntLit)
	if b.err != nil || !x.many || !ok {
		return x
	}
	direction := ""
	if n.Fun == "topn" {
		direction = " DESC"
	}
	x.table = b.define(syntax.Print(n), "SELECT "+columns(true)+", value", "FROM (",
		"  SELECT "+columns(true)+", value, row_number() OVER (PARTITION BY "+row+" ORDER BY "+b.ordering(x.typ, direction)+", inst) AS place",
		"  FROM "+x.table,
		") AS x", "WHERE place <= "+limit.Text)
	return x
}

// doubles returns values as a table of doubles.
func (b *builder) doubles(x values, e syntax.Expr) values {
	x.table, x.number = b.table(e, x), ""
	if x.typ == pcp.Double {
		return x
	}
	return b.each(e, pcp.Double, x, func(v string) string { return b.convert(v, x.typ, pcp.Double) })
}

// quantile returns the quantile of the values of each record, as the evaluator interpolates.
func (b *builder) quantile(n *syntax.CallExpr, x values) values {
	share := shareOf(n)
	if x = b.doubles(x, n.X); b.err != nil {
		return x
	}
	double, nan := b.types[pcp.Double], fmt.Sprintf(b.isNaN, "value")
	places := b.define(syntax.Print(n)+", places", "SELECT "+x.key()+", value,",
		"  CAST(row_number() OVER (PARTITION BY "+x.key()+" ORDER BY "+b.ordering(pcp.Double, "")+") - 1 AS "+double+") AS place,",
		"  "+share+" * CAST(count(*) OVER (PARTITION BY "+x.key()+") - 1 AS "+double+") AS spot",
		"FROM "+x.table)
	sides := b.define(syntax.Print(n)+", neighbours", "SELECT "+x.key()+",",
		"  max(CASE WHEN place = floor(spot) THEN value ELSE NULL END) AS low,",
		"  max(CASE WHEN place = floor(spot) + 1 THEN value ELSE NULL END) AS high,",
		"  max(spot - floor(spot)) AS part, sum(CASE WHEN "+nan+" THEN 1 ELSE 0 END) AS nans",
		"FROM "+places, "GROUP BY "+x.key())
	low, high := fmt.Sprintf(b.present, "low"), fmt.Sprintf(b.present, "high")
	return values{typ: pcp.Double, many: x.grouped, fails: x.fails, table: b.define(syntax.Print(n), "SELECT "+x.key()+",",
		"  CASE WHEN nans > 0 THEN "+b.nan(),
		"    WHEN high IS NULL OR part = 0 OR NOT low < high THEN "+low,
		"    ELSE "+low+" * (1e0 - part) + "+high+" * part END AS value",
		"FROM "+sides)}
}

// shareOf returns the share of a quantile.
func shareOf(n *syntax.CallExpr) string {
	switch lit := n.N.(type) {
	case *syntax.IntLit:
		return float(float64(lit.Value))
	case *syntax.FloatLit:
		return float(lit.Value)
	}
	return float(0.5)
}

// stddev returns the standard deviation of the values of each record.
func (b *builder) stddev(n *syntax.CallExpr, x values) values {
	if x = b.doubles(x, n.X); b.err != nil {
		return x
	}
	double := b.types[pcp.Double]
	mean := b.fold(double, x.order()) + " / CAST(count(*) AS " + double + ")"
	means := b.define(syntax.Print(n)+", means", "SELECT "+x.key()+", "+mean+" AS mean", "FROM "+x.table, "GROUP BY "+x.key())
	squares := b.define(syntax.Print(n)+", squares", "SELECT "+x.columns()+", (value - mean) * (value - mean) AS value",
		"FROM "+x.table, "JOIN "+means+" USING ("+x.key()+")")
	return values{typ: pcp.Double, many: x.grouped, fails: x.fails, table: b.define(syntax.Print(n), "SELECT "+x.key()+", sqrt("+mean+") AS value",
		"FROM "+squares, "GROUP BY "+x.key())}
}

// math returns a function of each value.
func (b *builder) math(n *syntax.CallExpr, t pcp.Type, x values) values {
	if n.Fun == "exp" || n.Fun == "ln" {
		return b.inexact(n, n.Fun)
	}
	if _, integral := b.engine.(spark); integral && isFloat(x.typ) && n.Fun != "abs" && n.Fun != "sqrt" {
		return b.refuse(n, "Spark makes integers of 64 bits of what it rounds")
	}
	return b.each(n, t, x, func(v string) string {
		switch {
		case n.Fun == "sqrt":
			v = b.convert(v, x.typ, pcp.Double)
			return choose(b.compare("<", pcp.Double, v, "0e0"), b.nan(), "sqrt("+v+")")
		case n.Fun == "abs" && isFloat(t):
			return "abs(" + v + ")"
		case n.Fun == "abs" && t != x.typ:
			return choose(v+" < 0", b.integer("-", t, b.literal(t, 0), v), b.convert(v, x.typ, t))
		case !isFloat(t):
			return v
		case n.Fun == "round":
			whole := "trunc(" + v + ")"
			return choose("abs("+v+" - "+whole+") >= 5e-01", whole+" + sign("+v+")", whole)
		case n.Fun == "ceil":
			return "ceil(" + v + ")"
		}
		return "floor(" + v + ")"
	})
}
