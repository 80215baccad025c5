package check

import (
	"errors"
	"testing"

	"pmtools/lib/pcp"
)

func TestInDomMap(t *testing.T) {
	a, b, c := pcp.NewInDom(29, 1), pcp.NewInDom(29, 2), pcp.NewInDom(30, 1)
	for _, tc := range []struct {
		name, text string
		ab, ac     bool
	}{
		{"empty", "", false, false},
		{"one line", "29.1 29.2\n", true, false},
		{"three", "29.1 30.1 29.2\n", true, true},
		{"two lines", "29.1 29.2\n29.1 30.1\n", true, true},
		{"not transitive", "29.2 29.7\n29.7 29.1\n", false, false},
		{"alone", "29.1\n29.2\n", false, false},
		{"all of an agent", "29.*\n", true, false},
		{"all of two agents", "29.* 30.*\n", true, true},
		{"all and one", "30.* 29.1\n", false, true},
		{"tab and blanks", "  29.1\t29.2  \n", true, false},
		{"comments", "# 29.1 30.1\n\n 29.1 29.2 # 30.1\n   ", true, false},
		{"zeros", "029.1 29.02\n", true, false},
		{"bounds", "511.4194303 29.1 30.1\n", false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := ParseInDomMap(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Equivalent(a, b); got != tc.ab {
				t.Errorf("29.1 and 29.2: got %v", got)
			}
			if got := m.Equivalent(c, a); got != tc.ac {
				t.Errorf("30.1 and 29.1: got %v", got)
			}
			if !m.Equivalent(a, a) {
				t.Error("not equivalent to itself")
			}
		})
	}
	var none *InDomMap
	if none.Equivalent(a, b) || !none.Equivalent(a, a) {
		t.Error("wrong answers of a nil map")
	}
}

func TestInDomErrors(t *testing.T) {
	const eof = "expected newline, found End-of-File"
	for _, tc := range []struct{ text, want string }{
		{"abc\n", "line 1: <domain> expected, found 'a'"},
		{"*\n", "line 1: <domain> expected, found '*'"},
		{"29.1 -1.3\n", "line 1: <domain> expected, found '-'"},
		{"\n29\n\n", "line 2: '.' expected after <domain> 29, found '\n'"},
		{"29,1\n", "line 1: '.' expected after <domain> 29, found ','"},
		{"29.\n\n", "line 1: digit or '*' expected after <domain> 29, found '\n'"},
		{"29.x\n", "line 1: digit or '*' expected after <domain> 29, found 'x'"},
		{"29.1,29.2\n", "line 1: newline or whitespace expected after <serial> 1, found ','"},
		{"29.1#\n", "line 1: newline or whitespace expected after <serial> 1, found '#'"},
		{"29.*2\n", "line 1: newline or whitespace expected after <serial> *, found '2'"},
		{"29.1\r\n", "line 1: newline or whitespace expected after <serial> 1, found '\r'"},
		{"512.1\n", "line 1: <domain> 512 too big"},
		{"0512.1\n", "line 1: <domain> 0512... too long"},
		{"99999999999.1\n", "line 1: <domain> 9999... too long"},
		{"29.4194304 \n", "line 1: <serial> 4194304 too big"},
		{"29.99999999999\n", "line 1: <serial> 99999999... too long"},
		{"29.00000001\n", "line 1: <serial> 00000001... too long"},
		{"29.1 29.2", "line 1: " + eof},
		{"29.", "line 1: " + eof},
		{"29.1x", "line 1: newline or whitespace expected after <serial> 1, found 'x'\nline 1: " + eof},
		{"29\n", "line 1: '.' expected after <domain> 29, found '\n'\nline 1: " + eof},
		// The line after an early end of line is lost, and not counted.
		{"123\n# c\n29.1x 30.1", "line 1: '.' expected after <domain> 123, found '\n'\n" +
			"line 2: newline or whitespace expected after <serial> 1, found 'x'\nline 2: " + eof},
		{"512\n29.x\n29.y\n", "line 1: '.' expected after <domain> 512, found '\n'\nline 2: digit or '*' expected after <domain> 29, found 'y'"},
		{"29.4194304\n29.x\n*\n", "line 1: <serial> 4194304 too big\nline 3: <domain> expected, found '*'"},
		{"29.1 29.2\n# comment", "line 2: " + eof},
		{"29.x\n29.1 29.2\n3\xff\n", "line 1: digit or '*' expected after <domain> 29, found 'x'\nline 3: '.' expected after <domain> 3, found '\xff'"},
	} {
		m, err := ParseInDomMap(tc.text)
		var bad *InDomError
		if m != nil || !errors.As(err, &bad) || err.Error() != tc.want {
			t.Errorf("%q: got %v, want %s", tc.text, err, tc.want)
		}
	}
}

// FuzzInDomMap: a map of instance domains is read, or there is an error, never both.
func FuzzInDomMap(f *testing.F) {
	for _, s := range []string{"", "29.1 29.2\n", "29.* # x\n", "1.", "512.1\n", "29.1 \n\n30.2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseInDomMap(text)
		if (m == nil) != (err != nil) {
			t.Error("both or neither")
		}
		m.Equivalent(pcp.NewInDom(29, 1), pcp.NewInDom(29, 2))
	})
}
