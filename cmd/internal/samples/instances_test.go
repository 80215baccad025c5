package samples

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// TestInstances: a line for each instance, and a column for each label, which metrics of several domains share.
func TestInstances(t *testing.T) {
	look := func(label string, places int) *sampling.Look {
		return &sampling.Look{Label: label, Precision: places, Unit: true, Rows: true}
	}
	h := &sampling.Header{Samples: -1, Metrics: []sampling.Metric{
		{Name: "all.busy", Desc: pcp.Desc{Type: pcp.Double, InDom: pcp.NullInDom}, Look: look("%busy", 1)},
		{Name: "cpu.busy", Desc: pcp.Desc{Type: pcp.Double, InDom: 1}, Look: look("%busy", 1)},
		{Name: "cpu.size", Desc: pcp.Desc{Type: pcp.Uint64, InDom: 1, Units: pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}}, Look: look("size", 0)},
		{Name: "cpu.name", Desc: pcp.Desc{Type: pcp.String, InDom: 1}, Look: look("name", 0)},
	}}
	value := func(id int32, v pcp.Value) sampling.Value {
		return sampling.Value{ID: id, Instance: fmt.Sprintf("cpu%d", id), Value: v}
	}
	first := &sampling.Sample{Sets: []sampling.Set{
		sampling.SetOf(sampling.Value{ID: -1, Value: pcp.DoubleValue(12.34)}),
		sampling.SetOf(value(0, pcp.DoubleValue(1)), value(1, pcp.DoubleValue(100))),
		sampling.SetOf(value(1, pcp.WordValue(pcp.Uint64, 1234567))),
		sampling.SetOf(value(0, pcp.BlobValue(pcp.String, []byte("one\x1b"))), value(1, pcp.BlobValue(pcp.String, []byte("two")))),
	}}
	later := &sampling.Sample{Sets: []sampling.Set{{}, sampling.SetOf(value(2, pcp.DoubleValue(5))), {}, {}}}
	write := func(width int) string {
		var b strings.Builder
		w, err := NewTable(&b, h, &Options{Precision: format.Readable, Width: width, People: People{Scale: true}})
		if err != nil {
			t.Fatal(err)
		}
		for _, smp := range []*sampling.Sample{first, later} {
			if err := w.Sample(context.Background(), smp); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	const want = `
1970-01-01 00:00:00 UTC    %busy     size  name
                                    Kbyte
all                         12.3        -  -
cpu0                         1.0        -  one
cpu1                       100.0  1234567  two
1970-01-01 00:00:00 UTC    %busy     size  name
                                    Kbyte
cpu2                         5.0        -  -
`
	if got := "\n" + write(0); got != want {
		t.Errorf("got%swant%s", got, want)
	}
	if got := write(30); !strings.HasPrefix(got, "1970-01-01 00:00:00 UTC\n       %busy    size name\n               Kbyte\nall     12.3") {
		t.Errorf("the time is wider than the names:\n%s", got)
	}
	narrow := write(18)
	for line := range strings.Lines(narrow) {
		if len(line) > 19 {
			t.Errorf("%q is wider than 18", line)
		}
	}
	if !strings.HasPrefix(narrow, "1 of 3 columns") || strings.Count(narrow, "of 3") != 1 {
		t.Errorf("narrow:\n%s", narrow)
	}
}

// TestShortened: a process that is cut keeps its number and the name of its program.
func TestShortened(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		width      int
	}{
		{"001055 /usr/sbin/NetworkManager --no-daemon", "001055 NetworkManager", 21},
		{"000007 (ksoftirqd/0)", "000007 (…irqd/0)", 16},
		{"000745 /usr/lib/systemd", "000745 /usr/lib/systemd", 30},
		{"/dev/mapper/rootvolume", "/dev/ma…tvolume", 15},
	} {
		if got := shortened(tt.name, tt.width); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestInstancesBegin: a recorded report begins with the first sample that has values.
func TestInstancesBegin(t *testing.T) {
	m := metric("read", pcp.Uint32, indom)
	m.Look = &sampling.Look{Label: "r/s", Rows: true}
	for live, want := range map[bool]int{false: 1, true: 2} {
		h := &sampling.Header{Metrics: []sampling.Metric{m}, Live: live, Samples: -1}
		out := write(t, NewTable, h, &Options{}, at(0, sampling.Set{}), at(1, sampling.SetOf(value(1, "sda", 1))))
		if n := strings.Count(out, "r/s"); n != want {
			t.Errorf("live %v: %d headers:\n%s", live, n, out)
		}
	}
}

// TestManyInstances writes 10,000 instances without a copy of all lines.
func TestManyInstances(t *testing.T) {
	var set sampling.Set
	for i := range int32(10_000) {
		set.Append(sampling.Value{ID: i, Instance: fmt.Sprintf("instance-%05d", i), Value: pcp.DoubleValue(float64(i))})
	}
	h := &sampling.Header{Samples: 1, Metrics: []sampling.Metric{{Name: "a", Desc: pcp.Desc{Type: pcp.Double, InDom: 1}, Look: &sampling.Look{Label: "x", Rows: true}}}}
	n := 0
	w, err := NewTable(writes(func(b []byte) { n += strings.Count(string(b), "\n") }), h, &Options{Precision: format.Readable})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Sample(context.Background(), &sampling.Sample{Sets: []sampling.Set{set}}); err != nil || n != 10_001 {
		t.Errorf("%d lines, error %v", n, err)
	}
}

type writes func(b []byte)

func (f writes) Write(b []byte) (int, error) {
	f(b)
	return len(b), nil
}
