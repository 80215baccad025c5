package eval_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// samples are the records of the archive of derived.md D13.
var samples = func() []string {
	var list []string
	ta := []string{"0", "101", "E(-12389)", "309", "none", "525"}
	for i := range 6 {
		b := fmt.Sprintf("1=%d 2=%d 3=%d 4=%d 5=%d", 10+i, 20+i, 30+i, 40+i, 50+i)
		ts := strconv.Itoa(i)
		if i == 3 {
			b = "4=23 5=13"
		}
		if i == 1 {
			ts = "E(-12351)"
		}
		list = append(list, fmt.Sprintf("t.a: %s; t.b: %s; t.c: 1=1000 2=2000 3=3000 4=4000; t.d: %d; t.s: %s", ta[i], b, i%2, ts))
	}
	return list
}()

func d13World() world {
	return newWorld(`
		t.a U32 - counter count
		t.b 32 1 instant
		t.c 32 1 instant
		t.d 32 - instant
		t.s 32 - instant`)
}

// TestSamples is the table of derived.md D13, with the better column of D16 where that differs.
func TestSamples(t *testing.T) {
	const e = "E(-12389)"
	all := func(list ...string) []string { return list }
	tests := []struct {
		expr string
		want []string
	}{
		{"delta(t.a)", all("none", "101", e, e, "none", "none")},
		{"rate(t.a)", all("none", "101", e, e, "none", "none")},
		{"delta((t.a))", all("none", "101", e, e, "none", "none")},
		{"delta(t.a*2)", all("none", "202", e, "416", "none", "none")},
		{"rate(t.a*2)", all("none", "202", e, "208", "none", "none")},
		{"instant(t.a)", all("0", "101", e, "309", "none", "525")},
		{"count(t.a)", all("1", "1", "0", "1", "0", "1")},
		{"sum(t.a)", all("0", "101", e, "309", "0", "525")},
		{"avg(t.a)", all("0", "101", e, "309", "0", "525")},
		{"max(t.a)", all("0", "101", e, "309", "none", "525")},
		{"delta(t.b)", all("none", "1=1 2=1 3=1 4=1 5=1", "1=1 2=1 3=1 4=1 5=1", "4=-19 5=-39", "4=21 5=41", "1=1 2=1 3=1 4=1 5=1")},
		{"t.b+t.c", all("1=1010 2=2020 3=3030 4=4040", "1=1011 2=2021 3=3031 4=4041", "1=1012 2=2022 3=3032 4=4042", "4=4023",
			"1=1014 2=2024 3=3034 4=4044", "1=1015 2=2025 3=3035 4=4045")},
		{"delta(t.s)", all("none", "E(-12351)", "E(-12351)", "1", "1", "1")},
		{"t.d ? t.s : t.d", all("0", "E(-12351)", "0", "3", "0", "5")},
		{"rate(t.d*1)", all("none", "1", "-1", "1", "-1", "1")},
		{"delta(t.d*1)", all("none", "1", "-1", "1", "-1", "1")},
		{"rate(t.d)", all("none", "1", "-1", "1", "-1", "1")},
		{"delta(t.a)+delta(t.s)", all("none", "E(-12351)", e, e, "E(-12351)", "none")},
		{"scalar(t.b[three])", all("30", "31", "32", "none", "34", "35")},
		{`t.b[a\]b]`, all("4=40", "4=41", "4=42", "4=23", "4=44", "4=45")},
		{"t.d ? t.b : t.c", all("1=1000 2=2000 3=3000 4=4000", "1=11 2=21 3=31 4=41 5=51", "1=1000 2=2000 3=3000 4=4000",
			"4=23 5=13", "1=1000 2=2000 3=3000 4=4000", "1=15 2=25 3=35 4=45 5=55")},
		// Histories of operands that are not broken here (D16.16).
		{"delta(t.b[three])", all("none", "3=1", "3=1", "none", "none", "3=1")},
		{"rate(instant(t.d))", all("none", "1", "-1", "1", "-1", "1")},
		{"delta(matchinst(/^t/, t.b))", all("none", "2=1 3=1", "2=1 3=1", "none", "none", "2=1 3=1")},
		{"delta(defined(t.a))", all("none", "0", "0", "0", "0", "0")},
		{"(delta(t.b))[three]", all("none", "3=1", "3=1", "none", "none", "3=1")},
		// A choice by instance (D16.19).
		{"t.b > 25 ? t.b : novalue()", all("3=30 4=40 5=50", "3=31 4=41 5=51", "3=32 4=42 5=52", "none", "3=34 4=44 5=54", "3=35 4=45 5=55")},
		{"t.b > 25 ? t.c : t.b", all("1=10 2=20 3=3000 4=4000", "1=11 2=21 3=3000 4=4000", "1=12 2=22 3=3000 4=4000", "4=23 5=13",
			"1=14 2=24 3=3000 4=4000", "1=15 2=25 3=3000 4=4000")},
	}
	w := d13World()
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			got := run(t, w, tt.expr, samples...)
			for i := range tt.want {
				if got[i] != tt.want[i] {
					t.Errorf("sample %d: %s, want %s", i, got[i], tt.want[i])
				}
			}
		})
	}
}

// TestChanges covers delta and rate of all types, over two samples.
func TestChanges(t *testing.T) {
	tests := []struct{ name, expr, first, second, want string }{
		{"delta 32 wraps", "delta(i32)", "i32: 2147483647", "i32: -2147483648", "1"},
		{"delta U32 is signed", "delta(u32)", "u32: 4294967232", "u32: 2147483582", "-2147483650"},
		{"delta 64", "delta(i64)", "i64: 5", "i64: -5", "-10"},
		{"delta U64 is double", "delta(u64)", "u64: 10", "u64: 7", "-3"},
		{"delta float", "delta(f)", "f: 0.5", "f: 2", "1.5"},
		{"delta double", "delta(ds)", "ds: 1=1 2=5", "ds: 2=7 1=2", "2=2 1=1"},
		{"rate 32 counter wraps", "rate(i32c)", "i32c: 2147483647", "i32c: -2147483648", "1"},
		{"rate U32", "rate(u32)", "u32: 7", "u32: 5", "-2"},
		{"rate U64", "rate(u64)", "u64: 7", "u64: 5", "-2"},
		{"rate of decreasing U32 counter", "rate(b.c)", "b.c: 7", "b.c: 5", "none"},
		{"rate of decreasing 64 counter", "rate(i64c)", "i64c: 7", "i64c: -5", "none"},
		{"rate of decreasing U64 counter", "rate(u64c)", "u64c: 7", "u64c: 5", "none"},
		{"rate of decreasing float counter", "rate(fc)", "fc: 7", "fc: 5", "none"},
		{"rate of some decreasing instances", "rate(dc)", "dc: 1=1 2=2 3=3", "dc: 1=2 2=1 3=5", "1=1 3=2"},
		{"rate of milliseconds", "rate(ms.c)", "ms.c: 5000", "ms.c: 5250", "0.25"},
		{"rate of minutes", "rate(min.c)", "min.c: 1", "min.c: 2", "60"},
		{"rate of a sum", "rate(b.c + k.c)", "b.c: 1024; k.c: 1", "b.c: 2048; k.c: 2", "2"},
		{"rate of a literal", "rate(2)", "", "", "0"},
		{"after none", "delta(i32s)", "i32s: none", "i32s: 1=1", "none"},
		{"after error", "delta(i32s)", "i32s: E(-12351)", "i32s: 1=1", "E(-12351)"},
		{"new instances", "delta(i32s)", "i32s: 1=1 2=2 3=3", "i32s: 4=1 3=5", "3=2"},
		{"delta of delta", "delta(delta(i32))", "i32: 1", "i32: 2", "none"},
		{"delta of rescale", `delta(rescale(b, "Kbyte"))`, "b: 1024", "b: 4096", "3"},
	}
	w := newWorld(oneWorld)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, w, tt.expr, tt.first, tt.second)
			if got[1] != tt.want {
				t.Errorf("%s is %s, want %s", tt.expr, got[1], tt.want)
			}
		})
	}
}

// TestRecovery follows the history of delta and rate through errors and gaps.
func TestRecovery(t *testing.T) {
	tests := []struct {
		name, expr string
		in, want   []string
	}{
		{"metric", "rate(u32)",
			[]string{"u32: 1", "u32: E(-12351)", "u32: 5", "u32: 7"}, []string{"none", "E(-12351)", "E(-12351)", "2"}},
		{"expression", "rate(u32+0)",
			[]string{"u32: 1", "u32: E(-12351)", "u32: 5", "u32: 7"}, []string{"none", "E(-12351)", "2", "2"}},
		{"not reached", "i32 + delta(u32)",
			[]string{"i32: 0; u32: 1", "i32: E(-12351); u32: 3", "i32: 0; u32: 9"}, []string{"none", "E(-12351)", "8"}},
		{"gap", "rate(u32)", []string{"u32: 1", "u32: none", "u32: 5", "u32: 7"}, []string{"none", "none", "none", "2"}},
		{"static choice does not count", "1 ? delta(u32) : delta(i64)",
			[]string{"u32: 1; i64: E(-12351)", "u32: 3"}, []string{"none", "2"}},
	}
	w := newWorld(oneWorld)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := run(t, w, tt.expr, tt.in...); strings.Join(got, ",") != strings.Join(tt.want, ",") {
				t.Errorf("%s is %v, want %v", tt.expr, got, tt.want)
			}
		})
	}
}
