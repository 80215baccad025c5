package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// A mix puts the samples of several hosts at one time together: in the places and the units of the metrics of the first
// host that has some.
type mix struct {
	stream *Stream // whose Header the first sample makes
	sel    *Selection
	across *across // nil leaves the hosts apart
	// begin changes the Header, a copy of that of the first host, to that of all of them.
	begin    func(h *sampling.Header)
	complain func(host string, err error)

	smp     sampling.Sample
	metrics []sampling.Metric // of the Header, of which a consumer may drop some
	places  map[string]placed // by host
}

// A placed is where the metrics of a Header are in that of all hosts, -1 for those that it does not have.
type placed struct {
	own *sampling.Header
	at  []int
}

// add adds the sample of a host, whose values have a name.
func (m *mix) add(host, name string, own *sampling.Header, smp *sampling.Sample) {
	if m.stream.Header == nil {
		h := *own
		h.Metrics = slices.Clone(own.Metrics)
		if m.begin(&h); m.across != nil {
			m.across.describe(&h)
		}
		m.smp.Sets = make([]sampling.Set, len(h.Metrics))
		m.stream.Header, m.metrics, m.places = &h, h.Metrics, make(map[string]placed)
	}
	if m.smp.Time.Compare(smp.Time) < 0 {
		m.smp.Time = smp.Time
	}
	places := m.places[host]
	if places.own != own {
		var err error
		places.own = own
		if places.at, err = placesIn(m.metrics, own); err != nil {
			m.complain(host, err)
		}
		m.places[host] = places
	}
	for i, at := range places.at {
		if at < 0 {
			continue
		}
		set, to := &smp.Sets[i], &m.metrics[at]
		if set.Err != nil {
			m.complain(host, fmt.Errorf("%s: %w", to.Name, set.Err))
			continue
		}
		from, units := own.Metrics[i].Desc.Units, to.Desc.Units
		if m.across != nil && !m.across.units {
			units = from
		}
		appendIn(&m.smp.Sets[at], set, from, units, name, smp.Time)
	}
}

// end returns the sample of all hosts that have been added. The caller calls next before it adds others.
func (m *mix) end(ctx context.Context) (*sampling.Sample, error) {
	m.smp.Ordered = true
	if m.across != nil {
		if err := m.across.apply(ctx, &m.smp); err != nil {
			return nil, err
		}
	}
	return &m.smp, m.sel.arrange(ctx, &m.smp)
}

// next begins another sample.
func (m *mix) next() {
	for i := range m.smp.Sets {
		m.smp.Sets[i].Clear()
	}
	m.smp.Time = pcp.Timestamp{}
}

// placesIn returns where the metrics of a Header are among those of the first host, most probably at the same places, and
// -1 for those that it does not have, which the error names.
func placesIn(first []sampling.Metric, own *sampling.Header) (places []int, err error) {
	var others []string
	for i := range own.Metrics {
		name, at := own.Metrics[i].Name, i
		if at >= len(first) || first[at].Name != name {
			at = slices.IndexFunc(first, func(m sampling.Metric) bool { return m.Name == name })
		}
		if places = append(places, at); at < 0 {
			others = append(others, name)
		}
	}
	if others != nil {
		err = fmt.Errorf("left out, as the first host does not have it: %s", strings.Join(others, ", "))
	}
	return places, err
}

// appendIn appends the values of a host at a time to a set, in other units than they have. Those that cannot be
// converted are unknown.
func appendIn(dst, src *sampling.Set, from, to pcp.Units, host string, at pcp.Timestamp) {
	for i := range src.Len() {
		v := src.At(i)
		v.Host, v.Time = host, at
		if from != to {
			v.Value, _ = v.Value.ConvScale(from, to) // beside an error it is not set
		}
		dst.Append(v)
	}
}
