package remotewrite

import (
	"slices"
	"time"

	"pmtools/lib/sampling"
)

// A target is a host of a live run: the series up tells whether it answers, and when it is lost all its series end.
type target struct {
	state sampling.HostState
	heard bool      // in this round
	lost  bool      // its series have ended
	last  int64     // the time of its last answer in milliseconds, by its own clock
	at    time.Time // the same by ours
	ended int64     // the time of the last stale markers; later series begin after it
	up    upSeries
}

// An upSeries is a series up, whose label host changes when the host first tells its name.
type upSeries struct {
	sentSeries
	name   string
	double bool // another host has its labels
}

// target returns the target of a host.
func (s *Sender) target(host string) *target {
	t := s.targets[host]
	if t == nil {
		t = &target{}
		s.targets[host] = t
	}
	return t
}

// now returns the time in milliseconds that the clock of a host that has answered shows.
func (t *target) now(now time.Time) int64 { return t.last + now.Sub(t.at).Milliseconds() }

// clock returns the time in milliseconds that the clock of a host shows; if it has never answered, or is nil, that of the host that was
// ahead of the others in the last round, or else ours. A database refuses samples that are much older than others, and our clock may
// differ from all.
func (s *Sender) clock(t *target, now time.Time) int64 {
	switch {
	case t != nil && !t.at.IsZero():
		return t.now(now)
	case s.ahead != nil:
		return s.ahead.now(now)
	}
	return now.UnixMilli()
}

// findAhead finds the host whose clock is ahead of the others.
func (s *Sender) findAhead(now time.Time) {
	s.ahead = nil
	for _, t := range s.targets {
		if !t.at.IsZero() && (s.ahead == nil || t.now(now) > s.ahead.now(now)) {
			s.ahead = t
		}
	}
}

// answered notes a value of the host.
func (t *target) answered(ms int64, now time.Time) {
	if ms > t.last || t.at.IsZero() {
		t.last, t.at = ms, now
	}
	t.state, t.heard, t.lost = sampling.Answered, true, false
}

// Heard notes the state of a host in the round that Round ends.
func (s *Sender) Heard(host string, state sampling.HostState) {
	t := s.target(host)
	t.state, t.heard = state, true
	t.lost = t.lost && state != sampling.Answered
}

// Round ends a round of a live run, in which any number of hosts may have answered: series without a value of hosts that have
// answered end, and so do those of hosts that are lost. The series up get a sample.
func (s *Sender) Round() error {
	now := time.Now()
	s.findAhead(now)
	for _, host := range sortedKeys(s.targets) {
		t := s.targets[host]
		switch {
		case !t.heard:
			continue
		case t.state == sampling.Answered:
			s.endMissing(host, t)
		case t.state == sampling.Lost && !t.lost:
			s.endHost(host, t, now)
		}
		s.putUp(host, t, s.clock(t, now), up(t.state))
		t.heard = false
	}
	s.round++
	s.flush()
	s.slots = 0
	return s.err
}

// Gone ends the series of a host that does not belong to the run any more.
func (s *Sender) Gone(host string) {
	if t := s.targets[host]; t != nil {
		s.endTarget(host, t, time.Now())
		delete(s.targets, host)
		s.flush()
	}
	for i := range s.metrics {
		delete(s.metrics[i].hosts, host)
	}
	s.opt.Hosts.forget(host)
}

// endTarget ends all series of a host, up too.
func (s *Sender) endTarget(host string, t *target, now time.Time) {
	if !t.lost {
		s.endHost(host, t, now)
	}
	s.endUp(t, s.clock(t, now))
}

// End ends all series of a live run.
func (s *Sender) End() error {
	now := time.Now()
	s.findAhead(now)
	for _, host := range sortedKeys(s.targets) {
		s.endTarget(host, s.targets[host], now)
	}
	s.flush()
	return s.err
}

// endHost ends the series of the metrics of a host.
func (s *Sender) endHost(host string, t *target, now time.Time) {
	t.lost = true
	ms := s.clock(t, now)
	for i := range s.metrics {
		m := &s.metrics[i]
		if h := m.hosts[host]; h != nil {
			for _, x := range h.list {
				at := max(ms, x.ms+1)
				s.endOne(m, x, at)
				t.ended = max(t.ended, at)
			}
		}
	}
}

// endMissing ends the series of a host that have no value in this round. One that comes back begins after that, also if the clock of
// the host has gone back meanwhile.
func (s *Sender) endMissing(host string, t *target) {
	for i := range s.metrics {
		if h := s.metrics[i].hosts[host]; h != nil && s.endSeries(&s.metrics[i], h, t.last) {
			t.ended = max(t.ended, t.last)
		}
	}
}

func (s *Sender) putUp(host string, t *target, ms int64, value float64) {
	if name := s.opt.Hosts.name(host); t.up.Labels == "" || t.up.name != name {
		s.endUp(t, ms)
		t.up = upSeries{sentSeries{Series{Labels: s.upLabels(host), Meta: upMeta}, ms - 1}, name, false}
	}
	switch owner := s.ups[t.up.Labels]; {
	case owner == nil:
		s.ups[t.up.Labels] = t
	case owner != t:
		if s.Missing.Doubles++; !t.up.double {
			t.up.double = true
			s.doubles.Add("up", "", host)
		}
		return
	}
	s.put(&t.up.sentSeries, ms, value)
}

func (s *Sender) endUp(t *target, ms int64) {
	if t.up.Labels != "" && s.ups[t.up.Labels] == t {
		s.put(&t.up.sentSeries, max(ms, t.up.ms+1), Stale())
		delete(s.ups, t.up.Labels)
	}
	t.up.Labels = ""
}

var upMeta = &Metadata{Kind: Gauge, Name: "up", Help: "1 if the host has answered in time, else 0"}

func (s *Sender) upLabels(host string) Labels {
	list := append(s.opt.Hosts.own(host), s.opt.Labels...)
	return EncodeLabels(append(list, Label{Name: "__name__", Value: "up"})...)
}

func up(state sampling.HostState) float64 {
	if state == sampling.Answered {
		return 1
	}
	return 0
}

func sortedKeys[V any](m map[string]V) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}
