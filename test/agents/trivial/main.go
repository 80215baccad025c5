// Command trivial is the collector trivial.New as an agent of the daemon.
package main

import (
	"os"

	"pmtools/lib/builtin/trivial"
	"pmtools/lib/pmda"
)

func main() {
	os.Exit(pmda.Main(func(o *pmda.Options) (pmda.Provider, error) {
		return trivial.New(o.DomainOr(trivial.Domain))
	}))
}
