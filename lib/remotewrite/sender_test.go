package remotewrite_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pmtools/internal/remotewritetest"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/remotewrite"
	"pmtools/lib/sampling"
)

// double is a metric of numbers.
var double = sampling.Metric{Name: "x", Desc: pcp.Desc{ID: pcp.NullID, Type: pcp.Double, InDom: pcp.NullInDom}}

// queue returns an empty queue.
func queue(t *testing.T, room int64) *remotewrite.Queue {
	t.Helper()
	q, err := remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: filepath.Join(t.TempDir(), "q"), Max: room})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// sender returns a Sender, and what it warns of.
func sender(t *testing.T, h *sampling.Header, opt remotewrite.SenderOptions) (*remotewrite.Sender, *strings.Builder) {
	var warned strings.Builder
	opt.Hosts, opt.Live, opt.Warn = &remotewrite.Hosts{}, h.Live, func(err error) { fmt.Fprintln(&warned, err) }
	s := remotewrite.NewSender(t.Context(), &opt)
	s.Begin(h)
	return s, &warned
}

// at returns a sample.
func at(sec int64, sets ...sampling.Set) *sampling.Sample {
	return &sampling.Sample{Time: pcp.Timestamp{Sec: sec}, Sets: sets}
}

// value returns a set of one value without an instance.
func value(v pcp.Value) sampling.Set {
	return sampling.SetOf(sampling.Value{ID: pcp.NullInst, Value: v})
}

// stored sends what a queue has, and returns it as lines.
func stored(t *testing.T, q *remotewrite.Queue) (list []string) {
	t.Helper()
	q.Finish()
	d := &remotewritetest.Database{}
	srv := httptest.NewServer(d)
	defer srv.Close()
	if _, err := remotewrite.Drain(t.Context(), q, client(t, remotewrite.Options{URL: srv.URL}), quick, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	for labels, samples := range d.Series() {
		line := labels + ":"
		for _, s := range samples {
			line += fmt.Sprintf(" %d=%v", s.MS/1000, s.Value)
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// TestSenderClock: while the clock of a live source is back no value is sent, which is reported once.
func TestSenderClock(t *testing.T) { synctest.Test(t, testSenderClock) }

func testSenderClock(t *testing.T) {
	q := queue(t, large)
	s, warned := sender(t, &sampling.Header{Metrics: []sampling.Metric{double}, Live: true}, remotewrite.SenderOptions{Queue: q})
	for _, sec := range []int64{100, 110, 50, 60, 110, 120} {
		if err := s.Sample(t.Context(), at(sec, value(pcp.DoubleValue(1)))); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
	}
	if want := "the time has gone back by 1m0s; values are left out until it has caught up\n"; warned.String() != want {
		t.Errorf("warned %q", warned)
	}
	if want := (remotewrite.Missing{Unordered: 3, Failed: true}); s.Missing != want || q.Waiting() != 9 { // three of x, and six of up
		t.Errorf("%+v, %d wait", s.Missing, q.Waiting())
	}
}

// TestSenderSeries: names, units, strings, instances that go, and what cannot be sent.
func TestSenderSeries(t *testing.T) {
	d, q := pcp.NewInDom(60, 1), queue(t, large)
	disks := sampling.Metric{Name: "disk.read", Desc: pcp.Desc{ID: pcp.NullID, Type: pcp.Uint64, InDom: d, Sem: pcp.Counter, Units: pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}}}
	release := sampling.Metric{Name: "os", Desc: pcp.Desc{ID: pcp.NullID, Type: pcp.String, InDom: pcp.NullInDom}}
	event := sampling.Metric{Name: "log", Desc: pcp.Desc{ID: pcp.NullID, Type: pcp.Event, InDom: pcp.NullInDom}}
	s, warned := sender(t, &sampling.Header{Metrics: []sampling.Metric{disks, release, event, double}}, remotewrite.SenderOptions{Queue: q, Labels: []remotewrite.Label{{Name: "env", Value: "y"}}})
	for sec := range int64(3) {
		list := sampling.SetOf()
		for id, name := range []string{"sda", "sdb"} {
			if sec < 2 || id == 0 {
				list.Append(sampling.Value{ID: int32(id), Instance: name, Value: pcp.WordValue(pcp.Uint64, uint64(sec))})
			}
		}
		smp := at(sec, list, value(pcp.BlobValue(pcp.String, fmt.Append(nil, "v", sec/2))), sampling.Set{}, sampling.Set{Err: errors.New("broken")})
		if err := s.Sample(t.Context(), smp); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`__name__="disk_read_bytes_total",env="y",indom="60.1",instance="sda": 0=0 1=1024 2=2048`,
		`__name__="disk_read_bytes_total",env="y",indom="60.1",instance="sdb": 0=0 1=1024 2=NaN`,
		`__name__="os_info",env="y",value="v0": 0=1 1=1 2=NaN`,
		`__name__="os_info",env="y",value="v1": 2=1`,
	}
	if diff := cmp.Diff(stored(t, q), want); diff != "" {
		t.Error(diff)
	}
	text := "log: a value of type EVENT is neither a number nor a string, and is not sent\nx: broken\n"
	if s.Missing != (remotewrite.Missing{Failed: true}) || warned.String() != text {
		t.Errorf("%+v, warned %q", s.Missing, warned)
	}
}

// TestSenderRoom: without room live values are lost, and others wait until the context ends.
func TestSenderRoom(t *testing.T) { synctest.Test(t, testSenderRoom) }

func testSenderRoom(t *testing.T) {
	q := queue(t, 10)
	s, warned := sender(t, &sampling.Header{Metrics: []sampling.Metric{double}, Live: true}, remotewrite.SenderOptions{Queue: q})
	for sec := range int64(2) {
		if err := s.Sample(t.Context(), at(sec, value(pcp.DoubleValue(1)))); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
	}
	if s.Missing != (remotewrite.Missing{NoRoom: 4}) || warned.String() != "the queue is full; values are lost until there is room\n" {
		t.Errorf("%+v, warned %q", s.Missing, warned)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q = queue(t, 4096)
	if err := q.Put(body(1)); err != nil {
		t.Fatal(err)
	}
	s = remotewrite.NewSender(ctx, &remotewrite.SenderOptions{Queue: q, Hosts: &remotewrite.Hosts{}})
	s.Begin(&sampling.Header{Metrics: []sampling.Metric{double}})
	if err := errors.Join(s.Sample(ctx, at(1, value(pcp.DoubleValue(1)))), s.Close()); !errors.Is(err, context.Canceled) || s.Missing != (remotewrite.Missing{Interrupted: 1}) {
		t.Errorf("%v, %+v", err, s.Missing)
	}
}

// TestSenderMany: many values are in several requests.
func TestSenderMany(t *testing.T) {
	q := queue(t, large)
	s, _ := sender(t, &sampling.Header{Metrics: []sampling.Metric{double}}, remotewrite.SenderOptions{Queue: q})
	for sec := range int64(25_000) {
		if err := s.Sample(t.Context(), at(sec, value(pcp.DoubleValue(float64(sec))))); err != nil {
			t.Fatal(err)
		}
	}
	before := q.Waiting()
	if err := s.Close(); err != nil || before != 20_000 || q.Waiting() != 25_000 {
		t.Errorf("%v, %d, %d", err, before, q.Waiting())
	}
}

// TestHostsSame: two hosts that call themselves the same are an error, unless they have labels from
// the names that the client uses. A second connection to the same host is not an error.
func TestHostsSame(t *testing.T) {
	var own, named remotewrite.Hosts
	for i, name := range []string{"a", "b", "a"} {
		for _, asNamed := range []bool{false, true} {
			src, err := pmapi.OpenArchive(t.Context(), archivetest.Path(t, "demo"), nil)
			if err != nil {
				t.Fatal(err)
			}
			hosts := &own
			if asNamed {
				hosts = &named
			}
			w, err := hosts.Watch(t.Context(), src, name, asNamed)
			if same := errors.Is(err, remotewrite.ErrSameName); same != (i == 1 && !asNamed) || !same && err != nil {
				t.Errorf("%s, %v: %v", name, asNamed, err)
			}
			if err == nil {
				w.Close()
			}
		}
	}
}

// TestSenderDoubles: of several instances whose labels are the same the first is sent, and in the end the others are named. If its series
// has ended, another goes on; so does an instance that has a new number.
func TestSenderDoubles(t *testing.T) {
	dom := sampling.Metric{Name: "d", Desc: pcp.Desc{ID: pcp.NullID, Type: pcp.Double, InDom: pcp.NewInDom(60, 1)}}
	inst := func(id int32, name string) sampling.Value {
		return sampling.Value{ID: id, Instance: name, Value: pcp.DoubleValue(float64(id))}
	}
	bad := func(id int32) sampling.Value { return inst(id, "x"+string([]byte{0xf0 | byte(id)})) }
	for _, tt := range []struct {
		name    string
		sets    [][]sampling.Value
		want    []string
		warned  string
		doubles int
	}{
		{"bytes that are not UTF-8", [][]sampling.Value{{bad(1), bad(2), inst(3, "y")}, {bad(1), bad(2), inst(3, "y")}},
			[]string{`__name__="d",indom="60.1",instance="x\ufffd": 0=1 1=1`, `__name__="d",indom="60.1",instance="y": 0=3 1=3`}, `d["x\xf2"]`, 2},
		{"the other comes first later", [][]sampling.Value{{bad(1), bad(2)}, {bad(2), bad(1)}, {bad(3), bad(2), bad(1)}},
			[]string{`__name__="d",indom="60.1",instance="x\ufffd": 0=1 1=1 2=1`}, `d["x\xf2"], d["x\xf3"]`, 4},
		{"the first ends", [][]sampling.Value{{bad(1), bad(2)}, {bad(2), bad(3)}, {bad(2), bad(3)}},
			[]string{`__name__="d",indom="60.1",instance="x\ufffd": 0=1 1=NaN 2=2`}, `d["x\xf2"], d["x\xf3"]`, 4},
		{"a new number", [][]sampling.Value{{inst(1, "x"), inst(2, "y")}, {inst(3, "x"), inst(2, "y")}, {inst(3, "x")}},
			[]string{`__name__="d",indom="60.1",instance="x": 0=1 1=3 2=3`, `__name__="d",indom="60.1",instance="y": 0=2 1=2 2=NaN`}, "", 0},
		{"numbers that change places", [][]sampling.Value{{inst(1, "x"), inst(2, "y")}, {inst(1, "y"), inst(2, "x")}},
			[]string{`__name__="d",indom="60.1",instance="x": 0=1 1=2`, `__name__="d",indom="60.1",instance="y": 0=2 1=1`}, "", 0},
	} {
		q := queue(t, large)
		s, warned := sender(t, &sampling.Header{Metrics: []sampling.Metric{dom}}, remotewrite.SenderOptions{Queue: q})
		for sec, values := range tt.sets {
			if err := s.Sample(t.Context(), at(int64(sec), sampling.SetOf(values...))); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for i, line := range tt.want {
			tt.want[i] = strings.ReplaceAll(line, `\ufffd`, "\ufffd")
		}
		if diff := cmp.Diff(stored(t, q), tt.want); diff != "" || s.Missing != (remotewrite.Missing{Doubles: tt.doubles}) {
			t.Errorf("%s: %+v\n%s", tt.name, s.Missing, diff)
		}
		if tt.warned != "" {
			tt.warned = "left out, as other series have the same name and labels: " + tt.warned + "\n"
		}
		if warned.String() != tt.warned {
			t.Errorf("%s: warned %q, want %q", tt.name, warned, tt.warned)
		}
	}
}
