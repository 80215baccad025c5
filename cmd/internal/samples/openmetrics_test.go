package samples

import (
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

func TestOpenMetrics(t *testing.T) {
	counter := metric("disk.read", pcp.Uint64, indom)
	counter.Desc.Sem = pcp.Counter
	space := metric("mem * 2", pcp.Double, pcp.NullInDom)
	space.Desc.Units = pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}
	text := metric("os \"name\"", pcp.String, pcp.NullInDom)
	double := metric("mem_2", pcp.Double, pcp.NullInDom)
	double.Desc.Units = space.Desc.Units
	busy := metric("busy", pcp.Uint64, pcp.NullInDom)
	busy.Desc.Units = pcp.Units{DimTime: 1, ScaleTime: pcp.Msec}
	h := &sampling.Header{Metrics: []sampling.Metric{counter, space, text, double, busy}}
	got := write(t, NewOpenMetrics, h, &Options{Precision: -1}, at(0,
		sampling.SetOf(value(2, "b", 5), value(1, "a\\", 4), sampling.Value{ID: 3, Instance: "c", Value: pcp.Value{}}),
		sampling.SetOf(sampling.Value{ID: -1, Instance: "", Value: pcp.DoubleValue(1.5)}),
		sampling.SetOf(sampling.Value{ID: -1, Instance: "", Value: pcp.BlobValue(pcp.String, []byte("a\"\n"))}),
		sampling.SetOf(sampling.Value{ID: -1, Instance: "", Value: pcp.DoubleValue(math.Inf(-1))}),
		sampling.SetOf(value(-1, "", 515863861))))
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
# TYPE busy_seconds gauge
# UNIT busy_seconds seconds
# HELP busy_seconds busy (64-bit unsigned int, instant, millisec)
busy_seconds 515863.861 1700000000.000000000
# EOF
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestOpenMetricsOnce: the format has one sample.
func TestOpenMetricsOnce(t *testing.T) {
	w, _ := NewOpenMetrics(io.Discard, &sampling.Header{}, &Options{})
	if err := w.Sample(context.Background(), at(0)); err != nil {
		t.Error(err)
	}
	if err := w.Sample(context.Background(), at(1)); err == nil {
		t.Error("a second sample is taken")
	}
}

// TestOpenMetricsDoubles: of values with the same labels the first is written, and Close names the others.
func TestOpenMetricsDoubles(t *testing.T) {
	text := metric("s", pcp.String, indom)
	of := func(id int32, name, host string) sampling.Value {
		v := value(id, name, 1)
		v.Host = host
		return v
	}
	h := &sampling.Header{Hosts: []string{"a", "b"}, Metrics: []sampling.Metric{metric("x", pcp.Uint64, indom), text}}
	var out strings.Builder
	w, err := NewOpenMetrics(&out, h, &Options{Precision: -1})
	if err != nil {
		t.Fatal(err)
	}
	smp := at(0, sampling.SetOf(of(1, "\xff", "a"), of(2, "\xfe", "a"), of(3, "\xfe", "b"), of(4, "\xfe", "\xff"), of(5, "\xff", "\xfe")),
		sampling.SetOf(sampling.Value{ID: 1, Instance: "i", Value: pcp.BlobValue(pcp.String, []byte("\xff"))}, sampling.Value{ID: 2, Instance: "j", Value: pcp.BlobValue(pcp.String, []byte("\xff"))}))
	if err := w.Sample(t.Context(), smp); err != nil {
		t.Fatal(err)
	}
	want := `left out, as other series have the same name and labels: x["\xfe"] of "a", x["\xff"] of "\xfe"`
	if err := w.Close(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if n := strings.Count(out.String(), " 1 1700000000"); n != 5 {
		t.Errorf("%d samples are written:\n%s", n, &out)
	}
}
