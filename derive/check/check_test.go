package check

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	_ "pmtools/test/env"
)

// A fileCase is a line of testdata: an expression, its result and, where the reference differs for
// a reason of derived.md D16, the result of the reference.
type fileCase struct {
	where      string
	context    string
	opt        Options
	expr, want string
}

// readCases reads one file. A line "== CONTEXT [novalue]" sets the context for the lines after it.
func readCases(tb testing.TB, file string) []fileCase {
	tb.Helper()
	f, err := os.Open(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var list []fileCase
	var c fileCase
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		line := s.Text()
		if head, ok := strings.CutPrefix(line, "== "); ok {
			context, option, _ := strings.Cut(head, " ")
			c.context, c.opt = context, Options{NoValue: option == "novalue"}
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) < 2 {
			tb.Fatalf("%s:%d: no result", file, n)
		}
		c.where = filepath.Base(file) + ":" + strconv.Itoa(n)
		c.expr, c.want = fields[0], fields[1]
		list = append(list, c)
	}
	return list
}

// allCases reads all files of testdata.
func allCases(tb testing.TB) []fileCase {
	tb.Helper()
	var list []fileCase
	for _, name := range []string{"worked", "texts", "binary", "units", "func", "const", "ternary", "novalue", "better"} {
		list = append(list, readCases(tb, "testdata/"+name+".txt")...)
	}
	return list
}

// outcome is the result of an expression as the files have it.
func outcome(expr string, env Env, opt *Options) string { return outcomeIn(PCP, expr, env, opt) }

func outcomeIn(l Language, expr string, env Env, opt *Options) string {
	e, err := l.Syntax().Parse(expr)
	if err != nil {
		var bad *syntax.Error
		if errors.As(err, &bad) {
			return strings.TrimSpace("PE@" + strconv.Itoa(int(bad.Pos)) + ": " + bad.Msg)
		}
		return err.Error()
	}
	info, err := Check(e, env, opt)
	if err != nil {
		return "SE: " + err.Error()
	}
	return typeText(info.Root)
}

func TestFiles(t *testing.T) {
	envs := readEnvs(t)
	for _, c := range allCases(t) {
		t.Run(c.where, func(t *testing.T) {
			got := outcome(c.expr, envs[c.context], &c.opt)
			if got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.expr, got, c.want)
			}
			if extended := outcomeIn(Extended, c.expr, envs[c.context], &c.opt); extended != got && !strings.HasPrefix(got, "PE@") {
				t.Errorf("%s\nin the extended language %s\nwant %s", c.expr, extended, got)
			}
		})
	}
}

func mustParse(tb testing.TB, expr string) syntax.Expr {
	tb.Helper()
	e, err := Syntax().Parse(expr)
	if err != nil {
		tb.Fatalf("%s: %v", expr, err)
	}
	return e
}

func mustCheck(tb testing.TB, expr string, env Env, opt *Options) (syntax.Expr, *Info) {
	tb.Helper()
	e := mustParse(tb, expr)
	info, err := Check(e, env, opt)
	if err != nil {
		tb.Fatalf("%s: %v", expr, err)
	}
	return e, info
}

// TestPos marks the place of the error with a § before it.
func TestPos(t *testing.T) {
	env := readEnvs(t)["SE"]
	for _, marked := range []string{
		"§no.such",
		"1 + §no.such",
		"1 ? §no.such : 2",
		"mkconst(1,meta=§no.such)",
		"0 ? 1 : novalue(meta=§no.such)",
		"sample.byte_ctr §+ 1",
		"2*(sample.byte_ctr §+ 1)",
		"1 + §-pmcd.pmlogger.host",
		"1 + §rate(sample.byte_rate)",
		`1 + §rescale(1,"sec")`,
		"1 ? sample.byte_rate ? 1 §: 2.0 : 3",
		"sample.mirage §? 1 : 2",
		"defined(§event.flags)",
	} {
		want := strings.Index(marked, "§")
		expr := strings.Replace(marked, "§", "", 1)
		_, err := Check(mustParse(t, expr), env, nil)
		var bad *Error
		if !errors.As(err, &bad) {
			t.Errorf("%s: got %v", expr, err)
			continue
		}
		if int(bad.Pos) != want {
			t.Errorf("%s: got position %d, want %d", expr, bad.Pos, want)
		}
	}
}

func TestErrorLine(t *testing.T) {
	_, err := Check(mustParse(t, "sample.seconds + 1"), readEnvs(t)["L"], nil)
	var bad *Error
	if !errors.As(err, &bad) {
		t.Fatalf("got %v", err)
	}
	want := "Semantic error: derived metric x.y: sample.seconds + 1: Illegal operator for counter and non-counter"
	if got := bad.Line("x.y"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSelfReference(t *testing.T) {
	env := newEnv()
	loop := pcp.NewID(pcp.DynamicDomain, 0, 9)
	env.add("x.loop", loop, absent)
	env.loops[loop] = true
	const nested = ": Illegal nested derived metric"
	for _, tc := range []struct{ name, expr, want string }{
		{"itself", "x.y", "SE: operand x.y" + nested},
		{"in parentheses", "(x.y)", "SE: operand x.y" + nested},
		{"in a sum", "x.y + 1", "SE: operand x.y" + nested},
		{"in defined", "defined(x.y)", "SE: operand x.y" + nested},
		{"in a choice", "0 ? x.y : 1", "SE: operand x.y" + nested},
		{"meta", "mkconst(1,meta=x.y)", "SE: operand x.y" + nested},
		{"loop", "x.loop", "SE: operand x.loop" + nested},
		{"meta of a loop", "mkconst(1,meta=x.loop)", "SE: operand x.loop" + nested},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := outcome(tc.expr, env, &Options{Name: "x.y"}); got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.expr, got, tc.want)
			}
		})
	}
	t.Run("no name", func(t *testing.T) {
		if got := outcome("a", env, nil); got != "SE: operand a: Unknown operand metric" {
			t.Errorf("got %s", got)
		}
	})
}

func TestEquivalent(t *testing.T) {
	env := readEnvs(t)["DE"]
	m, err := ParseInDomMap("29.1 29.2\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, expr, want string
		opt              *Options
	}{
		{"not equivalent", "sample.colour + sample.bin", "SE: sample.colour + sample.bin: Operands should have the same instance domain", nil},
		{"the left one's", "sample.colour + sample.bin", "32 29.1 instant none", &Options{Equivalent: m.Equivalent}},
		{"the right one's", "mkconst(1,indom=29.1) * sample.bin", "U32 29.2 instant none", &Options{Equivalent: m.Equivalent}},
		{"not for a choice", "1.0 ? sample.colour : sample.bin", "SE: sample.colour : sample.bin: Different instance domains for ternary operands", &Options{Equivalent: m.Equivalent}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := outcome(tc.expr, env, tc.opt); got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.expr, got, tc.want)
			}
		})
	}
}

func TestOperands(t *testing.T) {
	env := readEnvs(t)["SE"]
	for _, tc := range []struct {
		name, expr string
		want       []string
	}{
		{"once each, in order", "sample.mirage+sample.mirage[x]*(1&&scalar(sample.byte_rate)>0)", []string{"sample.mirage", "sample.byte_rate"}},
		{"unselected arm", "1 ? sample.byte_rate : sample.mirage", []string{"sample.byte_rate", "sample.mirage"}},
		{"guard, left, right", "sample.byte_ctr ? novalue() : rate(sample.kbyte_ctr)", []string{"sample.byte_ctr", "sample.kbyte_ctr"}},
		{"not of defined and meta", "defined(sample.byte_ctr) + mkconst(1,meta=sample.byte_rate,units=count)*1", nil},
		{"defined in an unselected arm", "1 ? sample.byte_rate : (0 ? 1 : 2*defined(sample.byte_ctr))", []string{"sample.byte_rate", "sample.byte_ctr"}},
		{"defined in a selected arm", "0 ? no.such : (defined(sample.byte_ctr) ? sample.byte_rate : 2)", []string{"sample.byte_rate"}},
		{"undefined in an unselected arm", "1 ? sample.byte_rate : defined(no.such)", []string{"sample.byte_rate"}},
		{"none", "1+2.5", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, info := mustCheck(t, tc.expr, env, nil)
			var want []pcp.ID
			for _, name := range tc.want {
				want = append(want, env.ids[name])
			}
			if d := cmp.Diff(want, info.Operands); d != "" {
				t.Errorf("%s: (-want +got)\n%s", tc.expr, d)
			}
		})
	}
}
