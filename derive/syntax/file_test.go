package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// items writes what a file has, one line for each item.
func items(list []Item) string {
	var b strings.Builder
	for _, it := range list {
		switch it := it.(type) {
		case *Definition:
			fmt.Fprintf(&b, "%d %s = %q\n", it.Line, it.Name, it.Expr())
		case *Attribute:
			fmt.Fprintf(&b, "%d %s(%s) = %q\n", it.Line, it.Name, it.Attr, it.Value)
		case *Control:
			fmt.Fprintf(&b, "%d control %q\n", it.Line, it.Options)
		case *FileError:
			b.WriteString(it.Text())
		}
	}
	return b.String()
}

func TestChunkItems(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"nothing", "", ""},
		{"empty lines", "\n\n", ""},
		{"comment", "# a = b\n#\n", ""},
		{"definition", "x.a = b + 1\n", `1 x.a = "b + 1"`},
		{"no blanks", "x=1\n", `1 x = "1"`},
		{"blanks", "\t x.a \v= \t b + 1 \t\n", `1 x.a = "b + 1 \t"`},
		{"equals in expression", "x = a == b\n", `1 x = "a == b"`},
		{"parenthesis in expression", "x = (a)\n", `1 x = "(a)"`},
		{"point at the end", "a.b. = 1\n", `1 a.b. = "1"`},
		{"carriage return", "x = 1\r\n", `1 x = "1\r"`},
		{"last line without newline", "x = 1\ny = 2", "1 x = \"1\"\n2 y = \"2\""},
		{"line numbers", "\n# c\nx = 1\n\ny = 2\n", "3 x = \"1\"\n5 y = \"2\""},

		{"continued", "x = a +\\\n  b + \\\n c\ny = 1\n", "1 x = \"a +  b +  c\"\n4 y = \"1\""},
		{"continued name", "x.o\\\nne = 1\n", `1 x.one = "1"`},
		{"continued with nothing", "x = 1\\\n\ny = 2\n", "1 x = \"1\"\n3 y = \"2\""},
		{"continued at the end", "x = 1\\\n", `1 x = "1"`},
		{"backslash at the end", "x = 1\\", `1 x = "1\\"`},
		{"two backslashes", "x = 1 \\\\\n2\n", `1 x = "1 \\2"`},
		{"only backslash", "\\\nx = 1\n\\\n", `1 x = "1"`},
		{"comment is not continued", "# c \\\nx = 1\n", `2 x = "1"`},
		{"comment behind a backslash", "\\\n# c \\\nx = 1\n", `3 x = "1"`},

		{"control", "#control GLOBAL_LIMIT=3\n", `1 control "GLOBAL_LIMIT=3"`},
		{"control in capitals", "#CONTROL\tX=1\n", `1 control "X=1"`},
		{"control takes any byte", "#controlXY=1\n", `1 control "Y=1"`},
		{"control without options", "#control\n#control \n", "1 control \"\"\n2 control \"\""},
		{"control continued", "#control A=1,\\\nB=2\nx = 1\n", "1 control \"A=1,B=2\"\n3 x = \"1\""},
		{"not control", "# control A=1\n#contro\n", ""},

		{"attribute", "x(oneline) = some  text \\n \"q\"  \n", `1 x(oneline) = "some  text \\n \"q\"  "`},
		{"attribute with blanks", "x.e ( \toneline ) junk ( ) = \tval\n", `1 x.e(oneline) = "val"`},
		{"attribute continued", "x(oneline)=a\\\n b\\\n  c\n", `1 x(oneline) = "a b  c"`},
		{"attribute of any name", "x(FOO bar)=a\n", `1 x(FOO bar) = "a"`},
		{"quoted", `x(oneline) = "a b"` + "\n", `1 x(oneline) = "a b"`},
		{"quoted empty", `x(oneline) = ""` + "\n", `1 x(oneline) = ""`},
		{"quoted single", `x(oneline) = 'it\'s \x \\ q"' ` + "\n", `1 x(oneline) = "it's x \\ q\""`},
		{"quoted over lines", "x(helptext) = \"two\nlines\"\ny = 1\n", "1 x(helptext) = \"two\\nlines\"\n3 y = \"1\""},
		{"quoted ends on a line of its own", "x(helptext)='a\n\nb\n'\ny = 1\n", "1 x(helptext) = \"a\\n\\nb\\n\"\n5 y = \"1\""},
		{"quoted and continued", "x(oneline)=\"two\nlines \\\njoined\"\ny=1\n", "1 x(oneline) = \"two\\nlines joined\"\n4 y = \"1\""},
		{"quoted, continued first", "x(oneline)=\"a\\\nb\nc\"\ny=1\n", "1 x(oneline) = \"ab\\nc\"\n4 y = \"1\""},
		{"two backslashes in the first line", "x(oneline)=\"ab\\\\\nef\"\n", `1 x(oneline) = "abef"`},
		{"two backslashes in the second line", "x(oneline)=\"a\nb\\\\\nc\"\n", `1 x(oneline) = "a\nb\\\nc"`},
		{"backslash left by joining", "x(oneline)=\"ab\\\\\n\\\n\ny\"\n", `1 x(oneline) = "aby"`},
		{"quoted at the end of the file", "x(oneline) = \"a\nb\"", `1 x(oneline) = "a\nb"`},
		{"blank value in quotes", "x(oneline)=' \nb'\n", `1 x(oneline) = " \nb"`},
		{"byte behind the quote is lost", "x(oneline)=\"a\nb\"c\ny = 1\n", "1 x(oneline) = \"a\\nb\"\n3 y = \"1\""},
		{"line behind the quote is not continued", "x(oneline)=\"a\nb\" \\\ny = 1\n",
			"[f:1] Warning: pmLoadDerivedConfig: extra text (\\) after attribute value will be ignored\n" +
				"1 x(oneline) = \"a\\nb\"\n3 y = \"1\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkFile(t, tt.src, tt.want) })
	}
}

// Messages recorded from the reference.
func TestChunkItemsErrors(t *testing.T) {
	const loader = "[f:1] Error: pmLoadDerivedConfig: "
	extra := func(text string) string {
		return "[f:1] Warning: pmLoadDerivedConfig: extra text (" + text + ") after attribute value will be ignored\n"
	}
	tests := []struct{ name, src, want string }{
		{"no equals", "nothing\n", loader + "missing ``='' after derived metric name\nnothing\n"},
		{"blank line", "   \n", loader + "missing ``='' after derived metric name\n   \n"},
		{"indented comment", "  # c\n", loader + "missing ``='' after derived metric name\n  # c\n"},
		{"no equals but attribute", "x(oneline\n", loader + "missing ``='' after derived metric name\nx(oneline\n"},
		{"no name", "= 3\n", loader + "derived metric name missing\n= 3\n"},
		{"blank name", "   = 3\n", loader + "derived metric name missing\n   = 3\n"},
		{"no name before attribute", " (a) = 3\n", loader + "derived metric name missing\n (a) = 3\n"},
		{"only equals", "=\n", loader + "derived metric name missing\n=\n"},
		{"digit first", "1x = 2\n", loader + "illegal derived metric name (1x)\n"},
		{"underscore first", "_x = 2\n", loader + "illegal derived metric name (_x)\n"},
		{"empty component", "a..b = 2\n", loader + "illegal derived metric name (a..b)\n"},
		{"point first", ".a = 2\n", loader + "illegal derived metric name (.a)\n"},
		{"only point", ". = 2\n", loader + "illegal derived metric name (.)\n"},
		{"two points at the end", "a.. = 2\n", loader + "illegal derived metric name (a..)\n"},
		{"digit in component", "a.1b = 2\n", loader + "illegal derived metric name (a.1b)\n"},
		{"blank in name", " a b = 2\n", loader + "illegal derived metric name (a b)\n"},
		{"high byte in name", "x.é = 2\n", loader + "illegal derived metric name (x.é)\n"},
		{"closing parenthesis", "x.f oneline) = 2\n", loader + "illegal derived metric name (x.f oneline))\n"},
		{"name before attribute", "1x( = 2\n", loader + "illegal derived metric name (1x)\n"},
		{"name before expression", "1x = \n", loader + "illegal derived metric name (1x)\n"},
		{"no expression", " x.h =  \t\n", loader + "expression missing\n x.h =  \t\n"},
		{"no expression in joined lines", "x.p = \\\n\n", loader + "expression missing\nx.p = \n"},
		{"no parenthesis", "x.f(helptext = bb\n", loader + "missing ')' after attribute\nx.f(helptext = bb\n"},
		{"parenthesis behind equals", "x.m ( = )\n", loader + "missing ')' after attribute\nx.m ( = )\n"},
		{"no attribute", "x.f()=a\n", loader + "attribute name missing\nx.f()=a\n"},
		{"blank attribute and no value", "x.f( ) =\n", loader + "attribute name missing\nx.f( ) =\n"},
		{"no attribute, open quote", "x.c() = \"a\n", loader + "attribute name missing\nx.c() = \"a\n"},
		{"no value", "x.f( helptext ) = \n", loader + "attribute value missing\nx.f( helptext ) = \n"},
		{"only a quote", "x.f(helptext)=\"\n", loader + "attribute value missing\nx.f(helptext)=\"\n"},
		{"only a quote, joined", "x(oneline)= \\\n '\n", loader + "attribute value missing\nx(oneline)=  '\n"},
		{"no closing quote", "x(oneline)=\"abc\nd\n\n", loader + "missing termination (\") for value\n"},
		{"no closing quote in the last line", "x(oneline)='abc", loader + "missing termination (') for value\n"},
		{"escaped closing quote", "x(oneline)=\"abc\n\\\"\\", loader + "missing termination (\") for value\n"},
		{"extra text", "x(oneline)=\"abc\" \textra  \n", extra("extra  ") + `1 x(oneline) = "abc"`},
		{"extra text at once", "x(oneline)=''x''\n", extra("x''") + `1 x(oneline) = ""`},
		{"extra text, joined", "x(oneline)=\"ab\"cd\\\nef\n", extra("cdef") + `1 x(oneline) = "ab"`},
		{"extra text in the second line", "x(oneline)=\"a\nb\"cd\n", extra("d") + `1 x(oneline) = "a\nb"`},
		{"extra blanks", "x(oneline)=\"abc\" \t\n", `1 x(oneline) = "abc"`},
		{"NUL in the name", "x\x00y (oneline) = a\n", loader + "attribute name missing\nx\n"},
		{"NUL before the name", "  \x00x = a\n", loader + "derived metric name missing\n  \n"},
		{"NUL after a blank", "x \x00= a\n", loader + "illegal derived metric name (x )\n"},
		{"NUL before the expression", "x = \x00a\n", loader + "expression missing\nx = \n"},
		{"NUL in an attribute", "x(oneline\x00e) = a\x00b\n", `1 x(oneline) = "a"`},
		{"NUL in quotes", "x(oneline) = \"a\x00\nb\" \x00c\n", `1 x(oneline) = "a\nb"`},
		{"NUL before the quoted", "x(oneline) = \"\x00a\"\n", loader + "attribute value missing\nx(oneline) = \"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkFile(t, tt.src, tt.want) })
	}
}

func checkFile(t *testing.T, src, want string) {
	t.Helper()
	list, _ := Items("f", []byte(src))
	if got := items(list); strings.TrimSuffix(got, "\n") != strings.TrimSuffix(want, "\n") {
		t.Errorf("%q:\ngot\n%s\nwant\n%s", src, got, want)
	}
}

// Parsing goes on after an error, with the right line numbers.
func TestChunkItemsGoesOn(t *testing.T) {
	src := "x = 1\nbad\ny(oneline) = \"a\nb\" c\nz =\nw = 2\n"
	list, errs := Items("dir/f", []byte(src))
	want := "1 x = \"1\"\n" +
		"[dir/f:2] Error: pmLoadDerivedConfig: missing ``='' after derived metric name\nbad\n" +
		"[dir/f:3] Warning: pmLoadDerivedConfig: extra text (c) after attribute value will be ignored\n" +
		"3 y(oneline) = \"a\\nb\"\n" +
		"[dir/f:5] Error: pmLoadDerivedConfig: expression missing\nz =\n" +
		"6 w = \"2\"\n"
	if got := items(list); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(errs) != 3 || !errs[1].Warning {
		t.Errorf("errors %v", errs)
	}
}

// The blocks are those that pminfo -c printed.
func TestSyntaxErrorBlock(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"joined lines", "\n a.g = sample.long.one + \\\n   sample.long.ten +\n",
			"[t:2] Error: pmRegisterDerived(a.g, ...) syntax error\n" +
				" sample.long.one +    sample.long.ten +\n" +
				"                                      ^\n" +
				"Arithmetic expression expected to follow PLUS\n"},
		{"no text", "x.b=meta + 1\n", "[t:1] Error: pmRegisterDerived(x.b, ...) syntax error\nmeta + 1\n^       \n"},
		{"tabs", "\tx.k\t=\t1 +\t\n", "[t:1] Error: pmRegisterDerived(x.k, ...) syntax error\n" +
			"\t1 +\t\n\t   ^\nArithmetic expression expected to follow PLUS\n"},
		{"backslash", "x.l = 1 + \\\\\n 2\n", "[t:1] Error: pmRegisterDerived(x.l, ...) syntax error\n" +
			" 1 + \\ 2\n     ^  \nIllegal character\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, _ := Items("t", []byte(tt.src))
			d := list[0].(*Definition)
			_, err := testConfig.Parse(d.Expr())
			if err == nil {
				t.Fatal("no error")
			}
			if got := d.SyntaxError(err.(*Error)).Text(); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

// Errors of registration point to the start of the expression.
func TestDuplicateDefinitionBlock(t *testing.T) {
	list, _ := Items("t", []byte("x = 1\nx =  2 + 3\n"))
	e := list[1].(*Definition).SyntaxError(&Error{Pos: 0, Msg: "Duplicate global derived metric name"})
	want := "[t:2] Error: pmRegisterDerived(x, ...) syntax error\n  2 + 3\n  ^    \nDuplicate global derived metric name\n"
	if got := e.Text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestAttributeMessages(t *testing.T) {
	list, _ := Items("t", []byte("x.f (one line)zzz= \"bb\ncc\"\n"))
	a := list[0].(*Attribute)
	const prefix, line = "[t:1] Error: pmLoadDerivedConfig: ", "\nx.f (one line)zzz= \"bb\n"
	tests := []struct {
		got  *FileError
		want string
	}{
		{a.NotDefined(), "cannot set attribute, derived metric (x.f) not defined"},
		{a.Unknown(), "attribute (one line) is unknown for metric (x.f)"},
		{a.Duplicate(), "duplicate value for attribute (one line) of metric (x.f)"},
	}
	for _, tt := range tests {
		if got, want := tt.got.Text(), prefix+tt.want+line; got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		if got, want := tt.got.Error(), prefix+tt.want; got != want {
			t.Errorf("Error() is %q, want %q", got, want)
		}
	}
}

func BenchmarkChunks(b *testing.B) {
	src := []byte(strings.Repeat("# comment\nx.y = "+benchExpr+"\nx.y(oneline) = \"some \\\"text\\\"\"\n", 50))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := Items("f", src); errs != nil {
			b.Fatal(errs)
		}
	}
}
