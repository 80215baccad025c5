package pcp

import (
	"math"
	"testing"

	"pmtools/lib/pmerr"
)

func TestParseValue(t *testing.T) {
	const typ, rng = pmerr.Type, errRange
	type result struct {
		word uint64
		code pmerr.Code
	}
	bad := func(c pmerr.Code) result { return result{0, c} }
	ok := func(w uint64) result { return result{w, 0} }
	ints := func(n int64) [4]result { return [4]result{ok(i64(n)), ok(i64(n)), ok(i64(n)), ok(i64(n))} }
	noInt := [4]result{bad(typ), bad(typ), bad(typ), bad(typ)}
	floats := func(f float64) [2]result { return [2]result{ok(f32(float32(f))), ok(f64(f))} }
	noFloat := [2]result{bad(typ), bad(typ)}
	tests := []struct {
		text   string
		ints   [4]result // 32, U32, 64, U64
		floats [2]result // FLOAT, DOUBLE
	}{
		{"-5", [4]result{ok(i64(-5)), bad(rng), ok(i64(-5)), ok(i64(-5))}, floats(-5)},
		{"0x1f", ints(31), noFloat},
		{"0X1F", ints(31), noFloat},
		{" \t0x1f", ints(31), noFloat},
		{"-0x10", [4]result{ok(i64(-16)), bad(rng), ok(i64(-16)), ok(i64(-16))}, noFloat},
		{"+0x1f", noInt, floats(31)}, // no hexadecimal number, so C's strtod sees it
		{"0x1p3", noInt, floats(8)},
		{"010", ints(10), floats(10)},
		{"1.5", noInt, floats(1.5)},
		{"5.", noInt, floats(5)},
		{"1e3", noInt, floats(1000)},
		{"2147483647", ints(2147483647), floats(2147483647)},
		{"2147483648", [4]result{bad(rng), ok(1 << 31), ok(1 << 31), ok(1 << 31)}, floats(1 << 31)},
		{"-2147483648", [4]result{ok(i64(math.MinInt32)), bad(rng), ok(i64(math.MinInt32)), ok(i64(math.MinInt32))}, floats(math.MinInt32)},
		{"4294967296", [4]result{bad(rng), bad(rng), ok(1 << 32), ok(1 << 32)}, floats(1 << 32)},
		{"9223372036854775808", [4]result{bad(rng), bad(rng), bad(rng), ok(1 << 63)}, floats(1 << 63)},
		{"-9223372036854775808", [4]result{bad(rng), bad(rng), ok(1 << 63), ok(1 << 63)}, floats(-1 << 63)},
		{"-9223372036854775809", [4]result{bad(rng), bad(rng), bad(rng), ok(1<<63 - 1)}, floats(-1 << 63)},
		{"18446744073709551616", [4]result{bad(rng), bad(rng), bad(rng), bad(rng)}, floats(1 << 64)},
		{"-18446744073709551615", [4]result{bad(rng), ok(1), bad(rng), ok(1)}, floats(-1 << 64)},
		{"1e39", noInt, [2]result{bad(rng), ok(f64(1e39))}},
		{"1e-46", noInt, [2]result{bad(rng), ok(f64(1e-46))}},
		{"1e-38", noInt, [2]result{bad(rng), ok(f64(1e-38))}},
		{"3.4028234663852886e38", noInt, floats(math.MaxFloat32)},
		{"3.4028235e38", noInt, [2]result{bad(rng), ok(f64(3.4028235e38))}},
		{"1e400", noInt, [2]result{bad(rng), bad(rng)}},
		{"1e-400", noInt, [2]result{bad(rng), bad(rng)}},
		{"inf", noInt, [2]result{bad(rng), ok(f64(math.Inf(1)))}},
		{"-inf", noInt, [2]result{bad(rng), ok(f64(math.Inf(-1)))}},
		{"nan", noInt, [2]result{ok(0x7fc00000), ok(0x7ff8000000000000)}},
		{"0", ints(0), floats(0)},
		{"", ints(0), floats(0)},
		{" 7", ints(7), floats(7)},
		{"+7", ints(7), floats(7)},
		{"7 ", noInt, noFloat},
		{" ", noInt, noFloat},
		{"abc", noInt, noFloat},
		{"0x", noInt, noFloat},
		{"0xfg", noInt, noFloat},
		{"1 2", noInt, noFloat},
		{"- 5", noInt, noFloat},
		{"--5", noInt, noFloat},
		{"-", noInt, noFloat},
		{"+", noInt, noFloat},
		{"1_0", noInt, noFloat},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			all := append(tt.ints[:], tt.floats[:]...)
			for i, want := range all {
				v, err := ParseValue(Type(i), tt.text)
				if v.Word() != want.word || pmerr.Of(err) != want.code {
					t.Errorf("ParseValue(%v, %q) = %#x, %v, want %#x, %v", Type(i), tt.text, v.Word(), err, want.word, want.code)
				}
				if err == nil && (v.Type() != Type(i) || !v.IsSet()) {
					t.Errorf("ParseValue(%v, %q) has type %v", Type(i), tt.text, v.Type())
				}
			}
		})
	}
}

func TestParseValueOthers(t *testing.T) {
	v, err := ParseValue(String, " as it is ")
	if err != nil || string(v.Bytes()) != " as it is " || v.Type() != String {
		t.Errorf("string: %q, %v", v.Bytes(), err)
	}
	for _, typ := range []Type{NoSupport, Aggregate, AggregateStatic, Event, HighResEvent, Unknown, 42} {
		for _, text := range []string{"1", ""} {
			if _, err := ParseValue(typ, text); err != pmerr.Type {
				t.Errorf("ParseValue(%v, %q): %v, want %v", typ, text, err, pmerr.Type)
			}
		}
	}
}

// FuzzParseValue: a value of a type has a text, which is read as the same value.
func FuzzParseValue(f *testing.F) {
	for _, s := range []string{"", "0", "-1", "0x1f", "-0x10", "1e5", " +7", "nan(1)", "-inf", "9223372036854775808", "0x", "1e-310"} {
		for typ := Int32; typ <= String; typ++ {
			f.Add(int32(typ), s)
		}
	}
	f.Fuzz(func(t *testing.T, typ int32, s string) {
		v, err := ParseValue(Type(typ), s)
		if (err == nil) != v.IsSet() {
			t.Fatalf("ParseValue(%v, %q) = %v, %v", Type(typ), s, v, err)
		}
		if err != nil {
			return
		}
		text, err := v.Text()
		if err != nil {
			t.Fatalf("no text of %v: %v", v, err)
		}
		again, err := ParseValue(v.Type(), text)
		if v.Type() == Float || v.Type() == Double {
			return // an infinity, or digits that are cut
		}
		if err != nil || again.Word() != v.Word() {
			t.Errorf("%v %q, then %q: %#x, %v, want %#x", v.Type(), s, text, again.Word(), err, v.Word())
		}
	})
}
