package eval_test

import (
	"fmt"
	"log"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// one is an Env with one metric.
type one struct {
	name string
	desc pcp.Desc
}

func (m one) Lookup(name string) (id pcp.ID, derived bool, err error) {
	if name != m.name {
		return pcp.NullID, false, pmerr.Name
	}
	return m.desc.ID, false, nil
}

func (m one) Describe(pcp.ID) (pcp.Desc, error) { return m.desc, nil }

// A rate over values that a program has: the State keeps those of the sample before.
func Example() {
	tree, err := check.PCP.Syntax().Parse("rate(net.in) * 8")
	if err != nil {
		log.Fatal(err)
	}
	metric := one{"net.in", pcp.Desc{ID: 1, Type: pcp.Uint64, Sem: pcp.Counter, InDom: pcp.NullInDom}}
	info, err := check.Check(tree, metric, nil)
	if err != nil {
		log.Fatal(err)
	}
	state := eval.New(tree, info).NewState()
	var out pcp.Values
	for second, bytes := range []uint64{1000, 1500, 4000} {
		column := pcp.Values{ID: 1, Type: pcp.Uint64, Insts: []int32{pcp.NullInst}, Words: []uint64{bytes}}
		state.Eval(&eval.Input{Time: pcp.Timestamp{Sec: int64(second)}, Columns: []*pcp.Values{&column}}, &out)
		if out.Err != nil {
			log.Fatal(out.Err)
		}
		for i := range out.Len() {
			f, _ := out.Value(i).Float64()
			fmt.Println(second, f)
		}
	}
	// Output:
	// 1 4000
	// 2 20000
}
