package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/digest"
	"pmtools/cmd/internal/report"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/derive/summary"
)

// ask asks a question about windows of sources, of which the first is the session's own.
func (s *Session) ask(ctx context.Context, q digest.Question, sides []digest.Side, f digest.Form, w io.Writer) error {
	env := &digest.Env{
		Sides: sides, Defs: s.defs, Zone: s.zone, Now: s.opt.Now(), Form: f, Table: s.table,
		Own: func(ctx context.Context) (*query.Source, error) {
			err := s.connect(ctx)
			return s.src, err
		},
		Note: func(err error) {
			_ = s.noteLost(err) // connecting again without need does no harm
			s.complain(w, err)
		},
		Say: func(line string) { s.note(w, line) },
		Expand: func(ctx context.Context, src *query.Source, exprs []string) (report.Expansion, error) {
			return s.expand(ctx, src, exprs, func(p *diagnose.Problem) { s.complain(w, p) })
		},
	}
	env.Open = func(ctx context.Context, at digest.Side) (*query.Source, error) {
		src, err := s.open(ctx, at.Kind, at.Name)
		if err != nil {
			return nil, err
		}
		other := query.NewSource(src)
		other.Equivalent = s.opt.Equivalent
		return other, nil
	}
	return q.Ask(ctx, env, w)
}

// sides returns the sources of the session.
func (s *Session) sides() []digest.Side {
	list := []digest.Side{{Kind: s.kind, Name: s.name}}
	if s.fleet != nil {
		for _, h := range s.fleet.Hosts()[1:] {
			list = append(list, digest.Side{Kind: Host, Name: h})
		}
	}
	return list
}

// complain shows what is wrong beside an answer.
func (s *Session) complain(w io.Writer, err error) {
	if s.opt.Complain != nil {
		s.opt.Complain(err)
	} else {
		fmt.Fprintln(w, err)
	}
}

// form adds the options about the form of an answer, and returns it.
func (f *Flags) form() func() digest.Form {
	f.Output(answer.Forms(), "json")
	f.Numbers()
	return func() digest.Form { return digest.Form{Output: f.Settings.Output, Numbers: f.Settings.Numbers.Form()} }
}

// summaryPercent is how much the heap may grow between collections while an archive is summarized. Nearly all
// that is allocated, some kilobytes for each metric, is needed until the end.
const summaryPercent = 400

func newSummarize() *Verb {
	return &Verb{
		Name: "summarize", Usage: "[METRIC|EXPR|:REPORT ...]", Short: "Summarize an archive: extremes, means and quantiles of each metric",
		Long: "Summarize the records of an archive: for each metric the number of samples, the extremes, the mean\n" +
			"over time, quantiles. A name that has metrics below it stands for them. Without arguments, all\n" +
			"metrics with numeric values are summarized. Counters are converted to rates.",
		Doors: Both, Operands: Exprs, Most: many, Partial: true, Complete: ofWindows,
		New: func(f *Flags) Run {
			q := &digest.Summarize{Options: f.Time}
			f.Shared("start", "finish", "align", "origin")
			f.Table(q.Add)
			f.propose("by", summary.Ranks())
			f.propose("sort", summary.Sorts())
			form := f.form()
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				if err := q.Check(); err != nil {
					return Misuse{diagnose.From(err)}
				}
				if f.Door == Shell && s.kind != Archive {
					return errors.New("only archives can be summarized: name one with -a ARCHIVE; 'eval --archive-out BASE' records one")
				}
				q.Exprs = args
				if split := s.opt.Recordings; split != nil {
					q.Split = func(ctx context.Context) ([]string, error) { return split(ctx, s.name) }
				}
				defer debug.SetGCPercent(debug.SetGCPercent(summaryPercent))
				return s.ask(ctx, q, s.sides(), form(), w)
			}
		},
	}
}

func newCompare() *Verb {
	return &Verb{
		Name: "compare", Usage: "[SOURCE] [SOURCE] [:REPORT ...]", Short: "Compare two archives, hosts, or windows of an archive: what changed most",
		Long: "Compare the metrics of two sources, or of two windows of an archive: means, quantiles and extremes of\n" +
			"each instance, counters as rates. The largest changes come first. A source is an archive, or host SPEC,\n" +
			"or local; others follow -a, -h and -L. Hosts are sampled at the same time, every -t until -T, or 11\n" +
			"samples a second apart.",
		Doors: Both, Most: many, Several: true, Partial: true, Complete: ofSides,
		New: func(f *Flags) Run {
			q := &digest.Compare{Options: f.Time}
			f.Shared("start", "finish", "interval", "samples")
			f.Table(q.Add)
			form := f.form()
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				at := s.compared(sidesOf(q.Reports(args)), q.Second())
				if err := q.Check(len(at)); err != nil {
					return Misuse{diagnose.From(err)}
				}
				return s.ask(ctx, q, at, form(), w)
			}
		},
	}
}

// compared returns the sources that are compared, with others. Those that the command line names are among them; the
// session's own, such as an archive of the environment, counts beside these where there are too few. A session that has
// no source yet gets the first.
func (s *Session) compared(others []digest.Side, second bool) []digest.Side {
	if s.opt.Sides == nil {
		return append(s.sides(), others...)
	}
	archives := 0 // which stand before the others
	if len(s.opt.Sides) > 0 && s.opt.Sides[0].Kind == Archive {
		archives = 1
	}
	at := slices.Concat(s.opt.Sides[:archives], others, s.opt.Sides[archives:])
	wanted := 2
	if second {
		wanted = 1
	}
	if s.kind == Archive && len(at) < wanted {
		at = append(s.sides(), at...)
	}
	if len(at) > 0 && s.src == nil {
		s.kind, s.name = at[0].Kind, at[0].Name
	}
	return at
}

// sidesOf returns the sources that words name, as those of :source do.
func sidesOf(words []string) (list []digest.Side) {
	for i := 0; i < len(words); i++ {
		at := digest.Side{Kind: Archive, Name: words[i]}
		switch kind := words[i]; {
		case kind == Local:
			at = digest.Side{Kind: kind}
		case (kind == Host || kind == Archive) && i+1 < len(words):
			i++
			at = digest.Side{Kind: kind, Name: words[i]}
		}
		list = append(list, at)
	}
	return list
}
