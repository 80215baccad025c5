package summary_test

import (
	"context"
	"math"
	"testing"

	"pmtools/derive"
	"pmtools/derive/summary"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	_ "pmtools/test/env"
)

// A step is a record: values by instance, or a mark.
type step struct {
	at     int64
	mark   bool
	values map[int32]uint64
}

// summarize summarizes an expression over disk.dev.total of the archive demo, a counter, for
// records of our own.
func summarize(t *testing.T, expr string, between bool, steps []step) *summary.Metric {
	t.Helper()
	dir := t.TempDir()
	if err := archivetest.Build(dir, "demo"); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	src, err := pmapi.OpenArchive(ctx, dir+"/demo", nil)
	if err != nil {
		t.Fatal(err)
	}
	all := derive.NewSource(src, nil, nil)
	defer all.Close()
	p, err := derive.Compile("", expr)
	if err != nil {
		t.Fatal(err)
	}
	found, err := all.Check(ctx, all.Define(p)...)
	if err != nil || found[0].Err != nil {
		t.Fatal(err, found[0].Err)
	}
	s := summary.New(true)
	m := s.Add(expr, found[0].Expr, found[0].Info, between)
	id := found[0].Info.Operands[0]
	typ := pcp.Uint64
	for _, d := range found[0].Info.Metrics {
		typ = d.Type
	}
	for _, st := range steps {
		at := pcp.Timestamp{Sec: st.at}
		if st.mark {
			s.Mark(at)
			continue
		}
		set := pcp.Values{ID: id, Type: typ}
		for inst := range int32(10) {
			if v, ok := st.values[inst]; ok {
				set.Insts, set.Words = append(set.Insts, inst), append(set.Words, v)
			}
		}
		s.Record(&pcp.Result{Time: at, Sets: []pcp.Values{set}}, nil)
	}
	s.End(pcp.Timestamp{Sec: steps[len(steps)-1].at})
	return m
}

// TestRates checks what a gap, a mark and a counter that goes down do to rates.
func TestRates(t *testing.T) {
	m := summarize(t, "rate(disk.dev.total)", true, []step{
		{at: 0, values: map[int32]uint64{1: 0, 2: 100}},
		{at: 10, values: map[int32]uint64{1: 10, 2: 200}},
		{at: 20, values: map[int32]uint64{1: 30}},
		{at: 30, values: map[int32]uint64{1: 60, 2: 300}},
		{at: 40, values: map[int32]uint64{1: 50, 2: 500}},
		{at: 41, mark: true},
		{at: 50, values: map[int32]uint64{1: 1000, 2: 1000}},
		{at: 70, values: map[int32]uint64{1: 1100, 2: 1000}},
	})
	list := m.Instances()
	if len(list) != 2 {
		t.Fatal(len(list), "instances")
	}
	one, two := list[0], list[1]
	if one.Samples != 4 || one.Gaps != 0 {
		t.Errorf("instance 1: %+v, mean %v", one.Series, one.Mean())
	} else if one.Marks != 1 || one.Min != 1 || one.Max != 5 {
		t.Errorf("instance 1: %+v, mean %v", one.Series, one.Mean())
	} else if one.MaxTime.Sec != 70 || one.Mean() != (1+2+3+5*2)/5.0 || one.Last != 5 {
		t.Errorf("instance 1: %+v, mean %v", one.Series, one.Mean())
	}
	if two.Samples != 3 || two.Gaps != 1 {
		t.Errorf("instance 2: %+v, mean %v", two.Series, two.Mean())
	} else if two.Marks != 1 || two.Min != 0 {
		t.Errorf("instance 2: %+v, mean %v", two.Series, two.Mean())
	} else if two.Max != 20 || two.MaxTime.Sec != 40 || two.Mean() != (10+20+0*2)/4.0 {
		t.Errorf("instance 2: %+v, mean %v", two.Series, two.Mean())
	}
	if all := m.All; all.Samples != 7 || all.Gaps != 1 {
		t.Errorf("all: %+v, mean %v", all, all.Mean())
	} else if all.Marks != 2 || math.Abs(all.Mean()-46.0/9) > 1e-12 {
		t.Errorf("all: %+v, mean %v", all, all.Mean())
	}
}

// TestHold checks for how long values hold that are not rates.
func TestHold(t *testing.T) {
	m := summarize(t, "disk.dev.total", false, []step{
		{at: 0, values: map[int32]uint64{1: 1}},
		{at: 30, values: map[int32]uint64{1: 5}},
		{at: 35, mark: true},
		{at: 40, values: map[int32]uint64{1: 100}},
		{at: 50, values: map[int32]uint64{1: 7}},
	})
	if got, want := m.All.Mean(), (1*30+100*10)/40.0; got != want {
		t.Errorf("the mean is %v, want %v", got, want)
	}
	if got := m.All.Quantile(0.5); got != 5 {
		t.Errorf("the median is %v, want 5", got)
	}
}
