package samples

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// of returns a value of a host.
func of(host string, id int32, name string, n uint64) sampling.Value {
	v := value(id, name, n)
	v.Host = host
	return v
}

// TestHosts: hosts are columns of metrics without instances, and of one metric with instances; otherwise, and where there
// is no room, they are lines. Each says so if it has not answered, whatever its values were before.
func TestHosts(t *testing.T) {
	alone, disks := metric("m.alone", pcp.Uint32, pcp.NullInDom), metric("m.disks", pcp.Uint32, indom)
	hosts := []string{"app1", "app2", "db"}
	one := sampling.SetOf(of("app1", -1, "", 1), of("app2", -1, "", 20000))
	two := sampling.SetOf(of("app1", 1, "sda", 5), of("app1", 2, "sdb", 6), of("app2", 7, "sda", 7))
	lost := map[string]sampling.HostState{"db": sampling.Lost}
	for _, tt := range []struct {
		name    string
		metrics []sampling.Metric
		sets    []sampling.Set
		width   int
		want    string
	}{
		{"columns", []sampling.Metric{alone}, []sampling.Set{one}, 80,
			"2023-11-14  m.alone --------------\n              app1    app2      db\n22:13:20         1  20,000    lost\n22:13:21         1  20,000    late\n"},
		{"no room", []sampling.Metric{alone}, []sampling.Set{one}, 20,
			"2023-11-14 22:13:20\n     m.alone\napp1       1\napp2  20,000\ndb lost\n" +
				"2023-11-14 22:13:21\n     m.alone\napp1       1\napp2  20,000\ndb late\n"},
		{"instances", []sampling.Metric{disks}, []sampling.Set{two}, 42,
			"2023-11-14 22:13:20  m.disks\n       app1    app2      db\nsda       5       7    lost\nsdb       6       -    lost\n" +
				"2023-11-14 22:13:21  m.disks\n       app1    app2      db\nsda       5       7    late\nsdb       6       -    late\n"},
		{"instances without room", []sampling.Metric{disks}, []sampling.Set{two}, 20,
			"2023-11-14 22:13:20\n          m.disks\napp1  sda       5\napp1  sdb       6\napp2  sda       7\ndb lost\n" +
				"2023-11-14 22:13:21\n          m.disks\napp1  sda       5\napp1  sdb       6\napp2  sda       7\ndb late\n"},
		{"both", []sampling.Metric{disks, alone}, []sampling.Set{two, one}, 42,
			"2023-11-14 22:13:20  m.disks  m.alone\napp1                       -        1\napp1  sda                  5        -\napp1  sdb                  6        -\napp2                       -   20,000\napp2  sda                  7        -\ndb  lost\n" +
				"2023-11-14 22:13:21  m.disks  m.alone\napp1                       -        1\napp1  sda                  5        -\napp1  sdb                  6        -\napp2                       -   20,000\napp2  sda                  7        -\ndb  late\n"},
	} {
		h := &sampling.Header{Metrics: tt.metrics, Hosts: hosts, Interval: time.Second, Samples: -1, Live: true}
		first, second := at(0, tt.sets...), at(1, tt.sets...)
		first.Ordered, first.Absent = true, lost
		second.Ordered, second.Absent = true, map[string]sampling.HostState{"db": sampling.Late}
		got := write(t, NewTable, h, &Options{Precision: format.Readable, Width: tt.width, Height: 40}, first, second)
		if got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestValues: values stand alone, and without any there is an error.
func TestValues(t *testing.T) {
	h := &sampling.Header{Metrics: []sampling.Metric{metric("s", pcp.String, pcp.NullInDom), metric("n", pcp.Uint32, indom)}}
	text := sampling.SetOf(sampling.Value{ID: -1, Value: pcp.BlobValue(pcp.String, []byte("a b"))})
	got := write(t, NewValues, h, &Options{Precision: format.Full}, at(0, text, sampling.SetOf(value(2, "two", 2), value(1, "one", 1))), at(1, text, sampling.SetOf(sampling.Value{ID: 1})))
	if want := "a b\n1\n2\na b\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var b strings.Builder
	w, err := NewValues(&b, h, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Sample(t.Context(), at(0, sampling.Set{}, sampling.Set{})); err != nil || b.Len() > 0 {
		t.Errorf("%q, %v", b.String(), err)
	}
	if err := w.Close(); !errors.Is(err, ErrNone) {
		t.Errorf("without values: %v", err)
	}
}
