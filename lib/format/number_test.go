package format

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/pcp"
)

// units returns parsed units.
func units(t *testing.T, text string) pcp.Units {
	t.Helper()
	u, _, err := pcp.ParseUnits(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// readable is the usual form.
var readable = NumberForm{Precision: Readable, Scale: true}

// TestNumbers has columns of numbers as people see them, and the unit beside them.
func TestNumbers(t *testing.T) {
	many := NumberForm{Precision: Full}
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		name   string
		form   NumberForm
		units  string
		values []float64
		want   string // aligned cells and the unit, separated by |
	}{
		{"a ratio", readable, "", []float64{0.1904761904761905}, "0.1905|"},
		{"digits after the point", readable, "count/sec", []float64{21.66666666666667, 49.04918032786885, 0, 0.25, 122}, " 21.67| 49.05|  0   |  0.25|122   |count/s"},
		{"never 0", readable, "", []float64{5, 0.0004, -0.0000123}, "   5     |   0.0004|-1.23e-05|"},
		{"small", readable, "", []float64{0.0123456, 0.00123456}, "0.01235 |0.001235|"},
		{"honest", readable, "", []float64{nan, inf, -inf, 1.5}, " NaN  |+Inf  |-Inf  |   1.5|"},
		{"thousands", readable, "", []float64{16777216, 1234.5, 99999.5, 1e18}, "16,777,216|      1234|   100,000|     1e+18|"},
		{"bytes", readable, "Kbyte", []float64{5672960, 1024, 0, 1}, "5540        |   1        |   0        |   0.0009766|Mbyte"},
		{"less than a unit", readable, "Mbyte/sec", []float64{0.5, 0.25}, "512|256|Kbyte/s"},
		{"its own unit", readable, "Kbyte", []float64{9999, 1}, "9999|   1|Kbyte"},
		{"all zero", readable, "Kbyte", []float64{0, 0}, "0|0|Kbyte"},
		{"a tiny rate", readable, "byte/sec", []float64{0.01}, "0.01|byte/s"},
		{"counts", readable, "count", []float64{200600, 1400160}, " 200.6|1400  |kcount"},
		{"large counts", readable, "count/sec", []float64{7e10}, "70|Gcount/s"},
		{"time", readable, "microsec", []float64{12345678, 1}, "12.35|1e-06|s"},
		{"time of a count", readable, "sec/count", []float64{0.00025}, "250|us/count"},
		{"hours", readable, "sec", []float64{86400}, "24|hour"},
		{"a frequency", readable, "/sec", []float64{123456}, "123,456|/s"},
		{"a square", readable, "byte^2", []float64{123456}, "123,456|byte^2"},
		{"ratio", NumberForm{Precision: Readable, Scale: true, Percent: true}, "", []float64{0.1904761904761905, 1}, " 19.05|100   |%"},
		{"no scale", NumberForm{Precision: Readable}, "Kbyte", []float64{5672960}, "5,672,960|Kbyte"},
		{"precision", NumberForm{Precision: 2}, "Kbyte", []float64{5672960, 0.005}, "5672960.00|      0.01|Kbyte"},
		{"precision and scale", NumberForm{Precision: 1, Scale: true}, "Kbyte", []float64{5672960, 0}, "5.4|0.0|Gbyte"},
		{"running", NumberForm{Precision: Readable, Scale: true, Running: true}, "count/sec", []float64{4.8, 0.12345, 122}, "  4.8  |  0.123|122    |count/s"},
		{"full", many, "Kbyte", []float64{21.66666666666667, 1e21, 5}, "21.66666666666667|            1e+21| 5               |Kbyte"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var most Magnitude
			for _, f := range tt.values {
				most.Note(pcp.DoubleValue(f))
			}
			n := tt.form.Numbers(&pcp.Desc{Type: pcp.Double, Units: units(t, tt.units), Sem: pcp.Instant}, false, most)
			width := 0
			for _, f := range tt.values {
				width = n.Fit(pcp.DoubleValue(f))
			}
			var cells []string
			for _, f := range tt.values {
				cells = append(cells, string(n.AppendAligned(nil, pcp.DoubleValue(f), width)))
			}
			if got := strings.Join(append(cells, n.Unit), "|"); got != tt.want {
				t.Errorf("got\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

// TestIntegers: integers without units are shown in full; those that name something, as they are.
func TestIntegers(t *testing.T) {
	for _, tt := range []struct {
		typ   pcp.Type
		sem   pcp.Sem
		units string
		word  uint64
		want  string
	}{
		{pcp.Uint64, pcp.Instant, "", math.MaxUint64, "18,446,744,073,709,551,615"},
		{pcp.Int64, pcp.Instant, "", 1 << 63, "-9,223,372,036,854,775,808"},
		{pcp.Uint32, pcp.Instant, "", 9999, "9999"},
		{pcp.Uint32, pcp.Instant, "", 10000, "10,000"},
		{pcp.Uint32, pcp.Discrete, "", 1234567, "1234567"},
		{pcp.Uint64, pcp.Counter, "count", 200600, "200.6 kcount"},
		{pcp.Uint64, pcp.Instant, "Kbyte", 16777216, "16 Gbyte"},
		{pcp.Uint32, pcp.Discrete, "Kbyte", 4, "4 Kbyte"},
		{pcp.Float, pcp.Instant, "", uint64(math.Float32bits(2.3)), "2.3"},
	} {
		v := pcp.WordValue(tt.typ, tt.word)
		var most Magnitude
		most.Note(v)
		n := readable.Numbers(&pcp.Desc{Type: tt.typ, Sem: tt.sem, Units: units(t, tt.units)}, false, most)
		if got := strings.TrimSpace(string(n.Append(nil, v)) + " " + n.Unit); got != tt.want {
			t.Errorf("%v: got %s, want %s", v, got, tt.want)
		}
	}
}

// TestNotNumbers: what is not a number, or not there, is shown as it is.
func TestNotNumbers(t *testing.T) {
	n := readable.Numbers(&pcp.Desc{Type: pcp.String}, false, Magnitude{})
	if got := string(n.Append(nil, pcp.BlobValue(pcp.String, []byte("x")))); got != `"x"` || n.Unit != "" {
		t.Errorf("got %s %s", got, n.Unit)
	}
	n = readable.Numbers(&pcp.Desc{Type: pcp.Uint32}, false, Magnitude{})
	n.Fit(pcp.DoubleValue(1.5))
	if got := string(n.AppendAligned(nil, pcp.Value{}, 5)); got != "  -  " {
		t.Errorf("got %q", got)
	}
}

// TestNumbersTrue: a number that is shown, times its unit, is the value to half a unit of its last digit.
func TestNumbersTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, text := range []string{"", "Kbyte", "Mbyte/sec", "count", "count/sec", "millisec", "nanosec/count", "hour", "Kbyte/count", "/sec"} {
		desc := pcp.Desc{Type: pcp.Double, Units: units(t, text), Sem: pcp.Instant}
		for range 20_000 {
			f := (r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(40)-20))
			most := Magnitude{math.Abs(f) * math.Pow(10, float64(r.IntN(4))), math.Abs(f)}
			n := readable.Numbers(&desc, false, most)
			shown := strings.ReplaceAll(string(n.Append(nil, pcp.DoubleValue(f))), ",", "")
			got, err := strconv.ParseFloat(shown, 64)
			if err != nil || got == 0 {
				t.Fatalf("%v %s is shown as %s", f, text, shown)
			}
			mantissa, exponent, _ := strings.Cut(shown, "e")
			power, _ := strconv.Atoi(exponent)
			if _, digits, ok := strings.Cut(mantissa, "."); ok {
				power -= len(digits)
			}
			if off := math.Abs(got - f*n.factor); off > 0.5*math.Pow(10, float64(power))*(1+1e-9)+math.Abs(got)*1e-12 {
				t.Fatalf("%v %s is shown as %s %s: off by %v", f, text, shown, n.Unit, off)
			}
		}
	}
}

// TestAlign: points of several columns stand below each other.
func TestAlign(t *testing.T) {
	list := []Numbers{readable.Numbers(&pcp.Desc{Type: pcp.Double}, false, Magnitude{1, 1}), readable.Numbers(&pcp.Desc{Type: pcp.Double}, false, Magnitude{1000, 1000})}
	list[0].Fit(pcp.DoubleValue(0.25))
	list[1].Fit(pcp.DoubleValue(1000.5))
	width := Align(list)
	if got := string(list[0].AppendAligned(nil, pcp.DoubleValue(0.25), width)); got != "   0.25" {
		t.Errorf("got %q", got)
	}
	if got := string(list[1].AppendAligned(nil, pcp.DoubleValue(21), width)); got != "  21   " {
		t.Errorf("got %q", got)
	}
}

// TestNumbersAllocs: nothing is allocated for a value.
func TestNumbersAllocs(t *testing.T) {
	for _, typ := range []pcp.Type{pcp.Double, pcp.Uint64} {
		n := readable.Numbers(&pcp.Desc{Type: typ, Units: pcp.Units{DimSpace: 1}, Sem: pcp.Instant}, false, Magnitude{123456789, 123456789})
		v := pcp.WordValue(typ, math.Float64bits(123456.789))
		var b []byte
		if got := testing.AllocsPerRun(100, func() { n.Fit(v); b = n.AppendAligned(b[:0], v, 9) }); got > 0 {
			t.Errorf("%v: %v allocations", typ, got)
		}
	}
}

func BenchmarkNumbers(b *testing.B) {
	n := readable.Numbers(&pcp.Desc{Type: pcp.Double, Units: pcp.Units{DimSpace: 1}, Sem: pcp.Instant}, false, Magnitude{123456789, 123456789})
	var dst []byte
	for b.Loop() {
		dst = n.AppendAligned(dst[:0], pcp.DoubleValue(123456.789), 9)
	}
}
