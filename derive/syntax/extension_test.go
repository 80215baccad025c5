package syntax

import "testing"

// extendedConfig is testConfig for the extended language.
func extendedConfig() *Config {
	c := *testConfig
	c.Extended = true
	return &c
}

func TestExtended(t *testing.T) {
	for _, tt := range []struct{ src, want, first string }{ // first: the part that only the extended language has
		{"sum(a)", "(CallExpr Fun=sum X=a)", ""},
		{"sum((a))", "(CallExpr Fun=sum X=(ParenExpr X=a))", "sum((a))"},
		{"1+sum(rate(a))", "(BinaryExpr X=1 Op=+ Y=(CallExpr Fun=sum X=(CallExpr Fun=rate X=a)))", "sum(rate(a))"},
		{"max( a/b )", "(CallExpr Fun=max X=(BinaryExpr X=a Op=/ Y=b))", "max(a / b)"},
		{"rate(a+b)", "(CallExpr Fun=rate X=(BinaryExpr X=a Op=+ Y=b))", ""},
		{"count(a>5)", "(CallExpr Fun=count X=(BinaryExpr X=a Op=> Y=5))", "count(a > 5)"},
		{"max(a,b)", "(BinaryExpr X=a Op=max Y=b)", "max(a, b)"},
		{"min(a+1,-b)*2", "(BinaryExpr X=(BinaryExpr X=(BinaryExpr X=a Op=+ Y=1) Op=min Y=(UnaryExpr Op=- X=b)) Op=* Y=2)", "min(a + 1, -b)"},
		{"pow(a, 2)", "(BinaryExpr X=a Op=pow Y=2)", "pow(a, 2)"},
		{"clamp(a,0,b+1)", "(BinaryExpr X=(BinaryExpr X=a Op=max Y=0) Op=clamp Y=(BinaryExpr X=b Op=+ Y=1))", "clamp(a, 0, b + 1)"},
		{"topn(3,a*2)", "(CallExpr Fun=topn N=3 X=(BinaryExpr X=a Op=* Y=2))", "topn(3, a * 2)"},
		{"quantile(.9,a)", "(CallExpr Fun=quantile N=.9 X=a)", "quantile(.9, a)"},
		{"avg_over(rate(a), 5min)", "(CallExpr Fun=avg_over X=(CallExpr Fun=rate X=a) Over=5min)", "avg_over(rate(a), 5min)"},
		{"quantile_over(.9,a,1.5 hours)*2", "(BinaryExpr X=(CallExpr Fun=quantile_over N=.9 X=a Over=1.5hours) Op=* Y=2)", "quantile_over(.9, a, 1.5hours)"},
		{"a - shift(a, 1d)", "(BinaryExpr X=a Op=- Y=(CallExpr Fun=shift X=a Over=1d))", "shift(a, 1d)"},
		{"sum(a) by (device)", "(CallExpr Fun=sum X=a By=device)", "sum(a) by (device)"},
		{"1+quantile(.9,a*2)by(device ,type)/b", "(BinaryExpr X=1 Op=+ Y=(BinaryExpr X=(CallExpr Fun=quantile N=.9 X=(BinaryExpr X=a Op=* Y=2) By=device,type) Op=/ Y=b))", "quantile(.9, a * 2) by (device, type)"},
		{"rate(sum(a) by(type,units , x.y))", "(CallExpr Fun=rate X=(CallExpr Fun=sum X=a By=type,units,x.y))", "sum(a) by (type, units, x.y)"},
		{"(abs(a))[x]", `(InstExpr X=(ParenExpr X=(CallExpr Fun=abs X=a)) Name="x")`, "abs(a)"},
		{"abs + topn", "(BinaryExpr X=abs Op=+ Y=topn)", ""},
		{"matchinst(/x/, sum(a)/2)", `(MatchInstExpr Pattern="x" X=(BinaryExpr X=(CallExpr Fun=sum X=a) Op=/ Y=2))`, ""},
	} {
		x, err := extendedConfig().Parse(tt.src)
		if err != nil {
			t.Errorf("%s: %v", tt.src, err)
			continue
		}
		if got := Tree(x); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.src, got, tt.want)
		}
		first := ""
		if n := Extension(x); n != nil {
			first = Print(n)
		}
		if first != tt.first {
			t.Errorf("%s: the extension is %q, want %q", tt.src, first, tt.first)
		}
		if _, err := testConfig.Parse(tt.src); (err == nil) != (tt.first == "") {
			t.Errorf("%s: PCP's language has the error %v", tt.src, err)
		}
	}
}

func TestExtendedErrors(t *testing.T) {
	const number, share = "the first operand of topn() must be a number of instances, from 1 on", "the first operand of quantile() must be a number from 0 to 1"
	const labels = "by must be followed by the names of labels in parentheses, as in by (device, type)"
	const groups = "by (LABEL, ...) may follow functions that make one value of all instances: avg, count, max, median, min, quantile, stddev, sum"
	const span = "the last operand of avg_over() must be a time with its unit, such as 500msec, 30s, 5min, 1.5hours or 7days"
	for _, tt := range []struct {
		src string
		pos Pos
		msg string
	}{
		{"sum()", 4, "<expr> expected to follow sum("},
		{"sum(a", 4, "<expr> expected to follow sum("},
		{"sum(a,b)", 5, "<expr> expected to follow sum("},
		{"max(a,b,c)", 7, "<expr> expected to follow max("},
		{"pow(a)", 5, "<expr> expected to follow pow("},
		{"clamp(a,1)", 9, "<expr> expected to follow clamp("},
		{"topn(a,3)", 5, number},
		{"topn(0,a)", 5, number},
		{"topn(2.0,a)", 5, number},
		{"topn(-1,a)", 5, number},
		{"topn(3)", 6, number + ", and a comma after it"},
		{"topn(99999999999,a)", 5, number},
		{"quantile(1.01,a)", 9, share},
		{"quantile(2,a)", 9, share},
		{"quantile(a)", 9, share},
		{"count(a)[x]", 8, ""},
		{"defined(rate(a))", 8, ""},
		{"abs (a)", 5, "Unexpected '('"},
		{"avg_over(a,500ms)", 11, span},
		{"topn(1,a) by (b)", 10, groups},
		{"max(a,b) by (c)", 9, groups},
		{"rate(a) by (b)", 8, ""},
		{"a by (b)", 2, "Arithmetic or relational or boolean operator expected to follow NAME"},
		{"sum(a) by device", 10, labels},
		{"sum(a) by ()", 11, labels},
		{"sum(a) by (b", 11, labels},
		{"sum(a) by (5)", 11, labels},
		{"sum(a) by (b, b)", 14, "the label b stands twice after by"},
		{"sum(a) by", 8, labels},
		{"avg_over(a)", 10, span},
		{"avg_over(a, 5)", 12, span},
		{"avg_over(a, 5 b)", 12, span},
		{"avg_over(a, 0min)", 12, span},
		{"avg_over(a, .s)", 12, span},
		{"avg_over(a, 999999d)", 12, span},
		{"avg_over(a, 1m", 13, "<expr> expected to follow avg_over("},
		{"avg_over(a, 1m, b)", 14, "<expr> expected to follow avg_over("},
		{"avg_over(5min, a)", 10, span},
		{"quantile_over(a, 1m)", 14, "the first operand of quantile_over() must be a number from 0 to 1"},
	} {
		_, err := extendedConfig().Parse(tt.src)
		bad, ok := err.(*Error)
		if !ok || *bad != (Error{Pos: tt.pos, Msg: tt.msg, Extended: true}) {
			t.Errorf("%s: %+v, want %d %q", tt.src, err, tt.pos, tt.msg)
		}
	}
}

// TestExtendedAt covers the places of functions with several operands.
func TestExtendedAt(t *testing.T) {
	const src = "1 + clamp(aa, max(b, c), topn(2, dd))"
	x, err := extendedConfig().Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	for pos, want := range map[Pos]string{0: "1", 2: "1 + clamp(aa, max(b, c), topn(2, dd))", 10: "aa", 14: "max(b, c)", 18: "b", 21: "c", 25: "topn(2, dd)", 30: "2", 33: "dd"} {
		if n := At(x, pos); n == nil || Print(n) != want {
			t.Errorf("at %d is %v, want %s", pos, n, want)
		}
	}
}

// TestMark covers the first line of files.
func TestMark(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"# language: extended\nx = abs(a)\n", true},
		{"# language: extended \r\nx = abs(a)\n", true},
		{"x = abs(a)\n", false},
		{"#\n# language: extended\nx = abs(a)\n", false},
		{"# language: extended?\nx = abs(a)\n", false},
	} {
		items, _ := Items("f", []byte(tt.text))
		d, ok := items[0].(*Definition)
		if !ok || d.Extended != tt.want {
			t.Errorf("%q: %+v", tt.text, items[0])
		}
		for c := range Chunks("f", []byte(tt.text)) {
			if d := c.Definition(); d != nil && d.Extended != tt.want {
				t.Errorf("%q: %+v in chunks", tt.text, d)
			}
		}
		out, errs := testConfig.Format("f", []byte(tt.text))
		if (errs == nil) != tt.want {
			t.Errorf("%q is formatted as %q, %v", tt.text, out, errs)
		}
	}
}
