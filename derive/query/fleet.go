package query

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/lib/fetchgroup"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/sampling"
)

// ErrHosts means that some of several hosts have never answered. Report has got what is wrong with each.
var ErrHosts = errors.New("not all hosts have answered")

// CheckHosts checks the specifications of several hosts. Two that differ only in their passwords would have the same name. The error
// does not show passwords.
func CheckHosts(hosts []string) error {
	seen := make(map[string]bool, len(hosts))
	for _, h := range hosts {
		if _, err := pmcd.ParseSpec(h); err != nil {
			return err
		}
		name := pmcd.Redact(h)
		if seen[name] {
			return Problemf("host %s is named twice", name)
		}
		seen[name] = true
	}
	return nil
}

// A Watcher follows the hosts of a query. It is called where the samples are ranged over.
type Watcher interface {
	// Hosts returns the hosts of the next round, as CheckHosts accepts them.
	Hosts() []string
	// Heard gets the state of a host in a round, under the name that its values have.
	Heard(host string, state sampling.HostState)
	// Round is called after each round. The sample of the round, if there is one, has been yielded.
	Round(context.Context) error
}

// A Fleet samples several hosts at once. It keeps its connections from one query to the next. [NewFleet] makes one;
// the zero Fleet has no hosts.
type Fleet struct {
	// Open opens the source of a host. It may be called for several hosts at the same time. Nil is [pmapi.OpenHost].
	Open func(ctx context.Context, host string) (pmapi.Source, error)
	// Report, unless nil, is called once with the error of a host while the others continue.
	Report func(host string, err error)
	// Equivalent is that of Source.
	Equivalent func(a, b pcp.InDom) bool

	mu    sync.Mutex
	hosts []string
	open  map[string]*Source // connections that no sampler uses, by host
}

// NewFleet returns a Fleet of hosts, whose specifications CheckHosts has accepted.
func NewFleet(hosts []string) *Fleet { return &Fleet{hosts: hosts} }

// Hosts returns the specifications of the hosts.
func (f *Fleet) Hosts() []string { return f.hosts }

// Close closes the connections.
func (f *Fleet) Close() error {
	var errs []error
	for host, src := range f.open {
		errs = append(errs, src.Close())
		delete(f.open, host)
	}
	return errors.Join(errs...)
}

// Run returns the samples of expressions on all hosts. Each host is asked at the same times; a sample
// has the values of those that have answered in time, in the units of the first of them. A host that
// fails is reported once and connected to again.
func (f *Fleet) Run(ctx context.Context, defs *derive.Set, q *Query) (*Stream, error) {
	q = cmp.Or(q, new(Query))
	across, err := parseAcross(q.Across)
	switch {
	case err != nil:
		return nil, err
	case len(f.hosts) == 0 && q.Watcher == nil:
		return nil, Problemf("there are no hosts")
	}
	st := &Stream{once: q.Once}
	st.Samples = func(yield func(*sampling.Sample, error) bool) {
		r := &rounds{fleet: f, q: q, all: mix{stream: st, sel: &q.Select, across: across}, state: make(map[string]*hostState), round: make(map[string]*reading), said: make(map[string]bool)}
		r.all.begin, r.all.complain = r.header, r.complain
		r.run(ctx, defs, yield)
	}
	return st, nil
}

// rounds puts the answers of hosts together.
type rounds struct {
	fleet *Fleet
	q     *Query
	all   mix

	state map[string]*hostState
	round map[string]*reading // the answers of the round so far
	taken int
	open  int             // hosts that are not done
	said  map[string]bool // problems that have been reported in full
}

// maxSaid is how many problems are kept to shorten those that are the same.
const maxSaid = 100

// A hostState is the state of a host.
type hostState struct {
	answered bool  // ever
	reported bool  // its failure has been reported
	done     bool  // a single sample need not wait for it any more
	err      error // the last one
}

// wanted returns how many samples there are to be; 0 for any number.
func (r *rounds) wanted() int {
	n, limit := r.q.Times.Samples, r.q.Select.Limit
	switch {
	case r.q.Once:
		return 1
	case limit > 0 && (n == 0 || limit < n):
		return limit
	}
	return n
}

// run yields a sample for each round.
func (r *rounds) run(ctx context.Context, defs *derive.Set, yield func(*sampling.Sample, error) bool) {
	asking := ctx
	if end := r.q.Times.End; !r.q.Once && end != (pcp.Timestamp{}) {
		var cancel context.CancelFunc
		asking, cancel = context.WithDeadline(ctx, end.Time())
		defer cancel()
	}
	r.use(r.fleet.hosts)
	opt := &fetchgroup.FleetOptions{Interval: cmp.Or(r.q.Times.Interval, r.q.Interval, DefaultInterval)}
	if r.q.Watcher != nil {
		opt.Hosts = func() []string {
			if hosts := r.q.Watcher.Hosts(); !slices.Equal(hosts, r.fleet.hosts) {
				r.use(hosts)
			}
			return r.fleet.hosts
		}
	}
	open := func(ctx context.Context, host string) (fetchgroup.Sampler[*reading], error) {
		return r.fleet.sampler(ctx, host, defs, r.q)
	}
	if err := r.follow(ctx, fetchgroup.Hosts(asking, r.fleet.hosts, open, opt), yield); err != nil {
		if err != errStopped {
			yield(nil, err)
		}
		return
	}
	if err := r.verdict(); err != nil {
		yield(nil, err)
	}
}

// use makes hosts those that are asked.
func (r *rounds) use(hosts []string) {
	r.fleet.mu.Lock()
	defer r.fleet.mu.Unlock()
	old := r.state
	r.state, r.fleet.hosts, r.open = make(map[string]*hostState, len(hosts)), hosts, 0
	for _, h := range hosts {
		st := cmp.Or(old[h], &hostState{})
		if r.state[h] = st; !st.done {
			r.open++
		}
		delete(old, h)
	}
	for h := range old {
		if src := r.fleet.open[h]; src != nil {
			_ = src.Close() // the connection is given up
			delete(r.fleet.open, h)
		}
	}
}

// errStopped means that no more samples are wanted.
var errStopped = errors.New("stopped")

// follow yields what the hosts say, round after round.
func (r *rounds) follow(ctx context.Context, rows iter.Seq[fetchgroup.Row[*reading]], yield func(*sampling.Sample, error) bool) error {
	heard, whole := 0, true // in this round: each host has one row
	for row := range rows {
		r.add(row)
		whole = r.heard(&row) && whole
		if r.q.Once {
			if r.open == 0 {
				break
			}
			continue
		}
		if heard++; heard < len(r.fleet.hosts) {
			continue
		}
		if err := r.end(ctx, whole, yield); err != nil {
			return err
		}
		heard, whole = 0, true
		if n := r.wanted(); n > 0 && r.taken >= n {
			return nil
		}
	}
	return r.flush(context.WithoutCancel(ctx), yield) // Ctrl-C ends the rounds, but what has been heard is shown
}

// end ends a round. The Watcher does not count one that is not whole.
func (r *rounds) end(ctx context.Context, whole bool, yield func(*sampling.Sample, error) bool) error {
	if err := r.flush(ctx, yield); err != nil {
		return err
	}
	if r.q.Watcher == nil || !whole {
		return nil
	}
	return r.q.Watcher.Round(ctx)
}

// heard tells the Watcher of an answer. The result is false if the end of the run has cut the answer short.
func (r *rounds) heard(row *fetchgroup.Row[*reading]) bool {
	if errors.Is(row.Err, context.Canceled) {
		return false
	}
	if r.q.Watcher != nil {
		r.q.Watcher.Heard(pmcd.Redact(row.Host), stateOf(row.Err))
	}
	return true
}

// stateOf returns the state of a host by the error of its answer.
func stateOf(err error) sampling.HostState {
	switch {
	case errors.Is(err, fetchgroup.ErrLate):
		return sampling.Late
	case err != nil:
		return sampling.Lost
	}
	return sampling.Answered
}

// add takes the answer of a host.
func (r *rounds) add(row fetchgroup.Row[*reading]) {
	st := r.state[row.Host]
	switch {
	case row.Err == nil && row.Value == nil: // one that only the values of later samples need
	case row.Err == nil:
		st.answered = true
		r.done(st)
		r.round[row.Host] = row.Value
	default:
		if st.err = row.Err; !errors.Is(row.Err, fetchgroup.ErrLate) {
			r.done(st)
			r.report(row.Host, st)
		}
	}
}

func (r *rounds) done(st *hostState) {
	if !st.done {
		st.done = true
		r.open--
	}
}

// report reports the failure of a host, once. A failure that another host has had too is shortened.
func (r *rounds) report(host string, st *hostState) {
	if st.reported || errors.Is(st.err, context.Canceled) || r.fleet.Report == nil {
		return
	}
	err := st.err
	if r.said[err.Error()] {
		err = diagnose.From(err)
	} else if len(r.said) < maxSaid {
		r.said[err.Error()] = true
	}
	st.reported = true
	r.fleet.Report(host, err)
}

// verdict returns the error of the run: some host has never answered. A Watcher knows which they are.
func (r *rounds) verdict() error {
	good := 0
	for _, h := range r.fleet.hosts {
		st := r.state[h]
		if st.answered {
			good++
		} else if st.err != nil {
			r.report(h, st)
		}
	}
	if good == 0 || r.q.Watcher == nil && good < len(r.fleet.hosts) {
		return ErrHosts
	}
	return nil
}

// flush yields the sample of a round, if any host has answered. A round in which all hosts have failed
// counts as taken.
func (r *rounds) flush(ctx context.Context, yield func(*sampling.Sample, error) bool) error {
	if len(r.round) == 0 {
		if !slices.ContainsFunc(r.fleet.hosts, func(h string) bool { st := r.state[h]; return st.answered || !st.done }) {
			r.taken++
		}
		return nil
	}
	r.all.smp.Absent = nil
	for _, h := range r.fleet.hosts {
		if answer, ok := r.round[h]; ok {
			r.all.add(h, pmcd.Redact(h), answer.header, &answer.Sample)
		} else if r.q.Watcher == nil {
			r.absent(h)
		}
	}
	clear(r.round)
	smp, err := r.all.end(ctx)
	if err != nil {
		return err
	}
	r.taken++
	if !yield(smp, nil) {
		return errStopped
	}
	r.all.next()
	return nil
}

// absent notes why a host has no values.
func (r *rounds) absent(host string) {
	if r.all.smp.Absent == nil {
		r.all.smp.Absent = make(map[string]sampling.HostState)
	}
	r.all.smp.Absent[pmcd.Redact(host)] = stateOf(r.state[host].err)
}

// header makes the Header of the first host that answers that of all.
func (r *rounds) header(h *sampling.Header) {
	h.Live, h.Hosts = !r.q.Once, make([]string, len(r.fleet.hosts))
	for i, host := range r.fleet.hosts {
		h.Hosts[i] = pmcd.Redact(host)
	}
	h.Start, h.End, h.Interval, h.Samples = pcp.Timestamp{}, pcp.Timestamp{}, r.q.Times.Interval, r.wanted()
	if r.q.Once {
		h.Interval = 0
	}
	if h.Samples == 0 {
		h.Samples = -1
	}
}

// complain reports an error of a host that has answered, once.
func (r *rounds) complain(host string, err error) {
	if st := r.state[host]; !st.reported && r.fleet.Report != nil {
		st.reported = true
		r.fleet.Report(host, err)
	}
}
