package lint

import (
	"context"
	"slices"
	"strings"

	"pmtools/derive/query"
	"pmtools/lib/pcp"
)

// A source answers questions about metrics. It remembers answers.
type source struct {
	*query.Source
	ctx     context.Context
	names   map[pcp.InDom][]string
	metrics []string // names, ascending; nil before they are needed
}

// instances returns the names of instances; ok is false if they are not known.
func (s *source) instances(d pcp.InDom) (names []string, ok bool) {
	names, asked := s.names[d]
	if !asked {
		if names, ok = s.InstanceNames(s.ctx, d); !ok {
			names = nil
		}
		s.names[d] = names
	}
	return names, names != nil
}

// below reports whether a name has metrics below it.
func (s *source) below(name string) bool {
	if s.metrics == nil {
		s.metrics = append([]string{}, s.Catalogue(s.ctx)...) // one request for all definitions
		slices.Sort(s.metrics)
	}
	i, _ := slices.BinarySearch(s.metrics, name+".")
	return i < len(s.metrics) && strings.HasPrefix(s.metrics[i], name+".")
}
