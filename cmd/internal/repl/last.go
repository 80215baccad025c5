package repl

import (
	"context"
	"io"
	"slices"
	"strings"

	"pmtools/derive/query"
	"pmtools/lib/sampling"
)

// A kept is the values of an expression, which may be shown again.
type kept struct {
	*query.Stream
	sel     query.Selection
	columns bool // of a report
}

// keep makes the only sample of a stream be there again when it is ranged over again: nothing is
// fetched that could overwrite it.
func keep(st *query.Stream, q *query.Query, columns bool) *kept {
	var only *sampling.Sample
	samples := st.Samples
	st.Samples = func(yield func(*sampling.Sample, error) bool) {
		if only != nil {
			yield(only, nil)
			return
		}
		for smp, err := range samples {
			if err == nil {
				only = smp
			}
			if !yield(smp, err) {
				return
			}
		}
	}
	return &kept{st, q.Select, columns}
}

// runLast shows the last answer again, with settings that hold for this time.
func runLast(ctx context.Context, s *Session, arg string, w io.Writer) error {
	if s.answer == nil {
		return query.Problemf("there is no answer yet")
	}
	defer func(set Settings) { s.set = set }(s.set)
	for words := strings.Fields(arg); len(words) > 0; {
		key, value := words[0], ""
		words = words[1:]
		k := findSetting(key)
		switch {
		case slices.Contains(outputs, key):
			k, value = findSetting("output"), key
		case k == nil:
			return noSetting(key)
		case len(words) > 0 && (len(k.values) == 0 || slices.Contains(k.values, words[0]) || findSetting(words[0]) == nil):
			value, words = words[0], words[1:]
		case slices.Equal(k.values, onOff):
			value = onOff[0]
		}
		if slices.Contains(asked, k.key) {
			return query.Problemf("%s belongs to the question: :set %s changes it for the next one", k.key, k.key)
		}
		if err := k.set(&s.set, value); err != nil {
			return err
		}
	}
	return s.showAnswer(ctx, w)
}

// asked are the settings on which the values depend, not only how they are shown.
var asked = []string{"interval", "samples", "raw", "sort", "across"}
