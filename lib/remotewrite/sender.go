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

// SenderOptions are the queue that a Sender fills, and the labels of its series.
type SenderOptions struct {
	Queue  *Queue
	Hosts  *Hosts
	Labels []Label     // of all series
	Warn   func(error) // gets each problem the first time
}

// A Sender is a [sampling.Writer] that makes series of the values of metrics, and puts their samples
// into a queue: live samples at once, and without room they are lost; recorded ones wait for it. It is
// used by one goroutine.
type Sender struct {
	Missing Missing

	ctx     context.Context // of the run: nothing waits for room after its end
	opt     SenderOptions
	live    bool
	metrics []sentMetric
	request Request
	round   int       // the number of calls of endMetric
	next    time.Time // when metrics are described again
	warned  map[string]bool
	full    bool // the queue has no room, which has been reported
	err     error
}

type sentMetric struct {
	sampling.Metric
	family format.Family
	hosts  map[string]*hostSeries
}

type hostSeries struct {
	round int // the last one with values
	list  map[seriesKey]*series
}

type seriesKey struct {
	id         int32
	name, text string
}

type series struct {
	labels Labels
	ms     int64 // the time of the last sample
	round  int   // the round of the last value
}

// NewSender returns a Sender for the samples that h describes, which waits for room until ctx ends.
func NewSender(ctx context.Context, h *sampling.Header, opt *SenderOptions) *Sender {
	s := &Sender{ctx: ctx, opt: *opt, live: h.Live, warned: make(map[string]bool)}
	var families format.Families
	for _, m := range h.Metrics {
		s.metrics = append(s.metrics, sentMetric{m, families.Family(m.Name, &m.Desc), make(map[string]*hostSeries)})
	}
	return s
}

// Sample implements sampling.Writer. It does not ask the context: all values of a sample are sent.
func (s *Sender) Sample(_ context.Context, smp *sampling.Sample) error {
	for i := range smp.Sets {
		set := &smp.Sets[i]
		if set.Err != nil {
			s.fail(i, set.Err)
			continue
		}
		for j := range set.Len() {
			v := set.At(j)
			v.Time = cmp.Or(v.Time, smp.Time)
			s.add(i, &v)
		}
		s.endMetric(i)
	}
	if s.live {
		s.flush()
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

func (s *Sender) add(metric int, v *sampling.Value) {
	m := &s.metrics[metric]
	if !v.Value.IsSet() || !m.sendable() || s.err != nil {
		return
	}
	number, text, err := m.number(v.Value)
	if err != nil {
		s.fail(metric, err)
		return
	}
	h := m.hosts[v.Host]
	if h == nil {
		h = &hostSeries{list: make(map[seriesKey]*series)}
		m.hosts[v.Host] = h
	}
	ms, key := v.Time.Time().UnixMilli(), seriesKey{v.ID, v.Instance, text}
	x := h.list[key]
	if x == nil {
		x = &series{labels: s.labels(m, v, text), ms: ms - 1} // any time is later
		h.list[key] = x
	}
	h.round, x.round = s.round, s.round
	if ms <= x.ms {
		s.Missing.Unordered++
		if s.live && ms < x.ms {
			s.backwards(v.Host, time.Duration(x.ms-ms)*time.Millisecond)
		}
		return
	}
	x.ms = ms
	s.put(x.labels, ms, number)
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
	if m.Desc.Type == pcp.String {
		list = append(list, Label{Name: "value", Value: text})
	}
	list = append(list, s.opt.Labels...)
	return EncodeLabels(append(list, Label{Name: "__name__", Value: m.family.Name + m.family.Suffix})...)
}

// endMetric ends the series without a value, if other series of their host have values.
func (s *Sender) endMetric(metric int) {
	m := &s.metrics[metric]
	if !m.sendable() {
		s.fail(metric, fmt.Errorf("a value of type %v is neither a number nor a string, and is not sent", m.Desc.Type))
	}
	for _, h := range m.hosts {
		if h.round == s.round {
			s.endSeries(h)
		}
	}
	s.round++
}

func (s *Sender) endSeries(h *hostSeries) {
	var ms int64
	for _, x := range h.list {
		ms = max(ms, x.ms)
	}
	for key, x := range h.list {
		if x.round == s.round {
			continue
		}
		if ms > x.ms {
			s.put(x.labels, ms, Stale())
		}
		delete(h.list, key)
	}
}

// Close puts the last samples into the queue.
func (s *Sender) Close() error {
	s.flush()
	return s.err
}

// put begins a new request if the last one is large. A request never has two live samples of a series: the
// end of a sample ends it.
func (s *Sender) put(labels Labels, ms int64, value float64) {
	if s.request.Samples >= maxRequestSamples || s.request.Len() >= maxRequestBytes {
		s.flush()
	}
	if s.request.Samples == 0 {
		s.describe()
	}
	s.request.Add(labels, ms, value)
}

// describe adds metadata to the first request, and for live values to one each minute: databases may have
// been started since.
func (s *Sender) describe() {
	if !s.next.IsZero() && (!s.live || time.Now().Before(s.next)) {
		return
	}
	s.next = time.Now().Add(time.Minute)
	for i := range s.metrics {
		m := &s.metrics[i]
		meta := Metadata{Kind: kinds[m.family.Kind], Name: m.family.Name, Help: format.OpenMetricsHelp(m.Name, &m.Desc)}
		if meta.Kind != Info {
			meta.Unit = m.family.Unit
		}
		s.request.Describe(&meta)
	}
}

var kinds = map[string]Kind{"counter": Counter, "gauge": Gauge, "info": Info}

func (s *Sender) flush() {
	n := s.request.Samples
	if n == 0 || s.err != nil {
		return
	}
	body := s.request.Take()
	if !s.live {
		if s.err = s.opt.Queue.PutWait(s.ctx, body, n); s.err != nil && s.ctx.Err() != nil {
			s.Missing.Interrupted += n
		} else if s.err != nil {
			s.Missing.NoRoom += n
		}
		return
	}
	err := s.opt.Queue.Put(body, n)
	if err != nil {
		s.Missing.NoRoom += n
		if !s.full {
			s.opt.Warn(fmt.Errorf("%w; values are lost until there is room", err))
		}
	}
	s.full = err != nil
}
