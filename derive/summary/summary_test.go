package summary

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"pmtools/derive"
	"pmtools/derive/query"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/when"
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
func summarize(t *testing.T, opt Options, expr string, between bool, steps []step) []Row {
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
	opt.Compared = true
	r := newRecorder(&opt)
	r.add(expr, found[0].Expr, found[0].Info, between)
	id := found[0].Info.Operands[0]
	typ := pcp.Uint64
	for _, d := range found[0].Info.Metrics {
		typ = d.Type
	}
	for _, st := range steps {
		at := pcp.Timestamp{Sec: st.at}
		if st.mark {
			r.mark(at)
			continue
		}
		set := pcp.Values{ID: id, Type: typ}
		for inst := range int32(10) {
			if v, ok := st.values[inst]; ok {
				set.Insts, set.Words = append(set.Insts, inst), append(set.Words, v)
			}
		}
		r.record(&pcp.Result{Time: at, Sets: []pcp.Values{set}}, nil)
	}
	r.end(pcp.Timestamp{Sec: steps[len(steps)-1].at})
	return r.finish(number).Rows
}

// number names an instance by its number.
func number(_ pcp.InDom, inst int32) string { return strconv.Itoa(int(inst)) }

// TestRates checks what a gap, a mark and a counter that goes down do to rates.
func TestRates(t *testing.T) {
	list := summarize(t, Options{Instances: true}, "rate(disk.dev.total)", true, []step{
		{at: 0, values: map[int32]uint64{1: 0, 2: 100}},
		{at: 10, values: map[int32]uint64{1: 10, 2: 200}},
		{at: 20, values: map[int32]uint64{1: 30}},
		{at: 30, values: map[int32]uint64{1: 60, 2: 300}},
		{at: 40, values: map[int32]uint64{1: 50, 2: 500}},
		{at: 41, mark: true},
		{at: 50, values: map[int32]uint64{1: 1000, 2: 1000}},
		{at: 70, values: map[int32]uint64{1: 1100, 2: 1000}},
	})
	if len(list) != 3 {
		t.Fatal(len(list), "rows")
	}
	one, two := list[1], list[2]
	if one.Samples != 4 || one.Gaps != 0 {
		t.Errorf("instance 1: %+v, mean %v", one.Figures, one.Mean)
	} else if one.Marks != 1 || one.Min != 1 || one.Max != 5 {
		t.Errorf("instance 1: %+v, mean %v", one.Figures, one.Mean)
	} else if one.MaxTime.Sec != 70 || one.Mean != (1+2+3+5*2)/5.0 || one.Last != 5 {
		t.Errorf("instance 1: %+v, mean %v", one.Figures, one.Mean)
	}
	if two.Samples != 3 || two.Gaps != 1 {
		t.Errorf("instance 2: %+v, mean %v", two.Figures, two.Mean)
	} else if two.Marks != 1 || two.Min != 0 {
		t.Errorf("instance 2: %+v, mean %v", two.Figures, two.Mean)
	} else if two.Max != 20 || two.MaxTime.Sec != 40 || two.Mean != (10+20+0*2)/4.0 {
		t.Errorf("instance 2: %+v, mean %v", two.Figures, two.Mean)
	}
	if all := list[0]; all.Samples != 7 || all.Gaps != 1 {
		t.Errorf("all: %+v, mean %v", all.Figures, all.Mean)
	} else if all.Marks != 2 || math.Abs(all.Mean-46.0/9) > 1e-12 {
		t.Errorf("all: %+v, mean %v", all.Figures, all.Mean)
	}
}

// TestKept: a discrete operand that is recorded once holds until a mark.
func TestKept(t *testing.T) {
	ctx := t.Context()
	src, err := pmapi.OpenArchive(ctx, archivetest.Path(t, "demo"), nil)
	if err != nil {
		t.Fatal(err)
	}
	over := derive.NewSource(src, nil, nil)
	defer over.Close()
	p, err := derive.Compile("", "mem.util.used / hinv.ncpu")
	if err != nil {
		t.Fatal(err)
	}
	found, err := over.Check(ctx, over.Define(p)...)
	if err != nil || found[0].Err != nil {
		t.Fatal(err, found[0].Err)
	}
	r := newRecorder(&Options{})
	r.add("", found[0].Expr, found[0].Info, false)
	ids := make(map[string]pcp.ID)
	for ref, d := range found[0].Info.Metrics {
		ids[ref.Name] = d.ID
	}
	record := func(at int64, name string, typ pcp.Type, v uint64) {
		r.record(&pcp.Result{Time: pcp.Timestamp{Sec: at}, Sets: []pcp.Values{{ID: ids[name], Type: typ, Insts: []int32{pcp.NullInst}, Words: []uint64{v}}}}, nil)
	}
	record(0, "hinv.ncpu", pcp.Uint32, 4)
	record(10, "mem.util.used", pcp.Uint64, 8)
	record(20, "mem.util.used", pcp.Uint64, 16)
	record(25, "hinv.ncpu", pcp.Uint32, 2)
	record(30, "mem.util.used", pcp.Uint64, 16)
	r.mark(pcp.Timestamp{Sec: 31})
	record(40, "mem.util.used", pcp.Uint64, 100)
	r.end(pcp.Timestamp{Sec: 40})
	all := r.finish(number).Rows[0]
	if all.Samples != 3 || all.Gaps != 0 {
		t.Errorf("%+v", all.Figures)
	}
	if all.Min != 2 || all.Max != 8 {
		t.Errorf("%+v", all.Figures)
	}
}

// TestHold checks for how long values hold that are not rates.
func TestHold(t *testing.T) {
	all := summarize(t, Options{Instances: true}, "disk.dev.total", false, []step{
		{at: 0, values: map[int32]uint64{1: 1}},
		{at: 30, values: map[int32]uint64{1: 5}},
		{at: 35, mark: true},
		{at: 40, values: map[int32]uint64{1: 100}},
		{at: 50, values: map[int32]uint64{1: 7}},
	})[0]
	if got, want := all.Mean, (1*30+100*10)/40.0; got != want {
		t.Errorf("the mean is %v, want %v", got, want)
	}
	if got := all.P50; got != 5 {
		t.Errorf("the median is %v, want 5", got)
	}
}

// A want is what a row of an interval should have.
type want struct {
	from, to  int64
	instance  string
	samples   int
	mean, max float64
	gaps      int
}

func checkIntervals(t *testing.T, rows []Row, wants []want) {
	t.Helper()
	if len(rows) != len(wants) {
		t.Errorf("%d rows, want %d", len(rows), len(wants))
	}
	for i, w := range wants[:min(len(wants), len(rows))] {
		r := &rows[i]
		if got := (want{r.From.Sec, r.To.Sec, r.Instance, r.Samples, r.Mean, r.Max, r.Gaps}); got != w {
			t.Errorf("row %d is %+v, want %+v", i, got, w)
		}
	}
}

// TestIntervals checks that a rate counts in the interval in which its time ends, that values hold in
// each interval for the time that lies in it, and that instances which are missing have no row.
func TestIntervals(t *testing.T) {
	opt := Options{Instances: true, Every: 20 * time.Second}
	steps := []step{
		{at: 1000, values: map[int32]uint64{1: 0, 2: 0}},
		{at: 1010, values: map[int32]uint64{1: 10, 2: 0}},
		{at: 1020, values: map[int32]uint64{1: 40, 2: 0}},
		{at: 1035, values: map[int32]uint64{1: 55}},
		{at: 1045, values: map[int32]uint64{1: 55, 2: 50}},
	}
	rows := summarize(t, opt, "rate(disk.dev.total)", true, steps)
	checkIntervals(t, rows, []want{
		{1000, 1020, "", 4, 1, 3, 0}, {1000, 1020, "1", 2, 2, 3, 0}, {1000, 1020, "2", 2, 0, 0, 0},
		{1020, 1040, "", 1, 0.75, 1, 0}, {1020, 1040, "1", 1, 0.75, 1, 0},
		{1040, 1060, "", 1, 0, 0, 0}, {1040, 1060, "1", 1, 0, 0, 0},
	})
	rows = summarize(t, opt, "disk.dev.total", false, steps)
	checkIntervals(t, rows, []want{
		{1000, 1020, "", 4, 2.5, 10, 0}, {1000, 1020, "1", 2, 5, 10, 0}, {1000, 1020, "2", 2, 0, 0, 0},
		{1020, 1040, "", 3, (40*15 + 55*5) / 20., 55, 0}, {1020, 1040, "1", 2, (40*15 + 55*5) / 20., 55, 0}, {1020, 1040, "2", 1, 0, 0, 0},
		{1040, 1060, "", 2, 55, 55, 1}, {1040, 1060, "1", 1, 55, 55, 0}, {1040, 1060, "2", 1, 50, 50, 1},
	})
	opt.Zone = time.FixedZone("", -5) // the day begins 5 seconds later
	rows = summarize(t, opt, "disk.dev.total", false, steps)
	if from := rows[0].From.Sec; from != 985 {
		t.Errorf("the first interval begins at %d, want 985", from)
	}
}

// TestIntervalMeans checks that the mean of an interval counts values from before its first record.
func TestIntervalMeans(t *testing.T) {
	steps := []step{
		{at: 1000, values: map[int32]uint64{1: 0}},
		{at: 1015, values: map[int32]uint64{1: 30}},
		{at: 1030, values: map[int32]uint64{1: 30}},
		{at: 1075, values: map[int32]uint64{1: 75}},
		{at: 1090, mark: true},
		{at: 1090, values: map[int32]uint64{1: 0}},
		{at: 1110, values: map[int32]uint64{1: 20}},
	}
	opt := Options{Every: 20 * time.Second}
	steep := []step{{at: 1000, values: map[int32]uint64{1: 0}}, {at: 1010, values: map[int32]uint64{1: 10}}, {at: 1025, values: map[int32]uint64{1: 40}}}
	for _, instances := range []bool{false, true} {
		rows := summarize(t, Options{Every: 20 * time.Second, Instances: instances}, "rate(disk.dev.total)", true, steep)
		if got := rows[0].Mean; got != 1.5 {
			t.Errorf("with instances %v: the mean of an interval that a steeper rate reaches into is %v, want 1.5", instances, got)
		}
	}
	rows := summarize(t, opt, "rate(disk.dev.total)", true, steps)
	checkIntervals(t, rows, []want{
		{1000, 1020, "", 1, 1.5, 2, 0}, {1020, 1040, "", 1, 0.5, 0, 0}, {1060, 1080, "", 1, 1, 1, 0}, {1100, 1120, "", 1, 1, 1, 0},
	})
	rows = summarize(t, opt, "disk.dev.total", false, steps)
	checkIntervals(t, rows, []want{
		{1000, 1020, "", 2, 7.5, 30, 0}, {1020, 1040, "", 1, 30, 30, 0}, {1060, 1080, "", 1, 30, 75, 0},
		{1080, 1100, "", 1, 0, 0, 0}, {1100, 1120, "", 1, 0, 20, 0},
	})
}

// TestClock checks where intervals begin and end while the clock is put forward and back.
func TestClock(t *testing.T) {
	for _, tt := range []struct {
		zone, day string
		every     time.Duration
		want      string // where intervals begin, with the hours ahead of UTC
	}{
		{"Europe/Berlin", "2024-03-31", 24 * time.Hour, "31T00:00+01 01T00:00+02"},
		{"Europe/Berlin", "2024-10-27", 24 * time.Hour, "27T00:00+02 28T00:00+01"},
		{"Europe/Berlin", "2024-03-31", 6 * time.Hour, "31T00:00+01 31T06:00+02 31T12:00+02 31T18:00+02 01T00:00+02"},
		{"Europe/Berlin", "2024-10-27", 6 * time.Hour, "27T00:00+02 27T06:00+01 27T12:00+01 27T18:00+01 28T00:00+01"},
		{"Europe/Berlin", "2024-03-31", 2 * time.Hour, "31T00:00+01 31T03:00+02 31T04:00+02 31T06:00+02"},
		{"Europe/Berlin", "2024-10-27", 2 * time.Hour, "27T00:00+02 27T02:00+02 27T02:00+01 27T04:00+01"},
		{"Europe/Berlin", "2024-10-27", time.Hour, "27T00:00+02 27T01:00+02 27T02:00+02 27T02:00+01 27T03:00+01"},
		{"Europe/Berlin", "2024-03-31", 30 * time.Minute, "31T00:00+01 31T00:30+01 31T01:00+01 31T01:30+01 31T03:00+02 31T03:30+02"},
		{"Europe/Helsinki", "2024-10-27", 2 * time.Hour, "27T00:00+03 27T02:00+03 27T04:00+02 27T06:00+02"},
		{"Europe/Helsinki", "2024-10-27", time.Hour, "27T00:00+03 27T01:00+03 27T02:00+03 27T03:00+03 27T03:00+02 27T04:00+02"},
		{"America/New_York", "2024-11-03", 2 * time.Hour, "03T00:00-04 03T02:00-05 03T04:00-05"},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		begin, err := time.ParseInLocation(time.DateOnly, tt.day, zone)
		if err != nil {
			t.Fatal(err)
		}
		var steps []step
		for at := begin; len(steps) < 25*12+1; at = at.Add(5 * time.Minute) {
			steps = append(steps, step{at: at.Unix(), values: map[int32]uint64{1: uint64(at.Unix())}})
		}
		rows := summarize(t, Options{Every: tt.every, Zone: zone}, "disk.dev.total", false, steps)
		var got []string
		before := pcp.Timestamp{Sec: begin.Unix()}
		for _, r := range rows {
			if got = append(got, r.From.Time().In(zone).Format("02T15:04-07")); r.From != before {
				t.Errorf("%s %s, every %v: an interval begins at %v, and the one before ends at %v", tt.zone, tt.day, tt.every, r.From, before)
			}
			before = r.To
			if least := float64(r.From.Sec); r.Min != least {
				t.Errorf("%s %s, every %v: the least value after %v is %v", tt.zone, tt.day, tt.every, r.From, r.Min)
			}
		}
		if all := strings.Join(got, " "); !strings.HasPrefix(all, tt.want) {
			t.Errorf("%s %s, every %v: intervals begin at %s, want %s", tt.zone, tt.day, tt.every, all, tt.want)
		}
	}
}

// TestBounds checks that intervals follow each other without gaps and overlaps, and have the samples
// between their bounds, in zones that change their clocks at different times and by different spans.
func TestBounds(t *testing.T) {
	const length = 30 * 60
	var steps []step
	for at, end := int64(1696000000/length*length), int64(1735000000); at < end; at += length {
		steps = append(steps, step{at: at, values: map[int32]uint64{1: uint64(at)}})
	}
	before := func(bound pcp.Timestamp) int { return int((bound.Sec + length - 1) / length) }
	for _, tz := range []string{
		"EET-2EEST,M3.5.0/3,M10.5.0/4", "GMT0BST,M3.5.0/1,M10.5.0", "EST5EDT,M3.2.0,M11.1.0",
		"LHST-10:30LHDT-11,M10.1.0,M4.1.0", "IST-1GMT0,M10.5.0,M3.5.0/1",
	} {
		zone := when.LoadZone(tz)
		for _, every := range []time.Duration{50 * time.Minute, 2 * time.Hour, 7 * time.Hour, 36 * time.Hour, 100 * 24 * time.Hour, 300 * 24 * time.Hour} {
			rows := summarize(t, Options{Every: every, Zone: zone}, "disk.dev.total", false, steps)
			samples := 0
			for i, r := range rows {
				from, to := r.From.Time().In(zone), r.To.Time().In(zone)
				samples += r.Samples
				if i > 0 && r.From.Compare(rows[i-1].To) < 0 || !from.Before(to) {
					t.Errorf("%s, every %v: an interval from %v to %v", tz, every, from, to)
				}
				if i > 0 && i < len(rows)-1 && r.Samples != before(r.To)-before(r.From) || r.Min < float64(r.From.Sec) || r.Max >= float64(r.To.Sec) {
					t.Errorf("%s, every %v: from %v to %v %d samples of %v to %v", tz, every, from, to, r.Samples, r.Min, r.Max)
				}
			}
			if samples != len(steps) {
				t.Errorf("%s, every %v: %d samples in all, want %d", tz, every, samples, len(steps))
			}
		}
	}
}

// TestOrder checks which instances are shown, and how rows follow each other.
func TestOrder(t *testing.T) {
	rows := summarize(t, Options{Instances: true}, "disk.dev.total", false, []step{
		{at: 1000, values: map[int32]uint64{1: 1, 2: 9, 3: 5, 4: 5}},
		{at: 1010, values: map[int32]uint64{1: 8, 2: 0, 3: 6, 4: 5}},
		{at: 1020, values: map[int32]uint64{1: 2, 2: 3, 3: 6, 4: 5}},
	})
	for _, c := range []struct {
		order Order
		want  []string
	}{
		{Order{}, []string{"", "1", "2", "3", "4"}},
		{Order{Top: 2, By: "mean"}, []string{"", "3", "4"}},
		{Order{Top: 2, By: "max"}, []string{"", "2", "1"}},
		{Order{Top: 2, By: "max", Sort: "name"}, []string{"", "1", "2"}},
		{Order{Top: 3, By: "last"}, []string{"", "3", "4", "2"}},
		{Order{Top: 1, By: "change"}, []string{"", "2"}},
		{Order{Top: 9, By: "p95"}, []string{"", "2", "1", "3", "4"}},
		{Order{Sort: "min"}, []string{"", "3", "4", "1", "2"}},
	} {
		var got []string
		for _, r := range c.order.Rows(slices.Clone(rows)) {
			got = append(got, r.Instance)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.order, got, c.want)
		}
	}
}

// TestCompare checks scores, what is left out, and what only one window has.
func TestCompare(t *testing.T) {
	rows := func(steps ...step) []Row {
		return summarize(t, Options{Instances: true}, "disk.dev.total", false, steps)
	}
	a := rows(step{at: 0, values: map[int32]uint64{1: 1000, 2: 4, 3: 100, 4: 0, 5: 9}}, step{at: 10, values: map[int32]uint64{1: 1004, 2: 4, 3: 120, 4: 0, 5: 9}},
		step{at: 20, values: map[int32]uint64{1: 0, 2: 4, 3: 0, 4: 0}})
	b := rows(step{at: 0, values: map[int32]uint64{1: 1010, 2: 8, 3: 102, 4: 5, 6: 9}}, step{at: 10, values: map[int32]uint64{1: 1014, 2: 8, 3: 122, 4: 5, 6: 9}},
		step{at: 20, values: map[int32]uint64{1: 0, 2: 8, 3: 0, 4: 5}})
	names := func(list []Change) (names []string) {
		for _, c := range list {
			names = append(names, c.Instance)
		}
		return names
	}
	c := Compare(a, b, 0.1)
	if got, want := names(c.Changed), []string{"4", "2"}; !slices.Equal(got, want) {
		t.Fatalf("changed: %q, want %q", got, want)
	}
	// From 0 to 5: 5% of 5, and a change of 0.05, hardly matter.
	if c.Same != 2 || c.Largest != 5/0.3 {
		t.Errorf("same %d, the largest score %v", c.Same, c.Largest)
	}
	if got := c.Changed[0].Ratio(); !math.IsNaN(got) {
		t.Errorf("ratio to 0: %v", got)
	}
	if r := c.Changed[1]; r.Ratio() != 2 || r.Difference() != 4 || math.Abs(r.Score.Value-4/0.45) > 1e-9 {
		t.Errorf("4 to 8: ratio %v, difference %v, score %v", r.Ratio(), r.Difference(), r.Score.Value)
	}
	if a, b := names(c.OnlyA), names(c.OnlyB); !slices.Equal(a, []string{"5"}) || !slices.Equal(b, []string{"6"}) {
		t.Errorf("only in a: %q, only in b: %q", a, b)
	}
	busy := rows(step{at: 0, values: map[int32]uint64{1: 0, 2: 0, 7: 0, 8: 3}}, step{at: 10, values: map[int32]uint64{1: 0, 2: 0, 7: 0, 8: 3}})
	if got := names(Compare(a, busy, 0).OnlyB); !slices.Equal(got, []string{"8", "7"}) {
		t.Errorf("only in b: %q, want the one with values first", got)
	}
	c = Compare(a, b, 0)
	if got, want := names(c.Changed)[:3], []string{"4", "2", "3"}; !slices.Equal(got, want) || len(c.Changed) != 4 {
		t.Errorf("the three largest of %d: %q, want %q", len(c.Changed), got, want)
	}
	// Means over time are 110 and 112, samples of a 100, 120, 0.
	usual := math.Sqrt(12400.0/3) + 5.6 + 0.05
	if got, want := c.Changed[2].Score.Value, 2/usual; math.Abs(got-want) > 1e-9 {
		t.Errorf("the score is %v, want %v", got, want)
	}
}

// TestScoreBy: with samples enough, a change of the distribution counts that the means do not show,
// and one that may be chance does not.
func TestScoreBy(t *testing.T) {
	rows := func(n int, value func(i int) uint64) []Row {
		var steps []step
		for i := range n {
			steps = append(steps, step{at: int64(10 * i), values: map[int32]uint64{1: value(i)}})
		}
		return summarize(t, Options{Instances: true}, "disk.dev.total", false, steps)
	}
	steady := func(i int) uint64 { return 100 + uint64(i%2) }
	apart := func(i int) uint64 { return 201 * uint64(i%2) }
	for _, tt := range []struct {
		n    int
		b    func(i int) uint64
		by   string
		over bool
		ks   float64
	}{
		{100, apart, ByP95, true, 0.5},
		{20, apart, ByMean, false, math.NaN()},
		{100, steady, ByMean, false, 0},
		{100, func(i int) uint64 { return 100_000 + uint64(i) }, ByMean, true, 1},
	} {
		c := Compare(rows(tt.n, steady), rows(tt.n, tt.b), 0)
		if len(c.Changed) == 0 && tt.ks == 0 {
			continue
		}
		got := c.Changed[0].Score
		if math.Abs(got.KS-tt.ks) > 0.01 || math.IsNaN(got.KS) != math.IsNaN(tt.ks) {
			t.Errorf("%d samples: the statistic is %v, want %v", tt.n, got.KS, tt.ks)
		}
		if got.By != tt.by || got.Value > 1 != tt.over {
			t.Errorf("%d samples: score %+v, want by %s, more than 1: %v, ks %v", tt.n, got, tt.by, tt.over, tt.ks)
		}
	}
}

// TestRank: a spike of the load stands above counters that hardly move, noise, names and settings, and what tells the time.
func TestRank(t *testing.T) {
	row := func(name string, u pcp.Units, deviation float64, values ...float64) Row {
		s := newSeries(&Metric{Name: name, Desc: pcp.Desc{Type: pcp.Double, Units: u}})
		for i, x := range values {
			s.add(x, pcp.Timestamp{Sec: int64(i)})
		}
		f := s.finish(true, nil)
		f.spread.variance = deviation * deviation
		return Row{Metric: &Metric{Name: name, Desc: pcp.Desc{Type: pcp.Double, Units: u}}, Figures: f}
	}
	rate := pcp.Units{DimCount: 1, DimTime: -1, ScaleTime: pcp.Sec}
	seconds := pcp.Units{DimTime: 1, ScaleTime: pcp.Sec}
	a := []Row{
		row("net.packets", rate, 0, 0.03), row("load", pcp.Units{}, 0.1, 0.4), row("cpu", pcp.Units{}, 0.02, 0.1), row("writes", rate, 900, 1000),
		row("uptime", seconds, 5, 100, 110), row("latency", seconds, 0.001, 0.02, 0.01, 0.02), row("free", pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}, 10, 8<<20),
	}
	b := []Row{
		row("net.packets", rate, 0, 0.07), row("load", pcp.Units{}, 2, 6), row("cpu", pcp.Units{}, 0.2, 1.9), row("writes", rate, 10, 1800),
		row("uptime", seconds, 5, 200, 210), row("latency", seconds, 0, 0.05, 0.09, 0.07), row("free", pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}, 10, 8<<20-900),
	}
	a = append(a, row("pmcd.pid", pcp.Units{}, 0, 1234), row("kernel.all.lastpid", pcp.Units{}, 0, 100), row("physmem", pcp.Units{DimSpace: 1}, 0, 1<<30))
	b = append(b, row("pmcd.pid", pcp.Units{}, 0, 99), row("kernel.all.lastpid", pcp.Units{}, 0, 9000), row("physmem", pcp.Units{DimSpace: 1}, 0, 2<<30))
	for _, rows := range [][]Row{a, b} {
		rows[len(rows)-1].Desc.Sem = pcp.Discrete
	}
	c := Compare(a, b, 0)
	var got []string
	for i := range c.Changed {
		got = append(got, fmt.Sprintf("%s %.2f", c.Changed[i].Name, c.Changed[i].Score.Value))
	}
	want := []string{"load 12.44", "cpu 10.91", "latency 9.70", "pmcd.pid 1.00", "kernel.all.lastpid 1.00", "physmem 1.00", "writes 0.81", "net.packets 0.04", "free 0.00"}
	if !slices.Equal(got, want) || c.Clocks != 1 {
		t.Errorf("%q and %d clocks, want %q and 1", got, c.Clocks, want)
	}
}

// TestIntervalsBound checks that intervals are refused which are more than memory has room for.
func TestIntervalsBound(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.BuildBig(dir, "big", 2700); err != nil {
		t.Fatal(err)
	}
	arch, err := pmapi.OpenArchive(t.Context(), dir+"/big", nil)
	if err != nil {
		t.Fatal(err)
	}
	src := query.NewSource(arch)
	defer arch.Close()
	opt := &Options{Exprs: []string{"big.d01", "big.d05", "big.d09", "big.d13"}, Instances: true, Every: time.Second}
	if _, err := Summarize(t.Context(), src, derive.NewSet(), opt); err == nil || !strings.Contains(err.Error(), "choose longer ones") {
		t.Errorf("many intervals: %v", err)
	}
	opt.Every = time.Minute
	s, err := Summarize(t.Context(), src, derive.NewSet(), opt)
	if err != nil {
		t.Fatal(err)
	}
	// The first interval and the last one are shorter.
	if got, want := len(s.Rows), 4*101*(2700/60+1); got != want {
		t.Errorf("%d rows, want %d", got, want)
	}
}
