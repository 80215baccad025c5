package check

import (
	"slices"
	"strings"
	"testing"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// TestFunctions checks and types the example of each function, and that every function of the
// language is there.
func TestFunctions(t *testing.T) {
	env := newEnv()
	load, interfaces := pcp.NewInDom(60, 2), pcp.NewInDom(60, 3)
	env.add("hinv.ncpu", pcp.NewID(60, 0, 32), Type{Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Discrete})
	env.add("kernel.all.load", pcp.NewID(60, 2, 0), Type{Type: pcp.Float, InDom: load, Sem: pcp.Instant})
	env.add("network.interface.in.bytes", pcp.NewID(60, 3, 0), Type{Type: pcp.Uint64, InDom: interfaces, Sem: pcp.Counter, Units: pcp.Units{DimSpace: 1}})
	env.add("disk.all.total", pcp.NewID(60, 0, 29), Type{Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}})
	want := map[string]string{
		"anon": "U32 discrete", "avg": "FLOAT instant", "count": "U32 instant count", "defined": "U32 discrete", "delta": "DOUBLE instant count",
		"instant": "U64 instant count", "matchinst": "U64 60.3 counter byte", "max": "FLOAT instant", "min": "FLOAT instant",
		"mkconst": "DOUBLE discrete Kbyte / sec", "novalue": "FLOAT 60.2 instant", "rate": "DOUBLE instant count / sec",
		"rescale": "U64 60.3 counter Mbyte", "scalar": "FLOAT instant", "sum": "U64 counter byte",
	}
	for name, typ := range map[string]string{
		"abs": "FLOAT 60.2 instant", "bottomn": "FLOAT 60.2 instant", "ceil": "FLOAT 60.2 instant", "clamp": "FLOAT 60.2 instant",
		"exp": "DOUBLE 60.2 instant", "floor": "FLOAT 60.2 instant", "ln": "DOUBLE 60.2 instant", "median": "DOUBLE instant",
		"pow": "DOUBLE 60.2 instant", "quantile": "DOUBLE instant", "round": "FLOAT 60.2 instant", "sqrt": "DOUBLE 60.2 instant",
		"avg_over": "DOUBLE 60.2 instant", "max_over": "FLOAT 60.2 instant", "min_over": "FLOAT 60.2 instant",
		"quantile_over": "DOUBLE 60.2 instant", "shift": "FLOAT 60.2 instant", "smooth": "DOUBLE 60.2 instant",
		"stddev": "DOUBLE instant", "topn": "FLOAT 60.2 instant",
	} {
		want[name] = typ
	}
	list := Extended.Functions()
	for _, f := range list {
		x, err := Extended.Syntax().Parse(f.Example)
		if err != nil {
			t.Errorf("%s: %s: %v", f.Name, f.Example, err)
			continue
		}
		info, err := Check(x, env, nil)
		if err != nil {
			t.Errorf("%s: %s: %v", f.Name, f.Example, err)
			continue
		}
		r := info.Root
		parts := []string{r.Type.String()}
		if !r.Singular() {
			parts = append(parts, r.InDom.String())
		}
		parts = append(parts, r.Sem.String(), r.Units.String())
		if got := strings.TrimSpace(strings.Join(parts, " ")); got != want[f.Name] {
			t.Errorf("%s is %s, want %s", f.Example, got, want[f.Name])
		}
		uses := false
		for n := range syntax.Preorder(x) {
			switch n := n.(type) {
			case *syntax.CallExpr:
				uses = uses || n.Fun.Symbol() == f.Name
			case *syntax.BinaryExpr:
				uses = uses || n.Op.Symbol() == f.Name
			case *syntax.RescaleExpr:
				uses = uses || f.Name == "rescale"
			case *syntax.MatchInstExpr:
				uses = uses || f.Name == "matchinst"
			case *syntax.ConstExpr:
				uses = uses || f.Name == "mkconst"
			case *syntax.NovalueExpr:
				uses = uses || f.Name == "novalue"
			}
		}
		if !uses {
			t.Errorf("the example of %s does without it", f.Name)
		}
		if !syntax.Token(f.Name).IsFunction() || !strings.HasPrefix(f.Signature, f.Name+"(") {
			t.Errorf("%+v", f)
		} else if !strings.HasSuffix(f.Summary, ".") || f.Metadata == "" {
			t.Errorf("%+v", f)
		}
	}
	if !slices.IsSortedFunc(list, func(a, b Function) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the functions are not sorted")
	}
	if len(list) != 35 {
		t.Errorf("%d functions", len(list))
	}
	if ruleOf(syntax.PLUS) != nil {
		t.Error("+ is a function")
	}
	if n := len(Functions()) + len(Extensions()); len(list) != n {
		t.Errorf("%d functions, want %d", len(list), n)
	}
	list = Functions()
	list[0].Name = "x"
	if Functions()[0].Name == "x" {
		t.Error("the list is shared")
	}
}
