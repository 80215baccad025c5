package pcp

import (
	"slices"
	"testing"
)

func TestGroupName(t *testing.T) {
	for _, tt := range []struct {
		values []string
		want   string
	}{
		{[]string{"ssd"}, "ssd"},
		{[]string{"a, b"}, "a, b"},
		{[]string{""}, `""`},
		{[]string{`""`}, `""""""`},
		{[]string{`5"`}, `"5"""`},
		{[]string{"a", "b"}, "a,b"},
		{[]string{"a,b", "", "c"}, `"a,b","",c`},
		{[]string{"a", ",b"}, `a,",b"`},
		{[]string{"a,", "b"}, `"a,",b`},
		{[]string{"\n", " "}, "\n, "},
	} {
		got := GroupName(tt.values)
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.values, got, tt.want)
		}
		if back := GroupValues(got, len(tt.values)); !slices.Equal(back, tt.values) {
			t.Errorf("%s: %q, want %q", got, back, tt.values)
		}
	}
	for _, name := range []string{"a", `"a`, `"a"b,c`, "a,b,c", ""} {
		if got := GroupValues(name, 2); got != nil {
			t.Errorf("%s: %q, want nothing", name, got)
		}
	}
}

func FuzzGroupName(f *testing.F) {
	f.Add("a", "b", "c")
	f.Add(`"`, ",", "")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		for _, values := range [][]string{{a}, {a, b}, {a, b, c}} {
			if got := GroupValues(GroupName(values), len(values)); !slices.Equal(got, values) {
				t.Errorf("%q: %q", values, got)
			}
		}
	})
}
