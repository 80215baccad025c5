package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// everything has each kind of node.
const everything = `(a[x] + -b) * 2.5 < rescale(delta(c), "sec") && !matchinst(!/p/, d)[q] ? mkconst(7, type=32, units=sec) : novalue(meta=e)`

func parseEverything(t *testing.T) Expr {
	t.Helper()
	src := strings.Replace(everything, "matchinst(!/p/, d)[q]", "(matchinst(!/p/, d))[q]", 1)
	x, err := testConfig.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// kind names a node shortly.
func kind(n Node) string {
	s := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", n), "*syntax."), "Expr")
	switch n := n.(type) {
	case *MetricRef:
		return n.Name
	case *IntLit:
		return n.Text
	case *FloatLit:
		return n.Text
	case *Spec:
		return n.Tag.Symbol()
	}
	return s
}

func TestWalkOrder(t *testing.T) {
	var got []string
	Walk(parseEverything(t), func(n Node) bool {
		got = append(got, kind(n))
		return true
	})
	want := "Ternary Binary Binary Binary Paren Binary Inst a Unary b 2.5 Rescale Call c " +
		"Unary Inst Paren MatchInst d Const 7 type units Novalue meta"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestWalkPrunes(t *testing.T) {
	var got []string
	Walk(parseEverything(t), func(n Node) bool {
		got = append(got, kind(n))
		switch n.(type) {
		case *ParenExpr, *RescaleExpr, *ConstExpr, *NovalueExpr:
			return false
		}
		return true
	})
	want := "Ternary Binary Binary Binary Paren 2.5 Rescale Unary Inst Paren Const Novalue"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestWalkNil(t *testing.T) {
	Walk(nil, func(Node) bool { t.Error("called"); return true })
}

type strange struct{ MetricRef }

func TestWalkUnknownNode(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Walk(&strange{}, func(Node) bool { return true })
}

func TestPreorder(t *testing.T) {
	x := parseEverything(t)
	var all, walked []Node
	Walk(x, func(n Node) bool { walked = append(walked, n); return true })
	for n := range Preorder(x) {
		all = append(all, n)
	}
	if len(all) != len(walked) {
		t.Fatalf("%d nodes, want %d", len(all), len(walked))
	}
	for i := range all {
		if all[i] != walked[i] {
			t.Errorf("node %d is %s, want %s", i, kind(all[i]), kind(walked[i]))
		}
	}
}

func TestPreorderStops(t *testing.T) {
	for limit := range 10 {
		n := 0
		for range Preorder(parseEverything(t)) {
			if n++; n > limit {
				break
			}
		}
		if n != limit+1 {
			t.Errorf("%d nodes after a stop at %d", n, limit+1)
		}
	}
}

// Every node's span, cut out of the text, begins and ends where it should.
func TestSpans(t *testing.T) {
	tests := []struct{ src, want string }{
		{"a", "a"},
		{" a ", "a"},
		{"a + 12", "a + 12|a|12"},
		{"- 1.5", "- 1.5|1.5"},
		{"( a )", "( a )|a"},
		{"a ? b : c", "a ? b : c|a|b|c"},
		{"a ? b : c * d ", "a ? b : c * d|a|b|c * d|c|d"},
		{`a [x\]]`, `a [x\]]|a`},
		{"(a) [x]", "(a) [x]|(a)|a"},
		{"avg( a )", "avg( a )|a"},
		{`rescale(a, "s" )`, `rescale(a, "s" )|a`},
		{"matchinst( ! /p/, a )", "matchinst( ! /p/, a )|a"},
		{"mkconst(1, type = 32)", "mkconst(1, type = 32)|1|type = 32"},
		{`mkconst(1, units = "s", meta=b)`, `mkconst(1, units = "s", meta=b)|1|units = "s"|meta=b`},
		{"a ? novalue( ) : b+1", "a ? novalue( ) : b+1|a|novalue( )|b+1|b|1"},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			x, err := testConfig.Parse(tt.src)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for n := range Preorder(x) {
				start, end := n.Span()
				got = append(got, tt.src[start:end])
			}
			if s := strings.Join(got, "|"); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

// Positions of operators and delimiters, which spans do not show.
func TestInnerPositions(t *testing.T) {
	const src = ` a ?rescale( b , "s" ) :matchinst( ! /p/ , (c) [x\]y] ) / - mkconst( 1 , type = 32 )`
	x, err := testConfig.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	at := func(pos Pos, want string) {
		t.Helper()
		if got := src[pos:]; !strings.HasPrefix(got, want) {
			t.Errorf("at %d is %.10q, want %q", pos, got, want)
		}
	}
	for n := range Preorder(x) {
		switch n := n.(type) {
		case *TernaryExpr:
			at(n.Quest, "?")
			at(n.Colon, ":m")
		case *RescaleExpr:
			at(n.FunPos, "rescale")
			at(n.Lparen, "( b")
			at(n.UnitsPos, `"s"`)
			at(n.Rparen, ") :")
		case *BinaryExpr:
			at(n.OpPos, "/ -")
		case *UnaryExpr:
			at(n.OpPos, "- mk")
		case *MatchInstExpr:
			at(n.FunPos, "matchinst")
			at(n.Lparen, "( !")
			at(n.NotPos, "! /p")
			at(n.PatternPos, "/p/")
			at(n.Rparen, ") /")
		case *InstExpr:
			at(n.Lbrack, "[x")
			at(n.Rbrack, "] )")
		case *ParenExpr:
			at(n.Lparen, "(c")
			at(n.Rparen, ") [")
		case *ConstExpr:
			at(n.FunPos, "mkconst")
			at(n.Lparen, "( 1")
			at(n.Rparen, ")")
		case *Spec:
			at(n.TagPos, "type")
			at(n.ValuePos, "32")
		}
	}
	x, err = testConfig.Parse("matchinst(/p/,a)")
	if err != nil {
		t.Fatal(err)
	}
	if pos := x.(*MatchInstExpr).NotPos; pos != -1 {
		t.Errorf("NotPos is %d without a '!'", pos)
	}
}

// TestAt compares At with a search through the whole tree, at every byte of a text.
func TestAt(t *testing.T) {
	x := parseEverything(t)
	_, end := x.Span()
	for pos := Pos(-1); pos <= end; pos++ {
		var want Expr
		Walk(x, func(n Node) bool {
			if start, end := n.Span(); start <= pos && pos < end {
				if e, ok := n.(Expr); ok {
					want = e
				}
			}
			return true
		})
		if got := At(x, pos); got != want {
			t.Errorf("byte %d: %v, want %v", pos, got, want)
		}
	}
}
