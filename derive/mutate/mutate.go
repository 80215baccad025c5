// Package mutate makes mistakes in definitions of derived metrics and tells which of them their cases notice.
//
// A mutant is a definition with one mistake. [Run] tries each with the cases of derivetest: those that fail kill it. For a
// mutant that survives it looks for a case that kills it, among metrics with random values, and confirms that the definition
// passes it. docs/testing-definitions.md says which mistakes there are and what the score is.
package mutate

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/derivetest"
)

// A Status is what has become of a mutant.
type Status string

// The statuses.
const (
	Killed     Status = "killed"     // a case fails
	Survived   Status = "survived"   // no case fails, and there is one that would
	Undecided  Status = "undecided"  // no case fails, and none was found that would
	Equivalent Status = "equivalent" // it has the values and the description of the original, whatever these are
	Refused    Status = "refused"    // the checker refuses it
	Untried    Status = "untried"    // no file of cases has the metrics of the definition
)

// A Mutant is a definition with one mistake.
type Mutant struct {
	File   string `json:"file"`
	Line   int    `json:"line"` // of the mistake
	Column int    `json:"column"`
	Name   string `json:"name"`
	What   string `json:"what"`           // the mistake in words
	Expr   string `json:"expr,omitempty"` // with the mistake, of a file that may be quoted
	Status Status `json:"status"`
	Case   int    `json:"case,omitempty"` // the number in Report.Cases of what would kill it, from 1

	change
	program *derive.Program
	of      *derivetest.Definition
}

// A Case is a file of cases that kills mutants which survive.
type Case struct {
	Name  string `json:"name"` // of the definition
	Text  string `json:"text"`
	Kills int    `json:"kills"`
}

// A Report is what has become of all mutants, by file and place.
type Report struct {
	Score   float64        `json:"score"` // percentage of those killed, of those that can be
	Counts  map[Status]int `json:"counts"`
	Cases   []Case         `json:"cases"`
	Mutants []*Mutant      `json:"mutants"`
}

// A work is one definition with its mutants.
type work struct {
	def     derivetest.Definition
	benches []*derivetest.Bench // that have it
	mutants []*Mutant
	cases   []Case
}

// Run tries the mutants of the definitions of benches.
func Run(ctx context.Context, benches []*derivetest.Bench) (*Report, error) {
	list := works(benches)
	if err := each(ctx, list, func(w *work) error { return w.run(ctx) }); err != nil {
		return nil, err
	}
	r := &Report{Score: 100, Counts: make(map[Status]int), Cases: []Case{}, Mutants: []*Mutant{}}
	for _, w := range list {
		for _, m := range w.mutants {
			if m.Case > 0 {
				m.Case += len(r.Cases)
			}
			r.Counts[m.Status]++
		}
		r.Cases, r.Mutants = append(r.Cases, w.cases...), append(r.Mutants, w.mutants...)
	}
	if all := r.Counts[Killed] + r.Counts[Survived] + r.Counts[Untried]; all > 0 {
		r.Score = 100 * float64(r.Counts[Killed]) / float64(all)
	}
	return r, nil
}

// works returns the definitions of benches, by file and place.
func works(benches []*derivetest.Bench) (list []*work) {
	type place struct{ file, name, text string }
	known := make(map[place]*work)
	for _, b := range benches {
		for _, d := range b.Definitions {
			at := place{d.File, d.Name(), d.String()}
			w := known[at]
			if w == nil {
				w = &work{def: d}
				known[at] = w
				list = append(list, w)
			}
			w.benches = append(w.benches, b)
		}
	}
	slices.SortStableFunc(list, func(a, b *work) int {
		n, _, _ := a.def.At(0)
		m, _, _ := b.def.At(0)
		return cmp.Or(cmp.Compare(a.def.File, b.def.File), cmp.Compare(n, m))
	})
	return list
}

// each calls f for all works, some at a time, and returns the first error by their order.
func each(ctx context.Context, list []*work, f func(*work) error) error {
	errs := make([]error, len(list))
	next := make(chan int)
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		all.Go(func() {
			for i := range next {
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = f(list[i])
				}
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *work) run(ctx context.Context) error {
	w.mutants = w.made()
	var left []*Mutant
	for _, m := range w.mutants {
		if err := w.try(ctx, m); err != nil {
			return err
		}
		if m.Status == Undecided {
			left = append(left, m)
		}
	}
	for _, b := range w.benches {
		if len(left) == 0 {
			break
		}
		s := search{work: w, bench: b}
		var err error
		if left, err = s.run(ctx, left); err != nil {
			return err
		}
	}
	return nil
}

// made returns the mutants of a definition that can be parsed.
func (w *work) made() (list []*Mutant) {
	language := check.PCP
	if w.def.Extended {
		language = check.Extended
	}
	text := w.def.String()
	seen := map[string]bool{text: true}
	for _, c := range changes(text, w.def.Expr()) {
		now := text[:c.start] + c.text + text[c.end:]
		p, err := derive.CompileIn(language, w.def.Name(), now)
		if err != nil || seen[now] {
			continue
		}
		seen[now] = true
		line, column, _ := w.def.At(w.def.Offset + int(c.start))
		m := &Mutant{File: w.def.File, Line: line, Column: column, Name: w.def.Name(), What: c.what, change: c, program: p, of: &w.def}
		if w.def.Quoted {
			m.Expr = now
		}
		list = append(list, m)
	}
	return list
}

// try finds what the cases make of a mutant.
func (w *work) try(ctx context.Context, m *Mutant) error {
	var seen [derivetest.Failed + 1]int
	for _, b := range w.benches {
		v, err := b.Try(ctx, m.program)
		if err != nil {
			return err
		}
		seen[v]++
	}
	tried := seen[derivetest.Refused] + seen[derivetest.Same] + seen[derivetest.Passed] + seen[derivetest.Failed]
	switch {
	case tried == 0:
		m.Status = Untried
	case seen[derivetest.Failed] > 0:
		m.Status = Killed
	case seen[derivetest.Same] == tried:
		m.Status = Equivalent
	case seen[derivetest.Refused]+seen[derivetest.Same] == tried: // wherever it makes a difference
		m.Status = Refused
	default:
		m.Status = Undecided
	}
	return nil
}
