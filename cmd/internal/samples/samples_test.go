package samples

import (
	"io"
	"math"
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

// TestAppendValue has the text of values for programs.
func TestAppendValue(t *testing.T) {
	neg := int64(-1)
	for _, tt := range []struct {
		v         pcp.Value
		precision int
		want      string
	}{
		{pcp.WordValue(pcp.Int32, uint64(neg)), -1, "-1"},
		{pcp.WordValue(pcp.Uint64, math.MaxUint64), -1, "18446744073709551615"},
		{pcp.WordValue(pcp.Uint64, 5), 3, "5"},
		{pcp.FloatValue(0.1), -1, "0.1"},
		{pcp.DoubleValue(1.0 / 3), -1, "0.3333333333333333"},
		{pcp.DoubleValue(1.0 / 3), 2, "0.33"},
		{pcp.DoubleValue(0), -1, "0"},
		{pcp.DoubleValue(1e20), -1, "100000000000000000000"},
		{pcp.DoubleValue(1e21), -1, "1e+21"},
		{pcp.DoubleValue(1e-6), -1, "0.000001"},
		{pcp.DoubleValue(-1e-7), -1, "-1e-07"},
		{pcp.DoubleValue(math.MaxFloat64), -1, "1.7976931348623157e+308"},
		{pcp.DoubleValue(math.NaN()), -1, "NaN"},
		{pcp.BlobValue(pcp.String, []byte("a \"b\"\x00\x00")), -1, `a "b"`},
		{pcp.BlobValue(pcp.Aggregate, []byte{0xde, 0xad, 0xbe, 0xef, 1}), -1, "[deadbeef01]"},
		{pcp.Value{}, -1, ""},
	} {
		if got := string(appendValue(nil, &sampling.Header{}, tt.v, tt.precision)); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.v, got, tt.want)
		}
	}
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
