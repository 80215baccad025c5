package syntax_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pmtools/derive/syntax"
)

func TestFormat(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"blanks", "a=b+c*d\n", "a = b + c * d\n"},
		{"inside parentheses", "a = sum( b ) / ( c+d )\n", "a = sum(b) / (c + d)\n"},
		{"commas", "a = mkconst(1,type=u32 ,units=\"byte\")\n", "a = mkconst(1, type=u32, units=\"byte\")\n"},
		{"parentheses are the author's", "a = ((b)) * (c)\n", "a = ((b)) * (c)\n"},
		{"prefix", "a = - b+! c\n", "a = -b + !c\n"},
		{"paragraphs", "a = b\nc = d\n", "a = b\n\nc = d\n"},
		{"many empty lines", "\n\na = b\n\n\n\nc = d\n\n", "a = b\n\nc = d\n"},
		{"comment above", "# one\n# two\na = b\n", "# one\n# two\na = b\n"},
		{"comment apart", "# file\n\n# one\na = b\n# two\nc = d\n", "# file\n\n# one\na = b\n\n# two\nc = d\n"},
		{"comment at the end", "a = b\n# end\n", "a = b\n\n# end\n"},
		{"help stays", "a = b\n\na( oneline )=one line \na(helptext) = \"two\nlines\"\nc = d\n",
			"a = b\na(oneline) = one line \na(helptext) = \"two\nlines\"\n\nc = d\n"},
		{"comment between help", "a = b\n# about\na(oneline) = x\n", "a = b\n# about\na(oneline) = x\n"},
		{"help of another", "a = b\nc = d\na(oneline) = x\n", "a = b\n\nc = d\n\na(oneline) = x\n"},
		{"control", "#control option_novalue=1\na = b\n", "#control option_novalue=1\na = b\n"},
		{"no newline at the end", "a = b", "a = b\n"},
		{"joined", "a = b \\\n  + c\n", "a = b + c\n"},
		{"help broken before its value", "a = b\na(oneline) = \\\n x\n", "a = b\na(oneline) = \\\n x\n"},
		{"CR LF", "a=b\r\n# c\r\nd=e\r\nd(oneline)=x y\r\n", "a = b\r\n# c\r\nd = e\r\nd(oneline) = x y\r\n"},
		{"CR LF, a long line", "some.longer.name = first.operand.metric+second.operand.metric * third.operand.metric - fourth\r\n",
			"some.longer.name = first.operand.metric + second.operand.metric * third.operand.metric - fourth\r\n"},
		{"CR LF, help without an end", "a=b\r\na(oneline)=x", "a = b\r\na(oneline) = x"},
		{"CR LF and LF", "a=b\r\nc=d\n", "a = b\n\nc = d\n"},
		{"a dot at the end of a name", "a.b. = c\n", "a.b. = c\n"},
		{"long", "some.longer.name = first.operand.metric + second.operand.metric * third.operand.metric - fourth\n",
			"some.longer.name = first.operand.metric \\\n    + second.operand.metric * third.operand.metric - fourth\n"},
		{"long inside parentheses", "some.longer.name = avg.of.it ? (first.operand.metric + second.operand.metric) : (third.operand.metric)\n",
			"some.longer.name = avg.of.it ? (first.operand.metric + second.operand.metric) \\\n    : (third.operand.metric)\n"},
		{"long without a place", "a = " + strings.Repeat("b", 100) + "\n", "a = " + strings.Repeat("b", 100) + "\n"},
		{"long operands", "a = " + strings.Repeat("b", 90) + " + " + strings.Repeat("c", 90) + "\n",
			"a = " + strings.Repeat("b", 90) + " \\\n    + " + strings.Repeat("c", 90) + "\n"},
		{"no break in strings", "a = rescale(b, \"Kbyte / sec\") + matchinst(/" + strings.Repeat("x+", 40) + "/, c)\n",
			"a = rescale(b, \"Kbyte / sec\") \\\n    + matchinst(/" + strings.Repeat("x+", 40) + "/, c)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c syntax.Config
			got, errs := c.Format("f", []byte(tt.in))
			if errs != nil {
				t.Fatal(errs[0])
			}
			if string(got) != tt.want {
				t.Errorf("%q becomes\n%s\nwant\n%s", tt.in, got, tt.want)
			}
			checkFormat(t, tt.in)
		})
	}
}

func TestFormatErrors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"a = b +\nc = d\n= e\n", "[f:1] Error: pmRegisterDerived(a, ...) syntax error"},
		{"\nno sign\n", "[f:2] Error: pmLoadDerivedConfig: missing ``='' after derived metric name"},
		{"a = b\na(oneline) = \"x\n", "[f:2] Error: pmLoadDerivedConfig: missing termination (\") for value"},
		{"a = b\x00 + c\n", "[f:1] Error: zero byte, which hides the rest of the line from PCP"},
	} {
		var c syntax.Config
		out, errs := c.Format("f", []byte(tt.in))
		if out != nil || len(errs) == 0 || errs[0].Error() != tt.want {
			t.Errorf("%q: %q, %v", tt.in, out, errs)
		}
	}
}

// items returns what a file means: names with trees, help texts and controls.
func items(t testing.TB, src []byte) (list []string, ok bool) {
	found, errs := syntax.Items("f", src)
	for _, e := range errs {
		if !e.Warning {
			return nil, false
		}
	}
	var c syntax.Config
	for _, it := range found {
		switch it := it.(type) {
		case *syntax.Definition:
			x, err := c.Parse(it.Expr())
			if err != nil {
				return nil, false
			}
			list = append(list, it.Name+"="+syntax.Tree(x))
		case *syntax.Attribute:
			list = append(list, it.Name+"("+it.Attr+")="+it.Value)
		case *syntax.Control:
			list = append(list, "#"+it.Options)
		}
	}
	return list, true
}

// checkFormat checks the properties of formatted text.
func checkFormat(t testing.TB, in string) {
	t.Helper()
	var c syntax.Config
	out, errs := c.Format("f", []byte(in))
	before, ok := items(t, []byte(in))
	if !ok {
		if errs == nil {
			t.Fatalf("%q has errors and was formatted", in)
		}
		return
	}
	if errs != nil && strings.Contains(in, "\x00") {
		return // an error of its own, as TestFormatErrors has it
	}
	if errs != nil {
		t.Fatalf("%q has no errors, but %v", in, errs[0])
	}
	after, ok := items(t, out)
	if !ok {
		t.Fatalf("%q becomes %q, which has errors", in, out)
	}
	if d := cmp.Diff(before, after); d != "" {
		t.Fatalf("%q becomes %q, which means something else:\n%s", in, out, d)
	}
	again, errs := c.Format("f", out)
	if errs != nil || string(again) != string(out) {
		t.Fatalf("%q becomes %q, and then %q (%v)", in, out, again, errs)
	}
}

// FuzzFormat: a formatted file means the same, keeps its comments, and is formatted already.
func FuzzFormat(f *testing.F) {
	for _, s := range []string{
		"a=b+c\n# x\nc = d\n", "a = b\\\n+c\na(oneline)= \"x\\\"\ny\" z\n", "#control a=1\n\n# c \\\na = rate(b[x\\]y]) ? novalue() : 1\n",
		"a = " + strings.Repeat("b.c + d * ", 20) + "1", "a = matchinst(!/a+b/,c)\n\\\na(helptext)\\\n=\\\nx\n",
		"a=b\r\n# c\r\na(oneline)=x\r\na(helptext)=\"x\r\ny\"\r\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) < 1<<12 {
			checkFormat(t, s)
		}
	})
}

func TestFormatDefinition(t *testing.T) {
	x, err := new(syntax.Config).Parse("a+b")
	if err != nil {
		t.Fatal(err)
	}
	if got := syntax.FormatDefinition("x.y", x); got != "x.y = a + b\n" {
		t.Errorf("%q", got)
	}
}

// TestFormatComments formats comments that stand before a help text: looking for that text from each
// comment on would take minutes.
func TestFormatComments(t *testing.T) {
	src := "a = 1\n" + strings.Repeat("# c\n", 300_000) + "a(oneline) = x\n"
	began := time.Now()
	got, errs := new(syntax.Config).Format("f", []byte(src))
	if errs != nil || string(got) != src {
		t.Errorf("%d bytes, %v; want %d bytes", len(got), errs, len(src))
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}
