package remotewrite

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

const (
	maxRequestSamples = 10_000
	maxRequestBytes   = 4 << 20 // before it is compressed
)

// SenderOptions say where a Sender puts its samples, and the labels of its series.
type SenderOptions struct {
	Queue  *Queue
	Hosts  *Hosts
	Labels []Label     // of all series
	Live   bool        // the samples come as time goes by
	Warn   func(error) // gets each problem the first time
}

// A Sender makes series of the values of metrics, and puts their samples into a queue: live samples at
// once, and without room they are lost; recorded ones wait for it. After Begin it is a
// [sampling.Writer]. It is used by one goroutine.
//
// A live Sender tells with a series up whether each host answers, and ends series with stale markers:
// those of an instance or metric that its host does not have any more, those of a host that is lost or gone, and all of them in End.
type Sender struct {
	Missing Missing

	ctx     context.Context // of the run: nothing waits for room after its end
	opt     SenderOptions
	hosts   bool // there are several; Round is called after each Sample
	metrics []sentMetric
	targets map[string]*target
	ahead   *target // whose clock was ahead of the others in the last round
	request Request
	begun   int64     // the time of its first sample
	slots   int       // the requests of this round so far
	round   int       // the number of samples or, of several hosts, rounds
	next    time.Time // when metrics are described again
	doubles format.Doubles
	waiting []sampling.Value   // of a set, those that take up the series of others if these have no value in the set
	ups     map[Labels]*target // whose series up it is
	warned  map[string]bool
	full    bool // the queue has no room, which has been reported
	err     error
}

type sentMetric struct {
	sampling.Metric
	family format.Family
	meta   *Metadata
	hosts  map[string]*hostSeries
	owners map[Labels]*series // of all hosts
}

type hostSeries struct {
	round int   // the last one with values
	last  int64 // the time of the last value
	list  map[seriesKey]*series
}

type seriesKey struct {
	id         int32
	name, text string
}

// A series belongs to the instance that comes first with its labels. Those of others are doubles, which are not sent.
type series struct {
	sentSeries
	host   *hostSeries
	key    seriesKey
	of     *series // of a double, the series with its labels
	shared bool    // it has had doubles
	ended  bool
	value  float64
	round  int // the round of the last value
}

// NewSender returns a Sender, which waits for room until ctx ends.
func NewSender(ctx context.Context, opt *SenderOptions) *Sender {
	return &Sender{ctx: ctx, opt: *opt, targets: make(map[string]*target), ups: make(map[Labels]*target), warned: make(map[string]bool)}
}

// Begin makes the Sender take the samples that h describes.
func (s *Sender) Begin(h *sampling.Header) {
	s.hosts = h.Hosts != nil
	var families format.Families
	if s.opt.Live { // a metric called up is not the series up
		families.Family("up", &pcp.Desc{Type: pcp.Double})
	}
	for _, m := range h.Metrics {
		family := families.Family(m.Name, &m.Desc)
		meta := &Metadata{Kind: kinds[family.Kind], Name: family.Name, Help: format.OpenMetricsHelp(m.Name, &m.Desc)}
		if meta.Kind != Info {
			meta.Unit = family.Unit
		}
		s.metrics = append(s.metrics, sentMetric{m, family, meta, make(map[string]*hostSeries), make(map[Labels]*series)})
	}
}

// Sample implements sampling.Writer. It does not ask the context: all values of a sample are sent.
func (s *Sender) Sample(_ context.Context, smp *sampling.Sample) error {
	now := time.Now()
	for i := range smp.Sets {
		set := &smp.Sets[i]
		if set.Err != nil {
			s.fail(i, set.Err)
			continue
		}
		for j := range set.Len() {
			v := set.At(j)
			v.Time = cmp.Or(v.Time, smp.Time)
			if !s.add(i, &v, false) {
				s.waiting = append(s.waiting, v)
			}
			if s.opt.Live && (j == 0 || v.Host != set.At(j-1).Host) {
				s.target(v.Host).answered(v.Time.Time().UnixMilli(), now)
			}
		}
		for j := range s.waiting {
			s.add(i, &s.waiting[j], true)
		}
		s.waiting = s.waiting[:0]
		s.endMetric(i)
	}
	switch {
	case !s.opt.Live:
		s.round++
	case !s.hosts:
		s.target("").answered(smp.Time.Time().UnixMilli(), now)
		return s.Round()
	}
	return s.err
}

func (s *Sender) fail(metric int, err error) {
	name := s.metrics[metric].Name
	s.warn(name, fmt.Errorf("%s: %w", name, err))
}

// warn reports a problem, the first time, and makes the run fail.
func (s *Sender) warn(key string, err error) {
	s.Missing.Failed = true
	if !s.warned[key] {
		s.warned[key] = true
		s.opt.Warn(err)
	}
}

// add adds a value. The result is false, unless all others of the set have been added, if its series is that of another instance of the
// host, which has no value in this round so far: it may have a new number, or be gone.
func (s *Sender) add(metric int, v *sampling.Value, all bool) bool {
	m := &s.metrics[metric]
	if !v.Value.IsSet() || !m.sendable() || s.err != nil {
		return true
	}
	number, text, err := m.number(v.Value)
	if err != nil {
		s.fail(metric, err)
		return true
	}
	h := m.hosts[v.Host]
	if h == nil {
		h = &hostSeries{list: make(map[seriesKey]*series)}
		m.hosts[v.Host] = h
	}
	ms, key := v.Time.Time().UnixMilli(), seriesKey{v.ID, v.Instance, text}
	x := h.list[key]
	if x == nil {
		if x = s.begin(m, v, h, key, all); x == nil {
			return false
		}
		h.list[key] = x
	}
	h.round, x.round = s.round, s.round
	h.last = max(h.last, ms)
	if x.of != nil && !s.claim(m, x) {
		s.Missing.Doubles++
		return true
	}
	if ms <= x.ms {
		s.Missing.Unordered++
		if s.opt.Live && ms < x.ms {
			s.backwards(v.Host, time.Duration(x.ms-ms)*time.Millisecond)
		}
		return true
	}
	if m.meta.Kind == Counter && number < x.value {
		s.restarted(x)
	}
	x.value = number
	s.put(&x.sentSeries, ms, number)
	return true
}

// begin returns the series of an instance that has had none: a new one, that of another instance without a value in this round, or a
// double. Before all values of the set have been added it is nil if there may be one for that instance.
func (s *Sender) begin(m *sentMetric, v *sampling.Value, h *hostSeries, key seriesKey, all bool) *series {
	labels := s.labels(m, v, key.text)
	other := m.owners[labels]
	if other != nil && other.host == h && other.round != s.round && !other.shared {
		if !all {
			return nil
		}
		delete(h.list, other.key)
		other.key = key
		return other
	}
	x := &series{sentSeries: sentSeries{Series{Labels: labels, Meta: m.meta}, v.Time.Time().UnixMilli() - 1}, host: h, key: key, of: other} // any time is later
	if t := s.targets[v.Host]; t != nil {
		x.ms = max(x.ms, t.ended)
	}
	if other == nil {
		m.owners[labels] = x
	} else {
		other.shared = true
		s.doubles.Add(m.Name, v.Instance, v.Host)
	}
	return x
}

// claim reports whether a double may go on with its series, because that of the others has ended.
func (s *Sender) claim(m *sentMetric, x *series) bool {
	if !x.of.ended {
		return false
	}
	if other := m.owners[x.Labels]; other != nil {
		x.of, other.shared = other, true
		return false
	}
	x.ms, x.of = max(x.ms, x.of.ms), nil
	m.owners[x.Labels] = x
	return true
}

// restarted notes that a counter has begun again after its last value. Its samples before and after are in different requests, which
// have one such time for a series; if there are too few for a request, the time is not noted.
func (s *Sender) restarted(x *series) {
	if s.request.Has(&x.Series) {
		if s.request.Samples < maxRequestSamples/2 {
			return
		}
		s.flush()
	}
	x.Created = x.ms + 1
}

func (s *Sender) backwards(host string, by time.Duration) {
	if host != "" {
		host += ": "
	}
	s.warn("", fmt.Errorf("%sthe time has gone back by %v; values are left out until it has caught up", host, by)) // no metric is called ""
}

func (m *sentMetric) sendable() bool { return m.Desc.Type.Arithmetic() || m.Desc.Type == pcp.String }

// number returns a value in the base unit. A string is 1, and its text a label.
func (m *sentMetric) number(v pcp.Value) (f float64, text string, err error) {
	if v.Type() == pcp.String {
		return 1, strings.TrimRight(string(v.Bytes()), "\x00"), nil
	}
	f, err = v.Float64()
	return m.family.Scale(f), "", err
}

func (s *Sender) labels(m *sentMetric, v *sampling.Value, text string) Labels {
	list := s.opt.Hosts.labels(v.Host, m.Name, m.Desc.InDom, v.ID)
	if d := m.Desc.InDom; d != pcp.NullInDom {
		list = append(list, Label{Name: "indom", Value: d.String()}, Label{Name: "instance", Value: v.Instance})
	}
	for i, value := range pcp.GroupValues(v.Instance, len(m.Labels)) { // they replace those of the host
		list = append(list, Label{Name: LabelName(m.Labels[i]), Value: value})
	}
	if m.Desc.Type == pcp.String {
		list = append(list, Label{Name: "value", Value: text})
	}
	list = append(list, s.opt.Labels...)
	return EncodeLabels(append(list, Label{Name: "__name__", Value: m.family.Name + m.family.Suffix})...)
}

// endMetric ends the recorded series without a value, if other series of their host have values in the record. The end of a live
// round does it for all metrics of a host.
func (s *Sender) endMetric(metric int) {
	m := &s.metrics[metric]
	if !m.sendable() {
		s.fail(metric, fmt.Errorf("a value of type %v is neither a number nor a string, and is not sent", m.Desc.Type))
	}
	for _, h := range m.hosts {
		if h.round == s.round && !s.opt.Live {
			s.endSeries(m, h, h.last)
		}
	}
}

// endSeries ends the series that have no value in this round, and reports whether there are some.
func (s *Sender) endSeries(m *sentMetric, h *hostSeries, ms int64) (ended bool) {
	for _, x := range h.list {
		if x.round != s.round {
			ended = true
			s.endOne(m, x, ms)
		}
	}
	return ended
}

// endOne ends a series at a time, if that is later than its last sample.
func (s *Sender) endOne(m *sentMetric, x *series, ms int64) {
	delete(x.host.list, x.key)
	if x.of != nil {
		return
	}
	s.put(&x.sentSeries, ms, Stale())
	x.ended = true
	delete(m.owners, x.Labels)
}

// Close puts the last samples into the queue, and reports the series that have been left out. It does not end the series: another
// run may go on with them.
func (s *Sender) Close() error {
	s.flush()
	if err := s.doubles.Err(); err != nil {
		s.opt.Warn(err)
		s.doubles = format.Doubles{}
	}
	return s.err
}

// put adds a sample, unless it is not later than the one before in its series. A batch never has two live samples of a series: the end of a
// round ends it.
func (s *Sender) put(x *sentSeries, ms int64, value float64) {
	if ms <= x.ms {
		return
	}
	x.ms = ms
	if s.request.Samples == 0 {
		s.begun = ms
	} else if s.isFull(ms) {
		s.flush()
		s.begun = ms
	}
	if s.request.Samples == 0 {
		s.describe()
	}
	s.request.Add(&x.Series, ms, value)
}

// isFull reports whether the samples so far are enough for a batch: for as many requests as can be sent at the same time, or one
// if all samples are of one series, or are far apart. A server may refuse samples that are much older than those of another
// request that overtakes theirs.
func (s *Sender) isFull(ms int64) bool {
	n := s.parts()
	return n >= min(parallel, s.request.Series()) || n >= 1 && (ms-s.begun > maxSpan || s.begun-ms > maxSpan)
}

// parts returns for how many requests there are samples.
func (s *Sender) parts() int {
	return max(s.request.Samples/maxRequestSamples, s.request.Len()/maxRequestBytes)
}

// maxSpan is the time in milliseconds between samples of requests that are sent at once: half of what Prometheus allows.
const maxSpan = 30 * 60 * 1000

// describe makes the first request have the metadata, and of live values one each minute: databases may have
// been started since.
func (s *Sender) describe() {
	if !s.next.IsZero() && (!s.opt.Live || time.Now().Before(s.next)) {
		return
	}
	s.next = time.Now().Add(time.Minute)
	s.request.Describe = true
}

// kinds are those of families in OpenMetrics.
var kinds = map[string]Kind{"counter": Counter, "gauge": Gauge, "info": Info}

func (s *Sender) flush() {
	if s.request.Samples == 0 || s.err != nil {
		return
	}
	blocks := s.request.Split(min(max(s.parts(), 1), parallel))
	for i := range blocks {
		b := &blocks[i]
		b.slot = s.slots
		s.slots++
		if b.Alike = s.opt.Live; b.Alike {
			s.putLive(b)
		} else if s.err = s.opt.Queue.PutWait(s.ctx, b); s.err != nil {
			s.left(blocks[i:])
			break
		}
	}
	s.request.Reset()
}

// left counts samples that have not been put into the queue.
func (s *Sender) left(blocks []Block) {
	for i := range blocks {
		if s.ctx.Err() != nil {
			s.Missing.Interrupted += blocks[i].Samples
		} else {
			s.Missing.NoRoom += blocks[i].Samples
		}
	}
}

func (s *Sender) putLive(b *Block) {
	err := s.opt.Queue.Put(b)
	if err != nil {
		s.Missing.NoRoom += b.Samples
		if !s.full {
			s.opt.Warn(fmt.Errorf("%w; values are lost until there is room", err))
		}
	}
	s.full = err != nil
}
