package samples

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"text/tabwriter"

	"pmtools/lib/pcp"
)

// newTable returns a Writer of tables that are drawn as text/tabwriter does.
func newTable(w io.Writer, h *Header, opt *Options) (Writer, error) {
	return NewTable(w, h, opt, func(w io.Writer, header []string, rows [][]string, right []bool) error {
		tw := tabwriter.NewWriter(w, 0, 1, 2, ' ', tabwriter.AlignRight)
		for _, row := range append([][]string{header}, rows...) {
			fmt.Fprintln(tw, strings.Join(row, "\t")+"\t")
		}
		return tw.Flush()
	})
}

func TestTable(t *testing.T) {
	rate := metric("disk", pcp.Double, indom)
	rate.Counter = &pcp.Desc{Type: pcp.Uint64, InDom: indom, Sem: pcp.Counter}
	h := &Header{Metrics: []Metric{metric("s", pcp.String, pcp.NullInDom), rate}}
	got := write(t, newTable, h, &Options{Precision: 1},
		at(0, Set{}, Set{Values: []Value{{7, "b", pcp.DoubleValue(1.25)}}}),
		at(1, Set{Values: []Value{{-1, "", pcp.BlobValue(pcp.String, []byte("x"))}}}, Set{Values: []Value{{8, "c", pcp.Value{}}, {3, "a", pcp.DoubleValue(20)}}}))
	want := `s: string, instant, no units
disk: 64-bit unsigned int, counter, no units, indom 60.2; rate without units
                        time    s  disk[a]  disk[b]  disk[c]
  2023-11-14 22:13:20.000000    -        -      1.2        -
  2023-11-14 22:13:21.000000  "x"     20.0        -        -
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestTableLive: live samples are drawn as they come, below one header.
func TestTableLive(t *testing.T) {
	h := &Header{Metrics: []Metric{metric("m", pcp.Uint32, pcp.NullInDom)}}
	one := Set{Values: []Value{value(-1, "", 1)}}
	got := write(t, newTable, h, &Options{Precision: -1, Live: true}, at(0, one), at(1, one))
	if strings.Count(got, "m: 32-bit") != 1 || strings.Count(got, "time ") != 2 {
		t.Errorf("got\n%s", got)
	}
}

// TestTableWidth has tables that do not fit the output.
func TestTableWidth(t *testing.T) {
	h := &Header{Metrics: []Metric{metric("t.b", pcp.Uint32, indom)}}
	var set Set
	for i, name := range []string{"one", "two blank", "three", "a]b", "a/b"} {
		set.Values = append(set.Values, value(int32(i), name, 10))
	}
	for _, tt := range []struct{ width, tables int }{{0, 1}, {200, 1}, {60, 2}, {50, 2}, {45, 2}, {40, 4}, {1, 5}} {
		out := write(t, newTable, h, &Options{Precision: -1, Width: tt.width}, at(0, set), at(1, set))
		if n := strings.Count(out, "time  "); n != tt.tables {
			t.Errorf("width %d: %d tables\n%s", tt.width, n, out)
		}
		for line := range strings.Lines(out) {
			if n := len(line) - 1; tt.width >= 50 && n > tt.width && !strings.HasPrefix(line, "t.b") {
				t.Errorf("width %d: a line of %d characters: %s", tt.width, n, line)
			}
		}
	}
}

// TestTableLong: many samples become several tables.
func TestTableLong(t *testing.T) {
	h := &Header{Metrics: []Metric{metric("m", pcp.Uint32, pcp.NullInDom)}}
	var list []*Sample
	for i := range maxRows + 1 {
		list = append(list, at(int64(i), Set{Values: []Value{value(-1, "", uint64(i))}}))
	}
	got := write(t, newTable, h, &Options{Precision: -1}, list...)
	if n := strings.Count(got, "time "); n != 2 || !strings.HasSuffix(got, fmt.Sprintf(" %d\n", maxRows)) {
		t.Errorf("%d tables", n)
	}
}
