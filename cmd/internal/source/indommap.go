package source

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"pmtools/cmd/internal/cli"
	"pmtools/derive/check"
	"pmtools/lib/pcp"
)

// maxInDomMap is how much of a map of instance domains is read.
const maxInDomMap = 1 << 20

// Equivalence returns a function that reports whether two instance domains are equivalent, by the
// file that PCP_INDOM_CONFIG names, or indom.conf. The file is read when it is needed.
func (o *Opener) Equivalence() func(a, b pcp.InDom) bool {
	read := sync.OnceValue(func() *check.InDomMap { return readInDomMap(o.env) })
	return func(a, b pcp.InDom) bool { return read().Equivalent(a, b) }
}

// readInDomMap reads the map of instance domains. It returns nil if there is none, or if there is a
// mistake in it, which is reported.
func readInDomMap(env *cli.Env) *check.InDomMap {
	path, set := env.LookupEnv("PCP_INDOM_CONFIG")
	if !set {
		etc, ok := env.Config().Lookup("PCP_ETC_DIR")
		if !ok {
			etc = "/etc"
		}
		path = filepath.Join(etc, "pcp", "indom.conf")
	}
	f, err := env.Open(path)
	if path == "" || err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxInDomMap))
	if err != nil {
		return nil
	}
	m, err := check.ParseInDomMap(string(text))
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			if bad, ok := errors.AsType[*check.InDomError](err); ok {
				env.Notify(fmt.Sprintf("Error: __pmEquivInDom: [%s:%d] %s", path, bad.Line, bad.Text))
			}
		}
	}
	return m
}
