// Command sample is the collector builtin.NewSample as an agent of the daemon.
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
		o.Attrs = true
		pmdas := cmp.Or(os.Getenv("PCP_PMDAS_DIR"), "/var/lib/pcp/pmdas")
		return builtin.NewSample(&builtin.SampleOptions{
			Domain: o.DomainOr(builtin.SampleDomain),
			Dir:    filepath.Join(pmdas, "sample"),
		})
	}))
}
