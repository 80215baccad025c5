package pcp

import (
	"math"
	"slices"
	"testing"

	"pmtools/lib/pmerr"
)

// units reads the units of a test.
func units(t testing.TB, s string) Units {
	t.Helper()
	if s == "none" {
		return Units{}
	}
	u, _, err := ParseUnits(s)
	if err != nil {
		t.Fatalf("ParseUnits(%q): %v", s, err)
	}
	return u
}

// i64 and f32 make the words of values.
func i64(n int64) uint64 { return uint64(n) }

func f64(f float64) uint64 { return math.Float64bits(f) }

func f32(f float32) uint64 { return uint64(math.Float32bits(f)) }

func TestConvScale(t *testing.T) {
	tests := []struct {
		typ      Type
		word     uint64
		from, to string
		want     uint64
	}{
		{Uint32, 1535, "byte", "Kbyte", 1},
		{Uint32, 1536, "byte", "Kbyte", 2},
		{Uint32, 511, "byte", "Kbyte", 0},
		{Uint32, 512, "byte", "Kbyte", 1},
		{Int32, i64(-512), "byte", "Kbyte", 0},
		{Int32, i64(-1535), "byte", "Kbyte", 0},
		{Int32, i64(-1536), "byte", "Kbyte", i64(-1)},
		{Int32, i64(-2048), "byte", "Kbyte", i64(-1)},
		{Uint32, 4194304, "Kbyte", "byte", 0},
		{Uint32, 4194303, "Kbyte", "byte", 4294966272},
		{Int32, 3, "Gbyte", "byte", i64(-1073741824)},
		{Int64, 8, "Ebyte", "byte", i64(-9223372036854775808)},
		{Uint64, 15, "Ebyte", "byte", 17293822569102704640},
		{Uint64, 18446744073709551615, "byte", "Kbyte", 0},
		{Double, f64(1), "byte", "Mbyte", f64(9.5367431640625e-07)},
		{Float, f32(1), "byte", "Mbyte", f32(9.53674316e-07)},
		{Uint32, 1500, "millisec", "sec", 2},
		{Uint32, 1499, "millisec", "sec", 1},
		{Uint32, 90, "sec", "min", 2},
		{Uint32, 89, "sec", "min", 1},
		{Uint64, 1, "hour", "nanosec", 3600000000000},
		{Uint32, 1, "hour", "nanosec", 817405952},
		{Uint32, 10, "byte / sec", "Kbyte / min", 1},
		{Double, f64(10), "byte / sec", "Kbyte / min", f64(0.5859375)},
		{Uint32, 1024, "Kbyte / sec", "Mbyte / hour", 3600},
		{Uint32, 1500, "none", "count x 10^3", 2},
		{Uint32, 1500, "count", "count x 10^3", 2},
		{Uint32, 1048576, "byte^2", "Kbyte^2", 1},
		{Double, f64(1), "/ sec", "/ hour", f64(3600)},
		{Double, f64(3600), "/ hour", "/ sec", f64(1)},
		{Double, f64(1), "byte / sec^2", "Kbyte / hour^2", f64(12656.25)},
		{Double, f64(100), "temperature (C)", "temperature (F)", f64(212)},
		{Int32, 37, "temperature (C)", "temperature (F)", 98},
		{Double, f64(0), "temperature (C)", "temperature (K)", f64(273.15)},
		{Int32, 0, "temperature (C)", "temperature (K)", 273},
		{Double, f64(212), "temperature (F)", "temperature (C)", f64(100)},
		{Double, f64(32), "temperature (F)", "temperature (K)", f64(273.15)},
		{Double, f64(373.15), "temperature (K)", "temperature (C)", f64(100)},
		{Double, f64(373.15), "temperature (K)", "temperature (F)", f64(212)},
		{Uint32, 0, "temperature (K)", "temperature (C)", 4294967023},
		{Uint64, 0, "temperature (K)", "temperature (C)", i64(-273)},
		{Uint32, 1500, "voltage (mV)", "voltage (V)", 1},
		{Uint32, 1999, "current (mA)", "current (A)", 1},
		{Float, f32(1.5), "current (A)", "current (mA)", f32(1500)},
		{Uint32, 5, "power (kW)", "power (uW)", 705032704},
		{Int32, 5, "power (kW)", "power (uW)", i64(math.MinInt32)},
		{Uint64, 5, "power (kW)", "power (uW)", 5000000000},
		{Uint64, 1 << 63, "power (W)", "power (W)", 1 << 63},
		{Double, f64(1), "power (W) / sec", "power (mW) / min", f64(60000)},
		{Double, f64(1), "/ power (W)", "/ power (W)", f64(1)},
		{Int64, i64(-7), "sec", "sec", i64(-7)},
		{Int32, 1, "count x 10^-2", "count", 0},
		{Int32, 1, "count", "count x 10^-2", 100},
		// Where the reference divides by zero or its factors overflow.
		{Uint64, 1, "byte^2", "Ebyte^2", 0},
		{Double, f64(0x1p120), "byte^2", "Ebyte^2", f64(1)},
		{Uint64, 1, "Ebyte^2", "byte^2", math.MaxUint64},
		{Uint32, 1, "Ebyte^2", "byte^2", math.MaxUint32},
		{Int32, 1, "Ebyte^2", "byte^2", math.MaxInt32},
		{Int32, i64(-1), "Ebyte^2", "byte^2", i64(math.MinInt32)},
		{Int64, i64(-1), "Ebyte^2", "byte^2", i64(math.MinInt64)},
		{Int64, 1, "Ebyte^2", "byte^2", math.MaxInt64},
		{Double, f64(1), "nanosec^3", "hour^3", f64(math.Pow(1/3.6e12, 3))},
		{Float, f32(1), "Ebyte^2", "byte^2", f32(0x1p120)},
	}
	for _, tt := range tests {
		v, err := WordValue(tt.typ, tt.word).ConvScale(units(t, tt.from), units(t, tt.to))
		if err != nil || v.Word() != tt.want || v.Type() != tt.typ {
			t.Errorf("%v %#x from %q to %q: %v %#x, %v, want %#x", tt.typ, tt.word, tt.from, tt.to, v.Type(), v.Word(), err, tt.want)
		}
	}
}

// TestConvScaleWords has the rows whose units have no text of their own.
func TestConvScaleWords(t *testing.T) {
	tests := []struct {
		name     string
		from, to uint32
		in, want uint64
	}{
		{"bare count scale to count", 0x00000300, 0x00100000, 1500, 1500000},
		{"bare count scale to none", 0x00000300, 0, 1500, 1500000},
		{"count scale without dimension", 0x10010300, 0x10010000, 100, 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := WordValue(Uint32, tt.in).ConvScale(UnitsOf(tt.from), UnitsOf(tt.to))
			if err != nil || v.Word() != tt.want {
				t.Errorf("got %d, %v, want %d", v.Word(), err, tt.want)
			}
		})
	}
}

func TestConvScaleErrors(t *testing.T) {
	tests := []struct {
		name string
		typ  Type
		from Units
		to   Units
		want pmerr.Code
	}{
		{"dimensions", Uint32, units(t, "byte"), units(t, "sec"), pmerr.Conv},
		{"powers", Uint32, units(t, "byte^2"), units(t, "byte"), pmerr.Conv},
		{"none to bytes", Uint32, Units{}, units(t, "byte"), pmerr.Conv},
		{"string", String, units(t, "byte"), units(t, "Kbyte"), pmerr.Conv},
		{"unknown type", Unknown, Units{}, Units{}, pmerr.Conv},
		{"Zbyte even to itself", Uint32, units(t, "Zbyte"), units(t, "Zbyte"), pmerr.Unit},
		{"unknown space", Uint32, units(t, "byte"), units(t, "space-12"), pmerr.Unit},
		{"unknown time", Uint32, units(t, "time-6"), units(t, "sec"), pmerr.Unit},
		{"unknown time to", Uint32, units(t, "sec"), units(t, "time-9"), pmerr.Unit},
		{"kinds", Uint32, units(t, "power (W)"), units(t, "voltage (V)"), pmerr.Conv},
		{"power to count", Uint32, units(t, "power (W)"), units(t, "count"), pmerr.Conv},
		{"denominator", Double, units(t, "/ power (W)"), units(t, "/ power (mW)"), pmerr.Unit},
		{"unknown extra scale", Double, UnitsOf(0x21), UnitsOf(0x25), pmerr.Unit},
		{"unknown extra kind", Double, UnitsOf(0x29), UnitsOf(0x2a), pmerr.Unit},
		{"negative scale", Uint32, Units{DimSpace: 1, ScaleSpace: -1}, Units{DimSpace: 1}, pmerr.Unit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := Value{typ: tt.typ, set: true}.ConvScale(tt.from, tt.to)
			if err != tt.want || v.IsSet() {
				t.Errorf("got %v, %v, want %v", v, err, tt.want)
			}
		})
	}
	v := Value{}
	if _, err := v.ConvScale(Units{}, Units{}); err != pmerr.Conv {
		t.Errorf("no value: %v, want %v", err, pmerr.Conv)
	}
}

func TestScaler(t *testing.T) {
	s, err := NewScaler(Uint64, units(t, "Kbyte"), units(t, "byte"))
	if err != nil {
		t.Fatal(err)
	}
	if s.identity || s.typ != Uint64 {
		t.Errorf("Identity %v, Type %v", s.identity, s.typ)
	}
	words := []uint64{0, 1, 2, 1 << 40}
	s.Scale(words)
	for i, want := range []uint64{0, 1024, 2048, 1 << 50} {
		if words[i] != want {
			t.Errorf("word %d is %d, want %d", i, words[i], want)
		}
	}
	if s, err = NewScaler(Float, units(t, "sec"), units(t, "sec")); err != nil || !s.identity {
		t.Errorf("sec to sec: identity %v, %v", s.identity, err)
	}
	words[0] = 42
	if s.Scale(words); words[0] != 42 {
		t.Errorf("the identity changes a word to %d", words[0])
	}
}

// TestScaleIsWord compares the loops over columns with the conversion of single values.
func TestScaleIsWord(t *testing.T) {
	pairs := [][2]string{
		{"byte", "Kbyte"}, {"Kbyte", "byte"}, {"byte^2", "Ebyte^2"}, {"Ebyte^2", "byte^2"},
		{"temperature (C)", "temperature (F)"}, {"power (kW)", "power (mW)"}, {"sec", "sec"},
	}
	in := []uint64{0, 1, 999, 1 << 31, 1 << 40, f64(1.5), f64(-7), i64(-3000)}
	for _, pair := range pairs {
		for typ := Int32; typ <= Double; typ++ {
			s, err := NewScaler(typ, units(t, pair[0]), units(t, pair[1]))
			if err != nil {
				t.Fatal(err)
			}
			column := slices.Clone(in)
			s.Scale(column)
			for i, w := range in {
				if got, want := column[i], s.Word(w); got != want {
					t.Errorf("%v %q to %q: column %#x, single %#x", typ, pair[0], pair[1], got, want)
				}
			}
		}
	}
}

// TestScalerExtremes looks for panics: any scale with any power.
func TestScalerExtremes(t *testing.T) {
	words := []uint64{0, 1, math.MaxUint64, math.MaxInt64, 1 << 63, f64(math.NaN()), f64(math.Inf(1))}
	for _, dim := range []int8{-8, -1, 1, 7} {
		for typ := Int32; typ <= Double; typ++ {
			for _, scales := range [][2]int8{{0, 6}, {6, 0}, {3, 3}} {
				from := Units{DimSpace: dim, DimTime: dim, DimCount: dim, ScaleSpace: scales[0], ScaleTime: min(scales[0], 5), ScaleCount: -8}
				to := Units{DimSpace: dim, DimTime: dim, DimCount: dim, ScaleSpace: scales[1], ScaleTime: min(scales[1], 5), ScaleCount: 7}
				s, err := NewScaler(typ, from, to)
				if err != nil {
					t.Fatalf("%+v to %+v: %v", from, to, err)
				}
				for _, w := range words {
					s.Word(w)
				}
			}
		}
	}
}

func TestScalerAllocates(t *testing.T) {
	words := make([]uint64, 100)
	from, to := units(t, "byte / sec"), units(t, "Kbyte / min")
	n := testing.AllocsPerRun(100, func() {
		s, err := NewScaler(Double, from, to)
		if err != nil {
			t.Fatal(err)
		}
		s.Scale(words)
	})
	if n != 0 {
		t.Errorf("allocates %v times", n)
	}
}

func BenchmarkScaler(b *testing.B) {
	for _, bench := range []struct {
		typ      Type
		from, to string
	}{
		{Uint64, "Kbyte", "byte"},
		{Uint64, "byte", "Kbyte"},
		{Int32, "millisec", "sec"},
		{Double, "byte", "Kbyte"},
		{Float, "byte", "Kbyte"},
		{Double, "temperature (C)", "temperature (F)"},
	} {
		b.Run(bench.typ.String()+" "+bench.from+" to "+bench.to, func(b *testing.B) {
			words := make([]uint64, 1000)
			s, err := NewScaler(bench.typ, units(b, bench.from), units(b, bench.to))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(8 * len(words)))
			for b.Loop() {
				s.Scale(words)
			}
		})
	}
}
