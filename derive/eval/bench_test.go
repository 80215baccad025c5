package eval_test

import (
	"fmt"
	"testing"

	"pmtools/derive/eval"
	"pmtools/lib/pcp"
)

// fill makes the columns of all operands of an expression, with size instances where there are
// instances.
func fill(w world, ids []pcp.ID, size int) []*pcp.Values {
	var cols []*pcp.Values
	for k, id := range ids {
		d, _ := w.Describe(id)
		v := &pcp.Values{ID: id, Type: d.Type}
		n := size
		if d.InDom == pcp.NullInDom {
			n = 1
		}
		for i := range n {
			inst := int32(i)
			if d.InDom == pcp.NullInDom {
				inst = pcp.NullInst
			}
			v.Insts = append(v.Insts, inst)
			v.Words = append(v.Words, uint64(i*7+k))
		}
		cols = append(cols, v)
	}
	return cols
}

// steady are expressions that allocate nothing once their state has seen a few samples.
var steady = []struct{ name, expr string }{
	{"add", "i32s + j32s"},
	{"addMixed", "i32s + u32s"},
	{"divide", "ds / ds"},
	{"scale", "kx + b"},
	{"relation", "i32s > j32s"},
	{"broadcast", "i32s * i32"},
	{"rate", "rate(i32s)"},
	{"delta", "delta(u32s)"},
	{"nested", "100 * rate(i32s) / rate(j32s)"},
	{"sum", "sum(i32s)"},
	{"avg", "avg(ds)"},
	{"scalar", "scalar(i32s) + scalar(j32s)"},
	{"negate", "-i32s"},
	{"not", "!i32s"},
	{"rescale", `rescale(kx, "byte")`},
	{"instance", "i32s[three]"},
	{"ternary", "i32 ? i32s : j32s"},
	{"ternaryEach", "i32s > j32s ? i32s : j32s"},
	{"matchinst", "matchinst(/^i.*7/, i32s)"},
}

// TestNoAllocations runs the steady expressions over columns of several lengths.
func TestNoAllocations(t *testing.T) {
	w := newWorld(oneWorld)
	for _, tt := range steady {
		for _, size := range []int{1, 100, 1000} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, size), func(t *testing.T) {
				_, info, plan := compile(t, w, tt.expr)
				s, in := plan.NewState(), &eval.Input{Columns: fill(w, info.Operands, size), Instances: &names{}}
				var dst pcp.Values
				step := func() {
					in.Time.Sec++
					s.Eval(in, &dst)
				}
				for range 3 {
					step()
				}
				if n := testing.AllocsPerRun(50, step); n != 0 {
					t.Errorf("%v allocations", n)
				}
			})
		}
	}
}

// TestNoAllocationsUnequal covers two sides with different instances, in different orders, taking
// turns.
func TestNoAllocationsUnequal(t *testing.T) {
	w := newWorld(oneWorld)
	_, info, plan := compile(t, w, "rate(i32s + j32s)")
	a, b := fill(w, info.Operands, 1000), fill(w, info.Operands, 1000)
	for i := range 1000 {
		a[1].Insts[i] = int32(1500 - i)
		b[1].Insts[i] = int32(i * 37 % 1009)
	}
	s, in := plan.NewState(), &eval.Input{}
	var dst pcp.Values
	step := func() {
		in.Time.Sec++
		in.Columns = a
		if in.Time.Sec%2 == 0 {
			in.Columns = b
		}
		s.Eval(in, &dst)
	}
	for range 4 {
		step()
	}
	if n := testing.AllocsPerRun(50, step); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkEval reports how many operand values a second go through an expression.
func BenchmarkEval(b *testing.B) {
	w := newWorld(oneWorld)
	for _, tt := range steady {
		for _, size := range []int{1, 100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", tt.name, size), func(b *testing.B) {
				_, info, plan := compile(b, w, tt.expr)
				s, in := plan.NewState(), &eval.Input{Columns: fill(w, info.Operands, size), Instances: &names{}}
				values := 0
				for _, c := range in.Columns {
					values += c.Len()
				}
				var dst pcp.Values
				for b.Loop() {
					in.Time.Sec++
					s.Eval(in, &dst)
				}
				b.ReportMetric(float64(values)*float64(b.N)/b.Elapsed().Seconds(), "values/s")
			})
		}
	}
}

// BenchmarkEvalUnequal joins sides whose instances are not in the same order.
func BenchmarkEvalUnequal(b *testing.B) {
	w := newWorld(oneWorld)
	_, info, plan := compile(b, w, "i32s + j32s")
	s, in := plan.NewState(), &eval.Input{Columns: fill(w, info.Operands, 1000)}
	for i := range 1000 {
		in.Columns[1].Insts[i] = int32(999 - i)
	}
	var dst pcp.Values
	for b.Loop() {
		s.Eval(in, &dst)
	}
	b.ReportMetric(2000*float64(b.N)/b.Elapsed().Seconds(), "values/s")
}

// BenchmarkNew plans an expression of some size.
func BenchmarkNew(b *testing.B) {
	w := newWorld(oneWorld)
	e, info, _ := compile(b, w, "100 * rate(b.c + k.c) / rate(k.c) > 5 && delta(u32) < 3 || i32s[three] == 7")
	for b.Loop() {
		eval.New(e, info)
	}
}
