package remotewrite

import (
	"cmp"
	"time"
)

// This file has the metrics of a Sender itself.

// A selfMetric is a metric of the Sender.
type selfMetric struct {
	name  string // without the suffix
	kind  Kind
	help  string
	unit  string
	value func(*Stats) float64
}

func selfMetrics() []selfMetric {
	return []selfMetric{
		{"pmderive_push_samples_sent", Counter, "Samples that the database has taken", "", func(s *Stats) float64 { return float64(s.Sent) }},
		{"pmderive_push_samples_failed", Counter, "Samples that the database has refused, or that were damaged in the queue", "",
			func(s *Stats) float64 { return float64(s.Refused + s.Damaged) }},
		{"pmderive_push_samples_lost", Counter, "Samples that found no room in the queue", "", func(s *Stats) float64 { return float64(s.Lost) }},
		{"pmderive_push_requests_failed", Counter, "Attempts after which the request was to be sent again", "", func(s *Stats) float64 { return float64(s.Failures) }},
		{"pmderive_push_queue_samples", Gauge, "Samples in the queue that the database has not acknowledged", "", func(s *Stats) float64 { return float64(s.Waiting) }},
		{"pmderive_push_queue_bytes", Gauge, "Size of the files of the queue", "bytes", func(s *Stats) float64 { return float64(s.Bytes) }},
		{"pmderive_push_queue_limit_bytes", Gauge, "Size that the files of the queue may have", "bytes", func(s *Stats) float64 { return float64(s.Limit) }},
		{"pmderive_push_last_success_timestamp_seconds", Gauge, "Time of the last acknowledgement", "seconds", func(s *Stats) float64 { return float64(s.Success.UnixMilli()) / 1000 }},
	}
}

// suffix returns the end of the name of the series.
func (m *selfMetric) suffix() string {
	if m.kind == Counter {
		return "_total"
	}
	return ""
}

// putSelf adds a sample of each metric of the Sender, or ends their series.
func (s *Sender) putSelf(ms int64, end bool) {
	if s.opt.Self == nil || end && s.self == nil {
		return
	}
	if s.self == nil {
		for _, m := range selfMetrics() {
			list := append(append([]Label(nil), s.opt.Self...), s.opt.Labels...)
			labels := EncodeLabels(append(list, Label{Name: "__name__", Value: m.name + m.suffix()})...)
			s.self = append(s.self, sentSeries{Series{Labels: labels, Meta: &Metadata{Kind: m.kind, Name: m.name, Help: m.help, Unit: m.unit}}, ms - 1})
		}
	}
	ms = max(ms, s.self[0].ms+1)
	stats := s.opt.Queue.Stats()
	stats.Lost = s.Missing.NoRoom
	for i, m := range selfMetrics() {
		switch {
		case end:
			s.put(&s.self[i], ms, Stale())
		case m.unit != "seconds" || !stats.Success.IsZero():
			s.put(&s.self[i], ms, m.value(&stats))
		}
	}
}

// A rate measures the size of live rounds: the first ones are stored as they are, the others as differences to them.
type rate struct {
	at    time.Time // of the last round
	put   int64     // the size of all rounds
	whole int64     // the size of the first round
	told  bool
}

func (r *rate) note(s *Sender, now time.Time) {
	if r.told || s.opt.Rate == nil {
		return
	}
	before := *r
	r.at, r.put = now, s.opt.Queue.Stats().Put
	switch size := r.put - before.put; {
	case before.at.IsZero():
		r.whole = size
	case size > 0 && r.whole > 0:
		r.told = true
		s.opt.Rate(float64(size)+float64(r.whole)/(maxUses+1), cmp.Or(s.interval, now.Sub(before.at)))
	}
}
