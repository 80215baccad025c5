package lint

import (
	"context"
	"slices"
	"strings"

	"pmtools/derive/query"
	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A source answers questions about metrics. It remembers answers.
type source struct {
	*query.Source
	ctx      context.Context
	archives string // that it is, "" if it is another
	names    map[pcp.InDom][]string
	metrics  []string // names, ascending; nil before they are needed
	growth   map[pcp.ID]float64
	members  []member
	opened   bool
}

type member struct {
	name string
	*pmapi.Archive
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

// lacking returns the archives of a set that do not have a metric: they are opened one by one.
func (s *source) lacking(id pcp.ID) (names []string) {
	if !s.opened && s.archives != "" {
		s.opened = true
		if list, err := archive.List(s.archives); err == nil && len(list) > 1 {
			for _, name := range list {
				if a, err := pmapi.OpenArchive(s.ctx, name, nil); err == nil {
					s.members = append(s.members, member{name, a})
				}
			}
		}
	}
	for _, m := range s.members {
		if !m.Has(id) {
			names = append(names, m.name)
		}
	}
	return names
}

func (s *source) close() {
	for _, m := range s.members {
		m.Close()
	}
}

// maxGrowth is in how many places of a recording the growth of a counter is looked at.
const maxGrowth = 100

// fastest returns the fastest growth of a counter, for each second; ok is false if it is not known.
func (s *source) fastest(id pcp.ID) (fastest float64, ok bool) {
	if fastest, ok = s.growth[id]; ok {
		return fastest, true
	}
	if fastest, ok = s.grow(id); ok {
		s.growth[id] = fastest
	}
	return fastest, ok
}

func (s *source) grow(id pcp.ID) (fastest float64, ok bool) {
	if s.Line == nil {
		return 0, false
	}
	start, end, err := s.Line.Bounds(s.ctx)
	step := end.Time().Sub(start.Time()) / maxGrowth
	if err != nil || step <= 0 || s.Line.SetMode(pcp.Interp, &start, step) != nil {
		return 0, false
	}
	var now pcp.Result
	before := make(map[int32]uint64)
	for range maxGrowth {
		if s.Fetch(s.ctx, &pmapi.Request{IDs: []pcp.ID{id}}, &now) != nil || len(now.Sets[0].Words) < now.Sets[0].Len() {
			break
		}
		for i, inst := range now.Sets[0].Insts {
			value := now.Sets[0].Words[i]
			if old, known := before[inst]; known && value >= old {
				fastest, ok = max(fastest, float64(value-old)/step.Seconds()), true
			}
			before[inst] = value
		}
	}
	return fastest, ok
}
