package sql

import (
	"cmp"
	"fmt"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/internal/ere"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// ternary returns a choice. Both arms are evaluated, and where one that is not novalue() has no
// values the result has none.
func (b *builder) ternary(n *syntax.TernaryExpr, t check.Type, skip []fail) values {
	if choice := b.info.Choices[n]; choice != check.NotStatic {
		return b.chosen(n, choice, skip)
	}
	c := b.add(n.Cond, skip)
	if b.info.Novalue(n.X) {
		return b.only(n, c, b.add(n.Y, union(skip, c.fails)), false)
	}
	x := b.add(n.X, union(skip, c.fails))
	if b.info.Novalue(n.Y) {
		return b.only(n, c, x, true)
	}
	y := b.add(n.Y, union(union(skip, c.fails), x.fails))
	if b.err != nil {
		return x
	}
	if c.number != "" { // not static, such as 1.5
		c = values{typ: c.typ, table: b.table(n.Cond, c)}
	}
	if x.number != "" && y.number != "" {
		return b.each(n, x.typ, c, func(v string) string { return choose(b.isTrue(v), x.number, y.number) })
	}
	if x.many && y.many {
		return b.either(n, c, x, y)
	}
	return b.beside(n, c, x, y)
}

func choose(condition, x, y string) string {
	return "CASE WHEN " + condition + " THEN " + x + " ELSE " + y + " END"
}

// chosen returns the arm of a choice that is made, in the records in which the condition has values.
func (b *builder) chosen(n *syntax.TernaryExpr, choice check.Choice, skip []fail) values {
	arm := n.X
	if choice == check.Right {
		arm = n.Y
	}
	if _, checked := b.info.Types[n.Cond]; !checked {
		return b.add(arm, skip)
	}
	c := b.add(n.Cond, skip)
	x := b.add(arm, union(skip, c.fails))
	if b.err != nil || c.number != "" {
		return x
	}
	x.table, x.number = b.table(arm, x), ""
	x.fails = union(c.fails, x.fails)
	x.table = b.define(syntax.Print(n), "SELECT "+columns(x.many)+", value", "FROM "+x.table, "JOIN ("+b.when(c)+") AS c USING ("+row+")")
	return x
}

func (b *builder) when(v values) string { return "SELECT DISTINCT " + row + " FROM " + v.table }

// only returns the values of x where the condition is true, or where it is not.
func (b *builder) only(n *syntax.TernaryExpr, c, x values, want bool) values {
	if b.err != nil {
		return x
	}
	if c.many && !x.many {
		return b.none(n, b.info.Types[n])
	}
	c.table, c.number = b.table(n.Cond, c), ""
	x.table, x.number = b.table(n, x), ""
	x.fails = union(c.fails, x.fails)
	x.table = b.define(syntax.Print(n), b.arm(c, x, want)...)
	return x
}

func (b *builder) arm(c, x values, want bool) []string {
	using, cols, condition := row, row, b.isTrue("c.value")
	if x.many {
		cols = row + ", x.inst AS inst, x.position AS position, x.instance AS instance"
	}
	if c.many {
		using, cols = row+", inst", row+", inst, x.position AS position, x.instance AS instance"
	}
	if !want {
		condition = "NOT (" + condition + ")"
	}
	return []string{"SELECT " + cols + ", x.value AS value", "FROM " + x.table + " AS x", "JOIN " + c.table + " AS c USING (" + using + ")", "WHERE " + condition}
}

// either returns a choice between arms that both have instances.
func (b *builder) either(n *syntax.TernaryExpr, c, x, y values) values {
	out := values{typ: x.typ, many: true, one: x.one && y.one && !c.many, fails: union(union(c.fails, x.fails), y.fails)}
	bothThere := b.define(syntax.Print(n), b.when(x), "INTERSECT DISTINCT", b.when(y))
	lines := b.arm(c, x, true)
	lines = append(append(lines, "UNION ALL"), b.arm(c, y, false)...)
	all := b.define(syntax.Print(n), lines...)
	if c.many {
		all = b.inOrder(n, all, x)
	}
	out.table = b.define(syntax.Print(n), "SELECT "+columns(true)+", value", "FROM "+all, "JOIN "+bothThere+" AS r USING ("+row+")")
	return out
}

// inOrder gives the values of a choice by instance the order of the first arm; those that only the second
// one has follow.
func (b *builder) inOrder(n *syntax.TernaryExpr, all string, x values) string {
	integer := b.types[pcp.Int32]
	number := "CAST(row_number() OVER (PARTITION BY " + row + " ORDER BY CASE WHEN x.place IS NULL THEN 1 ELSE 0 END, coalesce(x.place, a.position)) AS " + integer + ")"
	return b.define(syntax.Print(n), "SELECT "+row+", inst,", "  "+fmt.Sprintf(b.present, number)+" AS position,", "  a.instance AS instance, a.value AS value",
		"FROM "+all+" AS a", "LEFT JOIN (SELECT "+row+", inst, CAST(position AS "+integer+") AS place FROM "+x.table+") AS x USING ("+row+", inst)")
}

// beside returns a choice between arms of which at most one has instances.
func (b *builder) beside(n *syntax.TernaryExpr, c, x, y values) values {
	if c.many && !x.many && !y.many {
		return b.none(n, b.info.Types[n])
	}
	out := values{typ: x.typ, many: x.many || y.many, one: x.one || y.one, fails: union(union(c.fails, x.fails), y.fails)}
	cols, using := row, row
	from := []string{"FROM " + c.table + " AS c"}
	join := func(name string, a values) {
		switch {
		case a.number != "":
			return
		case a.many && c.many:
			using, cols = row+", inst", row+", inst, "+name+".position AS position, "+name+".instance AS instance"
		case a.many:
			using, cols = row, row+", "+name+".inst AS inst, "+name+".position AS position, "+name+".instance AS instance"
		default:
			using = row
		}
		from = append(from, "JOIN "+a.table+" AS "+name+" USING ("+using+")")
	}
	join("x", x)
	join("y", y)
	value := choose(b.isTrue("c.value"), cmp.Or(x.number, "x.value"), cmp.Or(y.number, "y.value"))
	out.table = b.define(syntax.Print(n), append([]string{"SELECT " + cols + ", " + value + " AS value"}, from...)...)
	return out
}

// instance returns x[name]: the values, from its first record on, of the instance that appears first
// among those of the name, or, as in the reference's archives, among those whose first of several
// words begins with name.
func (b *builder) instance(n *syntax.InstExpr, x values) values {
	if b.err != nil {
		return x
	}
	if !x.many {
		return b.none(n, b.info.Types[n])
	}
	if strings.Contains(n.Name, "\x00") {
		return b.refuse(n, "engines end a query at a null byte")
	}
	name := b.text(strings.ToValidUTF8(n.Name, "\uFFFD")) // as in the tables
	order := "(time, CASE WHEN instance = " + name + " THEN 0 ELSE 1 END, inst)"
	first := b.define(syntax.Print(n), "SELECT host, seg, "+fmt.Sprintf(b.argMin, "inst", order)+" AS inst, min(time) AS since", "FROM "+x.table,
		"WHERE instance = "+name+" OR instance LIKE '% %' AND "+fmt.Sprintf(b.begins, name, fmt.Sprintf(b.firstWord, "instance")), "GROUP BY host, seg")
	x.one = true
	x.table = b.define(syntax.Print(n), "SELECT "+columns(true)+", value", "FROM "+x.table, "JOIN "+first+" AS f USING (host, seg, inst)", "WHERE time >= since")
	return x
}

// matching returns the instances whose names match a pattern, or those whose do not. An instance
// whose name is not known at a time has the one that it had first.
func (b *builder) matching(n *syntax.MatchInstExpr, x values) values {
	if b.err != nil {
		return x
	}
	if !x.many {
		return b.none(n, b.info.Types[n])
	}
	pattern, ok := ere.RE2(n.Pattern)
	if !ok {
		return b.refuse(n, "the pattern has a word boundary, or a set of bytes that are not ASCII")
	}
	condition := b.matches(fmt.Sprintf(b.firstWord, "name"), pattern)
	if n.NotPos >= 0 {
		condition = "NOT " + condition
	}
	names := b.define("names of instances", "SELECT host, seg, inst, "+fmt.Sprintf(b.argMin, "instance", "time")+" AS first",
		"FROM "+x.table, "WHERE instance IS NOT NULL", "GROUP BY host, seg, inst")
	x.table = b.define(syntax.Print(n), "SELECT "+columns(true)+", value", "FROM (",
		"  SELECT "+columns(true)+", value, coalesce(instance, first) AS name",
		"  FROM "+x.table+" JOIN "+names+" USING (host, seg, inst)",
		") AS x", "WHERE "+condition)
	return x
}
