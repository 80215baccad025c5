package pcp

import (
	"math"
	"testing"

	"pmtools/lib/pmerr"
)

func TestConvert(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name string
		from Type
		word uint64
		to   Type
		want uint64
		code pmerr.Code
	}{
		{"same 32", Int32, i64(-1), Int32, i64(-1), 0},
		{"32 to U32", Int32, i64(-1), Uint32, 0, pmerr.Sign},
		{"32 to U64", Int32, i64(-1), Uint64, 0, pmerr.Sign},
		{"32 to 64", Int32, i64(-1), Int64, i64(-1), 0},
		{"32 to U32 positive", Int32, 7, Uint32, 7, 0},
		{"32 to FLOAT", Int32, i64(-16777217), Float, f32(-16777216), 0},
		{"32 to DOUBLE", Int32, i64(-16777217), Double, f64(-16777217), 0},
		{"U32 to 32 too large", Uint32, 2147483648, Int32, 0, pmerr.Trunc},
		{"U32 to 32", Uint32, 2147483647, Int32, 2147483647, 0},
		{"U32 to 64", Uint32, 2147483648, Int64, 2147483648, 0},
		{"U32 to U64", Uint32, 4294967295, Uint64, 4294967295, 0},
		{"U32 to FLOAT", Uint32, 2147483648, Float, f32(2147483648), 0},
		{"64 below 32 bits is cut", Int64, i64(-2147483649), Int32, 2147483647, 0},
		{"64 to 32", Int64, i64(-2147483648), Int32, i64(-2147483648), 0},
		{"64 above 32 bits", Int64, 2147483648, Int32, 0, pmerr.Trunc},
		{"64 to U32 negative", Int64, i64(-2147483649), Uint32, 0, pmerr.Sign},
		{"64 to U32 too large", Int64, 4294967296, Uint32, 0, pmerr.Trunc},
		{"64 to U64 negative", Int64, i64(-1), Uint64, 0, pmerr.Sign},
		{"64 to FLOAT", Int64, math.MaxInt64, Float, f32(9.22337204e+18), 0},
		{"64 to DOUBLE", Int64, math.MaxInt64, Double, f64(9.2233720368547758e+18), 0},
		{"64 to U64", Int64, math.MaxInt64, Uint64, math.MaxInt64, 0},
		{"U64 to 64 too large", Uint64, 1 << 63, Int64, 0, pmerr.Trunc},
		{"U64 to 32 too large", Uint64, 1 << 31, Int32, 0, pmerr.Trunc},
		{"U64 to U32 too large", Uint64, 1 << 32, Uint32, 0, pmerr.Trunc},
		{"U64 to DOUBLE", Uint64, math.MaxUint64, Double, f64(0x1p64), 0},
		{"FLOAT to 32", Float, f32(2147483520), Int32, 2147483520, 0},
		{"FLOAT to 32 too large", Float, f32(2147483648), Int32, 0, pmerr.Trunc},
		{"FLOAT to 32 too small", Float, f32(-2147483648), Int32, 0, pmerr.Trunc},
		{"FLOAT to U32", Float, f32(4294967040), Uint32, 4294967040, 0},
		{"FLOAT to U32 too large", Float, f32(4294967296), Uint32, 0, pmerr.Trunc},
		{"FLOAT to U32 negative", Float, f32(-0.5), Uint32, 0, pmerr.Sign},
		{"FLOAT to DOUBLE", Float, f32(0.1), Double, f64(0.10000000149011612), 0},
		{"FLOAT to 64 too large", Float, f32(1e20), Int64, 0, pmerr.Trunc},
		{"FLOAT to 64 below is the smallest", Float, f32(-1e20), Int64, i64(math.MinInt64), 0},
		{"DOUBLE to 32", Double, f64(2147483646.9), Int32, 2147483646, 0},
		{"DOUBLE to 32 at the limit", Double, f64(2147483647), Int32, 0, pmerr.Trunc},
		{"DOUBLE to 32 negative limit", Double, f64(-2147483647), Int32, 0, pmerr.Trunc},
		{"DOUBLE to U32", Double, f64(4294967294.9), Uint32, 4294967294, 0},
		{"DOUBLE to U32 at the limit", Double, f64(4294967295), Uint32, 0, pmerr.Trunc},
		{"DOUBLE to 64 too large", Double, f64(9.3e18), Int64, 0, pmerr.Trunc},
		{"DOUBLE to U64", Double, f64(9.3e18), Uint64, 9300000000000000000, 0},
		{"DOUBLE to U64 too large", Double, f64(1.9e19), Uint64, 0, pmerr.Trunc},
		{"DOUBLE to FLOAT overflows", Double, f64(1e300), Float, f32(float32(inf)), 0},
		{"1.9 truncates", Double, f64(1.9), Int32, 1, 0},
		{"-1.9 truncates", Double, f64(-1.9), Int32, i64(-1), 0},
		{"-0.5 to 32", Double, f64(-0.5), Int32, 0, 0},
		{"-0.5 to U32", Double, f64(-0.5), Uint32, 0, pmerr.Sign},
		{"-0 to U64", Double, f64(math.Copysign(0, -1)), Uint64, 0, 0},
		{"NaN to 32", Double, f64(math.NaN()), Int32, 0, pmerr.Trunc},
		{"NaN to U64", Float, f32(float32(math.NaN())), Uint64, 0, pmerr.Trunc},
		{"infinity to 64", Double, f64(inf), Int64, 0, pmerr.Trunc},
		{"negative infinity to 64", Double, f64(-inf), Int64, i64(math.MinInt64), 0},
		{"negative infinity to U64", Double, f64(-inf), Uint64, 0, pmerr.Sign},
		{"number to AGGREGATE", Int32, 1, Aggregate, 0, pmerr.Conv},
		{"number to EVENT", Int32, 1, Event, 0, pmerr.Conv},
		{"number to unknown", Int32, 1, Unknown, 0, pmerr.Conv},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := WordValue(tt.from, tt.word).Convert(tt.to)
			if pmerr.Of(err) != tt.code || v.Word() != tt.want {
				t.Fatalf("got %#x, %v, want %#x, %v", v.Word(), err, tt.want, tt.code)
			}
			if v.IsSet() != (err == nil) || err == nil && v.Type() != tt.to {
				t.Errorf("set %v, type %v", v.IsSet(), v.Type())
			}
		})
	}
}

func TestConvertToString(t *testing.T) {
	tests := []struct {
		typ  Type
		word uint64
		want string
	}{
		{Int32, i64(-1), "-1"},
		{Uint32, 4294967295, "4294967295"},
		{Int64, i64(math.MinInt64), "-9223372036854775808"},
		{Uint64, 1 << 63, "9223372036854775808"},
		{Float, f32(0.1), "0.1000000014901161"},
		{Float, f32(-1e20), "-1.000000020040877e+20"}, // the reference cuts it short
		{Double, f64(1e15), "1000000000000000"},
		{Double, f64(1e16), "1e+16"},
		{Double, f64(1.0 / 3), "0.3333333333333333"},
	}
	for _, tt := range tests {
		v := WordValue(tt.typ, tt.word)
		got, err := v.Text()
		if err != nil || got != tt.want {
			t.Errorf("%v %#x: Text() = %q, %v, want %q", tt.typ, tt.word, got, err, tt.want)
		}
	}
}

func TestConvertBlobs(t *testing.T) {
	types := []Type{Int32, Uint32, Int64, Uint64, Float, Double, String, Aggregate, AggregateStatic, Event, HighResEvent, Unknown, NoSupport}
	for _, from := range types[6:] {
		for _, to := range types {
			v, err := BlobValue(from, []byte("xyz")).Convert(to)
			if from == to && (to == String || to == Aggregate) {
				if err != nil || string(v.Bytes()) != "xyz" || v.Type() != to {
					t.Errorf("%v to itself: %q, %v", from, v.Bytes(), err)
				}
				continue
			}
			if err != pmerr.Conv || v.IsSet() {
				t.Errorf("%v to %v: %v, want %v", from, to, err, pmerr.Conv)
			}
		}
	}
	if _, err := (Value{}).Convert(Int32); err != pmerr.Conv {
		t.Errorf("no value: %v, want %v", err, pmerr.Conv)
	}
}

func TestAccessors(t *testing.T) {
	v := DoubleValue(41.9)
	if n, err := v.Int64(); n != 41 || err != nil {
		t.Errorf("Int64() = %d, %v", n, err)
	}
	if n, err := v.Uint64(); n != 41 || err != nil {
		t.Errorf("Uint64() = %d, %v", n, err)
	}
	if f, err := FloatValue(0.5).Float64(); f != 0.5 || err != nil {
		t.Errorf("Float64() = %v, %v", f, err)
	}
	if _, err := DoubleValue(-1).Uint64(); err != pmerr.Sign {
		t.Errorf("Uint64() of -1: %v, want %v", err, pmerr.Sign)
	}
	if f, err := BlobValue(String, []byte("1")).Float64(); f != 0 || err != pmerr.Conv {
		t.Errorf("Float64() of a string: %v, %v", f, err)
	}
	if s, err := BlobValue(String, []byte("text")).Text(); s != "text" || err != nil {
		t.Errorf("Text() = %q, %v", s, err)
	}
}

func TestConvertAllocates(t *testing.T) {
	v := WordValue(Uint32, 7)
	if n := testing.AllocsPerRun(100, func() { _, _ = v.Float64() }); n != 0 {
		t.Errorf("Float64 allocates %v times", n)
	}
}

func BenchmarkConvert(b *testing.B) {
	v := WordValue(Uint64, 1<<40)
	for b.Loop() {
		if _, err := v.Convert(Double); err != nil {
			b.Fatal(err)
		}
	}
}
