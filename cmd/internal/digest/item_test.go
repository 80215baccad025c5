package digest

import (
	"slices"
	"testing"

	_ "pmtools/test/env"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		text   string
		want   []string
		starts []int
		open   bool
	}{
		{"", nil, nil, false},
		{"  a  bc ", []string{"a", "bc"}, []int{2, 5}, false},
		{`--baseline 'yesterday same time' x`, []string{"--baseline", "yesterday same time", "x"}, []int{0, 11, 33}, false},
		{`-S"@10 am" ''`, []string{"-S@10 am", ""}, []int{0, 11}, false},
		{`"it's" 'a`, []string{"it's", "a"}, []int{0, 7}, true},
		{"é\xff", []string{"é\xff"}, []int{0}, false},
	} {
		list, starts, err := words(tt.text)
		if !slices.Equal(list, tt.want) || !slices.Equal(starts, tt.starts) || err != nil != tt.open {
			t.Errorf("%q: %q at %v, %v", tt.text, list, starts, err)
		}
	}
}

// TestItems: options stand before expressions with commas between them, and around another source.
func TestItems(t *testing.T) {
	f := Form{Output: "table"}
	q, err := Parse("summarize", `--top 3 -o csv rate(a.b) * 2, c, "x" `, &f)
	if err != nil {
		t.Fatal(err)
	}
	s := q.(*Summarize)
	if s.Order.Top != 3 || !s.Instances || f.Output != "csv" {
		t.Errorf("%+v, output %s", s, f.Output)
	}
	if want := []string{"rate(a.b) * 2", "c", `"x"`}; !slices.Equal(s.Exprs, want) {
		t.Errorf("expressions %q, want %q", s.Exprs, want)
	}
	for arg, want := range map[string][]Side{
		"":                            nil,
		"other --top 3":               {{"archive", "other"}},
		"--top 3 archive 'two words'": {{"archive", "two words"}},
		"host app1 -t 1":              {{"host", "app1"}},
		"local":                       {{Kind: "local"}},
		"a host b":                    {{"archive", "a"}, {"host", "b"}},
		"host":                        {{"archive", "host"}},
	} {
		q, err := Parse("compare", arg, &f)
		if err != nil {
			t.Errorf("%q: %v", arg, err)
		} else if got := q.(*Compare).Others; !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", arg, got, want)
		}
	}
	for _, arg := range []string{"--top", "--top -1", "--threshold x", "--baseline never", "--no-such", "'x"} {
		if _, err := Parse("compare", arg, &f); err == nil {
			t.Errorf("%q is taken", arg)
		}
	}
}
