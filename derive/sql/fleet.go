package sql

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
)

// A Kind is the hosts whose tables say the same of the metrics of an expression, with the expression
// as it is checked for them.
type Kind struct {
	Hosts []string // for comments
	Says  []string // what the tables say of each metric, in the order of the names
	Expr  syntax.Expr
	Info  *check.Info
	// Domains is the instance domain of each metric, "" for none, or nil. If they all are the same one, it may be any.
	Domains []string
	// From and Until bound the records that count, if the hosts described the metrics otherwise before or after: From counts,
	// Until does not. Zero is no bound. The query has the hosts of such a kind by their names.
	From, Until pcp.Timestamp
	Problem     string // why the expression does not hold for the hosts, "" if it does
}

// Fleet returns the query for an expression over the tables of hosts whose metadata differ, or with
// opt.Problems the query for the hosts for which the expression does not hold. The query finds the kind of
// each host in the table of metrics; a host of another kind than those here has no values, and is
// a problem. Values are in the units of the first kind for which the expression holds. If there is
// none, because a part cannot be expressed, the error is a *check.Error.
func Fleet(names []string, kinds []Kind, opt *Options) (string, error) {
	opt = cmp.Or(opt, new(Options))
	d, err := dialectOf(opt.Dialect)
	if err == nil {
		err = opt.valid()
	}
	if err != nil {
		return "", err
	}
	f := &fleet{dialect: d, opt: opt, names: names, kinds: kinds}
	if err := f.group(); err != nil {
		return "", err
	}
	if opt.Problems {
		return f.problems(), nil
	}
	return f.query()
}

// Query returns the query for a tree that check.Check has accepted with info, for the hosts that describe
// the metrics so. A part that cannot be expressed is a *check.Error.
func Query(e syntax.Expr, info *check.Info, opt *Options) (string, error) {
	opt = cmp.Or(opt, new(Options))
	k := Kind{Expr: e, Info: info}
	var names []string
	for n := range syntax.Preorder(e) {
		ref, ok := n.(*syntax.MetricRef)
		if !ok {
			continue
		}
		name, says, domain := ref.Name, missing, ""
		if d, ok := described(info, ref); ok {
			name, says = opt.name(d.ID, ref), describe(d)
			if d.InDom != pcp.NullInDom {
				domain = d.InDom.String()
			}
		}
		if !slices.Contains(names, name) {
			names, k.Says, k.Domains = append(names, name), append(k.Says, says), append(k.Domains, domain)
		}
	}
	return Fleet(names, []Kind{k}, opt)
}

// missing is what a host says of a metric that it does not have.
const missing = "missing"

// describe returns a descriptor as queries put it together from the table of metrics.
func describe(d pcp.Desc) string {
	text := d.Type.Text() + ", " + d.Sem.Text() + ", units " + cmp.Or(d.Units.String(), "none")
	if d.InDom != pcp.NullInDom {
		text += ", with instances"
	}
	return text
}

// A fleet is a query over hosts of several kinds. Kinds whose queries are the same form a group.
type fleet struct {
	*dialect
	opt    *Options
	names  []string
	kinds  []Kind
	groups []group
	main   check.Type // of the values
}

type group struct {
	kinds []*Kind
	text  string // of its queries, without the names of the hosts
}

// group finds the groups, and the problems that show when the queries are written.
func (f *fleet) group() error {
	var refused error
	byText := make(map[string]int)
	for i := range f.kinds {
		k := &f.kinds[i]
		if k.Problem != "" {
			continue
		}
		b := f.builder(k, "")
		root := b.root(k.Expr)
		if bad, ok := errors.AsType[*check.Error](b.err); ok {
			refused, k.Problem = cmp.Or(refused, b.err), bad.Text
			continue
		}
		if len(f.groups) == 0 {
			f.main = k.Info.Root
		} else if k.Problem = f.unlike(k.Info.Root); k.Problem != "" {
			continue
		}
		text := fmt.Sprint(b.list, root.table, k.Info.Root.Type, k.Info.Root.Units)
		n, ok := byText[text]
		if !ok {
			n = len(f.groups)
			byText[text] = n
			f.groups = append(f.groups, group{text: text})
		}
		f.groups[n].kinds = append(f.groups[n].kinds, k)
	}
	if len(f.groups) == 0 {
		return refused
	}
	return nil
}

// expression returns the text of the expression for a comment.
func (f *fleet) expression() string { return oneLine(syntax.Print(f.groups[0].kinds[0].Expr)) }

// unlike returns why values cannot stand beside those of the first kind, "" if they can.
func (f *fleet) unlike(t check.Type) string {
	scaler, err := pcp.NewScaler(t.Type, t.Units, f.main.Units)
	_, factor := scaler.Factor()
	switch {
	case t.Type.Arithmetic() != f.main.Type.Arithmetic():
		return "its values are of type " + t.Type.Text() + ", those of other hosts of type " + f.main.Type.Text()
	case (t.Sem == pcp.Counter) != (f.main.Sem == pcp.Counter):
		return "the semantics of its values are " + t.Sem.Text() + ", those of other hosts " + f.main.Sem.Text()
	case t.Units != f.main.Units && (err != nil || !factor):
		return "its values have the units " + unitsText(t) + ", those of other hosts " + unitsText(f.main)
	}
	return ""
}

func unitsText(t check.Type) string { return cmp.Or(t.Units.String(), "none") }

// builder returns a builder of the query for a kind, over the hosts of a table.
func (f *fleet) builder(k *Kind, hosts string) *builder {
	b := &builder{dialect: f.dialect, opt: f.opt, info: k.Info, known: make(map[string]string), hosts: hosts, first: f.opt.firstFor(k.Expr),
		nested: make(map[place]values), members: make(map[pcp.InDom][]string)}
	b.names(k.Expr)
	return b
}

func (f *fleet) query() (string, error) {
	var out *builder
	with := []string{f.metadata(f.holdsWithout())}
	var parts []string
	types := make(map[pcp.Type]bool)
	for i := range f.groups {
		k := f.groups[i].kinds[0]
		b := f.builder(k, fmt.Sprintf("hosts%d", i+1))
		b.eras = f.eras(f.groups[i].kinds)
		if out != nil {
			b.list, b.known = out.list, out.known
		}
		v := b.root(k.Expr)
		if k.Info.Root.Units != f.main.Units {
			v = b.scale(k.Expr, v, k.Info.Root, f.main.Units)
		}
		if b.err != nil {
			return "", b.err
		}
		out = b
		with = append(with, fmt.Sprintf("%s AS (SELECT host FROM hosts WHERE %s)", b.hosts, f.condition(f.groups[i].kinds)))
		inst := b.null(pcp.Int32) + " AS inst, " + b.null(pcp.String) + " AS instance"
		if _, groups := k.Info.Groups[k.Info.Root.InDom]; v.many && groups {
			inst = b.groupNumber("inst") + " AS inst, instance"
		} else if v.many {
			inst = "inst, instance"
		}
		parts = append(parts, "SELECT time, host, "+inst+", value\nFROM "+v.table+b.within())
		types[k.Info.Root.Type] = true
	}
	if len(out.list) > maxTables {
		return "", out.tooLong(f.groups[0].kinds[0].Expr)
	}
	t := f.main.Type.Text()
	if common, name := f.common(types); common != "" {
		t = name
		for i := range parts {
			parts[i] = strings.Replace(parts[i], ", value\n", ", CAST(value AS "+common+") AS value\n", 1)
		}
	}
	all := parts[0]
	if len(parts) > 1 {
		all = "SELECT time, host, inst, instance, value\nFROM (\n  " + strings.ReplaceAll(strings.Join(parts, "\nUNION ALL\n"), "\n", "\n  ") + "\n) AS x"
	}
	return fmt.Sprintf("-- %s\n-- type %s, semantics %s, units %s\n%sWITH\n%s\n%s\nORDER BY host, time, inst\n", f.expression(),
		t, f.main.Sem.Text(), unitsText(f.main), f.comments(), strings.Join(append(with, out.list...), ",\n"), all), nil
}

// common returns the type that holds the values of several types, and its name; "" for a single one.
func (f *fleet) common(types map[pcp.Type]bool) (cast, name string) {
	switch {
	case len(types) <= 1:
		return "", ""
	case types[pcp.Double] || types[pcp.Float]:
		return f.types[pcp.Double], pcp.Double.Text()
	case types[pcp.Uint64]:
		return f.wide, "integers of more than 64 bits"
	}
	return f.types[pcp.Int64], pcp.Int64.Text()
}

// holdsWithout reports whether the expression holds for hosts that have none of the metrics.
func (f *fleet) holdsWithout() bool {
	for _, g := range f.groups {
		for _, k := range g.kinds {
			if !slices.ContainsFunc(k.Says, func(says string) bool { return says != missing }) {
				return true
			}
		}
	}
	return false
}

// metadata returns the table of what each host says of the metrics. With all it has hosts that have none
// of them too.
func (f *fleet) metadata(all bool) string {
	var columns, names []string
	for i, name := range f.names {
		names = append(names, f.text(name))
		columns = append(columns, fmt.Sprintf(",\n    coalesce(max(CASE WHEN metric = %s THEN says END), '%s') AS m%d", f.text(name), missing, i+1))
	}
	inner, outer, none := "", "", ""
	if f.domains() {
		inner = ", coalesce(indom, '') AS domain"
		outer = ", CASE WHEN min(domain) = max(domain) THEN min(domain) ELSE concat('several of ', metric) END AS domain"
		none = ", ''"
		for i, name := range f.names {
			columns = append(columns, fmt.Sprintf(",\n    coalesce(max(CASE WHEN metric = %s THEN domain END), '') AS d%d", f.text(name), i+1))
		}
	}
	where := "WHERE metric IN (" + strings.Join(names, ", ") + ")"
	if all {
		where = "WHERE 1 = 1"
	}
	where += f.opt.hosts(f.dialect)
	lines := []string{
		"hosts AS ( -- what the tables of each host say of the metrics",
		"  SELECT host" + strings.Join(columns, ""),
		"  FROM (",
		"    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says" + outer,
		"    FROM (",
		"      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,",
		"        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says" + inner,
		"      FROM " + f.from(f.opt, "metrics"), "      " + where,
		"    ) AS x",
		"    GROUP BY host, metric",
	}
	if f.opt.Problems {
		lines = append(lines, "    UNION ALL", "    SELECT DISTINCT host, '', ''"+none+" FROM "+f.from(f.opt, "values"), "    WHERE 1 = 1"+f.opt.hosts(f.dialect))
		for _, host := range f.opt.Hosts { // which may have no tables
			lines = append(lines, "    UNION ALL", "    SELECT "+f.text(host)+", '', ''"+none)
		}
	}
	return strings.Join(append(lines, "  ) AS x", "  GROUP BY host", ")"), "\n")
}

// condition returns the condition that a host is of one of some kinds.
func (f *fleet) condition(kinds []*Kind) string {
	var any []string
	for _, k := range kinds {
		if k.era() {
			any = append(any, f.named(k))
			continue
		}
		all := []string{}
		for i, says := range k.Says {
			all = append(all, fmt.Sprintf("m%d = %s", i+1, f.text(says)))
		}
		all = append(all, f.sameDomains(k)...)
		if len(all) == 0 {
			return "1 = 1"
		}
		any = append(any, strings.Join(all, " AND "))
	}
	return strings.Join(any, " OR ")
}

// era reports whether the hosts describe the metrics so for some time only.
func (k *Kind) era() bool { return k.From != k.Until }

// named returns the condition that a host is one of those of a kind, by its name.
func (f *fleet) named(k *Kind) string {
	var list []string
	for _, host := range k.Hosts {
		list = append(list, f.text(host))
	}
	return "host IN (" + strings.Join(list, ", ") + ")"
}

// eras returns the condition on records of kinds that hold for some time only, with AND before it.
func (f *fleet) eras(kinds []*Kind) string {
	var any, hosts []string
	for _, k := range kinds {
		if !k.era() {
			continue
		}
		one := f.named(k)
		hosts = append(hosts, "NOT "+one)
		if k.From != (pcp.Timestamp{}) {
			one += " AND time >= " + f.instant(k.From, f.opt.Micros)
		}
		if k.Until != (pcp.Timestamp{}) {
			one += " AND time < " + f.instant(k.Until, f.opt.Micros)
		}
		any = append(any, one)
	}
	if len(any) == 0 {
		return ""
	}
	return " AND (" + strings.Join(append(any, strings.Join(hosts, " AND ")), " OR ") + ")"
}

// domains reports whether there are metrics whose instances may be of different domains.
func (f *fleet) domains() bool {
	return slices.ContainsFunc(f.kinds, func(k Kind) bool { return len(k.within()) > 1 })
}

// within returns the places of the metrics that have instances.
func (k *Kind) within() (list []int) {
	for i, domain := range k.Domains {
		if domain != "" {
			list = append(list, i)
		}
	}
	return list
}

// sameDomains returns the conditions that the metrics of a host have the instance domains of those of a kind: only these
// where they are several, and otherwise a single one.
func (f *fleet) sameDomains(k *Kind) (list []string) {
	within := k.within()
	if len(within) < 2 {
		return nil
	}
	first := within[0]
	single := !slices.ContainsFunc(within, func(i int) bool { return k.Domains[i] != k.Domains[first] })
	for _, i := range within {
		switch {
		case !single:
			list = append(list, fmt.Sprintf("d%d = %s", i+1, f.text(k.Domains[i])))
		case i != first:
			list = append(list, fmt.Sprintf("d%d = d%d", i+1, first+1))
		}
	}
	return list
}

// maxNamed is how many hosts, and how many kinds of them, comments name.
const maxNamed = 5

// comments returns lines on the hosts without values.
func (f *fleet) comments() string {
	var b strings.Builder
	n, kinds := 0, 0
	for i := range f.kinds {
		k := &f.kinds[i]
		if k.Problem == "" {
			continue
		}
		n += len(k.Hosts)
		if kinds++; kinds > maxNamed {
			continue
		}
		fmt.Fprintf(&b, "--   %s: %s\n", oneLine(textwidth.Few(k.Hosts, maxNamed)), oneLine(k.problem()))
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("-- hosts without values, which sql --problems finds: %d\n%s", n, b.String())
}

// problem returns why the expression does not hold, and when.
func (k *Kind) problem() string {
	text := k.Problem
	if k.From != (pcp.Timestamp{}) {
		text += ", from " + k.From.Time().UTC().Format(time.RFC3339) + " on"
	}
	if k.Until != (pcp.Timestamp{}) {
		text += ", until " + k.Until.Time().UTC().Format(time.RFC3339)
	}
	return text
}

// problems returns the query for the hosts for which the expression does not hold.
func (f *fleet) problems() string {
	var good []*Kind
	for _, g := range f.groups {
		good = append(good, g.kinds...)
	}
	var cases strings.Builder
	cases.WriteString("CASE WHEN host IS NULL THEN 'it has no name'")
	bad := "host IS NULL"
	for i := range f.kinds {
		k := &f.kinds[i]
		if k.Problem == "" {
			continue
		}
		fmt.Fprintf(&cases, "\n  WHEN %s THEN %s", f.condition([]*Kind{k}), f.text(oneLine(k.problem())))
		if k.era() { // at other times the expression may hold
			bad += " OR " + f.named(k)
		}
	}
	var says []string
	for i, name := range f.names {
		says = append(says, f.text(name+" is ")+fmt.Sprintf(", m%d", i+1))
		if f.domains() {
			says[i] += fmt.Sprintf(", CASE WHEN d%d = '' THEN '' ELSE concat(' of ', d%[1]d) END", i+1)
		}
	}
	other := "concat('the query does not know metrics like its own: ', " + strings.Join(says, ", '; ', ") + ")"
	if len(says) == 0 {
		other = "''"
	}
	condition := "1 = 0"
	if len(good) > 0 {
		condition = f.condition(good)
	}
	return fmt.Sprintf("-- hosts without values of %s\nWITH\n%s\nSELECT host, %s\n  ELSE %s END AS problem\nFROM hosts\nWHERE NOT (%s) OR %s\nORDER BY host\n",
		f.expression(), f.metadata(true), cases.String(), other, condition, bad)
}
