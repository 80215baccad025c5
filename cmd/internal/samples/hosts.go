package samples

import (
	"context"
	"io"
	"slices"

	"pmtools/internal/textwidth"
	"pmtools/lib/sampling"
)

// absentText returns what stands in the place of the values of a host that has not answered.
func absentText(state sampling.HostState) string {
	switch state {
	case sampling.Late:
		return "late"
	case sampling.Lost:
		return "lost"
	}
	return ""
}

// A sideWriter writes the values of several hosts side by side: those of metrics without instances in a running table, with
// a column for each host below each metric. Metrics with instances, reports, and what does not fit the width have a line
// for each host or instance.
type sideWriter struct {
	w     io.Writer
	h     *sampling.Header
	opt   Options
	table *tableWriter    // of hosts as instances; nil if that does not fit
	lines *instanceWriter // instead
	smp   sampling.Sample // of hosts as instances
}

// hostTable returns the table of hosts as instances.
func (t *sideWriter) hostTable() (*tableWriter, error) {
	h := *t.h
	h.Hosts, h.Metrics = nil, slices.Clone(h.Metrics)
	for i := range h.Metrics {
		if m := &h.Metrics[i]; m.Look != nil || !m.Singular() {
			return nil, nil
		}
		h.Metrics[i].Desc.InDom = 0
	}
	w, err := NewTable(t.w, &h, &t.opt)
	table, _ := w.(*tableWriter)
	t.smp.Sets = make([]sampling.Set, len(h.Metrics))
	return table, err
}

// Sample implements Writer.
func (t *sideWriter) Sample(ctx context.Context, s *sampling.Sample) (err error) {
	if t.table == nil && t.lines == nil {
		if t.table, err = t.hostTable(); err != nil {
			return err
		}
		if t.table != nil {
			if _, err := t.table.choose(ctx, t.turned(s)); err != nil {
				return err
			}
			t.table.arrange()
			whole := t.table.whole()
			if t.table = nil; whole {
				t.table, _ = t.hostTable() // which has not seen the sample
			}
		}
	}
	if t.table != nil {
		return t.table.Sample(ctx, t.turned(s))
	}
	if t.lines == nil {
		t.lines = newInstances(t.w, t.h, &t.opt)
	}
	return t.lines.Sample(ctx, s)
}

// turned returns a sample whose instances are the hosts, all of them.
func (t *sideWriter) turned(s *sampling.Sample) *sampling.Sample {
	sets := t.smp.Sets
	t.smp = *s
	t.smp.Sets, t.smp.Ordered, t.table.absent = sets, true, nil
	for i, host := range t.h.Hosts {
		if text := absentText(s.Absent[host]); text != "" {
			if t.table.absent == nil {
				t.table.absent = make(map[int32]string)
			}
			t.table.absent[int32(i)] = text
		}
	}
	for i := range s.Sets {
		list := make([]sampling.Value, len(t.h.Hosts))
		for k, host := range t.h.Hosts {
			list[k] = sampling.Value{ID: int32(k), Instance: textwidth.Clean(host)}
		}
		for j := range s.Sets[i].Len() {
			v := s.Sets[i].At(j)
			if k := slices.Index(t.h.Hosts, v.Host); k >= 0 {
				list[k].Value = v.Value
			}
		}
		sets[i] = sampling.SetOf(list...)
	}
	return &t.smp
}

// Close implements Writer.
func (t *sideWriter) Close() error {
	if t.table != nil {
		return t.table.Close()
	}
	return nil
}
