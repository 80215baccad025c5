package sql

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
)

// A dialect holds the differences between engines. Integers of 32 bits are held as signed ones of
// 64. Texts with %s are formats.
type dialect struct {
	types     map[pcp.Type]string // names of types in casts
	tryCast   string              // the cast that does not fail
	inst      string              // the column of instances of a metric that has them
	present   string              // a column without null as a possible value
	narrow    string              // a double in single precision
	rounded   string              // an integer in single precision
	isNaN     string              // the condition that a number with a fraction is none
	argMin    string              // the value of a column where another is least
	firstWord string              // a text up to its first blank
	begins    string              // the condition that a text begins with another
	wide      string              // the type of integers of more than 64 bits
	engine
}

// An engine holds the differences that are more than a text.
type engine interface {
	// read returns a table of an export from its files.
	read(o *Options, table string) string
	// name returns a part of the name of a table.
	name(part string) string
	// nanoseconds returns a column of times, which may be those of microseconds, as integers.
	nanoseconds(column string, micros bool) string
	// instant returns a time as the tables have it.
	instant(at pcp.Timestamp, micros bool) string
	// text returns a string.
	text(s string) string
	// wrap cuts an integer, which may be wider, to the width of a type.
	wrap(t pcp.Type, v string) string
	// integer returns an operator on integers of a type, wrapped to its width.
	integer(op string, t pcp.Type, v, w string) string
	// quotient returns a double divided by another, as IEEE 754 has it.
	quotient(v, w string) string
	// round returns an integer times a fraction, rounded as rescale() does.
	round(t pcp.Type, v string, mult, div int64) string
	// compare returns a comparison as IEEE 754 has it, where a NaN equals nothing.
	compare(op string, t pcp.Type, v, w string) string
	// fold returns the sum of the column value of a group, added up in the order of a column. The type has
	// the given name.
	fold(typ, order string) string
	// matches returns the condition that a text matches a pattern of RE2 somewhere.
	matches(text, pattern string) string
	arrays
	grouping
}

func dialectOf(name string) (*dialect, error) {
	if d := dialects()[cmp.Or(name, Dialects()[0])]; d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("unknown dialect '%s'; there are %s", name, strings.Join(Dialects(), ", "))
}

func dialects() map[string]*dialect {
	return map[string]*dialect{
		"duckdb": {
			types: map[pcp.Type]string{
				pcp.Int32: "INTEGER", pcp.Uint32: "BIGINT", pcp.Int64: "BIGINT", pcp.Uint64: "UBIGINT",
				pcp.Float: "FLOAT", pcp.Double: "DOUBLE", pcp.String: "VARCHAR",
			},
			tryCast: "TRY_CAST", inst: "inst", present: "%s",
			rounded: "CAST(%s AS FLOAT)", narrow: "coalesce(TRY_CAST(%[1]s AS FLOAT), CAST(CASE WHEN %[1]s > 0 THEN 'inf' ELSE '-inf' END AS FLOAT))",
			isNaN: "isnan(%s)", argMin: "arg_min(%s, %s)",
			firstWord: "split_part(%s, ' ', 1)", begins: "starts_with(%s, %s)", wide: "HUGEINT", engine: duckdb{},
		},
		"clickhouse": {
			types: map[pcp.Type]string{
				pcp.Int32: "Nullable(Int32)", pcp.Uint32: "Int64", pcp.Int64: "Int64", pcp.Uint64: "UInt64",
				pcp.Float: "Float32", pcp.Double: "Float64", pcp.String: "Nullable(String)",
			},
			tryCast: "CAST", inst: "assumeNotNull(inst) AS inst", present: "assumeNotNull(%s)",
			rounded: "CAST(%s AS Float32)", narrow: "toFloat32(%s)", isNaN: "isNaN(%s)", argMin: "argMin(%s, %s)",
			firstWord: "splitByChar(' ', assumeNotNull(%s))[1]", begins: "startsWith(%s, %s)", wide: "Int128", engine: clickhouse{},
		},
		"spark": {
			types: map[pcp.Type]string{
				pcp.Int32: "INT", pcp.Uint32: "BIGINT", pcp.Int64: "BIGINT", pcp.Uint64: "DECIMAL(20,0)",
				pcp.Float: "FLOAT", pcp.Double: "DOUBLE", pcp.String: "STRING",
			},
			tryCast: "TRY_CAST", inst: "inst", present: "%s",
			// A cast of BIGINT to FLOAT is left out before one to DOUBLE, such as that of a division.
			rounded: "CAST(CAST(%s AS DECIMAL(20,0)) AS FLOAT)", narrow: "CAST(%s AS FLOAT)", isNaN: "isnan(%s)",
			argMin:    "min_by(%s, %s)",
			firstWord: "substring_index(%s, ' ', 1)", begins: "startswith(%s, %s)", wide: "DECIMAL(38,0)", engine: spark{},
		},
	}
}

// from returns a table of an export.
func (d *dialect) from(o *Options, table string) string {
	if o.Table == "" {
		return d.read(o, table)
	}
	name := o.Table + "." + table
	if strings.Contains(o.Table, "*") {
		name = strings.ReplaceAll(o.Table, "*", table)
	}
	parts := strings.Split(name, ".")
	for i := range parts {
		parts[i] = d.name(parts[i])
	}
	return strings.Join(parts, ".")
}

func (b *builder) column(name string, t pcp.Type) string {
	name = fmt.Sprintf(b.present, name)
	if t == pcp.Uint32 || t == pcp.Float || t == pcp.Uint64 && b.opt.Micros { // engines may cast the rows of other metrics too
		return b.tryCast + "(" + name + " AS " + b.types[t] + ")"
	}
	return name
}

func (b *builder) literal(t pcp.Type, word uint64) string {
	text := strconv.FormatInt(int64(word), 10)
	switch t {
	case pcp.Uint64:
		text = strconv.FormatUint(word, 10)
	case pcp.Float:
		text = float(float64(math.Float32frombits(uint32(word))))
	case pcp.Double:
		text = float(math.Float64frombits(word))
	case pcp.Int32: // held as one of 64 bits
		t = pcp.Int64
	}
	return "CAST(" + text + " AS " + b.types[t] + ")"
}

func (b *builder) convert(v string, from, to pcp.Type) string {
	switch {
	case from == to || to == pcp.Int64:
		return v
	case to == pcp.Uint32 && from == pcp.Int32, to == pcp.Uint64:
		return b.wrap(to, v)
	case to == pcp.Float && from != pcp.Double:
		return fmt.Sprintf(b.rounded, v)
	}
	return "CAST(" + v + " AS " + b.types[to] + ")"
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// escaped returns a string where backslashes escape as well.
func escaped(s string) string { return quoted(strings.ReplaceAll(s, `\`, `\\`)) }

type duckdb struct{}

func (duckdb) read(o *Options, table string) string {
	files := quoted(o.dir() + "/" + table + "/**/*.parquet")
	if dirs := o.Dirs[table]; len(dirs) > 0 && !slices.ContainsFunc(dirs, func(dir string) bool { return strings.ContainsAny(dir, "*?[{") }) {
		var list []string
		for _, dir := range dirs {
			list = append(list, quoted(o.dir()+"/"+table+"/"+dir+"/**/*.parquet"))
		}
		files = "[" + strings.Join(list, ", ") + "]"
	}
	return "read_parquet(" + files + ", hive_partitioning = true, hive_types_autocast = false)"
}

func (duckdb) nanoseconds(column string, _ bool) string { return "epoch_ns(" + column + ")" }

func (duckdb) instant(at pcp.Timestamp, micros bool) string {
	layout := "2006-01-02 15:04:05.000000000"
	if micros {
		layout = "2006-01-02 15:04:05.000000"
	}
	return "'" + at.Time().UTC().Format(layout) + "+00'" // cast to the type of the column, which depends on the version
}

func (duckdb) name(part string) string { return `"` + part + `"` }

func (duckdb) text(s string) string { return quoted(s) }

func (duckdb) wrap(t pcp.Type, v string) string {
	switch t {
	case pcp.Int32:
		return "CAST(xor((" + v + ") & 4294967295, 2147483648) - 2147483648 AS BIGINT)"
	case pcp.Uint32:
		return "CAST((" + v + ") & 4294967295 AS BIGINT)"
	case pcp.Int64:
		return "CAST(xor(CAST(" + v + " AS HUGEINT) & 18446744073709551615, 9223372036854775808) - 9223372036854775808 AS BIGINT)"
	}
	return "CAST(CAST(" + v + " AS HUGEINT) & 18446744073709551615 AS UBIGINT)"
}

func (d duckdb) integer(op string, t pcp.Type, v, w string) string {
	wide := func(typ string) string { return "CAST(" + v + " AS " + typ + ") " + op + " " + w }
	switch {
	case t == pcp.Uint64 && op == "*":
		return "CAST((" + "CAST(" + v + " AS UHUGEINT) * CAST(" + w + " AS UHUGEINT)) & 18446744073709551615 AS UBIGINT)"
	case t == pcp.Int64 || t == pcp.Uint64 || op == "*":
		return d.wrap(t, "("+wide("HUGEINT")+")")
	}
	return d.wrap(t, v+" "+op+" "+w)
}

func (d duckdb) round(t pcp.Type, v string, mult, div int64) string {
	typ, product := "BIGINT", d.wrap(pcp.Int64, fmt.Sprintf("(CAST(%s AS HUGEINT) * %d + %d)", v, mult, div/2))
	if t == pcp.Uint64 {
		typ, product = "UBIGINT", fmt.Sprintf("CAST((CAST(%s AS UHUGEINT) * %d + %d) & 18446744073709551615 AS UBIGINT)", v, mult, div/2)
	}
	if product = fmt.Sprintf("%s // CAST(%d AS %s)", product, div, typ); t == pcp.Int64 || t == pcp.Uint64 {
		return "(" + product + ")"
	}
	return d.wrap(t, product)
}

func (duckdb) quotient(v, w string) string { return "(" + v + " / " + w + ")" }

func (duckdb) compare(op string, t pcp.Type, v, w string) string { return ordered(op, t, v, w) }

// ordered returns a comparison for engines in which a NaN equals itself and is above all others.
func ordered(op string, t pcp.Type, v, w string) string {
	c := v + " " + op + " " + w
	switch {
	case !isFloat(t):
		return c
	case op == "<>":
		return "(" + c + " OR isnan(" + v + "))"
	case op == "=":
		return "(" + c + " AND NOT isnan(" + v + "))"
	}
	return "(" + c + " AND NOT isnan(" + w + "))"
}

func (duckdb) fold(typ, order string) string {
	return "list_reduce(list(value ORDER BY " + order + "), lambda a, b: a + b, CAST(0 AS " + typ + "))"
}

func (duckdb) matches(text, pattern string) string {
	return "regexp_matches(" + text + ", " + quoted(pattern) + ")"
}

// clickhouse is the dialect of ClickHouse, whose integers wrap around by themselves.
type clickhouse struct{}

func (clickhouse) read(o *Options, table string) string {
	columns := "*"
	part := func(name string) { // ClickHouse itself makes a number of 007, and keeps %20
		columns += fmt.Sprintf(", decodeURLComponent(extract(_path, '/%[1]s=([^/]*)/')) AS %[1]s", name)
	}
	if !o.Flat {
		part("host")
	}
	if table == "values" && !o.Undated {
		part("date")
	}
	function := "file("
	switch {
	case o.Cluster != "":
		function = "s3Cluster(" + escaped(o.Cluster) + ", "
	case o.bucket():
		function = "s3("
	}
	return "(SELECT " + columns + " FROM " + function + escaped(o.dir()+"/"+table+"/**/*.parquet") + ", 'Parquet') SETTINGS use_hive_partitioning = 0)"
}

func (clickhouse) nanoseconds(column string, _ bool) string {
	return "toUnixTimestamp64Nano(" + column + ")"
}

func (clickhouse) instant(at pcp.Timestamp, micros bool) string {
	if micros {
		return fmt.Sprintf("fromUnixTimestamp64Micro(toInt64(%d))", at.Time().UnixMicro())
	}
	return fmt.Sprintf("fromUnixTimestamp64Nano(toInt64(%d))", at.Time().UnixNano())
}

func (clickhouse) name(part string) string { return "`" + part + "`" }

func (clickhouse) text(s string) string { return escaped(s) }

func (clickhouse) wrap(t pcp.Type, v string) string {
	switch t {
	case pcp.Int32:
		return "toInt64(toInt32(" + v + "))"
	case pcp.Uint32:
		return "toInt64(toUInt32(" + v + "))"
	case pcp.Int64:
		return "toInt64(" + v + ")"
	}
	return "toUInt64(" + v + ")"
}

func (d clickhouse) integer(op string, t pcp.Type, v, w string) string {
	return d.wrap(t, v+" "+op+" "+w)
}

func (clickhouse) quotient(v, w string) string { return "(" + v + " / " + w + ")" }

func (d clickhouse) round(t pcp.Type, v string, mult, div int64) string {
	wide := pcp.Int64
	if t == pcp.Uint64 {
		wide = t
	}
	product := d.wrap(wide, fmt.Sprintf("%s * %d + %d", v, mult, div/2))
	return d.wrap(t, fmt.Sprintf("intDiv(%s, %s)", product, d.wrap(wide, strconv.FormatInt(div, 10))))
}

func (clickhouse) compare(op string, _ pcp.Type, v, w string) string { return v + " " + op + " " + w }

func (clickhouse) fold(typ, order string) string {
	return "arrayFold((a, p) -> to" + typ + "(a + p.2), arraySort(groupArray((" + order + ", value))), to" + typ + "(0))"
}

func (clickhouse) matches(text, pattern string) string {
	return "match(" + text + ", " + escaped(pattern) + ")"
}

// spark is the dialect of Spark SQL, whose unsigned integers of 64 bits are decimals.
type spark struct{}

func (spark) read(o *Options, table string) string {
	return "parquet.`" + strings.ReplaceAll(o.dir(), "`", "``") + "/" + table + "`"
}

func (spark) nanoseconds(column string, micros bool) string {
	if micros {
		return "unix_micros(" + column + ") * 1000"
	}
	return column
}

func (spark) instant(at pcp.Timestamp, micros bool) string {
	if micros {
		return fmt.Sprintf("timestamp_micros(%d)", at.Time().UnixMicro())
	}
	return strconv.FormatInt(at.Time().UnixNano(), 10)
}

func (spark) name(part string) string { return "`" + part + "`" }

func (spark) text(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", `\'`) + "'"
}

func (spark) wrap(t pcp.Type, v string) string {
	v = "CAST(" + v + " AS DECIMAL(38,0))"
	half, modulus := "2147483648BD", "4294967296BD"
	if t == pcp.Int64 || t == pcp.Uint64 {
		half, modulus = "9223372036854775808BD", "18446744073709551616BD"
	}
	if t == pcp.Int32 || t == pcp.Int64 {
		return "CAST(pmod(" + v + " + " + half + ", " + modulus + ") - " + half + " AS BIGINT)"
	}
	typ := "BIGINT"
	if t == pcp.Uint64 {
		typ = "DECIMAL(20,0)"
	}
	return "CAST(pmod(" + v + ", " + modulus + ") AS " + typ + ")"
}

func (d spark) integer(op string, t pcp.Type, v, w string) string {
	return d.wrap(t, "CAST("+v+" AS DECIMAL(20,0)) "+op+" CAST("+w+" AS DECIMAL(20,0))")
}

// quotient: one by zero is null in Spark, or an error by ANSI, so that zero gets a case of its own.
func (spark) quotient(v, w string) string {
	infinity := "CAST(CASE WHEN CAST(" + w + " AS STRING) = '-0.0' THEN '-Infinity' ELSE 'Infinity' END AS DOUBLE)"
	return "(CASE WHEN " + w + " = 0 THEN " + v + " * " + infinity + " ELSE " + v + " / " + w + " END)"
}

func (d spark) round(t pcp.Type, v string, mult, div int64) string {
	wide := pcp.Int64
	if t == pcp.Uint64 {
		wide = t
	}
	product := d.wrap(wide, fmt.Sprintf("CAST(%s AS DECIMAL(20,0)) * CAST(%d AS DECIMAL(18,0)) + %dBD", v, mult, div/2))
	return d.wrap(t, fmt.Sprintf("(%s - %[1]s %% %dBD) / %[2]dBD", product, div))
}

func (spark) compare(op string, t pcp.Type, v, w string) string { return ordered(op, t, v, w) }

func (spark) fold(typ, order string) string {
	return "aggregate(array_sort(collect_list(struct(" + order + " AS k, value AS v))), CAST(0 AS " + typ + "), (a, p) -> CAST(a + p.v AS " + typ + "))"
}

func (d spark) matches(text, pattern string) string { return text + " RLIKE " + d.text(pattern) }
