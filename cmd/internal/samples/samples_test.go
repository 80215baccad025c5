package samples

import (
	"io"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
	_ "pmtools/test/env"
)

// indom is the instance domain of the metrics of the tests.
var indom = pcp.NewInDom(60, 2)

// metric returns a metric whose values are of no instance, or of the instances of indom.
func metric(name string, t pcp.Type, d pcp.InDom) sampling.Metric {
	return sampling.Metric{Name: name, Desc: pcp.Desc{Type: t, InDom: d, Sem: pcp.Instant}}
}

// value returns an unsigned value of an instance.
func value(id int32, name string, n uint64) sampling.Value {
	return sampling.Value{ID: id, Instance: name, Value: pcp.WordValue(pcp.Uint32, n)}
}

// at returns a sample; its time is some seconds after an hour.
func at(sec int64, sets ...sampling.Set) *sampling.Sample {
	return &sampling.Sample{Time: pcp.Timestamp{Sec: 1700000000 + sec}, Sets: sets}
}

// write returns what a Writer writes of samples.
func write(t *testing.T, open func(io.Writer, *sampling.Header, *Options) (sampling.Writer, error), h *sampling.Header, opt *Options, list ...*sampling.Sample) string {
	t.Helper()
	var b strings.Builder
	w, err := open(&b, h, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if err := w.Sample(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestAppendTime has times in their zone, with the digits that they have.
func TestAppendTime(t *testing.T) {
	ts := pcp.Timestamp{Sec: 1000000000, Nsec: 250000000}
	for zone, want := range map[*time.Location]string{nil: "2001-09-09T01:46:40.25Z", time.FixedZone("EST", -5*3600): "2001-09-08T20:46:40.25-05:00"} {
		if got := string(appendTime(nil, &sampling.Header{Zone: zone}, ts)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
