package syntax

import (
	"strings"
	"testing"
)

func TestPrint(t *testing.T) {
	tests := []struct{ src, want string }{
		{"a", "a"},
		{" 007 ", "007"},
		{"a+b*c", "a + b * c"},
		{"( a + b )*c", "(a + b) * c"},
		{"((a))", "((a))"},
		{"- - a", "--a"},
		{"! a", "!a"},
		{"a- -b", "a - -b"},
		{"a!=!b", "a != !b"},
		{"a?b:c", "a ? b : c"},
		{"a[x y]", "a[x y]"},
		{`a[\x\]\\]`, `a[x\]\\]`},
		{"(a) [x]", "(a)[x]"},
		{"avg( a )", "avg(a)"},
		{"avg +1", "avg + 1"},
		{"delta( a+b )", "delta(a + b)"},
		{`rescale( a,"K b" )`, `rescale(a, "K b")`},
		{"matchinst( ! /x/,a )", "matchinst(!/x/, a)"},
		{`matchinst(/\.\/\\/,a/b)`, `matchinst(/.\/\\/, a / b)`},
		{"mkconst( 1,type = U32 )", "mkconst(1, type=U32)"},
		{`mkconst(1.5,units="a b",meta=b)`, `mkconst(1.5, units="a b", meta=b)`},
		{"a?novalue( ):novalue", "a ? novalue() : novalue"},
		{"a?1:novalue(type=32,semantics=instant)", "a ? 1 : novalue(type=32, semantics=instant)"},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			x, err := testConfig.Parse(tt.src)
			if err != nil {
				t.Fatal(err)
			}
			got := Print(x)
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			y, err := testConfig.Parse(got)
			if err != nil {
				t.Fatalf("the printed text: %v", err)
			}
			if Tree(x) != Tree(y) {
				t.Errorf("the printed text gives %s, want %s", Tree(y), Tree(x))
			}
			if again := Print(y); again != got {
				t.Errorf("printed again: %s, then %s", got, again)
			}
		})
	}
}

func TestPrintUnknownNode(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Print(&strange{})
}

// Trees of nodes that Go code has built need no positions.
func TestPrintBuiltTree(t *testing.T) {
	x := &BinaryExpr{X: &MetricRef{Name: "a"}, Op: STAR, Y: &ParenExpr{X: &UnaryExpr{Op: MINUS, X: &IntLit{Text: "1"}}}}
	if got, want := Print(x), "a * (-1)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := Tree(x), "(BinaryExpr X=a Op=* Y=(ParenExpr X=(UnaryExpr Op=- X=1)))"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPrintPrefix(t *testing.T) {
	var c Config
	x, err := c.Parse(strings.Repeat("a+b?1:", 10_000) + "c")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := PrintPrefix(x, 5), "a + b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := PrintPrefix(x, 1<<20); got != Print(x) {
		t.Errorf("%d bytes, want all %d", len(got), len(Print(x)))
	}
}
