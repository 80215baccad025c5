package fetchgroup

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/lib/builtin"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// sampleGroup returns a group over the sample collector.
func sampleGroup(t *testing.T) (*Group, *derive.Source) {
	t.Helper()
	src := derive.NewSource(builtin.Default(nil), nil, nil)
	g := New(src, nil)
	t.Cleanup(func() { g.Close() })
	return g, src
}

// show returns a value and its status as text.
func show(v any, err error) string {
	text := fmt.Sprintf("%v", v)
	if s, ok := v.(string); ok {
		text = fmt.Sprintf("%q", s)
	}
	switch code := pmerr.Of(err); {
	case code == 0:
	case code.Name() != "":
		text += " " + code.Name()
	default:
		text += fmt.Sprint(" ", int32(code))
	}
	return text
}

// register adds an item and returns the function that shows it.
func register(g *Group, kind, metric, inst, scale string) (func() string, error) {
	ctx := context.Background()
	switch kind {
	case "32":
		return itemOf[int32](Add[int32](ctx, g, metric, inst, scale))
	case "U32":
		return itemOf[uint32](Add[uint32](ctx, g, metric, inst, scale))
	case "64":
		return itemOf[int64](Add[int64](ctx, g, metric, inst, scale))
	case "U64":
		return itemOf[uint64](Add[uint64](ctx, g, metric, inst, scale))
	case "FLOAT":
		return itemOf[float32](Add[float32](ctx, g, metric, inst, scale))
	case "DOUBLE":
		return itemOf[float64](Add[float64](ctx, g, metric, inst, scale))
	}
	return itemOf[string](Add[string](ctx, g, metric, inst, scale))
}

func itemOf[T Type](x *Item[T], err error) (func() string, error) {
	return func() string {
		v, err := x.Value()
		return show(v, err)
	}, err
}

// TestValues has the values of FG17.1, FG17.10 and FG17.11.
func TestValues(t *testing.T) {
	g, src := sampleGroup(t)
	for name, expr := range map[string]string{"d.sum": "sum(sample.bin)", "d.two": "sample.bin * 2", "d.one": "sample.bin[bin-300]", "d.rate": "rate(sample.byte_ctr)"} {
		if err := src.Add(t.Context(), name, expr); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ metric, inst, scale, kind, want string }{
		{"sample.long.ten", "", "", "32", "10"},
		{"sample.long.ten", "", "", "U64", "10"},
		{"sample.long.ten", "", "", "STRING", `"10"`},
		{"sample.float.one", "", "", "STRING", `"1.000000000e+00"`},
		{"sample.float.bin", "bin-100", "", "STRING", `"1.000000000e+02"`},
		{"sample.double.million", "", "", "STRING", `"1.00000000000000000e+06"`},
		{"sample.string.hullo", "", "", "STRING", `"hullo world!"`},
		{"sample.string.hullo", "", "", "32", "-1 PM_ERR_TYPE"},
		{"sample.string.bin", "bin-100", "", "32", "100"},
		{"sample.string.null", "", "", "STRING", `""`},
		{"sample.string.null", "", "", "32", "0"},
		{"sample.bad.novalues", "", "", "32", "-1 PM_ERR_VALUE"},
		{"sample.long.one", "", "1", "STRING", `"1.00000000000000000e+00"`},
		{"sample.ulong.count.kilo", "", "count/mbyte", "DOUBLE", "4.2e+07"},
		{"sample.ulong.count.kilo", "", "count/kbyte", "DOUBLE", "41015.625"},
		{"sample.string.bin", "bin-200", "1", "STRING", `"2.00000000000000000e+02"`},
		{"sample.string.bin", "bin-100", "rate", "DOUBLE", "NaN PM_ERR_AGAIN"},
		{"sample.byte_ctr", "", "", "U32", "4294967295 PM_ERR_AGAIN"},
		{"d.sum", "", "", "32", "4500"},
		{"d.two", "bin-200", "", "U32", "400"},
		{"d.one", "bin-300", "", "DOUBLE", "300"},
		{"d.rate", "", "", "DOUBLE", "NaN PM_ERR_VALUE"},
	} {
		x, err := register(g, tt.kind, tt.metric, tt.inst, tt.scale)
		if err != nil {
			t.Errorf("%+v: %v", tt, err)
			continue
		}
		if got := x(); !strings.Contains(got, "PM_ERR_VALUE") {
			t.Errorf("%+v before the first fetch: %s", tt, got)
		}
		if _, err := g.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := x(); got != tt.want {
			t.Errorf("%+v: got %s", tt, got)
		}
		g.Clear()
		if got := x(); !strings.Contains(got, "PM_ERR_VALUE") {
			t.Errorf("%+v after Clear: %s", tt, got)
		}
	}
}

// TestRefused has the errors of registration, FG17.3.
func TestRefused(t *testing.T) {
	g, _ := sampleGroup(t)
	for _, tt := range []struct {
		metric, inst, scale, kind string
		want                      pmerr.Code
	}{
		{"sample.bin", "", "", "32", pmerr.InDom},
		{"sample.long.one", "bin-100", "", "32", pmerr.InDom},
		{"sample.bin", "bin-150", "", "32", pmerr.Inst},
		{"no.such.metric", "", "", "32", pmerr.Name},
		{"sample", "", "", "32", pmerr.NonLeaf},
		{"sample.bad.unknown", "", "", "32", pmerr.PMID},
		{"sample.aggregate.hullo", "", "", "STRING", pmerr.Type},
		{"sample.bad.nosupport", "", "", "32", pmerr.Type},
		{"sample.event.records", "fungus", "", "32", pmerr.Type},
		{"sample.byte_rate", "", "kbyte", "DOUBLE", pmerr.Conv},
		{"sample.load", "", "RATE", "DOUBLE", pmerr.Conv},
		{"sample.load", "", " rate", "DOUBLE", pmerr.Conv},
		{"sample.seconds", "", "msec", "DOUBLE", pmerr.Conv},
		{"sample.milliseconds", "", "none", "DOUBLE", pmerr.Conv},
		{"sample.const_rate.value", "", "count/nsec", "DOUBLE", pmerr.Conv},
		{"sample.const_rate.value", "", "kilocount/sec", "DOUBLE", pmerr.Conv},
		{"sample.const_rate.value", "", "count/sec^2", "DOUBLE", pmerr.Conv},
		{"sample.const_rate.value", "", "byte", "DOUBLE", pmerr.Conv},
	} {
		if _, err := register(g, tt.kind, tt.metric, tt.inst, tt.scale); pmerr.Of(err) != tt.want {
			t.Errorf("%+v: got %v", tt, err)
		}
	}
	if _, err := g.Fetch(t.Context()); pmerr.Of(err) != pmerr.TooSmall {
		t.Errorf("nothing registered: %v", err)
	}
}

// scripted returns a group over a daemon that has one metric, w.x, with other values in each fetch,
// a second apart.
func scripted(t *testing.T, d pcp.Desc, insts []pcp.Instance, opt *Options, answers ...pcp.Values) (*Group, *pmcdtest.Server) {
	t.Helper()
	d.ID = pcp.NewID(60, 0, 1)
	m := pmcdtest.Metric{Name: "w.x", Desc: d}
	for _, v := range answers {
		v.Type = d.Type
		m.Answers = append(m.Answers, pmcdtest.Answer{Values: v})
	}
	s := pmcdtest.NewServer(&pmcdtest.World{Metrics: []pmcdtest.Metric{m}, InDoms: []pmcdtest.InDom{{ID: d.InDom, Instances: insts}}})
	t.Cleanup(func() { s.Close() })
	src, err := pmapi.OpenHost(t.Context(), "127.0.0.1", &pmcd.Dialer{DialContext: s.Dial})
	if err != nil {
		t.Fatal(err)
	}
	g := New(src, opt)
	t.Cleanup(func() { g.Close() })
	return g, s
}

// one returns the only value of a metric without instances.
func one(w uint64) pcp.Values { return pcp.Values{Insts: []int32{pcp.NullInst}, Words: []uint64{w}} }

// TestNumbers has the conversions of FG17.1 that no agent has values for.
func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		typ         pcp.Type
		word        uint64
		scale, kind string
		want        string
	}{
		{pcp.Int32, math.MaxUint64 - 4, "", "U32", "4294967295 PM_ERR_SIGN"},
		{pcp.Uint64, math.MaxUint64, "", "64", "-1 PM_ERR_TRUNC"},
		{pcp.Uint64, math.MaxUint64, "", "DOUBLE", "1.8446744073709552e+19"},
		{pcp.Uint64, math.MaxUint64, "", "STRING", `"18446744073709551615"`},
		{pcp.Uint64, math.MaxUint64, "1", "U64", "18446744073709551615 PM_ERR_TRUNC"},
		{pcp.Double, math.Float64bits(1e300), "", "FLOAT", "+Inf"},
		{pcp.Double, math.Float64bits(1e300), "1", "FLOAT", "NaN PM_ERR_TRUNC"},
		{pcp.Double, math.Float64bits(1e300), "", "U64", "18446744073709551615 PM_ERR_TRUNC"},
		{pcp.Float, uint64(math.Float32bits(3.5)), "", "32", "3"},
		{pcp.Float, uint64(math.Float32bits(-3.5)), "1", "32", "-3"},
		{pcp.Int64, 1 << 63, "", "U64", "18446744073709551615 PM_ERR_SIGN"},
		{pcp.Int64, 1 << 63, "1", "64", "-9223372036854775808"},
		{pcp.Double, math.Float64bits(math.Inf(-1)), "", "STRING", `"-inf"`},
	} {
		g, _ := scripted(t, pcp.Desc{Type: tt.typ, InDom: pcp.NullInDom, Sem: pcp.Instant}, nil, nil, one(tt.word))
		x, err := register(g, tt.kind, "w.x", "", tt.scale)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := x(); got != tt.want {
			t.Errorf("%+v: got %s", tt, got)
		}
	}
}

// TestTexts has the table FG17.2.
func TestTexts(t *testing.T) {
	kinds := []string{"32", "U32", "64", "U64", "FLOAT", "DOUBLE"}
	for _, tt := range [][]string{
		{"42", "42", "42", "42", "42", "42", "42"},
		{" 42", "42", "42", "42", "42", "42", "42"},
		{"+42", "42", "42", "42", "42", "42", "42"},
		{"42 ", "TYPE", "TYPE", "TYPE", "TYPE", "TYPE", "TYPE"},
		{"-1", "-1", "-34", "-1", "18446744073709551615", "-1", "-1"},
		{"0x1f", "31", "31", "31", "31", "TYPE", "TYPE"},
		{"-0x10", "-16", "-34", "-16", "18446744073709551600", "TYPE", "TYPE"},
		{"010", "10", "10", "10", "10", "10", "10"},
		{"1.5", "TYPE", "TYPE", "TYPE", "TYPE", "1.5", "1.5"},
		{"1e3", "TYPE", "TYPE", "TYPE", "TYPE", "1000", "1000"},
		{"4294967296", "-34", "-34", "4294967296", "4294967296", "4.2949673e+09", "4.294967296e+09"},
		{"1e-40", "TYPE", "TYPE", "TYPE", "TYPE", "-34", "1e-40"},
		{"0", "0", "0", "0", "0", "0", "0"},
		{"inf", "TYPE", "TYPE", "TYPE", "TYPE", "-34", "+Inf"},
		{"0x", "TYPE", "TYPE", "TYPE", "TYPE", "TYPE", "TYPE"},
		{"12abc", "TYPE", "TYPE", "TYPE", "TYPE", "TYPE", "TYPE"},
	} {
		g, _ := scripted(t, pcp.Desc{Type: pcp.String, InDom: pcp.NullInDom, Sem: pcp.Instant}, nil, nil,
			pcp.Values{Insts: []int32{pcp.NullInst}, Blobs: [][]byte{[]byte(tt[0])}})
		var show []func() string
		for _, kind := range kinds {
			x, err := register(g, kind, "w.x", "", "")
			if err != nil {
				t.Fatal(err)
			}
			show = append(show, x)
		}
		if _, err := g.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, x := range show {
			got := x()
			want := tt[i+1]
			if want == "TYPE" || want == "-34" {
				_, got, _ = strings.Cut(strings.Replace(got, "PM_ERR_", "", 1), " ")
			}
			if got != want {
				t.Errorf("%q to %s: %s", tt[0], kinds[i], got)
			}
		}
	}
}

// TestRates has FG17.4: units and rates of two fetches a second apart.
func TestRates(t *testing.T) {
	bytes, count, msec := pcp.Units{DimSpace: 1}, pcp.Units{DimCount: 1}, pcp.Units{DimTime: 1, ScaleTime: pcp.Msec}
	for _, tt := range []struct {
		units       pcp.Units
		from, to    uint64
		scale, kind string
		first, then string
		wrap        bool
	}{
		{bytes, 2583, 3285, "", "DOUBLE", "NaN PM_ERR_AGAIN", "702", false},
		{bytes, 2583, 3285, "instant", "32", "2583", "3285", false},
		{bytes, 2583, 3285, "kbyte", "DOUBLE", "2.5224609375", "3.2080078125", false},
		{bytes, 2583, 3285, "10 kbyte", "DOUBLE", "0.25224609375", "0.32080078125", false},
		{bytes, 2583, 3285, "kbyte/sec", "DOUBLE", "NaN PM_ERR_AGAIN", "0.685546875", false},
		{bytes, 2583, 3285, "kbyte / hour", "DOUBLE", "NaN PM_ERR_AGAIN", "2467.96875", false},
		{bytes, 3285, 2583, "rate", "DOUBLE", "NaN PM_ERR_AGAIN", "NaN PM_ERR_VALUE", false},
		{msec, 1000, 2000, "rate", "DOUBLE", "NaN PM_ERR_AGAIN", "1000", false},
		{msec, 1000, 2000, "sec/sec", "DOUBLE", "NaN PM_ERR_AGAIN", "1", false},
		{msec, 1000, 2000, "1", "DOUBLE", "NaN PM_ERR_AGAIN", "1", false},
		{msec, 1000, 2000, "millisec/sec", "DOUBLE", "NaN PM_ERR_AGAIN", "1000", false},
		{msec, 1000, 2000, "sec/hour", "DOUBLE", "NaN PM_ERR_AGAIN", "3600", false},
		{msec, 1000, 2000, "hour/sec", "DOUBLE", "NaN PM_ERR_AGAIN", "0.0002777777777777778", false},
		{msec, 1000, 2000, "100 sec", "DOUBLE", "0.01", "0.02", false},
		{msec, 1000, 2000, "", "STRING", `"" PM_ERR_AGAIN`, `"1.00000000000000000e+03"`, false},
		{count, 10, 20, "count/min", "DOUBLE", "NaN PM_ERR_AGAIN", "600", false},
		{count, 10, 20, "count x 10^3/sec", "DOUBLE", "NaN PM_ERR_AGAIN", "0.01", false},
		{count, 10, 20, "100 count/sec", "DOUBLE", "NaN PM_ERR_AGAIN", "0.1", false},
		{count, 10, 20, "count/24 hours", "64", "-1 PM_ERR_AGAIN", "864000", false},
		{count, 10, 20, "count / 10 sec", "DOUBLE", "NaN PM_ERR_AGAIN", "100", false},
		{count, 1<<32 - 5, 5, "", "DOUBLE", "NaN PM_ERR_AGAIN", "NaN PM_ERR_VALUE", false},
		{count, 1<<32 - 5, 5, "", "DOUBLE", "NaN PM_ERR_AGAIN", "10", true},
	} {
		g, _ := scripted(t, pcp.Desc{Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Counter, Units: tt.units}, nil, &Options{Wrap: tt.wrap}, one(tt.from), one(tt.to))
		x, err := register(g, tt.kind, "w.x", "", tt.scale)
		if err != nil {
			t.Errorf("%+v: %v", tt, err)
			continue
		}
		for _, want := range []string{tt.first, tt.then} {
			if _, err := g.Fetch(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := x(); got != want {
				t.Errorf("%+v: got %s, want %s", tt, got, want)
			}
		}
	}
}

// TestDiscrete has the retention of FG7.
func TestDiscrete(t *testing.T) {
	none, bad := pcp.Values{}, pcp.Values{Err: pmerr.Again}
	for _, tt := range []struct {
		once bool
		want string
	}{
		{false, "7; 7; 7 PM_ERR_AGAIN; 7 PM_ERR_AGAIN; 9; 9 PM_ERR_VALUE"},
		{true, "7; -1 PM_ERR_VALUE; -1 PM_ERR_AGAIN; -1 PM_ERR_VALUE; 9; -1 PM_ERR_VALUE"},
	} {
		g, s := scripted(t, pcp.Desc{Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Discrete}, nil, &Options{Once: tt.once},
			one(7), none, bad, none, one(9))
		x, err := register(g, "32", "w.x", "", "")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range 6 {
			if i == 5 {
				s.SetDown(true)
			}
			_, err := g.Fetch(t.Context())
			if i < 5 && err != nil || i == 5 && pmerr.Of(err) != pmerr.IPC {
				t.Errorf("fetch %d: %v", i, err)
			}
			got = append(got, x())
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("once %v:\ngot  %s\nwant %s", tt.once, text, tt.want)
		}
		if !g.Time().IsZero() {
			t.Errorf("time after a failure: %v", g.Time())
		}
	}
}

// TestDiscreteInDom has the retention of FG7 for all instances: the values stay, with the status of the metric.
func TestDiscreteInDom(t *testing.T) {
	none, bad := pcp.Values{}, pcp.Values{Err: pmerr.Again}
	g, s := scripted(t, pcp.Desc{Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Discrete}, nil, nil, one(7), none, bad, none, one(9))
	d, err := AddInDom[int32](t.Context(), g, "w.x", "")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		value int32
		err   error
	}{{7, nil}, {7, nil}, {7, pmerr.Again}, {7, pmerr.Again}, {9, nil}, {9, pmerr.Value}} {
		if i == 5 {
			s.SetDown(true)
		}
		_, _ = g.Fetch(t.Context())
		if !errors.Is(d.Err(), want.err) || d.Len() != 1 {
			t.Errorf("fetch %d: %d instances, status %v, want %v", i, d.Len(), d.Err(), want.err)
		}
		for x := range d.All() {
			if x.Value != want.value || x.Err != nil {
				t.Errorf("fetch %d: %v, %v, want %v", i, x.Value, x.Err, want.value)
			}
		}
	}
}

// TestClosed uses a Group after Close.
func TestClosed(t *testing.T) {
	g, _ := scripted(t, pcp.Desc{Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Instant}, nil, nil, one(7), one(8))
	x, err := Add[int32](t.Context(), g, "w.x", "", "")
	if err == nil {
		_, err = g.Fetch(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Fetch(t.Context()); !errors.Is(err, pmerr.TooSmall) {
		t.Errorf("Fetch: %v", err)
	}
	if v, err := x.Value(); !errors.Is(err, pmerr.Value) {
		t.Errorf("Value: %v, %v", v, err)
	}
	if _, err := Add[int32](t.Context(), g, "w.x", "", ""); err == nil {
		t.Error("a metric was registered")
	}
}

// TestReconnect goes on after the connection was lost; the rate covers the gap.
func TestReconnect(t *testing.T) {
	g, s := scripted(t, pcp.Desc{Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Counter}, nil, nil, one(10), one(40))
	x, err := register(g, "DOUBLE", "w.x", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Hangup()
	if _, err := g.Fetch(t.Context()); pmerr.Of(err) != pmerr.IPC {
		t.Errorf("after the connection was lost: %v", err)
	}
	if err := g.Context().Reconnect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0", "30"} { // a new connection begins with the first answer
		if _, err := g.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := x(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestBetween has times whose difference the reference rounds twice, and others.
func TestBetween(t *testing.T) {
	for _, tt := range []struct {
		from, to pcp.Timestamp
		want     float64
	}{
		{pcp.Timestamp{Sec: 1753279344, Nsec: 502531123}, pcp.Timestamp{Sec: 1753279345, Nsec: 505268103}, math.Nextafter(1.00273698, 0)},
		{pcp.Timestamp{Sec: 5}, pcp.Timestamp{Sec: 6}, 1},
		{pcp.Timestamp{Sec: 5, Nsec: 999999999}, pcp.Timestamp{Sec: 6}, 1e-9},
		{pcp.Timestamp{Sec: 5, Nsec: 500000000}, pcp.Timestamp{Sec: 6, Nsec: 250000000}, 0.75},
		{pcp.Timestamp{}, pcp.Timestamp{Sec: 1 << 31}, 1 << 31},
		{pcp.Timestamp{}, pcp.Timestamp{Sec: 1 << 40}, 1 << 40},
		{pcp.Timestamp{Sec: 6}, pcp.Timestamp{Sec: 5}, -1},
		{pcp.Timestamp{Sec: 6, Nsec: 5}, pcp.Timestamp{Sec: 6}, -5e-9},
		{pcp.Timestamp{Sec: 6}, pcp.Timestamp{Sec: 6}, 0},
	} {
		if got := between(tt.from, tt.to); got != tt.want {
			t.Errorf("%v to %v: %v, want %v", tt.from, tt.to, got, tt.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 10000 { // never more than a bit away from the exact quotient
		from := pcp.Timestamp{Sec: r.Int64N(1 << 31), Nsec: r.Int32N(1e9)}
		to := pcp.Timestamp{Sec: from.Sec + r.Int64N(100), Nsec: r.Int32N(1e9)}
		got := between(from, to)
		exact, _ := big.NewRat((to.Sec-from.Sec)*1e9+int64(to.Nsec)-int64(from.Nsec), 1e9).Float64()
		if got != exact && got != math.Nextafter(exact, 1e9) && got != math.Nextafter(exact, -1e9) {
			t.Fatalf("%v to %v: %v, exactly %v", from, to, got, exact)
		}
	}
}
