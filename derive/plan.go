package derive

import (
	"context"
	"slices"
	"time"

	"pmtools/derive/eval"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A fetchPlan describes how one list of metrics is fetched. It is kept until the list changes.
type fetchPlan struct {
	ids    []pcp.ID      // of the caller
	asked  int           // how many of base.IDs are not operands
	known  int           // what catalog.changes was
	base   pmapi.Request // what is asked of the Source below
	result pcp.Result    // what it answered
	slots  []slot        // for each of ids
	anyOK  bool          // there is a valid derived metric among ids
	column []*pcp.Values // operands of the metric that is being evaluated
	absent pcp.Values    // a missing operand
	input  eval.Input
	clock  clock // unused unless Options.Clock
	past   bool  // there are functions over time
}

// A slot is where one column of a result comes from.
type slot struct {
	metric *metric // nil if it comes from the Source below
	column int     // of the Source below
	twin   int     // the earlier slot with the same derived metric, or -1
	args   []int   // columns of the operands; -1 for a missing one
}

// prepare binds the derived metrics among ids, and plans how all are fetched.
func (p *fetchPlan) prepare(ctx context.Context, b *binder, ids []pcp.ID) error {
	if err := b.newEnv(ctx, used).bindAll(b.derived(ids), nil); err != nil {
		return err
	}
	p.ids, p.known, p.anyOK = slices.Clone(ids), b.changes, false
	p.slots = make([]slot, len(ids))
	p.base.IDs = nil
	column, first := make(map[pcp.ID]int), make(map[pcp.ID]int)
	for i, id := range ids {
		m := b.byID(id)
		if m != nil && m.state != masked {
			p.slots[i] = slot{metric: m, twin: -1}
			if twin, ok := first[id]; ok {
				p.slots[i].twin = twin
			} else {
				first[id] = i
			}
			p.anyOK = p.anyOK || m.state == valid
			continue
		}
		p.slots[i] = slot{column: len(p.base.IDs)}
		if _, ok := column[id]; !ok {
			column[id] = len(p.base.IDs)
		}
		p.base.IDs = append(p.base.IDs, id)
	}
	p.asked = len(p.base.IDs)
	for i := range p.slots {
		if m := p.slots[i].metric; m != nil && m.state == valid && !m.alias {
			p.slots[i].args = p.operands(m, column)
			if m.eval == nil {
				m.eval = eval.New(m.tree, m.info).NewState()
			}
		}
	}
	p.past = false
	for m := range b.all() {
		p.past = p.past || m.eval != nil && m.eval.LooksBack()
	}
	return nil
}

// operands adds the operands of a metric to the request for the Source below and returns their
// columns.
func (p *fetchPlan) operands(m *metric, column map[pcp.ID]int) []int {
	args := make([]int, len(m.info.Operands))
	for k, id := range m.info.Operands {
		c, ok := column[id]
		if !ok {
			c = len(p.base.IDs)
			column[id] = c
			p.base.IDs = append(p.base.IDs, id)
		}
		args[k] = c
	}
	return args
}

func (p *fetchPlan) arguments(args []int) []*pcp.Values {
	p.column = p.column[:0]
	for _, a := range args {
		if a < 0 {
			p.column = append(p.column, &p.absent)
		} else {
			p.column = append(p.column, &p.result.Sets[a])
		}
	}
	return p.column
}

// A clock finds jumps of the clock of a live Source. Between two fetches it goes on by as much as the time here, to within the time that
// the requests took: their answers were made after they were sent and before they arrived.
type clock struct {
	sent, received time.Time // of the last fetch; zero before the first
	at             pcp.Timestamp
	epoch          int // counts jumps
}

// slack is how much a clock may go wrong without a jump: a tenth of the time, which corrections of slow and fast clocks do not exceed,
// and 50 ms for times that the daemon rounds or takes elsewhere.
func slack(elapsed time.Duration) time.Duration { return elapsed/10 + 50*time.Millisecond }

// note takes a fetch.
func (c *clock) note(sent time.Time, at pcp.Timestamp) {
	received := time.Now()
	if !c.received.IsZero() {
		least, most := max(0, sent.Sub(c.received)), received.Sub(c.sent)
		went, extra := at.Time().Sub(c.at.Time()), slack(most)
		if went <= 0 || went < least-extra || went > most+extra {
			c.epoch++
		}
	}
	c.sent, c.received, c.at = sent, received, at
}
