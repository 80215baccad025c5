package source

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"pmtools/cmd/internal/cli"
	"pmtools/derive"
	"pmtools/lib/pcp"
)

// maxInDomMap is how much of a map of instance domains is read.
const maxInDomMap = 1 << 20

// Equivalence returns a function that reports whether two instance domains are equivalent, by the
// file that PCP_INDOM_CONFIG names, or indom.conf. The file is read when it is needed.
func (o *Opener) Equivalence() func(a, b pcp.InDom) bool {
	var m *derive.InDomMap
	read := false
	return func(a, b pcp.InDom) bool {
		if !read {
			read = true
			m = readInDomMap(o.env)
		}
		return m.Equivalent(a, b)
	}
}

// readInDomMap reads the map of instance domains. It returns nil if there is none, or if there is a
// mistake in it, which is reported.
func readInDomMap(env *cli.Env) *derive.InDomMap {
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
	m, err := derive.ParseInDomMap(string(text))
	for bad := range inDomErrors(err) {
		env.Notify(fmt.Sprintf("Error: __pmEquivInDom: [%s:%d] %s", path, bad.Line, bad.Text))
	}
	return m
}

// inDomErrors yields the mistakes that an error joins.
func inDomErrors(err error) iter.Seq[*derive.InDomError] {
	return func(yield func(*derive.InDomError) bool) {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok {
			return
		}
		for _, err := range joined.Unwrap() {
			if bad, ok := errors.AsType[*derive.InDomError](err); ok && !yield(bad) {
				return
			}
		}
	}
}
