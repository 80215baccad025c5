package samples

import (
	"io"
	"math"
	"testing"

	"pmtools/lib/pcp"
)

func TestOpenMetrics(t *testing.T) {
	counter := metric("disk.read", pcp.Uint64, indom)
	counter.Desc.Sem = pcp.Counter
	space := metric("mem * 2", pcp.Double, pcp.NullInDom)
	space.Desc.Units = pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}
	text := metric("os \"name\"", pcp.String, pcp.NullInDom)
	double := metric("mem_2", pcp.Double, pcp.NullInDom)
	double.Desc.Units = space.Desc.Units
	h := &Header{Metrics: []Metric{counter, space, text, double}}
	got := write(t, NewOpenMetrics, h, &Options{Precision: -1}, at(0,
		Set{Values: []Value{value(2, "b", 5), value(1, "a\\", 4), {ID: 3, Instance: "c", Value: pcp.Value{}}}},
		Set{Values: []Value{{ID: -1, Instance: "", Value: pcp.DoubleValue(1.5)}}},
		Set{Values: []Value{{ID: -1, Instance: "", Value: pcp.BlobValue(pcp.String, []byte("a\"\n"))}}},
		Set{Values: []Value{{ID: -1, Instance: "", Value: pcp.DoubleValue(math.Inf(-1))}}}))
	want := `# TYPE disk_read counter
# HELP disk_read disk.read (64-bit unsigned int, counter, no units, indom 60.2)
disk_read_total{instance="a\\"} 4 1700000000.000000000
disk_read_total{instance="b"} 5 1700000000.000000000
# TYPE mem_2_bytes gauge
# UNIT mem_2_bytes bytes
# HELP mem_2_bytes mem * 2 (double, instant, Kbyte)
mem_2_bytes 1536 1700000000.000000000
# TYPE os_name info
# HELP os_name os \"name\" (string, instant, no units)
os_name_info{value="a\"\n"} 1 1700000000.000000000
# TYPE mem_2_bytes_ gauge
# UNIT mem_2_bytes_ bytes
# HELP mem_2_bytes_ mem_2 (double, instant, Kbyte)
mem_2_bytes_ -Inf 1700000000.000000000
# EOF
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestOpenMetricsOnce: the format has one sample.
func TestOpenMetricsOnce(t *testing.T) {
	w, _ := NewOpenMetrics(io.Discard, &Header{}, &Options{})
	if err := w.Sample(at(0)); err != nil {
		t.Error(err)
	}
	if err := w.Sample(at(1)); err == nil {
		t.Error("a second sample is taken")
	}
}

func TestFamilyName(t *testing.T) {
	for _, tt := range []struct{ expr, want string }{
		{"disk.dev.read", "disk_dev_read"}, {"a + b * 2", "a_b_2"}, {"sum(a)", "sum_a"}, {"2 * a", "a"}, {"1", "value"}, {"é", "value"}, {"_x", "x"},
	} {
		if got := familyName(tt.expr); got != tt.want {
			t.Errorf("%q: %q", tt.expr, got)
		}
	}
}

func TestBaseUnit(t *testing.T) {
	for _, tt := range []struct {
		units, want string
		factor      float64
	}{
		{"byte", "bytes", 1}, {"Kbyte", "bytes", 1024}, {"Mbyte", "bytes", 1 << 20}, {"sec", "seconds", 1}, {"millisec", "seconds", 0.001}, {"hour", "seconds", 3600},
		{"Kbyte / sec", "bytes_per_second", 1024}, {"byte / min", "bytes_per_second", 1.0 / 60}, {"count", "", 1}, {"count / sec", "", 1}, {"", "", 1},
		{"byte / count", "", 1}, {"sec^2", "", 1},
	} {
		u, _, err := pcp.ParseUnits(tt.units)
		if got, f := baseUnit(u); err != nil || got != tt.want || f != tt.factor {
			t.Errorf("%q: %q %v, %v", tt.units, got, f, err)
		}
	}
}
