package check_test

import (
	"fmt"
	"log"

	"pmtools/derive/check"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// metrics are descriptions by name, and an Env.
type metrics map[string]pcp.Desc

func (m metrics) Lookup(name string) (id pcp.ID, derived bool, err error) {
	d, ok := m[name]
	if !ok {
		return pcp.NullID, false, pmerr.Name
	}
	return d.ID, false, nil
}

func (m metrics) Describe(id pcp.ID) (pcp.Desc, error) {
	for _, d := range m {
		if d.ID == id {
			return d, nil
		}
	}
	return pcp.Desc{}, pmerr.PMID
}

// The type and units of an expression, without a source of metrics.
func ExampleCheck() {
	bytes, _, err := pcp.ParseUnits("byte")
	if err != nil {
		log.Fatal(err)
	}
	env := metrics{"net.in": {ID: 1, Type: pcp.Uint64, Sem: pcp.Counter, InDom: pcp.NullInDom, Units: bytes}}
	for _, text := range []string{"rate(net.in)", "net.in + 1", "net.out"} {
		tree, err := check.PCP.Syntax().Parse(text)
		if err != nil {
			log.Fatal(err)
		}
		info, err := check.Check(tree, env, nil)
		if err != nil {
			fmt.Printf("%s: %v\n", text, err)
			continue
		}
		fmt.Printf("%s: %v %v %q\n", text, info.Root.Type, info.Root.Sem, info.Root.Units)
	}
	// Output:
	// rate(net.in): DOUBLE instant "byte / sec"
	// net.in + 1: net.in + 1: Illegal operator for counter and non-counter
	// net.out: operand net.out: Unknown operand metric
}
