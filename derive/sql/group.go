package sql

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// Groups by labels. The table of labels has the labels of each object from a time on: for the time of each
// record, a window finds the last such time of each level, and joins find the labels of that time.

// grouping holds how an engine says what groups need.
type grouping interface {
	// labelText returns the text of a label, whose value is JSON: a string without its quotes.
	labelText(value string) string
	// groupKey returns the first 60 bits of the MD5 sum of a name: two groups may have the same number.
	groupKey(name string) string
	// groupNumber returns the number of a group, the first 31 bits of its key.
	groupNumber(key string) string
	// domain returns the number of the domain of an instance domain, as in 60 of 60.1.
	domain(indom string) string
}

// A level is one of the objects that an instance has labels of, those of lower precedence first.
type level struct {
	name  string
	which string // condition on a row of labels; m is the domain
}

func (b *builder) levels() []level {
	return []level{
		{"context", "l.level = 'context'"},
		{"domain", "l.level = 'domain' AND l.object = " + b.domain("m.indom")},
		{"indom", "l.level = 'indom' AND l.object = m.indom"},
		{"instance", "l.level = 'instance' AND l.object = m.indom"},
	}
}

// A labelling is how values get the labels of their instances.
type labelling struct {
	what   string
	labels []string // names
	levels []level
}

// each returns columns for the labels, with commas before them.
func (l *labelling) each(f func(column string) string) (list string) {
	for i := range l.labels {
		list += ", " + f(fmt.Sprintf("label%d", i+1))
	}
	return list
}

func same(column string) string { return column }

// group gives each value the group of its instance.
func (b *builder) group(n *syntax.CallExpr, x values) values {
	g, ok := b.info.Groups[b.info.Types[n].InDom]
	if b.err != nil || !ok {
		return x
	}
	l := &labelling{what: syntax.Print(n), labels: g.Labels}
	inner, groups := b.info.Groups[g.Of]
	metric := ""
	if l.levels = b.levels(); groups {
		l.levels = l.levels[:1]
	} else if metric = b.metricOf(n.X, g.Of); metric == "" {
		return b.refuse(n, "no metric of the expression has the instance domain "+g.Of.String())
	}
	rows := b.labelRows(l, metric)
	last := b.lastLabels(l, rows, x)
	times := "s.host AS host, s.ns AS ns"
	if !groups {
		times += ", s.last3 AS last3"
	}
	own := b.define(l.what+", labels of objects", "SELECT "+times+l.each(func(c string) string {
		list := ""
		for i := range slices.Backward(l.levels) {
			if l.levels[i].name != "instance" {
				list += fmt.Sprintf("o%d.%s, ", i, c)
			}
		}
		return "coalesce(" + list + "'') AS " + c
	}), b.joined(l, "FROM "+last+" AS s", rows, 0, min(len(l.levels), 3)))
	var labelled string
	if groups {
		labelled = b.inherited(l, inner.Labels, b.members[g.Of], own, x)
	} else {
		timed := b.define(l.what+", values", "SELECT "+qualified("x")+", o.last3 AS last3"+l.each(func(c string) string { return "o." + c + " AS " + c }),
			"FROM "+b.timed(x)+" JOIN "+own+" AS o USING (host, ns)")
		labelled = b.define(l.what+", labels", "SELECT "+qualified("s")+l.each(func(c string) string {
			return "coalesce(o3." + c + ", s." + c + ") AS " + c
		}), b.joined(l, "FROM "+timed+" AS s", rows, 3, 4))
	}
	return b.numbered(l, g.InDom, labelled, x)
}

// metricOf returns the name of a metric in an expression that has an instance domain.
func (b *builder) metricOf(e syntax.Expr, d pcp.InDom) string {
	for n := range syntax.Preorder(e) {
		if ref, ok := n.(*syntax.MetricRef); ok {
			if desc, ok := b.info.Metrics[ref]; ok && desc.InDom == d {
				return b.opt.name(desc.ID, ref)
			}
		}
	}
	return ""
}

// labelRows returns a table of the labels of objects from times on: a row for each instance or object, with a
// column for each label, which is null where the object does not have it.
func (b *builder) labelRows(l *labelling, metric string) string {
	from := "FROM " + b.from(b.opt, "labels") + " AS l"
	if metric != "" {
		from += " JOIN (SELECT DISTINCT host, indom FROM " + b.from(b.opt, "metrics") + " WHERE metric = " + b.text(metric) + ") AS m USING (host)"
	}
	var which, columns []string
	for _, x := range l.levels {
		which = append(which, x.which)
	}
	for i, name := range l.labels {
		columns = append(columns, fmt.Sprintf(", max(CASE WHEN name = %s THEN text END) AS label%d", b.text(name), i+1))
	}
	return b.define("labels from times on", "SELECT host, level, ns, inst"+strings.Join(columns, ""), "FROM (",
		"  SELECT host, l.level AS level, "+b.nanoseconds("l.time", b.opt.Micros)+" AS ns, coalesce(l.inst, -1) AS inst, l.name AS name,",
		"    CASE WHEN l.value = 'null' THEN '' WHEN l.value LIKE '\"%' THEN "+b.labelText("l.value")+" ELSE l.value END AS text", "  "+from,
		"  WHERE (("+strings.Join(which, ") OR (")+")) AND host IN (SELECT host FROM "+b.hosts+")", ") AS x", "GROUP BY host, level, ns, inst")
}

// timed returns a query for values with their times as integers.
func (b *builder) timed(x values) string {
	return "(SELECT " + columns(true) + ", value, " + b.nanoseconds("time", b.opt.Micros) + " AS ns FROM " + x.table + ") AS x"
}

// lastLabels returns, for each time of values, the last time from which on objects of each level have labels.
func (b *builder) lastLabels(l *labelling, rows string, x values) string {
	var found, never, last string
	for i, v := range l.levels {
		least := "CAST(" + strconv.FormatInt(math.MinInt64+1, 10) + " AS " + b.types[pcp.Int64] + ")"
		found += fmt.Sprintf(", CASE WHEN level = '%s' THEN ns ELSE %s END AS since%d", v.name, least, i)
		never += fmt.Sprintf(", %s AS since%d", least, i)
		last += fmt.Sprintf(", max(since%d) OVER w AS last%d", i, i)
	}
	return b.define(l.what+", times of labels", "SELECT * FROM (", "  SELECT host, ns, asks"+last, "  FROM (",
		"    SELECT host, ns, 0 AS asks"+found+" FROM "+rows, "    UNION ALL",
		"    SELECT DISTINCT host, ns, 1 AS asks"+never+" FROM "+b.timed(x), "  ) AS x",
		"  WINDOW w AS (PARTITION BY host ORDER BY ns, asks ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)", ") AS x", "WHERE asks = 1")
}

// joined joins the rows of labels of some levels with what has their times.
func (b *builder) joined(l *labelling, from, rows string, begin, end int) string {
	for i := begin; i < end; i++ {
		using, inst := fmt.Sprintf("host, last%d", i), ""
		if l.levels[i].name == "instance" {
			using, inst = using+", inst", ", inst"
		}
		from += fmt.Sprintf("\n  LEFT JOIN (SELECT host, ns AS last%d%s%s FROM %s WHERE level = '%s') AS o%[1]d USING (%[6]s)",
			i, inst, l.each(same), rows, l.levels[i].name, using)
	}
	return from
}

// qualified returns the columns of values of instances in a table.
func qualified(table string) string {
	list := strings.Split(columns(true)+", value", ", ")
	for i, c := range list {
		list[i] = table + "." + c + " AS " + c
	}
	return strings.Join(list, ", ")
}

// inherited gives values of groups the labels that these are by, and those of the host.
func (b *builder) inherited(l *labelling, names, members []string, own string, x values) string {
	var found []string
	inner := &labelling{labels: names}
	for _, table := range members {
		found = append(found, "SELECT DISTINCT host, inst"+inner.each(same)+" FROM "+table)
	}
	return b.define(l.what+", labels", "SELECT "+qualified("x")+l.each(func(c string) string {
		for i, name := range names {
			if c == fmt.Sprintf("label%d", slices.Index(l.labels, name)+1) {
				return fmt.Sprintf("m.label%d AS %s", i+1, c)
			}
		}
		return "o." + c + " AS " + c
	}), "FROM "+b.timed(x), "JOIN "+own+" AS o USING (host, ns)", "JOIN ("+strings.Join(found, " UNION DISTINCT ")+") AS m USING (host, inst)")
}

// numbered gives values the keys and names of their groups, in the order of the first instances.
func (b *builder) numbered(l *labelling, d pcp.InDom, labelled string, x values) values {
	comma := " OR %[1]s LIKE '%%,%%'"
	if len(l.labels) == 1 {
		comma = ""
	}
	name := "concat(''" // in which a value stands in quotes as in CSV
	for i := range l.labels {
		if i > 0 {
			name += ", ','"
		}
		name += fmt.Sprintf(", CASE WHEN %[1]s = '' OR %[1]s LIKE '%%\"%%'"+comma+" THEN concat('\"', replace(%[1]s, '\"', '\"\"'), '\"') ELSE %[1]s END", fmt.Sprintf("label%d", i+1))
	}
	name += ")"
	named := b.define(l.what+", names", "SELECT "+row+", position AS nth, value"+l.each(same)+", "+name+" AS instance", "FROM "+labelled)
	table := b.define(l.what+", groups", "SELECT "+row+", "+b.groupKey("instance")+" AS inst, min(nth) OVER (PARTITION BY "+row+", instance) AS position,",
		"  instance, nth, value"+l.each(same), "FROM "+named)
	if !slices.Contains(b.members[d], table) {
		b.members[d] = append(b.members[d], table)
	}
	x.table, x.many, x.one, x.grouped = table, true, false, true
	return x
}

func (duckdb) labelText(value string) string { return "json_extract_string(" + value + ", '$')" }

func (duckdb) groupKey(name string) string {
	return "CAST('0x' || substr(md5(" + name + "), 1, 15) AS BIGINT)"
}

func (duckdb) groupNumber(key string) string { return "CAST(" + key + " >> 29 AS INTEGER)" }

func (duckdb) domain(indom string) string { return "split_part(" + indom + ", '.', 1)" }

func (clickhouse) labelText(value string) string { return "JSONExtractString(" + value + ")" }

func (clickhouse) groupKey(name string) string {
	return "toInt64(bitShiftRight(reinterpretAsUInt64(reverse(substring(MD5(" + name + "), 1, 8))), 4))"
}

func (clickhouse) groupNumber(key string) string { return "toInt32(bitShiftRight(" + key + ", 29))" }

func (clickhouse) domain(indom string) string {
	return "splitByChar('.', assumeNotNull(" + indom + "))[1]"
}

func (spark) labelText(value string) string {
	return "get_json_object(concat('{\"v\":', " + value + ", '}'), '$.v')"
}

func (spark) groupKey(name string) string {
	return "CAST(conv(substring(md5(" + name + "), 1, 15), 16, 10) AS BIGINT)"
}

func (spark) groupNumber(key string) string { return "CAST(shiftright(" + key + ", 29) AS INT)" }

func (spark) domain(indom string) string { return "substring_index(" + indom + ", '.', 1)" }
