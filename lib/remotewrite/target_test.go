package remotewrite_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pmtools/lib/pcp"
	"pmtools/lib/remotewrite"
	"pmtools/lib/sampling"
)

// TestRounds: hosts that answer, are late, are lost and go, and what becomes of their series. The clock of the host a is 1000 s, that of
// b 2000 s, and ours 946684800 s.
func TestRounds(t *testing.T) {
	dom := sampling.Metric{Name: "d", Desc: pcp.Desc{ID: pcp.NullID, Type: pcp.Double, InDom: pcp.NewInDom(60, 1)}}
	run := func(dir string, do func(s *remotewrite.Sender, round func(values ...sampling.Value))) []string {
		synctest.Test(t, func(t *testing.T) {
			q := open(t, dir, nil)
			defer q.Close()
			s, warned := sender(t, &sampling.Header{Metrics: []sampling.Metric{double, dom}, Live: true, Hosts: []string{}}, remotewrite.SenderOptions{Queue: q})
			do(s, func(values ...sampling.Value) {
				var x, d sampling.Set
				for i := range values {
					if values[i].Instance == "" {
						x.Append(values[i])
					} else {
						d.Append(values[i])
					}
				}
				if len(values) > 0 {
					if err := s.Sample(t.Context(), at(values[0].Time.Sec, x, d)); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Round(); err != nil || warned.Len() > 0 {
					t.Fatal(err, warned)
				}
				time.Sleep(10 * time.Second)
			})
		})
		return stored(t, open(t, dir, nil))
	}
	value := func(host string, sec int64) sampling.Value {
		return sampling.Value{ID: pcp.NullInst, Host: host, Value: pcp.DoubleValue(1), Time: pcp.Timestamp{Sec: sec}}
	}
	inst := func(host string, sec int64, id int32) sampling.Value {
		return sampling.Value{ID: id, Instance: string('p' + rune(id)), Host: host, Value: pcp.DoubleValue(1), Time: pcp.Timestamp{Sec: sec}}
	}
	for i, tt := range []struct {
		do   func(s *remotewrite.Sender, round func(values ...sampling.Value))
		want []string
	}{
		// A host that never answers has our time, and those that are late keep their series.
		{func(s *remotewrite.Sender, round func(values ...sampling.Value)) {
			s.Heard("a", sampling.Answered)
			s.Heard("b", sampling.Lost)
			round(value("a", 1000))
			s.Heard("a", sampling.Late)
			s.Heard("b", sampling.Lost)
			round()
			s.Heard("a", sampling.Answered)
			s.Heard("b", sampling.Answered)
			round(value("a", 1020), inst("b", 2000, 0))
		}, []string{
			`__name__="d",indom="60.1",instance="p": 2000=1`,
			`__name__="up",host="a": 1000=1 1010=0 1020=1`, `__name__="up",host="b": 1000=0 1010=0 2000=1`,
			`__name__="x": 1000=1 1020=1`,
		}},
		// A host that is lost ends, once, and begins again when it is back.
		{func(s *remotewrite.Sender, round func(values ...sampling.Value)) {
			s.Heard("a", sampling.Answered)
			round(value("a", 1000), inst("a", 1000, 0), inst("a", 1000, 1))
			s.Heard("a", sampling.Answered)
			round(value("a", 1010), inst("a", 1010, 1))
			for range 2 {
				s.Heard("a", sampling.Lost)
				round()
			}
			s.Heard("a", sampling.Answered)
			round(value("a", 1040))
			s.Gone("a")
			round()
		}, []string{
			`__name__="d",indom="60.1",instance="p": 1000=1 1010=NaN`, `__name__="d",indom="60.1",instance="q": 1000=1 1010=1 1020=NaN`,
			`__name__="up",host="a": 1000=1 1010=1 1020=0 1030=0 1040=1 1050=NaN`,
			`__name__="x": 1000=1 1010=1 1020=NaN 1040=1 1050=NaN`,
		}},
		// A metric that a host has lost ends too, and End ends what is left.
		{func(s *remotewrite.Sender, round func(values ...sampling.Value)) {
			s.Heard("a", sampling.Answered)
			round(value("a", 1000), inst("a", 1000, 0))
			s.Heard("a", sampling.Answered)
			round(inst("a", 1010, 0))
			if err := s.End(); err != nil {
				t.Error(err)
			}
		}, []string{
			`__name__="d",indom="60.1",instance="p": 1000=1 1010=1 1020=NaN`, `__name__="up",host="a": 1000=1 1010=1 1020=NaN`, `__name__="x": 1000=1 1010=NaN`,
		}},
		// Values of two hosts that no label tells apart: those of the first are sent, and the other one's after it has gone.
		{func(s *remotewrite.Sender, round func(values ...sampling.Value)) {
			for _, sec := range []int64{1000, 1010} {
				s.Heard("a", sampling.Answered)
				s.Heard("b", sampling.Answered)
				round(value("a", sec), value("b", sec+1))
			}
			s.Gone("a")
			s.Heard("b", sampling.Answered)
			round(value("b", 1031))
		}, []string{
			`__name__="up",host="a": 1000=1 1010=1 1020=NaN`, `__name__="up",host="b": 1001=1 1011=1 1031=1`, `__name__="x": 1000=1 1010=1 1020=NaN 1031=1`,
		}},
	} {
		if diff := cmp.Diff(run(t.TempDir(), tt.do), tt.want); diff != "" {
			t.Errorf("case %d:\n%s", i, diff)
		}
	}
}

// TestBack: an instance that comes back while the clock of its host is back has no value before its stale marker.
func TestBack(t *testing.T) {
	dir := t.TempDir()
	dom := sampling.Metric{Name: "d", Desc: pcp.Desc{ID: pcp.NullID, Type: pcp.Double, InDom: pcp.NewInDom(60, 1)}}
	synctest.Test(t, func(t *testing.T) {
		q := open(t, dir, nil)
		defer q.Close()
		s, warned := sender(t, &sampling.Header{Metrics: []sampling.Metric{double, dom}, Live: true, Hosts: []string{}}, remotewrite.SenderOptions{Queue: q})
		for i, sec := range []int64{1000, 1010, 1005, 1020} {
			v := sampling.Value{ID: pcp.NullInst, Host: "a", Value: pcp.DoubleValue(1), Time: pcp.Timestamp{Sec: sec}}
			x, d := sampling.SetOf(v), sampling.Set{}
			if v.ID, v.Instance = 0, "p"; i != 1 {
				d.Append(v)
			}
			if err := errors.Join(s.Sample(t.Context(), at(sec, x, d)), s.Round()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		if !strings.Contains(warned.String(), "a: the time has gone back by 5s") {
			t.Error(warned)
		}
	})
	if got, want := stored(t, open(t, dir, nil)), `__name__="d",indom="60.1",instance="p": 1000=1 1010=NaN 1020=1`; !slices.Contains(got, want) {
		t.Errorf("%q, want %s", got, want)
	}
}

// TestUpDoubles: a label that hosts have in common makes one series up, that of the first.
func TestUpDoubles(t *testing.T) { synctest.Test(t, testUpDoubles) }

func testUpDoubles(t *testing.T) {
	q := queue(t, large)
	s, warned := sender(t, &sampling.Header{Live: true, Hosts: []string{}}, remotewrite.SenderOptions{Queue: q, Labels: []remotewrite.Label{{Name: "host", Value: "web"}}})
	for range 3 {
		s.Heard("a", sampling.Answered)
		s.Heard("b", sampling.Lost)
		if err := s.Round(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
	}
	s.Gone("a")
	s.Heard("b", sampling.Lost)
	if err := errors.Join(s.Round(), s.End(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if want := "left out, as other series have the same name and labels: up of \"b\"\n"; warned.String() != want || s.Missing.Doubles != 3 {
		t.Errorf("%+v, warned %q", s.Missing, warned)
	}
	if n := q.Waiting(); n != 3+1+2 { // with two stale markers
		t.Errorf("%d samples", n)
	}
}

// TestManyLost: a round takes time in proportion to the number of hosts, also of those that have never answered.
func TestManyLost(t *testing.T) {
	round := func(hosts int) time.Duration {
		q := queue(t, large)
		defer q.Close()
		s, _ := sender(t, &sampling.Header{Live: true, Hosts: []string{}}, remotewrite.SenderOptions{Queue: q})
		for i := range hosts {
			s.Heard(strconv.Itoa(i), sampling.Lost)
		}
		begun := time.Now()
		if err := s.Round(); err != nil {
			t.Fatal(err)
		}
		return time.Since(begun)
	}
	few, many := time.Hour, time.Hour
	for range 3 {
		few, many = min(few, round(2_000)), min(many, round(64_000))
	}
	if many > 400*few { // 32 times as many; a square would be 1,024 times as much. A loaded machine interrupts the long round, not the short one
		t.Errorf("2000 hosts take %v, 64000 take %v", few, many)
	}
}
