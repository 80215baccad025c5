package ere

import (
	"regexp"
	"strings"
	"testing"

	_ "pmtools/test/env"
)

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		pattern  string
		yes, not []string
	}{
		{"", []string{"", "a"}, nil},
		{"a", []string{"a", "bab"}, []string{"", "A", "b"}},
		{"^a$", []string{"a"}, []string{"ab", "ba", "a\n"}},
		{"a^b", nil, []string{"a^b", "ab"}},
		{"(^a|b$)", []string{"ax", "xb"}, []string{"xa", "bx"}},
		{".", []string{"a", "\n", "\x80"}, []string{"", "\x00"}},
		{"^.$", []string{"a"}, []string{"é"}}, // two bytes
		{"a|b", []string{"xa", "bx"}, []string{"c"}},
		{"a|", []string{"", "b"}, nil},
		{"|a", []string{""}, nil},
		{"^(|a)b", []string{"b", "ab"}, []string{"aab"}},
		{"^()$", []string{""}, []string{"a"}},
		{"^a*$", []string{"", "aa"}, []string{"ab"}},
		{"^a+$", []string{"a", "aa"}, []string{""}},
		{"^a?$", []string{"", "a"}, []string{"aa"}},
		{"^a**$", []string{"", "aa"}, []string{"b"}},
		{"^(a*)*b$", []string{"b", "aab"}, []string{"a"}},
		{"^a{2}$", []string{"aa"}, []string{"a", "aaa"}},
		{"^a{2,}$", []string{"aa", "aaaa"}, []string{"a"}},
		{"^a{1,2}$", []string{"a", "aa"}, []string{"", "aaa"}},
		{"^a{,2}$", []string{"", "aa"}, []string{"aaa"}},
		{"^a{,}$", []string{"", "aaa"}, []string{"b"}},
		{"^a{0}$", []string{""}, []string{"a"}},
		{"^(ab){2}{2}$", []string{"abababab"}, []string{"abab"}},
		{"^[ab]$", []string{"a", "b"}, []string{"c", ""}},
		{"^[^ab]$", []string{"c", "\n"}, []string{"a", ""}},
		{"^[a-c]$", []string{"b"}, []string{"d", "-"}},
		{"^[]a]$", []string{"]", "a"}, []string{"["}},
		{"^[^]a]$", []string{"["}, []string{"]", "a"}},
		{"^[a-]$", []string{"a", "-"}, []string{"b"}},
		{"^[-a]$", []string{"a", "-"}, []string{"b"}},
		{"^[--a]$", []string{"-", "A", "a"}, []string{"b", ","}},
		{`^[\n]$`, []string{`\`, "n"}, []string{"\n"}},
		{"^[[:alpha:]_]$", []string{"a", "Z", "_"}, []string{"1", "\xe9"}},
		{"^[[:alnum:]]$", []string{"a", "1"}, []string{"_"}},
		{"^[[:blank:]]$", []string{" ", "\t"}, []string{"\n"}},
		{"^[[:cntrl:]]$", []string{"\x01", "\x7f"}, []string{" "}},
		{"^[[:digit:]]$", []string{"0", "9"}, []string{"a"}},
		{"^[[:graph:]]$", []string{"!", "~"}, []string{" ", "\x7f"}},
		{"^[[:lower:]]$", []string{"a"}, []string{"A"}},
		{"^[[:print:]]$", []string{" ", "~"}, []string{"\n"}},
		{"^[[:punct:]]$", []string{"!", "_"}, []string{"a", " "}},
		{"^[[:space:]]$", []string{" ", "\v"}, []string{"a"}},
		{"^[[:upper:]]$", []string{"A"}, []string{"a"}},
		{"^[[:xdigit:]]$", []string{"f", "F", "0"}, []string{"g"}},
		{"^[[.a.]-c]$", []string{"b"}, []string{"d"}},
		{"^[a-[.c.]]$", []string{"b"}, []string{"d"}},
		{"^[[.-.]]$", []string{"-"}, []string{"."}},
		{"^[[=a=]b]$", []string{"a", "b"}, []string{"="}},
		{"^[[]$", []string{"["}, []string{"]"}},
		{"^[:a:]$", []string{":", "a"}, []string{"b"}},
		{`\bab\b`, []string{"ab", "x ab-"}, []string{"abc", "_ab"}},
		{`a\Bb`, []string{"ab"}, []string{"a b"}},
		{"\\`a", []string{"ab"}, []string{"ba"}},
		{`a\'`, []string{"ba"}, []string{"ab"}},
		{`^\w\W\s\S$`, []string{"_- x"}, []string{"-- x", "_-xx"}},
		{`\.`, []string{"."}, []string{"a"}},
		{`\d`, []string{"d"}, []string{"1"}},
		{`a\|b`, []string{"a|b"}, []string{"a"}},
		{`\(a\)`, []string{"(a)"}, []string{"a"}},
		{`a\{1\}`, []string{"a{1}"}, []string{"a"}},
		{"a)", []string{"a)"}, []string{"a"}},
		{"a}", []string{"a}"}, []string{"a"}},
		{"a]", []string{"a]"}, []string{"a"}},
		{`(a)|b`, []string{"a", "b"}, []string{"c"}},
		{"[\x80-\x90]", []string{"\x80", "\xc3\x90"}, []string{"", "\xe9"}}, // bytes, not characters
		{"^[^\xe9]$", []string{"\xe8", "a"}, []string{"\xe9", "é"}},
		{`\bé`, nil, []string{"é"}},
		{"[^\x01-\xff]", []string{"\x00"}, []string{"a", "\xff", ""}},
		{"^a{1000}$", []string{strings.Repeat("a", 1000)}, []string{strings.Repeat("a", 999)}},
	} {
		match, err := Compile(tc.pattern)
		if err != nil {
			t.Errorf("%q: %v", tc.pattern, err)
			continue
		}
		for _, text := range tc.yes {
			if !match(text) {
				t.Errorf("%q does not match %q", tc.pattern, text)
			}
		}
		for _, text := range tc.not {
			if match(text) {
				t.Errorf("%q matches %q", tc.pattern, text)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		want    error
	}{
		{"[", errExpression}, {"[^", errExpression}, {"a[", errExpression},
		{"[a", errBracket}, {"[]", errBracket}, {"[^]", errBracket}, {"[a-", errBracket}, {"[[:alpha:]", errBracket},
		{"[[:alpha", errBracket}, {"[[.", errBracket}, {"[[=a", errBracket}, {"[[.ab.]", errBracket}, {"[[.a.", errBracket},
		{"[[.a.]", errBracket}, {"[[.a.]-", errBracket},
		{"[[:" + strings.Repeat("a", 40) + ":]]", errBracket},
		{"[[:foo:]]", errClass}, {"[[::]]", errClass}, {"[[:foo:]", errClass},
		{"[[.ab.]]", errCollation}, {"[[=ab=]]", errCollation}, {"[a-[.ab.]]", errCollation}, {"[[=ab=]", errCollation},
		{"[b-a]", errRange}, {"[a-[:alpha:]]", errRange}, {"[a-[=b=]]", errRange}, {"[a-c-e]", errRange},
		{"[[:alpha:]-z]", errRange},
		{"(", errParen}, {"(a", errParen}, {"((a)", errParen}, {"(a|", errParen},
		{"*", errRepetition}, {"+a", errRepetition}, {"a|*", errRepetition}, {"(*a)", errRepetition}, {"^*", errRepetition},
		{"$+", errRepetition}, {`\b?`, errRepetition}, {"{1}", errRepetition}, {"a|{1}", errRepetition},
		{"a{", errBrace}, {"a{1", errBrace}, {"a{1,", errBrace}, {"a{x", errBrace}, {"a{1,2", errBrace},
		{"a{}", errInterval}, {"a{x}", errInterval}, {"a{1x}", errInterval}, {"a{2,1}", errInterval}, {"a{1,2,3}", errInterval},
		{"a{1 }", errInterval}, {"a{1,x}", errInterval}, {"a{-1}", errInterval},
		{"a{1001}", errSize}, {"a{1,99999999999999999999}", errSize}, {"a{99999,1}", errInterval},
		{`\`, errBackslash}, {`a\`, errBackslash}, {`(a\`, errBackslash},
		{`\1`, errReference}, {`(a)\2`, errReference}, {`(a)\1`, errNoReferences}, {`\<a`, errNoEdges}, {`a\>`, errNoEdges},
		{"(a{1000}){1000}", errSize}, {"((((){999}){999}){999}){999}", errSize},
		{strings.Repeat("(", 5000), errSize}, {"a" + strings.Repeat("*", 1<<20), errSize},
	} {
		if _, err := Compile(tc.pattern); err != tc.want {
			t.Errorf("%.50q: got %v, want %v", tc.pattern, err, tc.want)
		}
	}
}

// TestTime matches expressions that take other matchers forever.
func TestTime(t *testing.T) {
	for _, tc := range []struct{ pattern, text string }{
		{"^(a*)*b", strings.Repeat("a", 2000)},
		{"(a|aa)*b", strings.Repeat("a", 2000)},
		{"((a?){30}){30}x", strings.Repeat("a", 200)},
	} {
		match, err := Compile(tc.pattern)
		if err != nil {
			t.Errorf("%q: %v", tc.pattern, err)
			continue
		}
		if match(tc.text) {
			t.Errorf("%q matches", tc.pattern)
		}
	}
}

// FuzzMatch compares with Go's regexp on patterns that mean the same in both.
func FuzzMatch(f *testing.F) {
	for _, s := range []string{"", "a|b*", "(a{2,3})+", "[[:alpha:]-]", "[a-", `\<x\>`, `(a)\1`, "a{,2}", "((a*)*)*", "[^]a]", "^$", "*"} {
		f.Add(s, "aab-b")
	}
	same := regexp.MustCompile(`^[ab^$|()]*$`)
	f.Fuzz(func(t *testing.T, pattern, text string) {
		match, err := Compile(pattern)
		if err != nil {
			return
		}
		text = text[:min(len(text), 100)]
		got := match(text)
		if got != match(text) {
			t.Error("does not always say the same")
		}
		if !same.MatchString(pattern) || !same.MatchString(text) {
			return
		}
		if std, err := regexp.Compile(pattern); err == nil && std.MatchString(text) != got {
			t.Errorf("%q on %q: got %v", pattern, text, got)
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := Compile("^sd[a-z]+[0-9]{1,3}$"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	match, err := Compile("^sd[a-z]+[0-9]{1,3}$")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		match("sdaa12")
	}
}
