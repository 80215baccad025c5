package syntax

import (
	"bufio"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

// short writes a tree with a parenthesis for every operator.
func short(e Expr) string {
	switch e := e.(type) {
	case *BinaryExpr:
		return "(" + short(e.X) + e.Op.Symbol() + short(e.Y) + ")"
	case *UnaryExpr:
		return "(" + e.Op.Symbol() + short(e.X) + ")"
	case *TernaryExpr:
		return "(" + short(e.Cond) + "?" + short(e.X) + ":" + short(e.Y) + ")"
	case *ParenExpr:
		return short(e.X)
	}
	return Print(e)
}

// The trees of derived.md D3.2, some more of its D15, and all pairs of neighbouring levels.
func TestPrecedence(t *testing.T) {
	tests := []struct{ src, want string }{
		{"!a>b||c<d", "((!(a>b))||(c<d))"},
		{"!a+b", "(!(a+b))"},
		{"!a&&b", "((!a)&&b)"},
		{"-a*b", "(-(a*b))"},
		{"-a+b", "((-a)+b)"},
		{"a*-b+c", "((a*(-b))+c)"},
		{"a*-b*c", "(a*(-(b*c)))"},
		{"a--b", "(a-(-b))"},
		{"a*!b+c", "(a*(!(b+c)))"},
		{"-!a>b", "(-(!(a>b)))"},
		{"a+!b>c", "(a+(!(b>c)))"},
		{"a*!b==c&&d", "((a*(!(b==c)))&&d)"},
		{"a&&b?c:d", "((a&&b)?c:d)"},
		{"a?b:c&&d", "(a?b:(c&&d))"},
		{"a?b:c||d?e:f", "((a?b:(c||d))?e:f)"},
		{"a?b?c:d:e", "(a?(b?c:d):e)"},
		{"a?novalue():b?c:d", "((a?novalue():b)?c:d)"},
		{"-3*a", "(-(3*a))"},
		{"a?b:c?d:e", "((a?b:c)?d:e)"},
		{"a||b&&c", "((a||b)&&c)"},
		{"a&&b||c", "((a&&b)||c)"},
		{"a>b!=c", "((a>b)!=c)"},
		{"1<2<3", "((1<2)<3)"},
		{"1 + 2 * 3", "(1+(2*3))"},
		{"1*2+3", "((1*2)+3)"},
		{"a-b-c", "((a-b)-c)"},
		{"a-b+c", "((a-b)+c)"},
		{"a/b*c", "((a/b)*c)"},
		{"a+b<c", "((a+b)<c)"},
		{"a<b+c", "(a<(b+c))"},
		{"a<b&&c", "((a<b)&&c)"},
		{"a&&b<c", "(a&&(b<c))"},
		{"!!5", "(!(!5))"},
		{"--a", "(-(-a))"},
		{"-a?b:c", "((-a)?b:c)"},
		{"!a?b:c", "((!a)?b:c)"},
		{"a*-b?c:d", "((a*(-b))?c:d)"},
		{"a*-b<c", "((a*(-b))<c)"},
		{"a?novalue():b+1", "(a?novalue():(b+1))"},
		{"a?b:novalue()+1", "((a?b:novalue())+1)"},
		{"a?b:novalue()?c:d", "((a?b:novalue())?c:d)"},
		{"a?b:novalue()*2+3", "(((a?b:novalue())*2)+3)"},
		{"2*(a?b:novalue()*3)", "(2*((a?b:novalue())*3))"},
		{"(a+b)*c", "((a+b)*c)"},
		{"7/0", "(7/0)"},
		{"-7/0", "(-(7/0))"},
		{"!0 && defined(b) ? 1 : no.such", "(((!0)&&defined(b))?1:no.such)"},
		{"matchinst(/m-4/,a)/2", "(matchinst(/m-4/, a)/2)"},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			x, err := testConfig.Parse(tt.src)
			if err != nil {
				t.Fatal(err)
			}
			if got := short(x); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestParseTree has one row or more for each kind of node and for the texts that are easily
// mistaken for errors.
func TestParseTree(t *testing.T) {
	tests := []struct{ src, want string }{
		{"a", "a"},
		{"007", "007"},
		{"4294967295", "4294967295"},
		{".", "."},
		{"5.", "5."},
		{"a+2", "(BinaryExpr X=a Op=+ Y=2)"},
		{"( a )", "(ParenExpr X=a)"},
		{"-a", "(UnaryExpr Op=- X=a)"},
		{"!a", "(UnaryExpr Op=! X=a)"},
		{"a?b:c", "(TernaryExpr Cond=a X=b Y=c)"},
		{"a[x y]", `(InstExpr X=a Name="x y")`},
		{"a [x]", `(InstExpr X=a Name="x")`},
		{`a[a\]b]`, `(InstExpr X=a Name="a]b")`},
		{"(a)[x]", `(InstExpr X=(ParenExpr X=a) Name="x")`},
		{"(avg(a))[x]", `(InstExpr X=(ParenExpr X=(CallExpr Fun=avg X=a)) Name="x")`},
		{"avg(a)", "(CallExpr Fun=avg X=a)"},
		{"count( a )", "(CallExpr Fun=count X=a)"},
		{"max(a)", "(CallExpr Fun=max X=a)"},
		{"min(a)", "(CallExpr Fun=min X=a)"},
		{"sum(a)", "(CallExpr Fun=sum X=a)"},
		{"defined(a)", "(CallExpr Fun=defined X=a)"},
		{"anon(PM_TYPE_U32)", "(CallExpr Fun=anon X=PM_TYPE_U32)"},
		{"delta(a)", "(CallExpr Fun=delta X=a)"},
		{"rate(2)", "(CallExpr Fun=rate X=2)"},
		{"instant(a*2)", "(CallExpr Fun=instant X=(BinaryExpr X=a Op=* Y=2))"},
		{"scalar(a[x])", `(CallExpr Fun=scalar X=(InstExpr X=a Name="x"))`},
		{"delta(delta(a))", "(CallExpr Fun=delta X=(CallExpr Fun=delta X=a))"},
		{"avg+delta", "(BinaryExpr X=avg Op=+ Y=delta)"},
		{"avg(avg)", "(CallExpr Fun=avg X=avg)"},
		{`rescale(a,"Kbyte")`, `(RescaleExpr X=a Units="Kbyte")`},
		{`rescale(a+b , "")`, `(RescaleExpr X=(BinaryExpr X=a Op=+ Y=b) Units="")`},
		{"matchinst(/m-4/,a)", `(MatchInstExpr Pattern="m-4" X=a)`},
		{"matchinst( ! /m-4/,a)", `(MatchInstExpr Not Pattern="m-4" X=a)`},
		{`matchinst(/a\/b/,a)`, `(MatchInstExpr Pattern="a/b" X=a)`},
		{`matchinst(/m-4\\d/,a)`, `(MatchInstExpr Pattern="m-4\\d" X=a)`},
		{"matchinst(/m/,a/2)", `(MatchInstExpr Pattern="m" X=(BinaryExpr X=a Op=/ Y=2))`},
		{"matchinst(/m/,matchinst(/6/,a)/2)",
			`(MatchInstExpr Pattern="m" X=(BinaryExpr X=(MatchInstExpr Pattern="6" X=a) Op=/ Y=2))`},
		{"mkconst(5,type=32)", `(ConstExpr X=5 Specs=[(Spec Tag=type Value="32" Quoted=false)])`},
		{"mkconst(1.5,type=Float)", `(ConstExpr X=1.5 Specs=[(Spec Tag=type Value="Float" Quoted=false)])`},
		{"mkconst(1.,type=u64,type=double)", `(ConstExpr X=1. Specs=[(Spec Tag=type Value="u64" Quoted=false) ` +
			`(Spec Tag=type Value="double" Quoted=false)])`},
		{"mkconst(1.5,units=sec)", `(ConstExpr X=1.5 Specs=[(Spec Tag=units Value="sec" Quoted=false)])`},
		{`mkconst(5,type="Double",units="kbyte / sec")`, `(ConstExpr X=5 Specs=[(Spec Tag=type Value="Double" Quoted=true) ` +
			`(Spec Tag=units Value="kbyte / sec" Quoted=true)])`},
		{`mkconst(5,semantics=Counter)`, `(ConstExpr X=5 Specs=[(Spec Tag=semantics Value="Counter" Quoted=false)])`},
		{`mkconst(5,semantics="discrete")`, `(ConstExpr X=5 Specs=[(Spec Tag=semantics Value="discrete" Quoted=true)])`},
		{"mkconst(5,meta=avg)", `(ConstExpr X=5 Specs=[(Spec Tag=meta Value="avg" Quoted=false)])`},
		{"mkconst(5,indom=29.1)", `(ConstExpr X=5 Specs=[(Spec Tag=indom Value="29.1" Quoted=false)])`},
		{"mkconst(5,indom=NULL)", `(ConstExpr X=5 Specs=[(Spec Tag=indom Value="NULL" Quoted=false)])`},
		{"a?novalue():2", "(TernaryExpr Cond=a X=(NovalueExpr Specs=[]) Y=2)"},
		{"a?1:novalue( type=float , meta=b )", `(TernaryExpr Cond=a X=1 Y=(NovalueExpr Specs=[` +
			`(Spec Tag=type Value="float" Quoted=false) (Spec Tag=meta Value="b" Quoted=false)]))`},
		{"novalue", "novalue"},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			x, err := testConfig.Parse(tt.src)
			if err != nil {
				t.Fatal(err)
			}
			if got := Tree(x); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestLiteralValues(t *testing.T) {
	x, err := testConfig.Parse("4294967295 + 2.50")
	if err != nil {
		t.Fatal(err)
	}
	want := &BinaryExpr{
		X:     &IntLit{ValuePos: 0, Text: "4294967295", Value: 4294967295},
		OpPos: 11,
		Op:    PLUS,
		Y:     &FloatLit{ValuePos: 13, Text: "2.50", Value: 2.5},
	}
	if !reflect.DeepEqual(x, want) {
		t.Errorf("got %+v, want %+v", x, want)
	}
}

// TestErrors reads files in which @{text} stands before the byte where the error is.
func TestErrors(t *testing.T) {
	for _, name := range []string{"testdata/errors.txt", "testdata/recorded.txt"} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			line := lines.Text()
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			before, rest, ok := strings.Cut(line, "@{")
			msg, after, end := strings.Cut(rest, "}")
			if !ok || !end {
				t.Errorf("%s: no error is wanted in %s", name, line)
				continue
			}
			checkError(t, before+after, Error{Pos: Pos(len(before)), Msg: msg})
		}
	}
}

func checkError(t *testing.T, src string, want Error) {
	t.Helper()
	x, err := testConfig.Parse(src)
	if err == nil {
		t.Errorf("%q: parsed to %s, want error %d %q", src, Tree(x), want.Pos, want.Msg)
		return
	}
	if got := *err.(*Error); got != want {
		t.Errorf("%q:\n got %d %q\nwant %d %q", src, got.Pos, got.Msg, want.Pos, want.Msg)
	}
	if x != nil {
		t.Errorf("%q: a tree beside the error", src)
	}
}

// Errors that do not fit into the lines of a file.
func TestErrorsOfOddTexts(t *testing.T) {
	tests := []struct {
		name, src string
		want      Error
	}{
		{"empty", "", Error{Pos: -1, Msg: ""}},
		{"blank", " ", Error{Pos: 0, Msg: ""}},
		{"blanks", "  \t", Error{Pos: 2, Msg: ""}},
		{"trailing blanks", "a +  ", Error{Pos: 4, Msg: "Arithmetic expression expected to follow PLUS"}},
		{"null byte", "a\x00b", Error{Pos: 1, Msg: "Illegal character"}},
		{"high byte", "1 + \xff", Error{Pos: 4, Msg: "Illegal character"}},
		{"newline", "a +\n+ b", Error{Pos: 4, Msg: "Arithmetic expression expected to follow PLUS"}},
		{"too long", strings.Repeat(" ", MaxLen+1), Error{Pos: 0, Msg: "expression too long"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkError(t, tt.src, tt.want) })
	}
}

func TestIndomValues(t *testing.T) {
	tests := []struct {
		value          string
		ok             bool
		domain, serial uint32
	}{
		{"1.2", true, 1, 2},
		{" 1.\t2", true, 1, 2},
		{"+1.+2", true, 1, 2},
		{"01.02", true, 1, 2},
		{"-0.1", true, 0, 1},
		{"510.4194303", true, 510, 4194303},
		{"4294967297.1", true, 1, 1},
		{"-4294967295.1", true, 1, 1},
		{"1.4294967297", true, 1, 1},
		{"-18446744073709551615.1", true, 1, 1},
		{"-18446744073709551616.1", false, 0, 0},
		{"18446744073709551617.1", false, 0, 0},
		{"1.99999999999999999999", false, 0, 0},
		{"511.1", false, 0, 0},
		{"510.4194304", false, 0, 0},
		{"1.2 ", false, 0, 0},
		{"1 .2", false, 0, 0},
		{"-1.2", false, 0, 0},
		{"1.-2", false, 0, 0},
		{"--1.2", false, 0, 0},
		{"- 1.2", false, 0, 0},
		{"1..2", false, 0, 0},
		{"1.2.3", false, 0, 0},
		{"1.", false, 0, 0},
		{".1", false, 0, 0},
		{"1", false, 0, 0},
		{"", false, 0, 0},
		{"0x1.1", false, 0, 0},
		{"nullx", false, 0, 0},
		{" null", false, 0, 0},
	}
	for _, tt := range tests {
		s := &Spec{Tag: INDOM, Value: tt.value}
		domain, serial, ok := s.Indom()
		if ok != tt.ok || ok && (domain != tt.domain || serial != tt.serial) {
			t.Errorf("%q: Indom() = %d, %d, %v", tt.value, domain, serial, ok)
		}
		_, err := testConfig.Parse(`mkconst(1,indom="` + tt.value + `")`)
		if (err == nil) != tt.ok {
			t.Errorf("%q: parse gives %v", tt.value, err)
		}
	}
	for _, s := range []*Spec{{Tag: INDOM, Value: "Null"}, {Tag: TYPE, Value: "1.2"}} {
		if _, _, ok := s.Indom(); ok {
			t.Errorf("%v=%s has numbers", s.Tag, s.Value)
		}
	}
}

func TestNilConfig(t *testing.T) {
	src := `rescale(a,"furlong") + matchinst(/fo(o/, b) + mkconst(1, units=none)`
	for _, c := range []*Config{nil, {}} {
		if _, err := c.Parse(src); err != nil {
			t.Errorf("Parse: %v", err)
		}
	}
	if _, err := testConfig.Parse(src); err == nil {
		t.Error("no error from a config that checks")
	}
}

func TestHooksGetUnescapedText(t *testing.T) {
	var got []string
	c := &Config{
		CheckUnits:   func(s string) error { got = append(got, s); return nil },
		CheckPattern: func(s string) error { got = append(got, s); return nil },
	}
	if _, err := c.Parse(`rescale(matchinst(/a\/b\\/, c), "x y") ? mkconst(1, units=z) : novalue(units="")`); err != nil {
		t.Fatal(err)
	}
	if want := []string{`a/b\`, "x y", "z", ""}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPanicOfHookIsNotSwallowed(t *testing.T) {
	boom := errors.New("boom")
	defer func() {
		if r := recover(); r != boom {
			t.Errorf("recovered %v", r)
		}
	}()
	c := &Config{CheckUnits: func(string) error { panic(boom) }}
	c.Parse(`rescale(a,"b")`)
	t.Error("no panic")
}

func TestLimits(t *testing.T) {
	const n = 1_000_000
	tests := []struct {
		name, src string
		ok        bool
	}{
		{"parentheses", strings.Repeat("(", n), false},
		{"minus", strings.Repeat("-", n) + "a", false},
		{"not", strings.Repeat("!", n) + "a", false},
		{"calls", strings.Repeat("delta(", n/10), false},
		{"arms", strings.Repeat("a?", n/10), false},
		{"patterns", strings.Repeat("matchinst(/x/,", n/20), false},
		{"mixed", strings.Repeat("-(a+", n/10), false},
		{"long chain", "a" + strings.Repeat("+a", n/2-1), false},
		{"chain of choices", "a" + strings.Repeat("?a:a", n/5), false},
		{"deepest", strings.Repeat("(", MaxDepth-1) + "a" + strings.Repeat(")", MaxDepth-1), true},
		{"one too deep", strings.Repeat("(", MaxDepth) + "a" + strings.Repeat(")", MaxDepth), false},
		{"longest chain", "a" + strings.Repeat("+a", MaxHeight-1), true},
		{"one too many", "a" + strings.Repeat("+a", MaxHeight), false},
		{"chains in chains", strings.Repeat("(", 9000) + "a" + strings.Repeat(strings.Repeat("+a", 20)+")", 9000), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, err := testConfig.Parse(tt.src)
			if (err == nil) != tt.ok {
				t.Fatalf("error %v", err)
			}
			if err != nil {
				return
			}
			nodes := 0
			Walk(x, func(Node) bool { nodes++; return true })
			if y, err := testConfig.Parse(Print(x)); err != nil || Tree(x) != Tree(y) {
				t.Errorf("printed text of %d nodes does not parse to the same tree: %v", nodes, err)
			}
			if start, end := x.Span(); start != 0 || int(end) != len(tt.src) {
				t.Errorf("span %d to %d of %d", start, end, len(tt.src))
			}
		})
	}
}

// benchExpr is of the kind that configuration files have.
const benchExpr = `defined(disk.dev.read_rawactive) && delta(disk.dev.read) > 0 ? ` +
	`rescale(delta(disk.dev.read_rawactive) / delta(disk.dev.read), "millisec / count") : ` +
	`mkconst(0.0, type=double, semantics="instant", units="millisec / count", meta=disk.dev.read)`

func BenchmarkParse(b *testing.B) {
	b.SetBytes(int64(len(benchExpr)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := testConfig.Parse(benchExpr); err != nil {
			b.Fatal(err)
		}
	}
}
