package diagnose_test

import (
	"errors"
	"fmt"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/lib/pmerr"
)

// Each entry point of derive, query, load and lint returns errors that errors.As finds a Problem in: the
// place of the mistake, what to write instead, and PCP's code.
func Example() {
	_, err := derive.Compile("my.load", "rate(kernel.all.cpu.user) and 1")
	var p *diagnose.Problem
	if errors.As(err, &p) {
		fmt.Println(p.Msg)
		fmt.Println(p.Src[p.Pos:])
		for _, fix := range p.Fixes {
			fmt.Println(fix.Title)
		}
	}
	fmt.Println(errors.Is(err, pmerr.BadDerive))
	// Output:
	// the operator is '&&', not 'and'
	// and 1
	// write rate(kernel.all.cpu.user) && 1
	// true
}
