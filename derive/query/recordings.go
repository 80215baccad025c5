package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"pmtools/derive"
	"pmtools/internal/ordered"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// Recordings samples the recordings of several machines: all samples of the first one, then those of the
// next. Others are read meanwhile, as far as a bound of memory permits. The zero Recordings are none.
type Recordings struct {
	Names   []string // in the order of the samples
	Workers int      // how many are read at a time; 0 for one
	// Open may be called for several recordings at the same time, the others may not. Nil is [pmapi.OpenArchive].
	Open func(ctx context.Context, name string) (*Source, error)
	// Times returns when a recording is sampled, if it is not once: the times of the query within bounds.
	// Nil samples the times of the query.
	Times func(ctx context.Context, src *Source, of sampling.Times) (sampling.Times, error)
	// Report, unless nil, is called with the error of a recording while the others continue.
	Report func(name string, err error)

	asking sync.Mutex
}

// ErrRecordings means that something is missing. Report has got the reasons.
var ErrRecordings = errors.New("some of the recordings could not be evaluated")

// A batch is samples of a recording, or why there are no more.
type batch struct {
	name    string
	header  *sampling.Header
	samples []*sampling.Sample
	err     error
}

// Limits of read-ahead per worker: the number and size of batches, each of which one sample may
// exceed.
const (
	batchSize    = 1 << 20
	batchesAhead = 3
)

// Run returns the samples of expressions, in the units of the first recording. Selection.Limit is for all of
// them together; other choices are made in each.
func (r *Recordings) Run(ctx context.Context, defs *derive.Set, q *Query) (*Stream, error) {
	q = cmp.Or(q, new(Query))
	switch {
	case q.Across != "":
		return nil, Problemf("values of hosts are combined while they are live; export the archives, and use SQL")
	case q.Times.Delay:
		return nil, Problemf("the archives of several hosts are not delayed")
	}
	st := &Stream{once: q.Once}
	st.Samples = func(yield func(*sampling.Sample, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		j := &joint{stream: st, limit: q.Select.Limit, report: r.report}
		for b := range ordered.Tasks(ctx, len(r.Names), max(r.Workers, 1), batchesAhead, func(ctx context.Context, i int, yield func(*batch) bool) {
			r.read(ctx, defs, q, r.Names[i], yield)
		}) {
			if !j.take(b, yield) {
				return
			}
		}
		if err := ctx.Err(); err != nil || j.failed {
			yield(nil, cmp.Or(err, ErrRecordings))
		}
	}
	return st, nil
}

func (r *Recordings) open(ctx context.Context, name string) (*Source, error) {
	if r.Open != nil {
		return r.Open(ctx, name)
	}
	src, err := pmapi.OpenArchive(ctx, name, nil)
	if err != nil {
		return nil, err
	}
	return NewSource(src), nil
}

func (r *Recordings) report(name string, err error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	if r.Report != nil {
		r.Report(name, err)
	}
}

func (r *Recordings) times(ctx context.Context, src *Source, q *Query) (sampling.Times, error) {
	if q.Once || r.Times == nil {
		return q.Times, nil
	}
	r.asking.Lock()
	defer r.asking.Unlock()
	return r.Times(ctx, src, q.Times)
}

// read reads one recording.
func (r *Recordings) read(ctx context.Context, defs *derive.Set, q *Query, name string, yield func(*batch) bool) {
	fail := func(err error) bool { return yield(&batch{name: name, err: err}) }
	src, err := r.open(ctx, name)
	if err != nil {
		fail(err)
		return
	}
	defer src.Close() // it has been read
	own := *q
	if own.Times, err = r.times(ctx, src, q); err != nil {
		fail(err)
		return
	}
	st, err := Run(ctx, src, defs, &own)
	if err != nil {
		fail(err)
		return
	} else if st.Err != nil && !fail(st.Err) {
		return
	}
	host, _ := pmapi.HostName(ctx, src) // beside an error there is a guess
	st.Header.Source.Host = host
	copier, samples := sampling.Copier{Host: host}, []*sampling.Sample(nil)
	for smp, err := range st.Samples {
		if err == nil {
			smp, err = copier.Copy(ctx, smp)
		}
		if err != nil {
			if yield(&batch{name, st.Header, samples, nil}) {
				fail(err)
			}
			return
		}
		samples = append(samples, smp)
		if copier.Size >= batchSize {
			if !yield(&batch{name, st.Header, samples, nil}) {
				return
			}
			samples, copier.Size = nil, 0
		}
	}
	if yield(&batch{name, st.Header, samples, nil}) {
		for _, expr := range st.Scattered() {
			fail(Problemf("no record has all metrics of %s; with an interval, such as -t 10sec, values between records are interpolated", expr))
		}
	}
}

// joint puts the samples of recordings one after the other.
type joint struct {
	stream *Stream // whose Header the first samples make
	limit  int
	taken  int
	report func(name string, err error)
	failed bool

	name   string // the recording to which the rest belongs
	places []int  // of its metrics in the Header
	sets   []sampling.Set
}

// take yields the samples of a batch, and reports whether more are wanted.
func (j *joint) take(b *batch, yield func(*sampling.Sample, error) bool) bool {
	if b.err != nil {
		if errors.Is(b.err, context.Canceled) {
			return true // Run says it
		}
		j.failed = true
		j.report(b.name, b.err)
		return true
	}
	if len(b.samples) > 0 && j.name != b.name {
		j.begin(b)
	}
	for _, smp := range b.samples {
		if err := smp.Err(); j.stream.once && err != nil {
			j.failed = true
			j.report(b.name, err)
		}
		j.arrange(b.header, smp)
		if !yield(smp, nil) {
			return false
		}
		if j.taken++; j.taken == j.limit {
			return false
		}
	}
	return true
}

// begin finds the places of the metrics of a recording.
func (j *joint) begin(b *batch) {
	if j.stream.Header == nil {
		h := *b.header
		h.Metrics, h.Hosts = slices.Clone(h.Metrics), true
		h.Source.Host, h.Samples = "", -1
		h.Start, h.End = pcp.Timestamp{}, pcp.Timestamp{}
		j.stream.Header = &h
	}
	var err error
	j.name, j.sets = b.name, make([]sampling.Set, len(j.stream.Header.Metrics))
	if j.places, err = placesIn(j.stream.Header, b.header); err != nil {
		j.failed = true
		j.report(b.name, err)
	}
}

// arrange puts the sets of a sample into the order of the Header, and their values into its units.
func (j *joint) arrange(own *sampling.Header, smp *sampling.Sample) {
	for i := range j.sets {
		j.sets[i] = sampling.Set{Host: own.Source.Host}
	}
	for i, at := range j.places {
		if at < 0 {
			continue
		}
		from, to := own.Metrics[i].Desc.Units, j.stream.Header.Metrics[at].Desc.Units
		if j.sets[at] = smp.Sets[i]; from != to {
			list := sampling.Set{Err: smp.Sets[i].Err, More: smp.Sets[i].More, Host: own.Source.Host}
			appendIn(&list, &smp.Sets[i], from, to, own.Source.Host, pcp.Timestamp{})
			j.sets[at] = list
		}
	}
	smp.Sets = j.sets
}
