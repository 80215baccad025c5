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

// TestGroupNames: no two lists of values have the same name, whatever commas, quotes and blanks are in them.
func TestGroupNames(t *testing.T) {
	texts := []string{""}
	for i := 0; len(texts) < 85; i++ {
		for _, c := range []string{"a", ",", `"`, " "} {
			texts = append(texts, texts[i]+c)
		}
	}
	for _, n := range []int{1, 2} {
		seen := make(map[string][]string)
		for _, a := range texts {
			for _, b := range texts {
				values := []string{a, b}[:n]
				name := GroupName(values)
				if old, taken := seen[name]; taken && !slices.Equal(old, values) {
					t.Fatalf("%q and %q are both called %s", old, values, name)
				}
				if seen[name] = values; !slices.Equal(GroupValues(name, n), values) {
					t.Fatalf("%s: %q, want %q", name, GroupValues(name, n), values)
				}
			}
		}
	}
}
