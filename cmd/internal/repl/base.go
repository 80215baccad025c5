package repl

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/query"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// baseMetrics returns the metrics of a source that names stand for, each once: those with such names,
// or below them, and those that definitions are made of. Without names all definitions of the session
// count. A name must be there, or the error is that of unknown; what a definition mentions need not,
// as in defined(x).
func baseMetrics(ctx context.Context, s *query.Source, defs *derive.Set, names []string, unknown func(name string) error) ([]string, error) {
	if len(names) == 0 {
		for _, d := range defs.Own() {
			names = append(names, d.Name())
		}
	}
	if len(names) == 0 {
		return nil, query.Problemf("there is nothing to record: name metrics, or define some")
	}
	var metrics []string
	queue, seen := slices.Clone(names), make(map[string]bool)
	for i := 0; i < len(queue); i++ {
		name := queue[i]
		if seen[name] {
			continue
		}
		seen[name] = true
		_, err := pmapi.LookupName(ctx, s, name)
		def := defs.Find(name)
		switch {
		case err == nil || errors.Is(err, pmerr.NonLeaf):
			metrics = append(metrics, name)
		case def != nil:
			queue = append(queue, def.Metrics()...)
		case i < len(names):
			return nil, unknown(name)
		}
	}
	if len(metrics) == 0 {
		return nil, query.Problemf("the source has none of the metrics of %s", strings.Join(names, ", "))
	}
	return metrics, nil
}
