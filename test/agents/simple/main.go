// Command simple is the collector builtin.NewSimple as an agent of the daemon.
package main

import (
	"cmp"
	"os"
	"path/filepath"

	"pmtools/lib/builtin"
	"pmtools/lib/pmda"
)

func main() {
	os.Exit(pmda.Main(func(o *pmda.Options) (pmda.Provider, error) {
		pmdas := cmp.Or(os.Getenv("PCP_PMDAS_DIR"), "/var/lib/pcp/pmdas")
		return builtin.NewSimple(&builtin.SimpleOptions{
			Domain: o.DomainOr(builtin.SimpleDomain),
			Config: filepath.Join(pmdas, "simple", "simple.conf"),
			Logf:   o.Logf,
		})
	}))
}
