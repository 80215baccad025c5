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

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/remotewrite"
	"pmtools/lib/remotewrite/remotewritetest"
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
