// Command sample is the collector sample.New as an agent of the daemon.
package main

import (
	"cmp"
	"os"
	"path/filepath"

	"pmtools/lib/builtin/sample"
	"pmtools/lib/pmda"
)

func main() {
	os.Exit(pmda.Main(func(o *pmda.Options) (pmda.Provider, error) {
		o.Attrs = true
		pmdas := cmp.Or(os.Getenv("PCP_PMDAS_DIR"), "/var/lib/pcp/pmdas")
		return sample.New(&sample.Options{
			Domain: o.DomainOr(sample.Domain),
			Dir:    filepath.Join(pmdas, "sample"),
		})
	}))
}
