// Command simple is the collector simple.New as an agent of the daemon.
package main

import (
	"cmp"
	"os"
	"path/filepath"

	"pmtools/lib/builtin/simple"
	"pmtools/lib/pmda"
)

func main() {
	os.Exit(pmda.Main(func(o *pmda.Options) (pmda.Provider, error) {
		pmdas := cmp.Or(os.Getenv("PCP_PMDAS_DIR"), "/var/lib/pcp/pmdas")
		return simple.New(&simple.Options{
			Domain: o.DomainOr(simple.Domain),
			Config: filepath.Join(pmdas, "simple", "simple.conf"),
			Logf:   o.Logf,
		})
	}))
}
