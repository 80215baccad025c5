// Package sql writes expressions as SQL over the tables that pmderive export writes (docs/scale.md).
//
// [Query] turns a checked tree into one query, whose rows are the values that the expression has
// record by record: time, host, inst, instance, value. Each metric and each operator is a table
// expression of the query. Parts that the tables or the dialect cannot express are refused, with
// the place in the expression and the reason; nothing is approximated.
package sql

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// Options say for which engine a query is.
type Options struct {
	Dialect string // one of Dialects; "" is the first
	Tables  string // the directory of the tables, or the URL of a bucket
	Cluster string // whose servers read the tables of a bucket together: for clickhouse
	Table   string // the name of tables that the engine has, with * for that of each; "" for files
	// NameOf returns the name that the tables have for a metric with several; nil for that in the
	// expression.
	NameOf func(id pcp.ID, name string) string
	// From and Until are the first and the last time of values; zero for no bound. Records before are read as far as
	// the expression looks back, so that a window does not change its values.
	From, Until pcp.Timestamp
	Open        bool     // a value at Until does not count
	Hosts       []string // the hosts that count, empty for all
	// Dirs are the directories of a table that have rows of Hosts, so that an engine need not look into
	// those of all hosts; nil, or none, for all.
	Dirs     map[string][]string
	Flat     bool // the tables do not have the partition host, but a column
	Undated  bool // the tables do not have the partition date
	Micros   bool // their times are microseconds, and their unsigned integers of 64 bits decimals
	Problems bool // the query is for the hosts for which the expression does not hold
}

func (o *Options) dir() string { return strings.TrimRight(o.Tables, "/") }

// bucket reports whether the tables are in a bucket.
func (o *Options) bucket() bool { return strings.Contains(o.Tables, "://") }

// valid returns an error if the places of the tables contradict each other, or the dialect.
func (o *Options) valid() error {
	scheme, _, _ := strings.Cut(o.Tables, "://")
	switch click := o.Dialect == "clickhouse"; {
	case o.Cluster != "" && (!click || !o.bucket() || o.Table != ""):
		return errors.New("a cluster reads tables of a bucket, in the dialect clickhouse: name them as in --tables s3://BUCKET/PREFIX")
	case click && o.bucket() && !slices.Contains([]string{"s3", "gs", "http", "https"}, scheme):
		return fmt.Errorf("tables %q: ClickHouse reads s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or https://ENDPOINT/BUCKET/PREFIX", o.Tables)
	case o.Table != "" && !legalTable(o.Table):
		return fmt.Errorf("table name %q: want a database, as in pcp for pcp.values and others, or a name with * for each table, as in pcp.pmtools_*", o.Table)
	}
	return nil
}

func legalTable(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '`' }) {
			return false
		}
	}
	return true
}

func (o *Options) name(id pcp.ID, ref *syntax.MetricRef) string {
	if o.NameOf == nil {
		return ref.Name
	}
	return o.NameOf(id, ref.Name)
}

// hosts returns the condition on the host, with AND before it.
func (o *Options) hosts(d *dialect) string {
	if len(o.Hosts) == 0 {
		return ""
	}
	var list []string
	for _, host := range o.Hosts {
		list = append(list, d.text(host))
	}
	return " AND host IN (" + strings.Join(list, ", ") + ")"
}

// Dialects returns the names of the dialects.
func Dialects() []string { return []string{"duckdb", "clickhouse", "spark"} }

// Bounds of an expression: engines plan no more in time. The text of a query holds that of each operator again and again.
const (
	maxTables = 300  // table expressions of the query
	maxNodes  = 3000 // operators and operands
)

// oneLine returns text that cannot end a comment.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

type builder struct {
	*dialect
	opt      *Options
	info     *check.Info
	hosts    string            // the table of the hosts that count
	eras     string            // the condition on their records, with AND before it, see fleet.eras
	first    pcp.Timestamp     // of the records that are read, zero for all
	operands []string          // names of the metrics that decide which records count
	list     []string          // the table expressions
	known    map[string]string // names of table expressions by their text
	nested   map[place]values
	members  map[pcp.InDom][]string // the tables of the instances that groups have, with their labels
	err      error                  // the first refusal
}

// root returns the values of an expression as a table.
func (b *builder) root(e syntax.Expr) values {
	nodes := 0
	for range syntax.Preorder(e) {
		if nodes++; nodes > maxNodes {
			return b.refuse(e, fmt.Sprintf("it has more than %d operators and operands, which are too many for engines", maxNodes))
		}
	}
	v := b.add(e, nil)
	v.table, v.number = b.table(e, v), ""
	if b.err == nil && len(b.list) > maxTables {
		b.err = b.tooLong(e)
	}
	return v
}

func (b *builder) tooLong(e syntax.Expr) error {
	b.refuse(e, fmt.Sprintf("the query would have %d parts, and %d are too many for engines", len(b.list), maxTables))
	return b.err
}

// rows returns the rows of a table that count, with conditions.
func (b *builder) rows(table, condition string) []string {
	limits := b.opt.hosts(b.dialect)
	if !b.opt.Undated && b.opt.Table == "" && table == "values" {
		for _, x := range b.opt.bounds(b.first) {
			limits += " AND date " + strings.TrimSuffix(x.op, "=") + "= " + b.text(x.at.Time().UTC().Format(time.DateOnly))
		}
	}
	for _, x := range b.opt.bounds(b.first) {
		limits += fmt.Sprintf(" AND %s %s %s", "time", x.op, b.instant(x.at, b.opt.Micros))
	}
	return []string{"FROM " + b.from(b.opt, table), "WHERE " + condition + limits + b.eras + " AND host IN (SELECT host FROM " + b.hosts + ")"}
}

type bound struct {
	op string
	at pcp.Timestamp
}

// bounds returns the bounds of records that are read from a time on, which may be zero.
func (o *Options) bounds(first pcp.Timestamp) (list []bound) {
	last := "<="
	if o.Open {
		last = "<"
	}
	for _, x := range []bound{{">=", first}, {last, o.Until}} {
		if x.at != (pcp.Timestamp{}) {
			list = append(list, x)
		}
	}
	return list
}

// firstFor returns from which time on records are read for the values of an expression from o.From on, zero for all: the record
// before may be at any time.
func (o *Options) firstFor(e syntax.Expr) pcp.Timestamp {
	first := o.From
	for n := range syntax.Preorder(e) {
		call, ok := n.(*syntax.CallExpr)
		if !ok || first == (pcp.Timestamp{}) {
			continue
		}
		switch {
		case call.Fun == "delta", call.Fun == "rate", call.Fun == "shift":
			return pcp.Timestamp{}
		case call.Over != nil:
			first = first.Add(-time.Duration(call.Over.Nanoseconds))
		}
	}
	return first
}

// within returns the condition on the time of values of which earlier records were read, with WHERE before it.
func (b *builder) within() string {
	if b.first == b.opt.From {
		return ""
	}
	return "\nWHERE time >= " + b.instant(b.opt.From, b.opt.Micros)
}

// A place is where a definition stands: the same where the same errors keep it from being reached.
type place struct {
	x    syntax.Expr
	skip string
}

// values are what a part of an expression is: a number, or a table with columns host, seg, time, record and
// value, and inst, position and instance if there are many. Values of a record have the order of position.
type values struct {
	typ    pcp.Type
	number string // its SQL; "" for a table
	table  string
	many   bool   // a value belongs to an instance
	one    bool   // there is only one instance
	fails  []fail // when there is an error and no value
	// grouped says that inst, position and instance are those of groups, whose values have the order of nth.
	grouped bool
}

// key returns the columns that distinguish what a function of instances has a value for.
func (v *values) key() string { return columns(v.grouped) }

// columns returns the columns of values but the value.
func (v *values) columns() string {
	if v.grouped {
		return columns(true) + ", nth"
	}
	return columns(v.many)
}

// order returns the column by which the values of a key are in order.
func (v *values) order() string {
	switch {
	case v.grouped:
		return "nth"
	case v.many:
		return "position"
	}
	return "time" // of one value
}

func (b *builder) refuse(e syntax.Expr, why string) values {
	if b.err == nil {
		start, _ := e.Span()
		b.err = &check.Error{Pos: start, What: syntax.Print(e), Text: "not in SQL: " + why}
	}
	return values{number: "0"}
}

// define adds a table expression with a comment, and returns its name. An existing one with the
// same text is reused.
func (b *builder) define(what string, lines ...string) string {
	text := strings.Join(lines, "\n  ")
	name, ok := b.known[text]
	if !ok {
		name = fmt.Sprintf("t%d", len(b.list)+1)
		b.known[text] = name
		b.list = append(b.list, fmt.Sprintf("%s AS ( -- %s\n  %s\n)", name, oneLine(what), text))
	}
	return name
}

// row is the columns that distinguish records.
const row = "host, seg, time, record"

func columns(many bool) string {
	if many {
		return row + ", inst, position, instance"
	}
	return row
}

// table returns values as a table: a number has a row for each record.
func (b *builder) table(e syntax.Expr, v values) string {
	if v.number == "" || b.err != nil {
		return v.table
	}
	return b.define(syntax.Print(e), "SELECT "+row+", "+v.number+" AS value", "FROM "+b.records(nil))
}

// each returns values that are made of those of x one by one, by what f makes of the SQL of one.
func (b *builder) each(e syntax.Expr, t pcp.Type, x values, f func(string) string) values {
	v := x
	v.typ = t
	if x.number != "" {
		v.number = f(x.number)
	} else if b.err == nil {
		v.table = b.define(syntax.Print(e), "SELECT "+x.columns()+", "+f("value")+" AS value", "FROM "+x.table)
	}
	return v
}

// add returns what a tree is. Records in which something in skip fails do not reach it.
func (b *builder) add(e syntax.Expr, skip []fail) values {
	if b.err != nil {
		return values{number: "0"}
	}
	t := b.info.Types[e]
	switch n := e.(type) {
	case *syntax.ParenExpr:
		return b.add(n.X, skip)
	case *syntax.NestExpr:
		return b.nest(n, skip)
	case *syntax.MetricRef:
		return b.metric(n)
	case *syntax.IntLit, *syntax.FloatLit, *syntax.ConstExpr:
		return b.constant(e, t)
	case *syntax.UnaryExpr:
		return b.unary(n, t.Type, b.add(n.X, skip))
	case *syntax.BinaryExpr:
		return b.binary(n, t.Type, skip)
	case *syntax.TernaryExpr:
		return b.ternary(n, t, skip)
	case *syntax.CallExpr:
		return b.call(n, t.Type, skip)
	case *syntax.RescaleExpr:
		return b.rescale(n, b.add(n.X, skip))
	case *syntax.InstExpr:
		return b.instance(n, b.add(n.X, skip))
	case *syntax.MatchInstExpr:
		return b.matching(n, b.add(n.X, skip))
	}
	return b.none(e, t)
}

// none returns values that there never are.
func (b *builder) none(e syntax.Expr, t check.Type) values {
	v := values{typ: t.Type, many: !t.Singular()}
	value, inst := b.null(pcp.String), ""
	if t.Type.Arithmetic() {
		value = b.literal(t.Type, 0)
	}
	if v.many {
		inst = b.null(pcp.Int32) + " AS inst, 0 AS position, " + b.null(pcp.String) + " AS instance, "
	}
	v.table = b.define(syntax.Print(e), "SELECT "+row+", "+inst+value+" AS value", "FROM "+b.records(nil), "WHERE 1 = 0")
	return v
}

func (b *builder) null(t pcp.Type) string { return "CAST(NULL AS " + b.types[t] + ")" }

func (b *builder) nest(n *syntax.NestExpr, skip []fail) values {
	at := place{n.X, fmt.Sprint(skip)}
	v, ok := b.nested[at]
	if !ok {
		v = b.add(n.X, skip)
		b.nested[at] = v
		if bad, ok := b.err.(*check.Error); ok {
			b.err = bad.Inside(n.Ref)
		}
	}
	return v
}

func (b *builder) constant(e syntax.Expr, t check.Type) values {
	switch v := b.info.Consts[e]; {
	case !t.Singular():
		return b.refuse(e, "a constant with an instance domain has a value for each instance there is at the time, which the tables do not say")
	case !v.IsSet() || !t.Type.Arithmetic():
		return b.refuse(e, "it is not a number")
	default:
		return values{typ: t.Type, number: b.literal(t.Type, v.Word())}
	}
}

func (b *builder) call(n *syntax.CallExpr, t pcp.Type, skip []fail) values {
	switch n.Fun {
	case "defined":
		word := uint64(0)
		if b.info.Defined[n] {
			word = 1
		}
		return values{typ: t, number: b.literal(t, word)}
	case "anon":
		return b.none(n, b.info.Types[n])
	}
	x := b.add(n.X, skip)
	if n.By != nil {
		x = b.group(n, x)
	}
	if n.Over != nil {
		return b.over(n, t, x, skip)
	}
	switch n.Fun {
	case "instant":
		return x
	case "scalar":
		return b.scalar(n, x)
	case "delta", "rate":
		return b.change(n, t, x, skip)
	case "topn", "bottomn":
		return b.ranked(n, x)
	case "quantile", "median":
		return b.quantile(n, x)
	case "stddev":
		return b.stddev(n, x)
	case "abs", "ceil", "exp", "floor", "ln", "round", "sqrt":
		return b.math(n, t, x)
	}
	return b.aggregate(n, t, x)
}

func (b *builder) scalar(n *syntax.CallExpr, x values) values {
	if b.err != nil || !x.many {
		return x
	}
	lines := []string{"SELECT " + row + ", value", "FROM " + x.table}
	switch {
	case !x.one && x.typ == pcp.String: // which may be null
		first := "SELECT " + row + ", min(position) AS position FROM " + x.table + " GROUP BY " + row
		lines = append(lines, "JOIN ("+first+") AS f USING ("+row+", position)")
	case !x.one:
		lines = []string{"SELECT " + row + ", " + fmt.Sprintf(b.argMin, "value", "position") + " AS value", "FROM " + x.table, "GROUP BY " + row}
	}
	x.many, x.one = false, false
	x.table = b.define(syntax.Print(n), lines...)
	return x
}
