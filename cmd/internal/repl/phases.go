package repl

import (
	"cmp"
	"context"
	"sort"

	"pmtools/cmd/internal/item"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// phases are the times in which an expression holds, which is when it is not 0 for some instance, and those in which it
// does not hold.
type phases struct {
	text    string
	between bool // values are of the time since the sample before
	list    []phase
	samples [3]int // by state
}

// A phase is the time from a sample until before the next phase, or, if values are of the time since the sample before,
// the time from the phase before to a sample.
type phase struct {
	at    pcp.Timestamp
	state int
}

// The states of an expression.
const (
	unknown = iota // there is no value
	off
	on
)

// phases finds the phases of an expression in a time of a recording, whose records have the samples.
func (s *Session) phases(ctx context.Context, t sampling.Times, text string) (*phases, error) {
	text = item.Expr(text)
	var x intervals
	exprs, err := x.compile(ctx, s, text)
	if err != nil {
		return nil, err
	}
	st, err := s.Query(ctx, &query.Query{Exprs: exprs[:1], Gaps: true, Times: sampling.Times{Start: t.Start, End: t.End}})
	if err == nil {
		err = st.Err
	}
	if err != nil {
		return nil, err
	}
	p := &phases{text: text, between: x.between}
	var last pcp.Timestamp
	var none error // why there are no values
	for smp, err := range st.Samples {
		if err != nil {
			return nil, err
		}
		none = cmp.Or(none, smp.Err())
		if smp.Gap && !p.between && last != (pcp.Timestamp{}) {
			p.add(pcp.TimestampOf(last.Time().Add(1)), unknown)
		}
		state := stateOf(&smp.Sets[0])
		p.add(smp.Time, state)
		p.samples[state]++
		last = smp.Time
	}
	switch known := p.samples[off] + p.samples[on]; {
	case known == 0 && len(st.Scattered()) > 0:
		return nil, scattered(text)
	case known == 0:
		return nil, cmp.Or(none, error(query.Problemf("%s has no values in that time", text)))
	case p.samples[on] == 0:
		return nil, query.Problemf("%s holds in no sample of that time, %d in all", text, known)
	case p.samples[off] == 0:
		return nil, query.Problemf("%s holds in each sample of that time, %d in all", text, known)
	}
	return p, nil
}

// stateOf returns the state of an expression with values.
func stateOf(set *sampling.Set) int {
	state := unknown
	for i := range set.Len() {
		v := sampling.Value{Value: set.Value(i)}
		switch x := v.Number(); {
		case x != x:
		case x != 0:
			return on
		default:
			state = off
		}
	}
	return state
}

// add adds a sample at a time after those before.
func (p *phases) add(at pcp.Timestamp, state int) {
	n := len(p.list)
	switch {
	case n == 0 || p.list[n-1].state != state:
		p.list = append(p.list, phase{at, state})
	case p.between:
		p.list[n-1].at = at
	}
}

// during returns a function that reports whether the expression has a state at a time.
func (p *phases) during(state int) func(pcp.Timestamp) bool {
	return func(at pcp.Timestamp) bool {
		i := sort.Search(len(p.list), func(i int) bool {
			order := p.list[i].at.Compare(at)
			return order > 0 || order == 0 && p.between
		})
		if !p.between {
			i--
		}
		return i >= 0 && i < len(p.list) && p.list[i].state == state
	}
}

// say says which samples those of a state are.
func (p *phases) say(state int) string {
	where := "where " + p.text
	if state == off {
		where = "where not (" + p.text + ")"
	}
	return where + ", " + textwidth.Plural(p.samples[state], "sample")
}
