package ere

import (
	"regexp"
	"testing"
)

// TestRE2: the expressions match the same texts.
func TestRE2(t *testing.T) {
	texts := []string{"", "a", "b", "ab", "abc", "aab", "a.b", "sda", "sdb1", "cpu0", "a-b", "A", "[x]", `a\b`, "x{2}", "a b", "^a$", "aaaa", "9", "_", "\n", "a\nb"}
	for _, c := range []struct {
		expr string
		ok   bool
	}{
		{"a", true}, {"^a", true}, {"a$", true}, {"^$", true}, {"", true}, {".", true}, {"a.b", true}, {`a\.b`, true}, {"a|b", true}, {"(a|b)c", true},
		{"^(a|)b", true}, {"a*b", true}, {"a+", true}, {"a?b", true}, {"a{2}", true}, {"a{2,3}", true}, {"a{1,}", true}, {"a{,3}b", true},
		{"[abc]", true}, {"[^abc]", true}, {"[]x]", true}, {"[a-]", true}, {"[[:digit:]_]", true}, {`[\]`, true}, {"[^a-m]$", true},
		{`\w\W`, true}, {`\s`, true}, {"a**", true}, {"()", true}, {"x{2}", true}, {`a\{`, true}, {"[\x00-\xff]", true}, {"(^a)*", true},
		{`\bab`, false}, {"[\x80-\x90]", false}, {"caf\xc3\xa9", false},
	} {
		match, err := Compile(c.expr)
		if err != nil {
			t.Fatalf("%q: %v", c.expr, err)
		}
		text, ok := RE2(c.expr)
		if ok != c.ok {
			t.Errorf("%q: %q, %v", c.expr, text, ok)
		}
		if !ok {
			continue
		}
		other, err := regexp.Compile(text)
		if err != nil {
			t.Errorf("%q: %v", c.expr, err)
			continue
		}
		for _, s := range texts {
			if got, want := other.MatchString(s), match(s); got != want {
				t.Errorf("%q is %q, which matches %q: %v, want %v", c.expr, text, s, got, want)
			}
		}
	}
}
