package option

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pmtools/internal/ctext"
)

// metricText returns a specification as one line.
func metricText(m Metric) string {
	kind := [...]string{"", "host ", "archive ", "local "}[m.Kind]
	text := kind + m.Source + "|" + m.Name
	if m.Instances != nil {
		text += "|{" + strings.Join(m.Instances, "}{") + "}"
	}
	return text
}

func TestParseMetric(t *testing.T) {
	tests := []struct{ s, want string }{
		{"a.b", "|a.b"},
		{" \ta.b ", "|a.b"},
		{" host : a.b ", "host host|a.b"},
		{"1.2.3.4:a.b", "host 1.2.3.4|a.b"},
		{"host:1234:a.b", "host host:1234|a.b"},
		{"/path/to/arch/a.b[x]", "archive /path/to/arch|a.b|{x}"},
		{"h:p/m", "archive h:p|m"},
		{"a/b:c", "host a/b|c"},
		{"@:a.b", "local @|a.b"},
		{"@/a.b", "archive @|a.b"},
		{"a.b[x, y ,z]", "|a.b|{x}{y}{z}"},
		{`a.b["x y", z]`, "|a.b|{x y}{z}"},
		{`a.b["x\"y"]`, `|a.b|{x"y}`},
		{`a.b[x\ y]`, "|a.b|{x y}"},
		{`a.b["a]b"]`, "|a.b|{a]b}"},
		{`a.b[""]`, "|a.b|{}"},
		{`a.b["x"y]`, "|a.b|{x}{y}"},
		{`a.b[x"y z"w]`, `|a.b|{x"y}{z"w}`},
		{`a.b[a"b] "c]`, `|a.b|{a"b]}{c}`},
		{"a.b[]", "|a.b"},
		{"a.b[ ]", "|a.b"},
		{"a.b[,, ]", "|a.b|{}"},
		{"a.b[, x,,y,]", "|a.b|{}{x}{y}"},
		{"host:a.b[c:d]", "host host|a.b|{c:d}"},
		{"host:a.b[/dev/sda] ", "host host|a.b|{/dev/sda}"},
		{`a\:b:m\[x`, "host a:b|m[x"},
		{`x\/m`, `archive x\|m`},
		{`a\\b`, `|a\b`},
		{`a\`, `|a\`},
	}
	for _, tt := range tests {
		m, err := ParseMetric(tt.s)
		if got := metricText(m); err != nil || got != tt.want {
			t.Errorf("%q: got %q, %v, want %q", tt.s, got, err, tt.want)
		}
	}
}

// TestParseMetricErrors: the place of the caret is written as a bar.
func TestParseMetricErrors(t *testing.T) {
	tests := []struct{ s, want string }{
		{"", "performance metric name expected"},
		{"   |", "performance metric name expected"},
		{"|[x]", "performance metric name expected"},
		{"host:|", "performance metric name expected"},
		{"|:a.b", "host name expected"},
		{" |:a.b", "host name expected"},
		{"|/a.b", "archive name expected"},
		{"a.b[x|", "closing ] expected"},
		{`a.b["x]|`, `closing " and ] expected`},
		{`a.b[x"]|`, `closing " and ] expected`},
		{`a.b["x\"]|`, `closing " and ] expected`},
		{"a.b[x]|y", "unexpected extra characters"},
		{"a.b |c", "unexpected extra characters"},
		{"a.b|]", "unexpected character in metric name"},
		{"a|,b", "unexpected character in metric name"},
	}
	for _, tt := range tests {
		s, _, _ := strings.Cut(tt.s, "|")
		pos := len(s)
		s = strings.Replace(tt.s, "|", "", 1)
		_, err := ParseMetric(s)
		want := fmt.Sprintf("%s\n%s^ -- %s\n", s, strings.Repeat(" ", pos), tt.want)
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %q, want %q", s, err, want)
		}
	}
}

// TestMetricErrorTabs: the line with the caret repeats control characters and bytes beyond ASCII.
func TestMetricErrorTabs(t *testing.T) {
	err := &MetricError{Text: "a\tb\x01é]", Pos: 6, Reason: "x"}
	if got, want := err.Error(), "a\tb\x01é]\n \t \x01é^ -- x\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSplitInstances(t *testing.T) {
	tests := []struct {
		list string
		want []string
	}{
		{"", nil}, {" ,\t\n,", nil}, {"a", []string{"a"}}, {"a,b c\td", []string{"a", "b", "c", "d"}},
		{`'a b',"c,d"`, []string{"a b", "c,d"}}, {`'a`, []string{"a"}}, {`''`, []string{""}}, {`'a'b`, []string{"a", "b"}},
		{`a'b c'`, []string{"a'b", "c'"}}, {`"it's"`, []string{"it's"}}, {`a\,b`, []string{`a\`, "b"}},
	}
	for _, tt := range tests {
		if got := SplitInstances(tt.list); !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.list, got, tt.want)
		}
	}
}

// FuzzParseMetric: a parsed specification can be written again, and is parsed in the same way then.
func FuzzParseMetric(f *testing.F) {
	for _, s := range []string{"a.b", "h:1:m", "/x/y[a \"b c\"]", "@:m", `a\[b[\]]`, "m[\"", " : ", "a[b]c", `x\`, "\x00[\xff,]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseMetric(s)
		if err != nil {
			bad, ok := err.(*MetricError)
			if !ok || bad.Pos < 0 || bad.Pos > len(s) {
				t.Fatalf("%q: error %#v", s, err)
			}
			_ = bad.Error()
			return
		}
		again, err := ParseMetric(m.quoted())
		if err != nil || metricText(again) != metricText(m) {
			t.Errorf("%q is %q; written as %q it is %q, %v", s, metricText(m), m.quoted(), metricText(again), err)
		}
	})
}

// quoted returns a specification that means m.
func (m Metric) quoted() string {
	var b strings.Builder
	put := func(s string) {
		for i := range len(s) {
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	if m.Kind != DefaultHost {
		for i := range len(m.Source) {
			if c := m.Source[i]; c == '\\' || strings.IndexByte(ctext.Space, c) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(m.Source[i])
		}
		b.WriteByte([]byte{Host: ':', Archive: '/', Local: ':'}[m.Kind])
	}
	for i := range len(m.Name) {
		if c := m.Name[i]; strings.IndexByte(`\[], `, c) >= 0 || strings.IndexByte(ctext.Space, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(m.Name[i])
	}
	if m.Instances != nil {
		b.WriteByte('[')
		for i, inst := range m.Instances {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('"')
			put(inst)
			b.WriteByte('"')
		}
		b.WriteByte(']')
	}
	return b.String()
}

// FuzzSplitInstances: names in quotes come out as they went in.
func FuzzSplitInstances(f *testing.F) {
	f.Add("a", "b c")
	f.Add("", "'")
	f.Fuzz(func(t *testing.T, a, b string) {
		_ = SplitInstances(a)
		if strings.Contains(a, `"`) || strings.Contains(b, `"`) {
			return
		}
		if got := SplitInstances(`"` + a + `","` + b + `"`); !slices.Equal(got, []string{a, b}) {
			t.Errorf("got %q from %q and %q", got, a, b)
		}
	})
}
