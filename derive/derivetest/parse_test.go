package derivetest

import (
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	_ "pmtools/test/env"
)

// TestPoints covers how values are written, and what they are as values of a type.
func TestPoints(t *testing.T) {
	for _, tt := range []struct {
		text string
		typ  pcp.Type
		want string
	}{
		{"5", pcp.Int32, "5"},
		{"-5", pcp.Int32, "-5"},
		{"5x2", pcp.Uint64, "5 5 5"},
		{"0+10x3", pcp.Uint64, "0 10 20 30"},
		{"10-5x3", pcp.Int64, "10 5 0 -5"},
		{"4294967290+10x1", pcp.Uint32, "4294967290 4"},
		{"2147483640+10x1", pcp.Int32, "2147483640 -2147483646"},
		{"18446744073709551615+1x1", pcp.Uint64, "18446744073709551615 0"},
		{"0.5+0.25x2", pcp.Double, "0.5 0.75 1"},
		{"1e3", pcp.Double, "1000"},
		{".5", pcp.Float, "0.5"},
		{"_", pcp.Double, "_"},
		{"_x3 1", pcp.Double, "_ _ _ 1"},
		{"nan inf -infx1", pcp.Double, "nan inf -inf -inf"},
		{`"a b"x1 "say \"x\""`, pcp.String, `"a b" "a b" "say \"x\""`},
	} {
		list, err := words(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range list {
			ps, err := points(w, new(maxPoints))
			if err != nil {
				t.Fatalf("%s: %v", tt.text, err)
			}
			for _, p := range ps {
				var v pcp.Value
				if !p.none {
					if v, err = p.value(tt.typ); err != nil {
						t.Fatalf("%s: %v", tt.text, err)
					}
				}
				got = append(got, valueText(v))
				if p.digits() == 0 && !strings.Contains(tt.text, "+10x1") && !strings.Contains(tt.text, "+1x1") && !p.matches(v) {
					t.Errorf("%s: %v does not match its own value %s", tt.text, p, valueText(v))
				}
			}
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%s as %v: %s, want %s", tt.text, tt.typ, g, tt.want)
		}
	}
}

// TestMatches covers which values an expected one stands for.
func TestMatches(t *testing.T) {
	d, f, u, i := pcp.DoubleValue, pcp.FloatValue, func(w uint64) pcp.Value { return pcp.WordValue(pcp.Uint64, w) }, func(n int64) pcp.Value {
		return pcp.WordValue(pcp.Int32, uint64(n))
	}
	for _, tt := range []struct {
		text string
		v    pcp.Value
		want bool
	}{
		{"30", d(30.000000000000004), true},
		{"30", d(30.001), false},
		{"21.67", d(65.0 / 3), true},
		{"21.67", d(21.66), false},
		{"21.7", d(65.0 / 3), true},
		{"1e-3", d(0.001), true},
		{"1e-3", d(0.002), false},
		{"17.05", f(17.05), true},
		{"0", d(0), true},
		{"0", d(1e-300), false},
		{"-0.5", d(-0.5), true},
		{"5", u(5), true},
		{"5.4", u(5), false},
		{"18446744073709551615", u(1<<64 - 1), true},
		{"18446744073709551615", u(1<<64 - 2), false},
		{"-5", i(-5), true},
		{"-5", u(1<<64 - 5), false},
		{"_", pcp.Value{}, true},
		{"_", u(0), false},
		{"0", pcp.Value{}, false},
		{"0+10x1", u(0), true},
		{"1", pcp.BlobValue(pcp.String, []byte("1")), false},
		{`"1"`, pcp.BlobValue(pcp.String, []byte("1")), true},
		{`"1"`, u(1), false},
	} {
		w, _ := words(tt.text)
		ps, err := points(w[0], new(maxPoints))
		if err != nil {
			t.Fatal(err)
		}
		if got := ps[0].matches(tt.v); got != tt.want {
			t.Errorf("%s and %s: %v", tt.text, valueText(tt.v), got)
		}
	}
}

// TestSyntax covers mistakes in files of cases: each error has the line and the reason.
func TestSyntax(t *testing.T) {
	const (
		head  = "metric a u32 counter\n  value 1 2\n"
		forms = "valid forms are 5, 5x3 (four times 5), 0+10x3 (0 10 20 30), \"a text\", and _ for none"
	)
	for _, tt := range []struct{ text, want string }{
		{"", "1: there is no metric"},
		{"metrik a u32", "1: metrik begins no line; did you mean metric?"},
		{"metric a u32\n", "1: a needs a type (32, u32, 64, u64, float, double or string) and semantics (counter, instant or discrete)"},
		{"metric a u32 counter Kbit\n", `1: "Kbit" is not a type, semantics, units or an indom such as 60.1`},
		{"metric a u32 counter indom 60\n", "1: 60 is neither an instance domain such as 60.1 nor null"},
		{"metric a u32 counter\n", "1: a has no values"},
		{head + "metric a u64 counter\n", "3: a is in line 1 already"},
		{head + "value 3\n", "3: value has values in line 2 already"},
		{head + "metric b u32 counter\n value 1\n", "4: 1 values, and 2 in line 2"},
		{head + "metric b u32 counter\n value\n", "4: there are no values"},
		{head + "metric b u32 counter\n value 1 x\n", "4: x is not a value; " + forms},
		{head + "metric b u32 counter\n value 1x9999999999\n", "4: more than 1048576 values in the file"},
		{head + "metric b u32 counter\n value 1x1048574 1 1 1 1\n", "4: more than 1048576 values in the file"},
		{head + "metric b string instant\n value \"" + strings.Repeat("x", 17) + "\"x1000000\n", "4: more than 1048576 values in the file"},
		{head + "metric b string instant\n value \"open\n", "4: a quote is not closed"},
		{head + "metric b string instant\n value \"a\"y\n", "4: y after a quoted text; x3 would repeat it"},
		{head + "0+1x3\n", "3: 0+1x3 has no values; is the word value missing at the beginning of the line?"},
		{head + "b u32 counter\n", "3: u32 is not a value; " + forms + "; is the word metric missing at the beginning of the line?"},
		{head + "an idle disk\n", "3: idle is not a value; " + forms + "; is the word case missing at the beginning of the line?"},
		{head + "case x\neval a\nu32 counter\n", "5: counter is not a value; " + forms + "; is the word is missing at the beginning of the line?"},
		{head + "case x\neval a\nvalue 1 2\nrate(a) * 2\n", "6: * is not a value; " + forms + "; is the word eval missing at the beginning of the line?"},
		{head + "case x\neval a\nevl rate(a)\n", "5: rate(a) is not a value; " + forms + "; did you mean eval?"},
		{head + "case\n", "3: a case needs a name"},
		{head + "case x\n", "3: case x has no eval"},
		{head + "eval a\n", "3: eval needs a case before it and an expression after it"},
		{head + "case x\nvalue 1\n", "4: values need a metric or an eval before them"},
		{head + "case x\nis u32\n", "4: is needs an eval before it"},
		{head + "case x\neval a\nerror\n", "5: error needs an eval before it and a text after it"},
		{head + "case x\neval a\nat soon\n", "5: soon is not a time such as 10s"},
		{head + "case x\neval a\nat\n", "5: at needs a time such as 10s or 10s..30s"},
		{"step 0s\n" + head, "1: the step is not more than 0"},
		{"step\n" + head, "1: step needs a time such as 10s"},
		{"start noon\n", `1: parsing time "noon" as "2006-01-02T15:04:05.999999999Z07:00": cannot parse "noon" as "2006"`},
	} {
		_, err := Parse("f", []byte(tt.text))
		if got := fmt.Sprint(err); got != "f:"+tt.want {
			t.Errorf("%.100q:\n%s\nwant\nf:%s", tt.text, got, tt.want)
		}
	}
}

// FuzzParse reads anything, and runs what can be read if it is small.
func FuzzParse(f *testing.F) {
	f.Add("metric a u32 counter\nvalue 0+1x3\ncase x\neval rate(a)\nis double\nvalue _ 1x2\n")
	f.Add("metric a string discrete indom 1.2\nx \"a\" _\n\"b c\" _ \"b\"\ncase x\neval count(a)\nat 10s\nrecorded\nerror no\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("f", []byte(text))
		if err != nil || len(file.Definitions) > 0 || len(text) > 1000 {
			return
		}
		for _, m := range file.metrics {
			if len(m.rows[0].points) > 100 {
				return
			}
		}
		_, _ = file.Run(t.Context(), nil)
	})
}
