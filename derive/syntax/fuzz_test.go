package syntax

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// seedTexts returns every text of the error tables and some that are well formed.
func seedTexts(f *testing.F) []string {
	texts := []string{"", " ", everything, benchExpr, "a?b:c?d:e", "a*!b==c&&d", "a--b", `a[a\]b]`, `matchinst(!/a\/b/,a/b)`,
		`mkconst(.,type=float,meta=b,indom="1.2",units="")`, "(((a)))[x]", "a?1:novalue(type=32)"}
	for _, name := range []string{"testdata/errors.txt", "testdata/recorded.txt"} {
		file, err := os.Open(name)
		if err != nil {
			f.Fatal(err)
		}
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			before, rest, _ := strings.Cut(lines.Text(), "@{")
			_, after, _ := strings.Cut(rest, "}")
			texts = append(texts, before+after)
		}
	}
	return texts
}

// FuzzParse: what parses is printed as a text that parses to the same tree, and an error is inside
// the text. What PCP's language has means the same in the extended one.
func FuzzParse(f *testing.F) {
	for _, s := range seedTexts(f) {
		f.Add(s)
	}
	for _, s := range []string{"sum(rate(a))", "topn(3,max(a,b))[x]", "clamp(a,pow(b,2),quantile(.5,c))", "1+clamp((a),0,1)*abs(-b)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if x, err := testConfig.Parse(src); err == nil {
			if y, err := extendedConfig().Parse(src); err != nil || Tree(y) != Tree(x) {
				t.Fatalf("%q: extended it is %v, %v", src, y, err)
			}
		}
		fuzzParse(t, testConfig, src)
		fuzzParse(t, extendedConfig(), src)
	})
}

func fuzzParse(t *testing.T, config *Config, src string) {
	x, err := config.Parse(src)
	if err != nil {
		e := err.(*Error)
		if x != nil || int(e.Pos) >= len(src) && src != "" {
			t.Fatalf("%q: tree %v, error %d of %d bytes", src, x, e.Pos, len(src))
		} else if e.Pos < 0 && src != "" || e.Pos < -1 {
			t.Fatalf("%q: tree %v, error %d of %d bytes", src, x, e.Pos, len(src))
		}
		if src != "" && !strings.Contains(caret(src, e.Pos), "^") || !strings.Contains(CaretOffset(e.Pos), "^") {
			t.Fatalf("%q: no caret for error at %d", src, e.Pos)
		}
		return
	}
	for n := range Preorder(x) {
		if start, end := n.Span(); start < 0 || end <= start || int(end) > len(src) {
			t.Fatalf("%q: %T spans %d to %d", src, n, start, end)
		}
	}
	text := Print(x)
	y, err := config.Parse(text)
	if err != nil {
		t.Fatalf("%q is printed as %q: %v", src, text, err)
	}
	if got, want := Tree(y), Tree(x); got != want {
		t.Fatalf("%q is printed as %q, which is\n%s and not\n%s", src, text, got, want)
	}
	if again := Print(y); again != text {
		t.Fatalf("%q is printed as %q, then as %q", src, text, again)
	}
}

// FuzzChunkItems: line numbers rise and are in the file, names and expressions are not empty, and
// definitions without the rest of the file give the same definitions.
func FuzzChunkItems(f *testing.F) {
	for _, s := range []string{"", "x = 1", "# c\\\nx = a + \\\n b\n", "x(oneline) = \"a\nb\\\"c\" d\n", "#control A=1\n", "x(", "= 1\n",
		"x(oneline)='a\\\n\\\\'\n", "1x = 2\n", "x(a)=\"", "\\\n#\\\n", "x()=\n", "x = \x00\n", "x(a)='\n'\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		list, _ := Items("f", src)
		last, lines := 0, strings.Count(string(src), "\n")+1
		check := func(p Place) {
			if p.Line < max(last, 1) || p.Line > lines {
				t.Fatalf("%q: line %d after line %d, of %d", src, p.Line, last, lines)
			}
			last = p.Line
		}
		var again, want strings.Builder
		for _, it := range list {
			switch it := it.(type) {
			case *Definition:
				check(it.Place)
				if !LegalName(it.Name) || it.Expr() == "" || isSpace(it.Expr()[0]) {
					t.Fatalf("%q: name %q, expression %q", src, it.Name, it.Expr())
				}
				if e := it.SyntaxError(&Error{Pos: 0}); strings.Count(e.Text(), "\n") != 3 {
					t.Fatalf("%q: message %q", src, e.Text())
				}
				again.WriteString(it.Name + "=" + strings.TrimRight(it.Expr(), `\`) + "\n")
				want.WriteString(it.Name + "=" + strings.TrimRight(it.Expr(), `\`) + "\n")
			case *Attribute:
				check(it.Place)
				if it.Name == "" || it.Attr == "" {
					t.Fatalf("%q: attribute %q of %q", src, it.Attr, it.Name)
				}
			case *Control:
				check(it.Place)
			case *FileError:
				check(it.Place)
			}
		}
		list, _ = Items("f", []byte(again.String()))
		var got strings.Builder
		for _, it := range list {
			if d, ok := it.(*Definition); ok {
				got.WriteString(d.Name + "=" + d.Expr() + "\n")
			}
		}
		if !strings.Contains(want.String(), "=\n") && got.String() != want.String() {
			t.Fatalf("%q: got %q, want %q", src, got.String(), want.String())
		}
	})
}
