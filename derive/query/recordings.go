package query

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"sync"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/internal/ordered"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// Recordings samples the recordings of several machines side by side: a sample has the values of all of them at one
// time. All are open at once, and read ahead as far as a bound of memory permits. The zero Recordings are none.
type Recordings struct {
	Names   []string // in the order of the values
	Workers int      // how many are read at a time; 0 for one
	// Open may be called for several recordings at the same time, the others may not. Nil is [pmapi.OpenArchive].
	Open func(ctx context.Context, name string) (*Source, error)
	// Times returns when the recordings are sampled, unless it is once: the times of the query within bounds.
	// Nil samples the times of the query, from the begin of the first recording on.
	Times func(ctx context.Context, all *Span, of sampling.Times) (sampling.Times, error)
	// Report gets what is wrong with one recording while the others go on; nil for nobody.
	Report func(name string, err error)
}

// ErrRecordings means that something is missing. Report has got the reasons.
var ErrRecordings = errors.New("some of the recordings could not be evaluated")

// A Span is the time from the first record to the last one.
type Span struct{ From, To pcp.Timestamp }

// Bounds implements Bounded.
func (s *Span) Bounds(context.Context) (from, to pcp.Timestamp, err error) { return s.From, s.To, nil }

// A recording is one of Recordings, which has been opened.
type recording struct {
	name, host string
	src        *Source
	span       Span
	err        error // why it is not open
	batches    chan *batch
	header     *sampling.Header
	ahead      []*sampling.Sample
}

// A batch is samples of a recording, or what is wrong with it.
type batch struct {
	header  *sampling.Header
	samples []*sampling.Sample
	err     error
}

// readAhead is how many bytes of samples are read ahead for each worker, about.
const readAhead = 4 << 20

// Run returns the samples of expressions, in the units of the first recording: at each time at which a recording has a
// sample. With an interval these are the same times for all of them. A query for one sample is of the time at which all
// recordings have begun.
func (r *Recordings) Run(ctx context.Context, defs *derive.Set, q *Query) (*Stream, error) {
	q = cmp.Or(q, new(Query))
	across, err := parseAcross(q.Across)
	switch {
	case err != nil:
		return nil, err
	case q.Times.Delay:
		return nil, Problemf("the archives of several hosts are not delayed")
	}
	st := &Stream{once: q.Once}
	st.Samples = func(yield func(*sampling.Sample, error) bool) {
		j := &joint{Recordings: r, q: *q, all: mix{stream: st, sel: &q.Select, across: across}, turns: make(chan struct{}, max(r.Workers, 1))}
		j.all.begin, j.all.complain = j.head, j.report
		if err := j.run(ctx, defs, yield); err != nil {
			yield(nil, err)
		}
	}
	return st, nil
}

// A joint puts the samples of recordings together.
type joint struct {
	*Recordings
	q      Query
	all    mix
	list   []*recording
	turns  chan struct{} // of those that read
	failed bool
}

func (j *joint) report(name string, err error) {
	if j.failed = true; j.Report != nil {
		j.Report(name, err)
	}
}

// head makes the Header of a recording that of all.
func (j *joint) head(h *sampling.Header) {
	h.Source.Host, h.Hosts, h.Instances = "", nil, nil
	for _, x := range j.list {
		h.Hosts = append(h.Hosts, x.host)
	}
	if !j.q.Once {
		h.Start, h.End, h.Samples = j.q.Times.Start, j.q.Times.End, cmp.Or(j.q.Times.Samples, -1)
	}
}

// run yields the samples.
func (j *joint) run(ctx context.Context, defs *derive.Set, yield func(*sampling.Sample, error) bool) (err error) {
	defer func() {
		for _, x := range j.list {
			_ = x.src.Close() // it has been read
		}
	}()
	if err := j.open(ctx); err != nil || len(j.list) == 0 && !j.failed {
		return err
	}
	var reading sync.WaitGroup
	defer reading.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, x := range j.list {
		reading.Go(func() { j.read(ctx, defs, x) })
	}
	for taken := 0; taken == 0 || taken != j.q.Select.Limit && taken != j.q.Times.Samples; taken++ {
		more, err := j.sample(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if smp, err := j.all.end(ctx); err != nil || !yield(smp, nil) {
			return err
		}
		j.all.next()
	}
	return j.verdict(ctx)
}

// verdict returns the error of ctx, or of what has been reported.
func (j *joint) verdict(ctx context.Context) error {
	if err := ctx.Err(); err != nil || !j.failed {
		return err
	}
	return ErrRecordings
}

// open opens the recordings, and decides when they are sampled.
func (j *joint) open(ctx context.Context) (err error) {
	hosts := make(map[string]bool)
	for x := range ordered.Tasks(ctx, len(j.Names), cap(j.turns), 1, func(ctx context.Context, i int, yield func(*recording) bool) {
		yield(j.begin(ctx, j.Names[i]))
	}) {
		if x.err != nil {
			if ctx.Err() == nil {
				j.report(x.name, x.err)
			}
			continue
		}
		if hosts[x.host] { // the archives of a host that do not follow each other
			x.host += " (" + filepath.Base(x.name) + ")"
		}
		hosts[x.host] = true
		j.list = append(j.list, x)
	}
	if err := ctx.Err(); err != nil || len(j.list) == 0 {
		return j.verdict(ctx)
	}
	all := j.list[0].span
	latest := all.From
	for _, x := range j.list {
		if x.span.From.Compare(all.From) < 0 {
			all.From = x.span.From
		}
		if x.span.To.Compare(all.To) > 0 {
			all.To = x.span.To
		}
		if x.span.From.Compare(latest) > 0 {
			latest = x.span.From
		}
	}
	switch {
	case !j.q.Once && j.Times != nil:
		j.q.Times, err = j.Times(ctx, &all, j.q.Times)
		return err
	case !j.q.Once:
		j.q.Times.Start = cmp.Or(j.q.Times.Start, all.From)
		return nil
	}
	j.q.Step = cmp.Or(j.q.Step, evalStep)
	for _, x := range j.list {
		x.src.At = latest
	}
	return nil
}

// begin opens one recording.
func (j *joint) begin(ctx context.Context, name string) *recording {
	x := &recording{name: name, batches: make(chan *batch, 1)}
	if j.Open != nil {
		x.src, x.err = j.Open(ctx, name)
	} else if src, err := pmapi.OpenArchive(ctx, name, nil); err == nil {
		x.src = NewSource(src)
	} else {
		x.err = err
	}
	if x.err != nil {
		return x
	}
	x.host, _ = pmapi.HostName(ctx, x.src) // beside an error there is a guess
	if x.src.Line == nil {
		return x
	}
	if x.span.From, x.span.To, x.err = x.src.Line.Bounds(ctx); x.err != nil {
		x.err = diagnose.From(x.err)
		_ = x.src.Close() // the other error says more
	}
	return x
}

// read reads a recording when it is its turn, and waits without a turn until what it has read is taken.
func (j *joint) read(ctx context.Context, defs *derive.Set, x *recording) {
	defer close(x.batches)
	j.turns <- struct{}{}
	defer func() { <-j.turns }()
	send := func(b *batch) bool {
		<-j.turns
		defer func() { j.turns <- struct{}{} }()
		select {
		case x.batches <- b:
			return true
		case <-ctx.Done():
			return false
		}
	}
	own := j.q
	own.Select.Sort, own.Select.Top = "", 0 // these are for the values of all hosts
	if t := &own.Times; t.Interval > 0 {
		if late := x.span.From.Time().Sub(t.Start.Time()); late > 0 {
			t.Start = pcp.TimestampOf(t.Start.Time().Add((late + t.Interval - 1) / t.Interval * t.Interval))
		}
	}
	st, err := Run(ctx, x.src, defs, &own)
	if err != nil {
		send(&batch{err: err})
		return
	} else if st.Err != nil && !send(&batch{err: st.Err}) {
		return
	}
	size := readAhead * cap(j.turns) / len(j.list) / 2
	b, copier := &batch{header: st.Header}, sampling.Copier{}
	for smp, err := range st.Samples {
		if err == nil {
			smp, err = copier.Copy(ctx, smp)
		}
		if err != nil {
			if send(b) {
				send(&batch{err: err})
			}
			return
		}
		if b.samples = append(b.samples, smp); copier.Size >= size {
			if !send(b) {
				return
			}
			b, copier.Size = &batch{header: st.Header}, 0
		}
	}
	if send(b) {
		for _, expr := range st.Scattered() {
			send(&batch{err: Problemf("no record has all metrics of %s; with an interval, such as -t 10sec, values between records are interpolated", expr)})
		}
	}
}

// sample adds the values of the earliest time that is left; without any the result is false.
func (j *joint) sample(ctx context.Context) (some bool, err error) {
	var first pcp.Timestamp
	for _, x := range j.list {
		smp := j.peek(x)
		if smp != nil && (!some || smp.Time.Compare(first) < 0) {
			first, some = smp.Time, true
		}
	}
	for _, x := range j.list {
		if len(x.ahead) == 0 || x.ahead[0].Time != first {
			continue
		}
		smp := x.ahead[0]
		x.ahead = x.ahead[1:]
		for i := range smp.Sets {
			if !j.q.Once { // records lack metrics
				smp.Sets[i].Err = nil
			}
		}
		if err := smp.Sort(ctx); err != nil {
			return false, err
		}
		j.all.add(x.name, x.host, x.header, smp)
	}
	return some, ctx.Err()
}

// peek returns the next sample of a recording, nil at its end.
func (j *joint) peek(x *recording) *sampling.Sample {
	for len(x.ahead) == 0 {
		b, more := <-x.batches
		switch {
		case !more:
			return nil
		case b.err == nil:
			x.header, x.ahead = b.header, b.samples
		case !errors.Is(b.err, context.Canceled): // Run says that
			j.report(x.name, b.err)
		}
	}
	return x.ahead[0]
}
