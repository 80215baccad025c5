package query_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/sampling"
)

// habits are what people who come from PromQL, SQL and awk type first: the expression, the text at the
// caret, the message, and what to write instead, or the reason why nothing is.
var habits = []struct{ expr, caret, msg, write, why string }{
	{expr: "sum(rate(disk.dev.total))", caret: "rate(", msg: "sum() takes the name of a metric and no expression", write: "rate(sum(disk.dev.total))", why: "the same while no instance appears"},
	{expr: "sum(delta(disk.dev.total)) / 2", caret: "delta(", msg: "sum() takes the name", write: "delta(sum(disk.dev.total)) / 2"},
	{expr: "avg(rate(disk.dev.total))", caret: "rate(", msg: "avg() takes the name", write: `rate(sum(disk.dev.total)) / rescale(count(disk.dev.total), "")`, why: "has 7 digits"},
	{expr: "2 * avg(rate(disk.dev.total))", caret: "rate(", msg: "avg() takes the name", write: `2 * (rate(sum(disk.dev.total)) / rescale(count(disk.dev.total), ""))`},
	{expr: "count(rate(disk.dev.total))", caret: "rate(", msg: "count() takes the name", write: "count(disk.dev.total)", why: "new in a sample"},
	{expr: "max(rate(disk.dev.total))", caret: "rate(", msg: "max() takes the name", why: "the largest rate of the instances is not the rate of the largest value"},
	{expr: "min(delta(disk.dev.total))", caret: "delta(", msg: "min() takes the name", why: "the smallest delta of the instances is not the delta of the smallest value"},
	{expr: "sum(matchinst(/sd/, disk.dev.total))", caret: "matchinst", msg: "sum() takes the name", why: "x[A] + x[B] adds single ones"},
	{expr: "sum(kernel.all.load * 2)", caret: "kernel", msg: "sum() takes the name", why: "--extended evaluates it as it is"},
	{expr: "max(hinv.ncpu, 3)", caret: "max(", msg: "max() is over the instances of one metric", write: "hinv.ncpu > 3 ? hinv.ncpu : 3"},

	{expr: "sum disk.dev.total", caret: "disk", msg: "the operand of sum stands in parentheses", write: "sum(disk.dev.total)"},
	{expr: "disk.dev.total per second", caret: "per", msg: "rate() is the change in a second", write: "rate(disk.dev.total)"},
	{expr: "count(*)", caret: "count", msg: "count() is how many instances a metric has", why: "count(METRIC)"},
	{expr: "rescale(mem.physmem, 'MB')", caret: "'MB'", msg: "texts stand in double quotes", write: `rescale(mem.physmem, "MB")`},
	{expr: "rescale(mem.physmem, MB)", caret: "MB", msg: "units stand in double quotes", write: `rescale(mem.physmem, "MB")`},
	{expr: "mem.physmem GB", caret: "GB", msg: "rescale() shows values in other units", write: `rescale(mem.physmem, "GB")`},
	{expr: "mem.physmem > 4GB", caret: "GB", msg: "a number with a unit is a constant", write: `mem.physmem > mkconst(4, units="GB")`},
	{expr: `"hinv.ncpu" > 2`, caret: `"hinv`, msg: "the name of a metric has no quotes", write: "hinv.ncpu > 2"},
	{expr: "disk.dev.*", caret: "disk", msg: "a name is no pattern: disk.dev stands for all metrics below it", why: ":metrics disk.dev"},
	{expr: "hinv.ncpu where hinv.ncpu > 2", caret: "where", msg: "an expression has no where", write: "hinv.ncpu", why: "--where 'hinv.ncpu > 2'"},
	{expr: "select * from hinv.ncpu where hinv.ncpu > 2", caret: "select", msg: "an expression is not a query", write: "hinv.ncpu", why: "--where 'hinv.ncpu > 2'"},
	{expr: "case when hinv.ncpu > 2 then 1 else 0 end", caret: "case", msg: "a choice is COND ? A : B"},
	{expr: "x := hinv.ncpu", caret: ":=", msg: "a definition is NAME = EXPR", write: "x = hinv.ncpu"},
	{expr: "let x = hinv.ncpu", caret: "let", msg: "a definition is NAME = EXPR", write: "x = hinv.ncpu"},
	{expr: "my-metric = hinv.ncpu", caret: "= hinv", msg: "'my-metric' is not a name", why: "as in my_metric"},
	{expr: "hinv.ncpu; mem.physmem", caret: ";", msg: "expressions have commas between them"},
	{expr: "hinv.ncpu;", caret: ";", msg: "no ';' ends an expression", write: "hinv.ncpu"},
	{expr: "max(kernel.all.load", caret: "", msg: "found the end, expected ')'", write: "max(kernel.all.load)"},

	{expr: "rate(disk.dev.total)[5m]", caret: "[5m]", msg: "[5m] is a range of time", write: "rate(disk.dev.total)", why: "eval -t 5m"},
	{expr: "rate(disk.dev.total[5m])", caret: "[5m]", msg: "[5m] is a range of time", write: "rate(disk.dev.total)", why: "eval -t 5m"},
	{expr: "rate(hinv.ncpu[1h30m])", caret: "[1h30m]", msg: "[1h30m] is a range of time", write: "rate(hinv.ncpu)"},
	{expr: "sum(rate(disk.dev.total[5m]))", caret: "[5m]", msg: "[5m] is a range of time", write: "rate(sum(disk.dev.total))", why: "the same while no instance"},
	{expr: "increase(disk.dev.total[1h])", caret: "increase", msg: "there is no function increase", write: "delta(disk.dev.total)", why: "eval -t 1h"},
	{expr: "rate(disk.dev.total)[sda]", caret: "[sda]", msg: "an instance stands after a metric or a parenthesis", write: "(rate(disk.dev.total))[sda]"},
	{expr: `disk.dev.total["sda"]`, caret: `["sda"`, msg: "the name of an instance has no quotes", write: "disk.dev.total[sda]"},
	{expr: `rate(disk.dev.total['sda'])`, caret: "['sda'", msg: "the name of an instance has no quotes", write: "rate(disk.dev.total[sda])"},
	{expr: `kernel.all.load["1 minute"]`, caret: `["1`, msg: "the name of an instance has no quotes", write: "kernel.all.load[1 minute]"},
	{expr: `disk.dev.total["sdz"]`, caret: `["sdz"`, msg: "the name of an instance has no quotes", write: "disk.dev.total[sdz]"},
	{expr: "disk.dev.total[sd*]", caret: "[sd*", msg: "[sd*] names one instance", write: "matchinst(/^sd/, disk.dev.total)"},
	{expr: `rate(disk.dev.total["*n?"])`, caret: `["*n`, msg: `[*n?] names one instance`, write: "rate(matchinst(/n.$/, disk.dev.total))"},
	{expr: "disk.dev.total[*.a]", caret: "[*.a", msg: "[*.a] names one instance", write: "matchinst(/[.]a$/, disk.dev.total)"},
	{expr: "hinv.ncpu[sda]", caret: "sda", msg: "hinv.ncpu has one value and no instances"},
	{expr: `disk.dev.total{instname="sda"}`, caret: "{", msg: "labels select nothing", write: "disk.dev.total[sda]"},
	{expr: `disk.dev.total{device=~"sd.*"}`, caret: "{", msg: "labels select nothing", write: "matchinst(/^sd/, disk.dev.total)"},
	{expr: `disk.dev.total{device!~"sda|sdb"}`, caret: "{", msg: "labels select nothing", write: "matchinst(!/^(sda|sdb)$/, disk.dev.total)"},
	{expr: `disk.dev.total{device!="sda"}`, caret: "{", msg: "labels select nothing", write: "matchinst(!/^sda$/, disk.dev.total)"},
	{expr: `disk.dev.total{instance="web1:9100"}`, caret: "{", msg: "a host is not part of an expression", why: "several -h"},
	{expr: `disk.dev.total{}`, caret: "{", msg: "labels select nothing", write: "disk.dev.total"},
	{expr: `disk.dev.total{a="b",c="d"}`, caret: "{", msg: "labels select nothing", why: "matchinst(/PATTERN/, x)"},
	{expr: `sum(disk.dev.total{device=~"sd.*"})`, caret: "{", msg: "labels select nothing", why: "sum() of some instances cannot be written"},
	{expr: "count by (instname) (disk.dev.total)", caret: "by", msg: "there is no grouping by labels", why: "sum(x) one for all of them"},
	{expr: "sum(disk.dev.total) by (instname)", caret: "by", msg: "there is no grouping by labels", why: "--across sum"},
	{expr: "topk(5, disk.dev.total)", caret: "topk", msg: "there is no function topk", why: ":top 5 disk.dev.total shows them at the prompt, eval --top 5 'disk.dev.total' in a shell"},
	{expr: "bottomk(5, disk.dev.total)", caret: "bottomk", msg: "there is no function bottomk", why: "eval --sort value 'disk.dev.total'"},
	{expr: "p95(disk.dev.total)", caret: "p95", msg: "there is no function p95", why: "summarize 'disk.dev.total'"},
	{expr: "quantile(0.95, rate(disk.dev.total))", caret: "quantile", msg: "there is no function quantile", why: "summarize 'rate(disk.dev.total)'"},
	{expr: "avg_over_time(kernel.all.load[5m])", caret: "avg_over", msg: "there is no function avg_over_time", why: "summarize 'kernel.all.load'"},
	{expr: "kernel.all.load > 5 for 1m", caret: "for", msg: "an expression tells about one sample", write: "kernel.all.load > 5", why: "--where 'kernel.all.load > 5' --fail-empty"},
	{expr: "disk.dev.total offset 5m", caret: "offset", msg: "an expression is about the present sample", why: ":time @14:30"},
	{expr: "irate(disk.dev.total)", caret: "irate", msg: "there is no function irate", write: "rate(disk.dev.total)"},
	{expr: "absent(no.such)", caret: "absent", msg: "there is no function absent", write: "!defined(no.such)"},

	{expr: "abs(kernel.all.load)", caret: "abs", msg: "there is no function abs", write: "kernel.all.load < 0 ? -kernel.all.load : kernel.all.load"},
	{expr: "1 + abs(kernel.all.load - 2)", caret: "abs", msg: "there is no function abs", write: "1 + ((kernel.all.load - 2) < 0 ? -(kernel.all.load - 2) : (kernel.all.load - 2))"},
	{expr: "hinv.ncpu > 1 and hinv.ncpu < 9", caret: "and", msg: "the operator is '&&', not 'and'", write: "hinv.ncpu > 1 && hinv.ncpu < 9"},
	{expr: "hinv.ncpu > 1 OR not hinv.ncpu < 9", caret: "OR", msg: "the operator is '||', not 'OR'", write: "hinv.ncpu > 1 || !(hinv.ncpu < 9)"},
	{expr: "not hinv.ncpu", caret: "not", msg: "negation is '!', not 'not'", write: "!hinv.ncpu"},
	{expr: "not(hinv.ncpu > 1)", caret: "not(", msg: "negation is '!', not 'not'", write: "!(hinv.ncpu > 1)"},
	{expr: "hinv.ncpu and hinv.ncpu + 1", caret: "and", msg: "the operator is '&&', not 'and'", write: "hinv.ncpu && hinv.ncpu + 1"},
	{expr: "hinv.ncpu and mem.physmem", caret: "and", msg: "the operator is '&&', not 'and'", write: ""}, // the dimensions differ
	{expr: "hinv.ncpu + 0 = 4", caret: "= 4", msg: "the operator is '==', not '='", write: "hinv.ncpu + 0 == 4"},
	{expr: "hinv.ncpu <> 4", caret: "<>", msg: "the operator is '!=', not '<>'", write: "hinv.ncpu != 4"},
	{expr: "hinv.ncpu === 4", caret: "===", msg: "the operator is '==', not '==='", write: "hinv.ncpu == 4"},
	{expr: "hinv.ncpu between 1 and 4", caret: "between", msg: "there is no operator 'between'", write: "(hinv.ncpu >= 1 && hinv.ncpu <= 4)"},
	{expr: "SELECT avg(kernel.all.load) FROM demo WHERE hinv.ncpu > 1", caret: "SELECT", msg: "an expression is not a query", write: "avg(kernel.all.load)", why: "eval --where 'hinv.ncpu > 1'"},
	{expr: "select hinv.ncpu, mem.physmem from demo", caret: "select", msg: "an expression is not a query", why: "eval 'EXPR' 'EXPR'"},
	{expr: "hinv.ncpu mod 4", caret: "mod", msg: "there is no remainder", why: "-o csv"},
	{expr: "hinv.ncpu % 4", caret: "%", msg: "there is no remainder", why: "-o csv"},
	{expr: "kernel.all.load > 5%", caret: "%", msg: "a number has no percent sign", why: "0.05"},
	{expr: "kernel.all.load ** 2", caret: "**", msg: "there is no operator '**'", write: "kernel.all.load * kernel.all.load"},
	{expr: "2 / kernel.all.load ^ 2", caret: "^", msg: "there is no operator '^'", write: "2 / (kernel.all.load * kernel.all.load)"},
	{expr: "pow(kernel.all.load, 3)", caret: "pow", msg: "there is no function pow", write: "kernel.all.load * kernel.all.load * kernel.all.load"},
	{expr: "kernel.all.load ^ 0.5", caret: "^", msg: "there is no operator '^'"},
	{expr: "hinv.ncpu as cpus", caret: "as", msg: "a name stands before its expression", write: "cpus = hinv.ncpu"},
	{expr: "hinv.ncpu & 1", caret: "& 1", msg: "there are no operators on bits; '&&' is the logical one"},
	{expr: "if(hinv.ncpu > 1, 1, 2)", caret: "if", msg: "there is no function if", write: "(hinv.ncpu > 1) ? 1 : 2"},
	{expr: "mean(kernel.all.load)", caret: "mean", msg: "the function is called avg", write: "avg(kernel.all.load)"},
	{expr: "round(kernel.all.load)", caret: "round", msg: "there is no function round", why: "eval -f 2"},
	{expr: "$3 + 1", caret: "$3", msg: "operands are metrics with names", why: ":metrics"},
	{expr: "mem.physmem > 1e6", caret: "1e6", msg: "numbers have no exponent", write: "mem.physmem > 1000000"},

	// With the definition y = rate(disk.dev.total).
	{expr: "avg(y)", caret: "y)", msg: "avg() takes the name of a metric and no expression, and y is a derived metric", why: "--extended evaluates it as it is"},
}

// TestHabits: each habit is explained at its place, and what is proposed is an expression that the
// source has values for.
func TestHabits(t *testing.T) {
	src := open(t, "demo")
	for _, tt := range habits {
		t.Run(tt.expr, func(t *testing.T) {
			p := problem(t, src, tt.expr)
			if p == nil {
				t.Fatal("no problem")
			}
			notes := strings.Join(p.Notes, "\n")
			if !strings.HasPrefix(p.Msg, tt.msg) {
				t.Errorf("message %q, want %q", p.Msg, tt.msg)
			}
			if p.Src != tt.expr || !strings.HasPrefix(p.Src[p.Pos:], tt.caret) {
				t.Errorf("the caret of %q is at %d, want it at %q", p.Src, p.Pos, tt.caret)
			}
			if !strings.Contains(notes, tt.why) {
				t.Errorf("notes\n%s\nwant %q", notes, tt.why)
			}
			written := ""
			for _, n := range p.Notes {
				if text, ok := strings.CutPrefix(n, "write "); ok {
					written = text
				}
			}
			if written != tt.write {
				t.Errorf("write %q, want %q; notes\n%s", written, tt.write, notes)
			}
			if written != "" && tt.expr != `disk.dev.total["sdz"]` { // it has another mistake
				if q := problem(t, src, written); q != nil {
					t.Errorf("the proposal %q is wrong: %s", written, q)
				}
			}
		})
	}
}

// TestExtendedHabits: functions over time of PromQL have others in the extended language, with their range as an argument.
func TestExtendedHabits(t *testing.T) {
	src := open(t, "demo")
	for expr, want := range map[string]string{
		"avg_over_time(kernel.all.load[5m])":                "write avg_over(kernel.all.load, 5m)",
		"2 * max_over_time(kernel.all.load[1h]) + 1":        "write 2 * max_over(kernel.all.load, 1h) + 1",
		"quantile_over_time(0.9, kernel.all.load * 2[1d])":  "write quantile_over(0.9, kernel.all.load * 2, 1d)",
		"avg_over_time(kernel.all.load)":                    "",
		"min_over_time(kernel.all.load[500ms])":             "", // ms is refused, so nothing is proposed
		"sum by (hostname) (rate(disk.dev.total))":          "write sum(rate(disk.dev.total)) by (hostname)",
		"1 + quantile by (a, b) (0.9, kernel.all.load) * 2": "write 1 + quantile(0.9, kernel.all.load) by (a, b) * 2",
		"rate(disk.dev.total) by (a)":                       "write sum(rate(disk.dev.total)) by (a)",
		"kernel.all.load by (a)":                            "write sum(kernel.all.load) by (a)",
		"kernel.all.load by a":                              "write sum(kernel.all.load) by (a)",
		"(kernel.all.load * 2) by (a)":                      "write sum(kernel.all.load * 2) by (a)",
		"(sum(kernel.all.load)) by (a) * 2":                 "write sum(kernel.all.load) by (a) * 2",
		"sum(kernel.all.load) by a":                         "write sum(kernel.all.load) by (a)",
		"sum by a (kernel.all.load)":                        "write sum(kernel.all.load) by (a)",
		"rate by (a) (disk.dev.total)":                      "write sum(rate(disk.dev.total)) by (a)",
		"max(kernel.all.load, 2) by (a)":                    "write sum(max(kernel.all.load, 2)) by (a)",
		"topn(2, kernel.all.load) by (a)":                   "topn() compares the instances of all groups, and there is none for each group",
		"sum(kernel.all.load) without (a)":                  "as in sum(x) by (LABEL, ...); pminfo -l shows the labels of a metric",
		"sum without (a) (disk.dev.total)":                  "as in sum(x) by (LABEL, ...); pminfo -l shows the labels of a metric",
		"kernel.all.load offset 5m":                         "shift(x, 1hour) is the value an hour before",
		"sum(kernel.all.load) BY (a)":                       "write sum(kernel.all.load) by (a)",
		"avg_over(kernel.all.load[5m])":                     "write avg_over(kernel.all.load, 5m)",
		"quantile_over(0.9, kernel.all.load[5m])":           "write quantile_over(0.9, kernel.all.load, 5m)",
		"sum_over_time(kernel.all.load[5m])":                "over time there are avg_over, max_over, min_over, quantile_over, shift and smooth",
		"clamp_min(kernel.all.load, 2)":                     "write max(kernel.all.load, 2)",
		"clamp_max(kernel.all.load, 2)":                     "write min(kernel.all.load, 2)",
		"log10(kernel.all.load)":                            "write ln(kernel.all.load) / 2.302585092994046",
		"log2(kernel.all.load)":                             "write ln(kernel.all.load) / 0.6931471805599453",
		"stdvar(kernel.all.load)":                           "write stddev(kernel.all.load) * stddev(kernel.all.load)",
		"deriv(kernel.all.load)":                            "write rate(kernel.all.load)",
		"kernel.all.load ^ 2":                               "write kernel.all.load * kernel.all.load",
		"kernel.all.load ^ 0.5":                             "write pow(kernel.all.load, 0.5)",
		"quantile(1e-1, kernel.all.load)":                   "write quantile(0.1, kernel.all.load)",
		"topn(1e1, kernel.all.load)":                        "write topn(10, kernel.all.load)",
		"quantile(950, kernel.all.load)":                    "as in quantile(Q, EXPR) [by (LABEL, ...)]",
		"topn(kernel.all.load, 3)":                          "as in topn(N, EXPR)",
		"smooth(kernel.all.load)":                           "as in smooth(EXPR, TIME)",
		"pow(2)":                                            "as in pow(EXPR, EXPR)",
		"1 + abs(2, 3)":                                     "as in abs(EXPR)",
		"clamp(kernel.all.load, (1), 2, 3)":                 "as in clamp(EXPR, LOW, HIGH)",
		"min(1, 2, 3)":                                      "as in min(EXPR) [by (LABEL, ...)] or min(EXPR, EXPR)",
		"stddev()":                                          "as in stddev(EXPR) [by (LABEL, ...)]",
		"sum(kernel.all.load) by ()":                        "",
	} {
		_, err := query.Run(t.Context(), src, derive.NewSet().In(check.Extended), &query.Query{Exprs: []string{expr}, Once: true})
		bad := problems(err)
		if len(bad) != 1 {
			t.Errorf("%s: %v", expr, err)
		} else if notes := strings.Join(bad[0].Notes, "\n"); notes != want {
			t.Errorf("%s: notes %q, want %q", expr, notes, want)
		}
	}
}

// problem returns the problem of an expression over a source where y is a derived metric, or nil.
func problem(t *testing.T, src *query.Source, expr string) *diagnose.Problem {
	t.Helper()
	_, err := all(t.Context(), src, &query.Query{Exprs: []string{"y = rate(disk.dev.total)", expr}, Once: true})
	bad := problems(err)
	if len(bad) == 0 && err != nil {
		t.Fatal(err)
	}
	if len(bad) == 0 {
		return nil
	}
	return bad[0]
}

// problems returns the problems in an error.
func problems(err error) (list []*diagnose.Problem) {
	for _, err := range diagnose.Joined(err) {
		if p, ok := errors.AsType[*diagnose.Problem](err); ok {
			list = append(list, p)
		}
	}
	return list
}

// TestHoisted: the proposal for an aggregate of an expression has the value that the aggregate of the
// values of the instances has.
func TestHoisted(t *testing.T) {
	src := open(t, "demo")
	for _, inner := range []string{"rate(disk.dev.total)", "delta(disk.dev.total_bytes)"} {
		list := numbers(t, src, inner)
		sum, least, most := 0.0, math.Inf(1), math.Inf(-1)
		for _, f := range list {
			sum, least, most = sum+f, min(least, f), max(most, f)
		}
		for fun, want := range map[string]float64{"sum": sum, "avg": sum / float64(len(list)), "min": least, "max": most, "count": float64(len(list))} {
			expr := fun + "(" + inner + ")"
			p := problem(t, src, expr)
			if p == nil {
				t.Errorf("%s is not wrong", expr)
				continue
			}
			at := slices.IndexFunc(p.Notes, func(note string) bool { return strings.HasPrefix(note, "write ") })
			if at < 0 {
				continue
			}
			written := strings.TrimPrefix(p.Notes[at], "write ")
			got := numbers(t, src, written)
			if len(got) != 1 || math.Abs(got[0]-want) > 1e-6*math.Abs(want) {
				t.Errorf("%s, written %s, is %v, want %v", expr, written, got, want)
			}
		}
	}
}

// numbers returns the values of an expression in one sample.
func numbers(t *testing.T, src *query.Source, expr string) (list []float64) {
	t.Helper()
	q := &query.Query{Exprs: []string{expr}, Times: sampling.Times{Start: src.At, Samples: 1}, Raw: true}
	st, err := query.Run(t.Context(), src, derive.NewSet(), q)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	for smp, err := range st.Samples {
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		for i := range smp.Sets[0].Len() {
			v := smp.Sets[0].At(i)
			list = append(list, v.Number())
		}
	}
	return list
}
