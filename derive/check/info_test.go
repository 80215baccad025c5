package check

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// typedTree writes a tree with the type of each node after it, "?" where there is none.
func typedTree(e syntax.Expr, in *Info) string {
	var s string
	switch n := e.(type) {
	case *syntax.MetricRef:
		s = n.Name
	case *syntax.IntLit:
		s = n.Text
	case *syntax.FloatLit:
		s = n.Text
	case *syntax.ParenExpr:
		s = "(paren " + typedTree(n.X, in) + ")"
	case *syntax.UnaryExpr:
		s = "(" + n.Op.Symbol() + " " + typedTree(n.X, in) + ")"
	case *syntax.BinaryExpr:
		s = "(" + n.Op.Symbol() + " " + typedTree(n.X, in) + " " + typedTree(n.Y, in) + ")"
	case *syntax.TernaryExpr:
		s = "(? " + typedTree(n.Cond, in) + " " + typedTree(n.X, in) + " " + typedTree(n.Y, in) + ")"
	case *syntax.InstExpr:
		s = "(inst " + typedTree(n.X, in) + ")"
	case *syntax.CallExpr:
		s = "(" + n.Fun.Symbol() + " " + typedTree(n.X, in) + ")"
	case *syntax.RescaleExpr:
		s = "(rescale " + typedTree(n.X, in) + ")"
	case *syntax.MatchInstExpr:
		s = "(matchinst " + typedTree(n.X, in) + ")"
	case *syntax.ConstExpr:
		s = "(mkconst " + typedTree(n.X, in) + ")"
	case *syntax.NovalueExpr:
		s = "(novalue)"
	}
	t, ok := in.Types[e]
	if !ok {
		return s + "~?"
	}
	f := strings.SplitN(typeText(t), " ", 4)
	return s + "~" + f[0] + "," + f[1] + "," + f[2] + "," + strings.ReplaceAll(f[3], " ", "")
}

func TestTypes(t *testing.T) {
	env := readEnvs(t)["SE"]
	for _, tc := range []struct{ name, expr, want string }{
		{"metric", "sample.mirage", "sample.mirage~32,29.3,instant,Kbyte/sec"},
		{"literal", "2", "2~U32,-,discrete,none"},
		{"parentheses", "(2.)", "(paren 2.~DOUBLE,-,discrete,none)~DOUBLE,-,discrete,none"},
		{"nested", "-sample.byte_ctr*2", "(- (* sample.byte_ctr~32,-,counter,byte 2~U32,-,discrete,none)~U32,-,counter,byte)~32,-,instant,byte"},
		{"call", "rate(sample.byte_ctr)", "(rate sample.byte_ctr~32,-,counter,byte)~DOUBLE,-,instant,byte/sec"},
		{"defined", "defined(no.such)", "(defined no.such~?)~U32,-,discrete,none"},
		{"anon", "anon(PM_TYPE_64)", "(anon PM_TYPE_64~?)~64,-,discrete,none"},
		{"mkconst", `mkconst(1,units="sec")`, "(mkconst 1~?)~U32,-,discrete,sec"},
		{"instance", "(sample.mirage)[x]", "(inst (paren sample.mirage~32,29.3,instant,Kbyte/sec)~32,29.3,instant,Kbyte/sec)~32,29.3,instant,Kbyte/sec"},
		{"pattern", "matchinst(!/a/,1)", "(matchinst 1~U32,-,discrete,none)~U32,-,discrete,none"},
		{"rescale", `rescale(sample.byte_ctr,"Kbyte")`, "(rescale sample.byte_ctr~32,-,counter,byte)~32,-,counter,Kbyte"},
		{"static choice", "0 ? no.such+1 : 2", "(? 0~U32,-,discrete,none (+ no.such~? 1~?)~? 2~U32,-,discrete,none)~U32,-,discrete,none"},
		{"unknown metric in a static guard", "1||no.such?1:2", "(? (|| 1~? no.such~?)~? 1~U32,-,discrete,none 2~?)~U32,-,discrete,none"},
		{"novalue", "1.0 ? novalue() : 2", "(? 1.0~DOUBLE,-,discrete,none (novalue)~32,-,discrete,none 2~U32,-,discrete,none)~U32,-,discrete,none"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, info := mustCheck(t, tc.expr, env, nil)
			if got := typedTree(e, info); got != tc.want {
				t.Errorf("%s\n got %s\nwant %s", tc.expr, got, tc.want)
			}
			if info.Root != info.Types[e] {
				t.Errorf("%s: root is %v", tc.expr, info.Root)
			}
		})
	}
}

func TestScales(t *testing.T) {
	env := readEnvs(t)["SE"]
	unit := func(u string) string { return `mkconst(1,units="` + u + `")` }
	for _, tc := range []struct {
		name, expr string
		want       Scale
	}{
		{"left smaller", unit("byte") + "+" + unit("Kbyte"), Scale{1, 1024, 1, 1}},
		{"right smaller", unit("Kbyte") + "+" + unit("byte"), Scale{1, 1, 1, 1024}},
		{"several steps", unit("byte") + "+" + unit("Tbyte"), Scale{1, 1 << 40, 1, 1}},
		{"all steps of time", unit("hour") + "-" + unit("nanosec"), Scale{1, 1, 1, 3600e9}},
		{"denominator", unit("byte / sec") + "+" + unit("byte / hour"), Scale{3600, 1, 1, 1}},
		{"two dimensions", unit("Kbyte / sec") + "+" + unit("byte / min"), Scale{60, 1, 1, 1024}},
		{"count", unit("count") + "+" + unit("count x 10^3"), Scale{1, 1000, 1, 1}},
		{"negative count", unit("count x 10^-2") + "+" + unit("count x 10"), Scale{1, 1000, 1, 1}},
		{"product by the own sign", unit("sec") + "*" + unit("/ min"), Scale{1, 60, 1, 1}},
		{"the other way round", unit("/ min") + "*" + unit("sec"), Scale{1, 1, 1, 60}},
		{"quotient", "sample.byte_rate / sample.byte_rate_perhour", Scale{3600, 1, 1, 1}},
		{"powers do not count", unit("byte^2") + "+" + unit("Kbyte^2"), Scale{1, 1024, 1, 1}},
		{"unknown scale of time", unit("sec") + "+" + unit("time-9"), Scale{1, 3600, 1, 1}},
		{"unknown scale of space", unit("Ybyte") + "+" + unit("space-9"), Scale{1, 1024, 1, 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, info := mustCheck(t, tc.expr, env, nil)
			if got := info.Scales[e.(*syntax.BinaryExpr)]; got != tc.want {
				t.Errorf("%s: got %v, want %v", tc.expr, got, tc.want)
			}
			if info.Root.Type != pcp.Double {
				t.Errorf("%s: got type %v", tc.expr, info.Root.Type)
			}
		})
	}
	for _, expr := range []string{"sample.byte_ctr > sample.kbyte_ctr", "sample.byte_ctr + sample.byte_ctr", "1+1", unit("Kbyte") + "*" + unit("sec")} {
		if _, info := mustCheck(t, expr, env, nil); len(info.Scales) != 0 {
			t.Errorf("%s: got %v", expr, info.Scales)
		}
	}
}

func TestConsts(t *testing.T) {
	env := newEnv()
	env.add("a.string", pcp.NewID(1, 2, 3), Type{Type: pcp.String, InDom: pcp.NullInDom, Sem: pcp.Discrete})
	env.add("a.event", pcp.NewID(1, 2, 4), Type{Type: pcp.Event, InDom: pcp.NullInDom, Sem: pcp.Discrete})
	env.add("a.u64", pcp.NewID(1, 2, 5), Type{Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Discrete})
	env.add("a.s64", pcp.NewID(1, 2, 6), Type{Type: pcp.Int64, InDom: pcp.NullInDom, Sem: pcp.Discrete})
	env.add("a.u32", pcp.NewID(1, 2, 7), Type{Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Discrete})
	huge := strings.Repeat("9", 30) + ".5"
	for _, tc := range []struct{ expr, want string }{
		{"7", "U32 0x7"},
		{"4294967295", "U32 0xffffffff"},
		{".5", "DOUBLE 0x3fe0000000000000"},
		{"mkconst(4294967295,type=32)", "32 0xffffffffffffffff"},
		{"mkconst(4294967295,type=64)", "64 0xffffffff"},
		{"mkconst(4294967295,type=u64)", "U64 0xffffffff"},
		{"mkconst(3,type=float)", fmt.Sprintf("FLOAT %#x", math.Float32bits(3))},
		{"mkconst(1.5,type=float)", fmt.Sprintf("FLOAT %#x", math.Float32bits(1.5))},
		{"mkconst(3,type=double)", fmt.Sprintf("DOUBLE %#x", math.Float64bits(3))},
		{"mkconst(1.5,meta=a.u64)", "U64 0x1"},
		{"mkconst(.5,meta=a.u64)", "U64 0x0"},
		{"mkconst(4294967297.5,meta=a.u32)", "U32 0x1"},
		{"mkconst(" + huge + ",meta=a.u64)", "U64 0xffffffffffffffff"},
		{"mkconst(" + huge + ",meta=a.s64)", "64 0x7fffffffffffffff"},
		{"mkconst(5,meta=a.string)", `STRING ""`},
		{"mkconst(5,meta=a.event)", "unset"},
	} {
		e, info := mustCheck(t, tc.expr, env, nil)
		v, ok := info.Consts[e]
		got := "unset"
		switch {
		case !ok:
			got = "missing"
		case v.IsSet() && v.Type() == pcp.String:
			got = fmt.Sprintf("STRING %q", v.Bytes())
		case v.IsSet():
			got = fmt.Sprintf("%s %#x", v.Type(), v.Word())
		}
		if got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.expr, got, tc.want)
		}
	}
}

func TestChoices(t *testing.T) {
	env := readEnvs(t)["SE"]
	for _, tc := range []struct {
		guard string
		want  Choice
	}{
		{"0", Right}, {"1", Left}, {"(7)", Left}, {"0.0", NotStatic}, {"-1", NotStatic}, {"1+0", NotStatic}, {"1>0", NotStatic},
		{"mkconst(0,type=double)", Right}, {"mkconst(1,units=sec)", Left}, {"mkconst(1.0,units=sec)", NotStatic},
		{"defined(sample.byte_ctr)", Left}, {"defined(no.such)", Right}, {"!defined(no.such)", Left},
		{"sample.byte_rate", NotStatic}, {"!sample.byte_rate", NotStatic},
		{"0&&1", Right}, {"1&&1", Left}, {"1&&0", Right}, {"0||0", Right}, {"0||1", Left}, {"1||0", Left},
		{"0&&sample.scale_step.none_up", Right}, {"sample.scale_step.none_up&&0", NotStatic},
		{"1||sample.scale_step.none_up", Left}, {"sample.scale_step.none_up||1", NotStatic},
		{"1&&sample.scale_step.none_up", NotStatic}, {"0||sample.scale_step.none_up", NotStatic},
		{"(1?1:0)", NotStatic},
	} {
		e, info := mustCheck(t, tc.guard+" ? 1 : 2", env, nil)
		if got := info.Choices[e.(*syntax.TernaryExpr)]; got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.guard, got, tc.want)
		}
	}
}

func TestTables(t *testing.T) {
	env := readEnvs(t)["SE"]
	e, info := mustCheck(t, `rescale(matchinst(!/^m-4/,sample.mirage),"2 byte/sec")*defined(no.such)`, env, nil)
	product := e.(*syntax.BinaryExpr)
	rescale := product.X.(*syntax.RescaleExpr)
	if got := info.Rescale[rescale].String(); got != "byte / sec" {
		t.Errorf("got units %q", got)
	}
	match := info.Patterns[rescale.X.(*syntax.MatchInstExpr)]
	if match == nil || !match("m-46") || match("m-10") {
		t.Error("wrong matcher")
	}
	if defined, ok := info.Defined[product.Y.(*syntax.CallExpr)]; defined || !ok {
		t.Errorf("got defined %v %v", defined, ok)
	}
	if len(info.Metrics) != 1 {
		t.Errorf("got metrics %v", info.Metrics)
	}
}

// TestPartialInfo checks the Info beside an error, and the kind of the error.
func TestPartialInfo(t *testing.T) {
	for _, tc := range []struct {
		expr            string
		names, counters bool
		types, mentions int
	}{
		{"no.such + 1", true, false, 0, 0},
		{"mkconst(1,meta=sample.bin) + no.such", true, false, 0, 1},
		{"sample.bin * 2 + sample.string.hullo", false, false, 4, 0},
		{"sample.byte_ctr * sample.byte_ctr", false, true, 2, 0},
		{"defined(sample.bin) ? no.such : 1", false, false, 1, 1},
	} {
		e, err := Syntax().Parse(tc.expr)
		if err != nil {
			t.Fatal(err)
		}
		info, err := Check(e, readEnvs(t)["L"], nil)
		var bad *Error
		if !errors.As(err, &bad) || bad.Names != tc.names || bad.Counters != tc.counters {
			t.Errorf("%s: got %+v", tc.expr, err)
			continue
		}
		if len(info.Types) != tc.types || len(info.Mentions) != tc.mentions {
			t.Errorf("%s: got types %v, mentions %v", tc.expr, info.Types, info.Mentions)
		}
	}
}

func TestNovalue(t *testing.T) {
	env := readEnvs(t)["SE"]
	for _, tc := range []struct {
		arm  string
		want bool
	}{
		{"novalue()", true}, {"novalue(type=double)", true}, {"no.such", true}, {"((no.such))", true},
		{"no.such+1", false}, {"sample.byte_ctr", false}, {"2", false},
	} {
		e, info := mustCheck(t, "1 ? "+tc.arm+" : 3", env, &Options{NoValue: true})
		if got := info.Novalue(e.(*syntax.TernaryExpr).X); got != tc.want {
			t.Errorf("%s: got %v", tc.arm, got)
		}
	}
}

// TestWithoutHooks checks trees whose units, metadata and patterns the parser has not judged.
func TestWithoutHooks(t *testing.T) {
	for _, tc := range []struct{ expr, want string }{
		{`rescale(1,"furlong")`, "units: Illegal units: 'unrecognized or duplicate base unit'"},
		{"mkconst(1,units=furlong)", "units: Illegal units: 'unrecognized or duplicate base unit'"},
		{"matchinst(/(/,1)", `MATCHINST: bad regular expression: 'Unmatched ( or \('`},
	} {
		e, err := (*syntax.Config)(nil).Parse(tc.expr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Check(e, newEnv(), nil); err == nil || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %s", tc.expr, err, tc.want)
		}
	}
	for _, tag := range []syntax.Token{syntax.TYPE, syntax.SEMANTICS, syntax.INDOM} {
		e := &syntax.ConstExpr{X: &syntax.IntLit{Text: "1", Value: 1}, Specs: []*syntax.Spec{{Tag: tag, Value: "odd"}}}
		if _, err := Check(e, newEnv(), nil); err == nil || !strings.HasSuffix(err.Error(), "illegal value 'odd'") {
			t.Errorf("%v: got %v", tag, err)
		}
	}
}

// TestDeep checks trees as high as the parser makes them.
func TestDeep(t *testing.T) {
	env := newEnv()
	for _, tc := range []struct{ name, expr string }{
		{"row", "1" + strings.Repeat("+1", 90_000)},
		{"parentheses", strings.Repeat("(", 9000) + "1" + strings.Repeat(")", 9000)},
		{"choices", strings.Repeat("1||no.such?", 4000) + "1" + strings.Repeat(":2", 4000)},
		{"guards", strings.Repeat("(1||no.such||", 3000) + "1" + strings.Repeat("?1:1)", 3000)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, err := Syntax().Parse(tc.expr)
			if err != nil {
				t.Fatal("does not parse")
			}
			if _, err := Check(e, env, nil); err != nil {
				t.Error("does not check")
			}
		})
	}
}
