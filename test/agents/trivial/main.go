// Command trivial is the collector builtin.NewTrivial as an agent of the daemon.
package main

import (
	"os"

	"pmtools/lib/builtin"
	"pmtools/lib/pmda"
)

func main() {
	os.Exit(pmda.Main(func(o *pmda.Options) (pmda.Provider, error) {
		return builtin.NewTrivial(o.DomainOr(builtin.TrivialDomain))
	}))
}
