package repl

import (
	"context"
	"io"

	"pmtools/derive/query"
	"pmtools/lib/sampling"
)

// A kept is the values of an expression, which may be shown again.
type kept struct {
	*query.Stream
	sel     query.Selection
	heading string // of a report, whose columns the values are
}

// keep makes the only sample of a stream be there again when it is ranged over again: nothing is
// fetched that could overwrite it.
func keep(st *query.Stream, q *query.Query, heading string) *kept {
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
	return &kept{st, q.Select, heading}
}

func newLast() *Verb {
	return &Verb{
		Name: "last", Usage: "[FORM]", Short: "Show the last answer again, in another form, or with options: :last csv, :last --vertical",
		Most: many, Complete: OfChoices(outputs...),
		New: func(f *Flags) Run {
			f.shown()
			f.missing("belongs to the question: :set changes it for the next one", []string{"interval", "samples", "raw", "sort", "top", "across"})
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				switch {
				case s.answer == nil:
					return query.Problemf("there is no answer yet")
				case len(args) > 0 && findSetting(args[0]) != nil:
					return misuse("settings are options here: :last --%s", args[0])
				case len(args) > 1:
					return misuse("%q is an argument too many: :last [FORM]", args[1])
				case len(args) > 0:
					if err := findSetting("output").set(&s.set, args[0]); err != nil {
						return err
					}
				}
				return s.showAnswer(ctx, w)
			}
		},
	}
}

// shown adds the options that say how values are shown, and not which.
func (f *Flags) shown() {
	f.Output(outputs, "json")
	f.Numbers()
	f.keys("verbose", "wide", "vertical", "long", "header", "timestamp", "delimiter", "safe-csv")
}
