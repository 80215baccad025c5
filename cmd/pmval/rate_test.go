package main

import (
	"fmt"
	"math"
	"testing"

	"pmtools/lib/pcp"
)

// column returns values of one type for instances 0, 1 and so on.
func columnOf(t pcp.Type, words ...uint64) *pcp.Result {
	r := &pcp.Result{Sets: make([]pcp.Values, 1)}
	v := &r.Sets[0]
	v.Reset(1, t)
	for i, w := range words {
		v.Insts, v.Words = append(v.Insts, int32(i)), append(v.Words, w)
	}
	return r
}

func TestRate(t *testing.T) {
	f32 := func(f float32) uint64 { return uint64(math.Float32bits(f)) }
	neg := func(n int64) uint64 { return uint64(n) }
	tests := []struct {
		typ         pcp.Type
		before, now uint64
		wraps       bool
		want        string
	}{
		{pcp.Int32, 1, 5, false, "2"},
		{pcp.Int32, neg(-5), neg(-1), false, "2"},
		{pcp.Uint32, 5, 1, false, "!"},
		{pcp.Uint32, 1<<32 - 1, 1, true, "1"},
		{pcp.Int32, 1<<31 - 1, neg(-1 << 31), true, "0.5"},
		{pcp.Uint64, 1<<63 + 1<<12, 1<<63 + 1<<13, false, "2048"},
		{pcp.Uint64, math.MaxUint64 - 1<<12 + 1, 0, true, "2048"},
		{pcp.Int64, 3, 1, false, "!"},
		{pcp.Float, f32(1), f32(2), false, "0.5"},
		{pcp.Float, f32(2), f32(1), true, "!"},
		{pcp.Double, math.Float64bits(1), math.Float64bits(4), false, "1.5"},
		{pcp.Double, math.Float64bits(4), math.Float64bits(1), true, "!"},
	}
	for _, tt := range tests {
		conv := converter{rate: true, wraps: tt.wraps, desc: pcp.Desc{Type: tt.typ, InDom: 1, Sem: pcp.Counter}}
		now, before := columnOf(tt.typ, tt.now), columnOf(tt.typ, tt.before)
		before.Time, now.Time = pcp.Timestamp{Sec: 10}, pcp.Timestamp{Sec: 12}
		c := conv.convert([]column{{inst: 0}}, now, before).cells[0]
		got := fmt.Sprint(c.real)
		if c.kind == isWrapped {
			got = "!"
		}
		if got != tt.want {
			t.Errorf("%v %#x after %#x: got %s, want %s", tt.typ, tt.now, tt.before, got, tt.want)
		}
	}
}

// TestRateScale: counters of time are fractions of time.
func TestRateScale(t *testing.T) {
	scales := map[int8]float64{pcp.Nsec: 1e9, pcp.Usec: 1e6, pcp.Msec: 1e3, pcp.Sec: 1, pcp.Min: 1.0 / 60, pcp.Hour: 1.0 / 3600}
	for scale, want := range scales {
		if got := timeScale(pcp.Units{DimTime: 1, ScaleTime: scale}); got != want {
			t.Errorf("scale %d: got %v, want %v", scale, got, want)
		}
		if got := timeScale(pcp.Units{DimCount: 1, ScaleTime: scale}); got != 1 {
			t.Errorf("scale %d without a dimension: got %v", scale, got)
		}
	}
}

// TestSeconds: the time between samples has the error of two rounded doubles.
func TestSeconds(t *testing.T) {
	a, b := pcp.Timestamp{Sec: 902428473, Nsec: 248687000}, pcp.Timestamp{Sec: 902428474, Nsec: 248493000}
	if got, want := fmt.Sprintf("%.12f", 1/(seconds(b)-seconds(a))), "1.000194110395"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCell(t *testing.T) {
	conv := converter{desc: pcp.Desc{Type: pcp.Double, InDom: 1, Sem: pcp.Instant}}
	now := columnOf(pcp.Double, math.Float64bits(-2), math.Float64bits(3))
	if c := conv.convert([]column{{inst: 0}}, now, nil).cells[0]; c.kind != isReal || c.real != -2 {
		t.Errorf("a negative number is %+v", c)
	}
	conv.desc.Sem = pcp.Counter
	if c := conv.convert([]column{{inst: 0}}, now, nil).cells[0]; c.kind != isWrapped {
		t.Errorf("a negative raw counter is %+v", c)
	}
	if got := conv.convert([]column{{inst: 1}}, now, nil).cells[0]; got.real != 3 || got.at != 1 {
		t.Errorf("got %+v", got)
	}
	if got := conv.convert([]column{{inst: 7}}, now, nil).cells[0]; got.kind != isAbsent {
		t.Errorf("an absent instance is %+v", got)
	}
	conv.rate = true
	if got := conv.convert([]column{{inst: 1}}, now, nil).cells[0]; got.kind != isAbsent {
		t.Errorf("a rate without a sample before is %+v", got)
	}
	before := columnOf(pcp.Double, 0)
	if got := conv.convert([]column{{inst: 1}}, now, before).cells[0]; got.kind != isAbsent {
		t.Errorf("a rate without a value before is %+v", got)
	}
	now.Sets[0].Odd = []pcp.Odd{{Bad: true}, {}}
	if got := conv.convert([]column{{inst: 0}}, now, before).cells[0]; got.kind != isOdd {
		t.Errorf("the rate of no number is %+v", got)
	}
	conv.rate, now.Sets[0].Type = false, pcp.Int32
	if got := conv.convert([]column{{inst: 0}}, now, nil).cells[0]; got.kind != isValue || got.at != 0 {
		t.Errorf("an odd value is %+v", got)
	}
}

// TestPlacement has one placement find the values of results in turn: instances that come, go and
// change places, one twice in a result, and one with two columns.
func TestPlacement(t *testing.T) {
	columns := []column{{inst: 1}, {inst: 3}, {inst: 3}, {inst: 5}, {inst: 9}}
	tests := []struct{ insts, want []int32 }{
		{[]int32{1, 3, 5, 9}, []int32{0, 1, 1, 2, 3}},
		{[]int32{9, 5, 3, 1}, []int32{3, 2, 2, 1, 0}},
		{[]int32{2, 3, 9}, []int32{-1, 1, 1, -1, 2}},
		{[]int32{2, 4, 3, 3, 9, 1}, []int32{5, 2, 2, -1, 4}},
		{nil, []int32{-1, -1, -1, -1, -1}},
		{[]int32{5, 1}, []int32{1, -1, -1, 0, -1}},
	}
	var p placement
	for _, tt := range tests {
		p.find(columns, &pcp.Values{Insts: tt.insts}, false)
		if fmt.Sprint(p.places) != fmt.Sprint(tt.want) {
			t.Errorf("%v: got %v, want %v", tt.insts, p.places, tt.want)
		}
	}
}

// TestSingularInstance: the value of a metric without instances counts whatever instance the record
// says.
func TestSingularInstance(t *testing.T) {
	conv := converter{desc: pcp.Desc{Type: pcp.Int32, InDom: pcp.NullInDom}}
	if got := conv.convert([]column{{inst: pcp.NullInst}}, columnOf(pcp.Int32, 5), nil).cells[0]; got.kind != isValue {
		t.Errorf("got %+v", got)
	}
	if got := conv.convert([]column{{inst: pcp.NullInst}}, columnOf(pcp.Int32), nil).cells[0]; got.kind != isAbsent {
		t.Errorf("without values: got %+v", got)
	}
}
