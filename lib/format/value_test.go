package format

import (
	"encoding/hex"
	"math"
	"testing"

	"pmtools/lib/pcp"
)

// f32 and f64 make the words of values.
func f32(f float32) uint64 { return uint64(math.Float32bits(f)) }

func f64(f float64) uint64 { return math.Float64bits(f) }

func TestAppendNumber(t *testing.T) {
	neg := func(n int64) uint64 { return uint64(n) }
	tests := []struct {
		typ   pcp.Type
		word  uint64
		width int
		want  string
	}{
		{pcp.Int32, neg(-5), 1, "-5"},
		{pcp.Int32, neg(-5), 14, "            -5"},
		{pcp.Uint32, math.MaxUint32, 1, "4294967295"},
		{pcp.Int64, neg(math.MinInt64), 0, "-9223372036854775808"},
		{pcp.Uint64, math.MaxUint64, 22, "  18446744073709551615"},
		{pcp.Float, f32(0.1), 1, "0.1"},
		{pcp.Float, f32(1.0 / 3), 1, "0.33333334"},
		{pcp.Float, f32(123456789), 1, "1.2345679e+08"},
		{pcp.Float, f32(1e10), 1, "1e+10"},
		{pcp.Float, f32(0.0001), 1, "9.9999997e-05"},
		{pcp.Float, f32(1e8), 1, "1e+08"},
		{pcp.Float, f32(12345678), 1, "12345678"},
		{pcp.Float, f32(1e30), 1, "1e+30"},
		{pcp.Double, f64(1.0 / 3), 1, "0.3333333333333333"},
		{pcp.Double, f64(1e15), 1, "1000000000000000"},
		{pcp.Double, f64(1e16), 1, "1e+16"},
		{pcp.Double, f64(123456789.123456789), 1, "123456789.1234568"},
		{pcp.Double, f64(1e-5), 1, "1e-05"},
		{pcp.Double, f64(math.Copysign(0, -1)), 1, "-0"},
		{pcp.Double, f64(math.Inf(1)), 1, "inf"},
		{pcp.Double, f64(math.Inf(-1)), 6, "  -inf"},
		{pcp.Double, f64(math.NaN()), 6, "   nan"},
	}
	for _, tt := range tests {
		if got := string(appendNumber([]byte("x"), tt.typ, tt.word, tt.width)); got != "x"+tt.want {
			t.Errorf("appendNumber(%v, %#x, %d) = %q, want %q", tt.typ, tt.word, tt.width, got[1:], tt.want)
		}
	}
}

// column returns a column with one value that is not a number.
func column(t testing.TB, typ pcp.Type, blob string) *pcp.Values {
	t.Helper()
	b, err := hex.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	return &pcp.Values{Type: typ, Insts: []int32{pcp.NullInst}, Blobs: [][]byte{b}}
}

func TestAppendValueBlobs(t *testing.T) {
	tests := []struct {
		name  string
		typ   pcp.Type
		blob  string
		width int
		want  string
	}{
		{"string", pcp.String, "616263", 1, `"abc"`},
		{"string in a column", pcp.String, "616263", 14, `         "abc"`},
		{"empty string", pcp.String, "", 1, `""`},
		{"string is not escaped", pcp.String, "22095cff", 1, "\"\"\t\\\xff\""},
		{"string ends at NUL", pcp.String, "610062", 1, `"a"`},
		{"aggregate of text", pcp.Aggregate, "616263", 1, `"abc" [616263]`},
		{"aggregate of text in a column", pcp.Aggregate, "616263", 14, `         "abc"       [616263]`},
		{"aggregate", pcp.Aggregate, "0102ff", 1, `[0102ff]`},
		{"aggregate in a column", pcp.Aggregate, "0102ff", 14, `      [0102ff]`},
		{"four letters", pcp.Aggregate, "61626364", 1, `1.6777999e+22 "abcd" [61626364]`},
		{"float", pcp.Aggregate, "0000803f", 1, `1 [0000803f]`},
		{"float in a column", pcp.Aggregate, "0000803f", 14, `             1     [0000803f]`},
		{"double", pcp.Aggregate, "000000000000f03f", 1, `4607182418800017408 1 [000000000000f03f]`},
		{"empty aggregate", pcp.Aggregate, "", 1, `"" []`},
		{"NaN of four bytes", pcp.Aggregate, "0000c07f", 1, `[0000c07f]`},
		{"NaN of eight bytes", pcp.Aggregate, "000000000000f87f", 1, `9221120237041090560 [000000000000f87f]`},
		{"static aggregate", pcp.AggregateStatic, "616263", 1, `"abc" [616263]`},
		{"unknown type", pcp.Unknown, "0102", 1, `[0102]`},
		{"not supported", pcp.NoSupport, "0102", 1, `[0102]`},
		{"no such type", 42, "0102", 1, `[0102]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := column(t, tt.typ, tt.blob)
			var o *Options
			if got := string(o.AppendValue(nil, v, 0, tt.width)); got != tt.want {
				t.Errorf("AppendValue gives %q, want %q", got, tt.want)
			}
			if got := string(o.AppendOne(nil, v.Value(0), tt.width)); got != tt.want {
				t.Errorf("AppendOne gives %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAppendOdd(t *testing.T) {
	tests := []struct {
		name  string
		odd   pcp.Odd
		width int
		want  string
	}{
		{"in situ", pcp.Odd{InSitu: true, Word: 42}, 1, `42 5.8854536e-44 0x2a`},
		{"in situ in a column", pcp.Odd{InSitu: true, Word: 42}, 14, `            42  5.8854536e-44 0x          2a`},
		{"in situ, two wide", pcp.Odd{InSitu: true, Word: 1}, 2, ` 1 1.4012985e-45 0x 1`},
		{"in situ one", pcp.Odd{InSitu: true, Word: 0x3f800000}, 1, `1065353216 1 0x3f800000`},
		{"in situ NaN", pcp.Odd{InSitu: true, Word: 0x7fc00000}, 1, `2143289344 0x7fc00000`},
		{"wide number of four bytes", pcp.Odd{Type: pcp.Int64, Blob: []byte{1, 2, 3, 4}}, 1, `1.5399896e-36 [01020304]`},
		{"other wide number", pcp.Odd{Type: pcp.Uint64, Blob: []byte{0, 0, 0, 0, 0, 0, 0, 7}}, 1,
			`7 3.458459520888726e-323 [0700000000000000]`},
		{"double", pcp.Odd{Type: pcp.Double, Blob: []byte{0x3f, 0xf0, 0, 0, 0, 0, 0, 0}}, 1, `4607182418800017408 1 [000000000000f03f]`},
		{"double and more", pcp.Odd{Type: pcp.Double, Blob: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}}, 1, `[080706050403020109]`},
		{"float", pcp.Odd{Type: pcp.Float, Blob: []byte{0x3f, 0x80, 0, 0}}, 1, `1 [0000803f]`},
		{"float of eight bytes", pcp.Odd{Type: pcp.Float, Blob: []byte("362z9Fx9")}, 1,
			`4141137068853441146 7.480099374836432e-32 "z2639Fx9" [7a32363339467839]`},
		{"text", pcp.Odd{Type: pcp.String, Blob: []byte("abc\x00")}, 1, `9.1270058e-39 [61626300]`},
		{"nothing", pcp.Odd{Type: pcp.Float}, 1, `"" []`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.odd.Bad = true
			v := &pcp.Values{Type: pcp.Int64, Insts: []int32{pcp.NullInst}, Words: []uint64{0}, Odd: []pcp.Odd{tt.odd}}
			if got := string((*Options)(nil).AppendValue(nil, v, 0, tt.width)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAppendValueOfColumn(t *testing.T) {
	v := &pcp.Values{Type: pcp.Uint32, Insts: []int32{0, 1}, Words: []uint64{7, 9}, Odd: []pcp.Odd{{}, {Bad: true, InSitu: true, Word: 1}}}
	o := new(Options)
	if got := string(o.AppendValue(nil, v, 0, 3)); got != "  7" {
		t.Errorf("value 0 is %q", got)
	}
	if got := string(o.AppendValue(nil, v, 1, 1)); got != "1 1.4012985e-45 0x1" {
		t.Errorf("value 1 is %q", got)
	}
	if got := string(o.AppendOne(nil, pcp.Value{}, 3)); got != "" {
		t.Errorf("no value is %q", got)
	}
	if got := string(o.AppendOne(nil, pcp.DoubleValue(1.5), 5)); got != "  1.5" {
		t.Errorf("single value is %q", got)
	}
}

func TestSquash(t *testing.T) {
	v := pcp.BlobValue(pcp.String, []byte("a\nb\t\r\v\f c"))
	o := Options{Squash: true}
	if got, want := string(o.AppendOne(nil, v, 1)), `"a b     c"`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := string(new(Options).AppendOne(nil, v, 1)), "\"a\nb\t\r\v\f c\""; got != want {
		t.Errorf("without the option: %q, want %q", got, want)
	}
}

func TestAppendValueAllocates(t *testing.T) {
	columns := []*pcp.Values{
		{Type: pcp.Double, Insts: []int32{0}, Words: []uint64{f64(1.0 / 3)}},
		{Type: pcp.Uint64, Insts: []int32{0}, Words: []uint64{math.MaxUint64}},
		column(t, pcp.String, "616263"),
		column(t, pcp.Aggregate, "000000000000f03f"),
		{Type: pcp.Int64, Insts: []int32{0}, Odd: []pcp.Odd{{Bad: true, Type: pcp.Double, Blob: make([]byte, 8)}}},
	}
	buf := make([]byte, 0, 256)
	o := new(Options)
	for _, v := range columns {
		if n := testing.AllocsPerRun(100, func() { buf = o.AppendValue(buf[:0], v, 0, 20) }); n != 0 {
			t.Errorf("%v: allocates %v times", v.Type, n)
		}
	}
}

func BenchmarkAppendValue(b *testing.B) {
	columns := map[string]*pcp.Values{
		"u64":       {Type: pcp.Uint64, Insts: []int32{0}, Words: []uint64{123456789012}},
		"double":    {Type: pcp.Double, Insts: []int32{0}, Words: []uint64{f64(123456.789)}},
		"string":    column(b, pcp.String, "68756c6c6f20776f726c6421"),
		"aggregate": column(b, pcp.Aggregate, "68756c6c6f20776f726c6421"),
	}
	buf := make([]byte, 0, 256)
	o := new(Options)
	for name, v := range columns {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				buf = o.AppendValue(buf[:0], v, 0, 1)
			}
		})
	}
}
