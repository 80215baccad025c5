package samples

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

func TestTable(t *testing.T) {
	rate := metric("disk", pcp.Double, indom)
	rate.Counter = &pcp.Desc{Type: pcp.Uint64, InDom: indom, Sem: pcp.Counter}
	h := &sampling.Header{Metrics: []sampling.Metric{metric("s", pcp.String, pcp.NullInDom), rate}}
	got := write(t, NewTable, h, &Options{Precision: 1},
		at(0, sampling.Set{}, sampling.Set{}),
		at(1, sampling.Set{}, sampling.SetOf(sampling.Value{ID: 7, Instance: "b", Value: pcp.DoubleValue(1.25)}, sampling.Value{ID: 3, Instance: "a", Value: pcp.DoubleValue(20)})),
		at(2, sampling.SetOf(sampling.Value{ID: -1, Instance: "", Value: pcp.BlobValue(pcp.String, []byte("x"))}), sampling.SetOf(sampling.Value{ID: 8, Instance: "c", Value: pcp.Value{}}, sampling.Value{ID: 3, Instance: "a", Value: pcp.DoubleValue(20)})))
	want := `time UTC             s  disk
2023-11-14 22:13:20  -     -
time UTC                disk -----------
                     s        a        b
2023-11-14 22:13:21  -     20.0      1.2
2023-11-14 22:13:22  "x"     20.0      -
came later, without a column: disk[c]
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestTableScreen: on a terminal there is one header for each screenful, and a day in it.
func TestTableScreen(t *testing.T) {
	h := &sampling.Header{Metrics: []sampling.Metric{metric("m", pcp.Uint32, pcp.NullInDom)}, Interval: 10 * time.Second}
	var list []*sampling.Sample
	for i := range 25 {
		list = append(list, at(int64(i)*10, sampling.SetOf(value(-1, "", uint64(i)))))
	}
	got := write(t, NewTable, h, &Options{Precision: -1, Width: 80, Height: 12}, list...)
	if n := strings.Count(got, "2023-11-14 UTC       m\n22:"); n != 3 {
		t.Errorf("%d headers:\n%s", n, got)
	}
	list = []*sampling.Sample{list[0], at(2*3600, list[1].Sets...)}
	got = write(t, NewTable, h, &Options{Precision: -1, Width: 80, Height: 12}, list...)
	want := "2023-11-14 UTC       m\n22:13:20             0\n2023-11-15 UTC       m\n00:13:20             1\n"
	if got != want {
		t.Errorf("over midnight: got\n%swant\n%s", got, want)
	}
}

// TestTableLeftOut: columns that do not fit are counted when they come, also after a sample without values, by their labels.
func TestTableLeftOut(t *testing.T) {
	h := &sampling.Header{Interval: time.Second}
	var none, some []sampling.Set
	for _, label := range []string{"%user", "%system"} {
		m := metric("cpu."+label[1:], pcp.Uint32, indom)
		m.Look = &sampling.Look{Label: label}
		h.Metrics = append(h.Metrics, m)
		none = append(none, sampling.Set{})
		some = append(some, sampling.SetOf(value(1, "instance 1", 100), value(2, "instance 2", 100)))
	}
	got := write(t, NewTable, h, &Options{Width: 34, Height: 12}, at(0, none...), at(1, some...), at(2, some...))
	if want := "2 of 4 columns (--wide has all);\nwithout %system[instance 1],\n%system[instance 2]\n"; strings.Count(got, want) != 1 || strings.Count(got, "without") != 1 {
		t.Errorf("got\n%swant %s", got, want)
	}
	h.Samples = 1
	got = write(t, NewTable, h, &Options{Width: 20, Height: 12}, at(1, some...))
	if !strings.Contains(got, "\n%user[i…ance 1]") {
		t.Errorf("once: got\n%s", got)
	}
}

// TestTableFloat: numbers have four digits, and their points stand below each other.
func TestTableFloat(t *testing.T) {
	h := &sampling.Header{Metrics: []sampling.Metric{metric("f", pcp.Float, pcp.NullInDom), metric("double", pcp.Double, pcp.NullInDom)}, Interval: time.Second / 2}
	var list []*sampling.Sample
	for i, f := range []float64{2.3, 100.0 / 3, -1234567.89, 123456789.5, 1e-9 / 3, 0, 1e300} {
		list = append(list, at(int64(i), sampling.SetOf(sampling.Value{ID: -1, Instance: "", Value: pcp.FloatValue(float32(f))}), sampling.SetOf(sampling.Value{ID: -1, Instance: "", Value: pcp.DoubleValue(f)})))
	}
	got := write(t, NewTable, h, &Options{Precision: format.Readable, Width: 80}, list[:6]...)
	want := `2023-11-14 UTC        f   double
22:13:20.000      2.3      2.3
22:13:21.000     33.33    33.33
22:13:22.000    -1,234,568  -1,234,568
22:13:23.000    123,456,792  123,456,790
22:13:24.000    3.3e-10  3.3e-10
22:13:25.000      0        0
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for line := range strings.Lines(write(t, NewTable, h, &Options{Precision: format.Readable, Width: 40}, list...)) {
		if len(line) > 41 {
			t.Errorf("a line of %d characters: %s", len(line)-1, line)
		}
	}
}

// TestTableWidth: names are cut, then columns that do not fit the width are left out with a note.
func TestTableWidth(t *testing.T) {
	h := &sampling.Header{Metrics: []sampling.Metric{metric("t.b", pcp.Uint32, indom)}, Interval: time.Second / 2}
	var values []sampling.Value
	for i, name := range []string{"one", "two blank", "three", "世界", "a/b"} {
		values = append(values, value(int32(i), name, 10))
	}
	set := sampling.SetOf(values...)
	for _, tt := range []struct {
		width int
		wide  bool
		note  string
	}{
		{0, false, ""}, {200, false, ""}, {30, true, ""}, {54, false, ""}, {49, false, ""},
		{46, false, "4 of 5 columns (--wide has all); without a/b\n"}, {40, false, "3 of 5 columns (--wide has all); without\n世界, a/b\n"}, {1, false, "1\n"},
	} {
		out := write(t, NewTable, h, &Options{Precision: -1, Width: tt.width, Wide: tt.wide}, at(0, set), at(1, set))
		if !strings.HasPrefix(out, tt.note) || tt.note == "" && strings.Contains(out, "columns") {
			t.Errorf("width %d: %q is not there\n%s", tt.width, tt.note, out)
		}
		for line := range strings.Lines(out) {
			if n := textwidth.Width(line[:len(line)-1]); tt.width > 0 && !tt.wide && n > tt.width {
				t.Errorf("width %d: a line of %d characters: %s", tt.width, n, line)
			}
		}
	}
	// A single sample then has a line for each value.
	h.Samples = 1
	out := write(t, NewTable, h, &Options{Precision: -1, Width: 30}, at(0, set))
	if want := "2023-11-14 22:13:20 UTC  t.b\none        10\ntwo blank  10\nthree      10\n世界       10\na/b        10\n"; out != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
}

// TestTableStreams: a row is written when its sample comes.
func TestTableStreams(t *testing.T) {
	h := &sampling.Header{Metrics: []sampling.Metric{metric("m", pcp.Uint32, pcp.NullInDom)}}
	var b strings.Builder
	w, err := NewTable(&b, h, &Options{Precision: -1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := w.Sample(context.Background(), at(int64(i), sampling.SetOf(value(-1, "", uint64(i))))); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(" %d\n", i); !strings.HasSuffix(b.String(), want) {
			t.Errorf("after sample %d: %q", i, b.String())
		}
	}
}

// TestHeadsDim: on a terminal with colours heads are faint, and values as they are.
func TestHeadsDim(t *testing.T) {
	h := &sampling.Header{Metrics: []sampling.Metric{metric("t.b", pcp.Uint32, indom)}, Samples: 1}
	set := sampling.SetOf(value(1, "one", 7), value(2, "two", 8))
	for _, tt := range []struct {
		form func(io.Writer, *sampling.Header, *Options) (sampling.Writer, error)
		want string
	}{
		{NewTable, "\x1b[2mtime UTC             t.b ----\x1b[0m\n\x1b[2m                     one  two\x1b[0m\n2023-11-14 22:13:20    7    8\n"},
		{NewRows, "\x1b[2m2023-11-14 22:13:20 UTC  t.b\x1b[0m\none  7\ntwo  8\n"},
	} {
		if got := write(t, tt.form, h, &Options{Precision: -1, Width: 60, Color: true}, at(0, set)); got != tt.want {
			t.Errorf("got\n%q, want\n%q", got, tt.want)
		}
		plain := strings.NewReplacer("\x1b[2m", "", "\x1b[0m", "").Replace(tt.want)
		for _, opt := range []Options{{Precision: -1, Color: true}, {Precision: -1, Width: 60}} {
			if got := write(t, tt.form, h, &opt, at(0, set)); got != plain {
				t.Errorf("%+v: got\n%q, want\n%q", opt, got, plain)
			}
		}
	}
}
