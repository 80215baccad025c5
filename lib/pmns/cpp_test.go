package pmns_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pmns"
	_ "pmtools/test/env"
)

// parse preprocesses and parses text, and returns the names in it, or the text for standard error.
func parse(t *testing.T, text string, opts pmns.Options) string {
	t.Helper()
	opts.Preprocess = true
	tree, err := pmns.Parse("dir/file", []byte(text), &opts)
	if err == nil {
		return strings.Join(strings.Fields(strings.ReplaceAll(listing(tree), " PMID: ", "=")), " ")
	}
	var e *pmns.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T) is no *Error", err, err)
	}
	return e.Preprocessor + e.Message
}

// in puts lines into the root group.
func in(lines string) string { return "root {\n" + lines + "\n}\n" }

func TestPreprocess(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"comments", in("a /* x */ 1:1:1\n/* b 1:1:2\n*/ c 1:1:3"), "a=1.1.1 c=1.1.3"},
		{"comment markers in comments", in("/*/ a 1:1:1 */ b 1:1:2 /**/"), "b=1.1.2"},
		{"macro", in("#define A a\nA 1:1:1\nb 1:1:2"), "a=1.1.1 b=1.1.2"},
		{"quoted macro", in("#define A \"a 1:1:1\"\nA"), "a=1.1.1"},
		{"quoted macro, other quotes", in("#define A 'a 1:1:1'\nA"), "a=1.1.1"},
		{"empty macro", in("#define A\nA a 1:1:1"), "a=1.1.1"},
		{"macro within a word", in("#define D 29\na D:1:1\nb 1D:1:1\nD1 1:1:1"), "a=29.1.1 b=129.1.1 D1=1.1.1"},
		{"values are not looked at again", in("#define A B\n#define B c\nA 1:1:1"), "B=1.1.1"},
		{"undef", in("#define A b\n#undef A\n#undef NEVER\nA 1:1:1"), "A=1.1.1"},
		{"ifdef false", in("#ifdef X\na 1:1:1\n#else\nb 1:1:2\n#endif"), "b=1.1.2"},
		{"ifdef true", in("#define X\n#ifdef X\na 1:1:1\n#else\nb 1:1:2\n#endif"), "a=1.1.1"},
		{"ifndef", in("#ifndef X\na 1:1:1\n#endif\nb 1:1:2"), "a=1.1.1 b=1.1.2"},
		{"two elses", in("#ifdef X\na 1:1:1\n#else\nb 1:1:2\n#else\nc 1:1:3\n#endif"), "b=1.1.2"},
		{"define that is left out", in("#ifdef X\n#define A b\n#undef A\n#endif\nA 1:1:1"), "A=1.1.1"},
		{"include that is left out", in("#ifdef X\n#include \"nope\"\n#shell \"nope\"\n#endif"), ""},
		{"blank is optional", in("#defineA b\nA 1:1:1"), "b=1.1.1"},
		{"carriage return", "root {\r\n#define A b\r\nA 1:1:1\r\n}\r\n", "b=1.1.1"},
		{"no newline at the end", "root {\na 1:1:1\nb 1:1:2", "a=1.1.1 b=1.1.2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := parse(t, c.text, pmns.Options{}); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPreprocessErrors(t *testing.T) {
	const end = "Error Parsing ASCII PMNS: pmcpp returned non-zero exit status\n"
	for _, c := range []struct{ name, line, want string }{
		{"include of nothing", "#include", `Expected " or < after #include`},
		{"include without quotes", "#include f", `Expected " or < after #include`},
		{"include with one quote", `#include "f`, `Expected " after file name`},
		{"include with one angle", "#include <f", "Expected > after file name"},
		{"include and more", `#include "f" x`, "Unexpected extra text in #include line"},
		{"include of a missing file", `#include "f"`, "Cannot open file for #include"},
		{"include of no name", `#include ""`, "Cannot open file for #include"},
		{"shell without quotes", "#shell f", `Expected " or ' after #shell`},
		{"shell with one quote", "#shell 'f", "Expected ' after command"},
		{"shell and more", "#shell 'f' x", "Unexpected extra text in #shell line"},
		{"shell refused", "#shell 'f'", "#shell is refused: a name space file must not run programs; #include a file with the text instead"},
		{"define of nothing", "#define", "Missing macro name"},
		{"define of a number", "#define 1x", "Illegal character in macro name"},
		{"define with a dash", "#define a-b c", "Illegal character in macro name"},
		{"define with one quote", `#define x "a`, "Unterminated value string in #define"},
		{"define of two words", "#define x a b", "Unexpected extra text in a control line"},
		{"define and more", `#define x "a"b`, "Unexpected extra text in a control line"},
		{"undef of nothing", "#undef", "Missing macro name"},
		{"undef of two", "#undef a b", "Unexpected extra text in a control line"},
		{"ifdef of nothing", "#ifdef", "Missing macro name"},
		{"ifdef of two", "#ifdef a b", "Unexpected extra text in a control line"},
		{"else alone", "#else", "No matching #ifdef or #ifndef for #else"},
		{"endif alone", "#endif", "No matching #ifdef or #ifndef for #endif"},
		{"endif and more", "#endif x", "Unexpected extra text in a control line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := fmt.Sprintf("pmcpp: dir/file[2]: %s\npmcpp: Error: %s\n", c.line, c.want) + end
			if got := parse(t, in(c.line), pmns.Options{ReadFile: files{}.ReadFile}); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestPreprocessOpenEnd(t *testing.T) {
	const end = "Error Parsing ASCII PMNS: pmcpp returned non-zero exit status\n"
	for _, c := range []struct{ name, text, want string }{
		{"comment", in("/* x"), "pmcpp: dir/file:\npmcpp: Error: Comment at line 2 not terminated before end of file\n"},
		{"condition", in("#ifdef x"), "pmcpp: dir/file:\npmcpp: Error: End of input and no matching #endif for #ifdef or #ifndef at line 2\n"},
		{"twice defined", in("#define x\n#define x"), "pmcpp: dir/file[3]: #define x\npmcpp: Error: Macro redefinition\n"},
		{"nested", in("#ifdef x\n#ifdef y"), "pmcpp: dir/file[3]: #ifdef y\npmcpp: Error: Nested #ifdef or #ifndef\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := parse(t, c.text, pmns.Options{}); got != c.want+end {
				t.Errorf("got %q, want %q", got, c.want+end)
			}
		})
	}
}

// TestPreprocessBoth checks that an error of the text so far wins, and that the preprocessor's own
// error is still reported.
func TestPreprocessBoth(t *testing.T) {
	got := parse(t, "root {\n a-b\n#else\n", pmns.Options{})
	want := "pmcpp: dir/file[3]: #else\npmcpp: Error: No matching #ifdef or #ifndef for #else\n" +
		"[dir/file:2] Error Parsing ASCII PMNS: Expected NAME or }\n    a-b\n    ^\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestInclude(t *testing.T) {
	dir := files{
		"here": "a 1:1:1\n", "dir/there": "b 1:1:2\n", "inc/one": "c 1:1:3\n#include \"here\"\n",
		"dir/bad": "ok 1:1:1\nx-y\n", "dir/self": "#include \"self\"\n", "inc/here": "wrong 1:1:9\n",
	}
	for _, c := range []struct{ name, text, want string }{
		{"as it is", "#include \"here\"", "a=1.1.1"},
		{"in angles", "#include <here>  ", "a=1.1.1"},
		{"no blank", "#include\"here\"", "a=1.1.1"},
		{"beside the first file", "#include \"there\"", "b=1.1.2"},
		{"in a directory of the options", "#include \"one\"", "c=1.1.3 a=1.1.1"},
		{"line numbers inside", "#include \"bad\"", "[dir/bad:2] Error Parsing ASCII PMNS: Expected NAME or }\n    x-y\n    ^\n"},
		{"line numbers behind", "#include \"here\"\n\nx-y", "[dir/file:4] Error Parsing ASCII PMNS: Expected NAME or }\n    x-y\n    ^\n"},
		{"too deep", "#include \"self\"", "pmcpp: dir/self[1]: #include \"self\"\npmcpp: Error: #include and/or #shell nesting too deep\n" +
			"Error Parsing ASCII PMNS: pmcpp returned non-zero exit status\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := parse(t, in(c.text), pmns.Options{ReadFile: dir.ReadFile, IncludeDirs: []string{"inc"}})
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestIncludeBomb includes many files that include many files.
func TestIncludeBomb(t *testing.T) {
	text := strings.Repeat("#include \"dir/file\"\n", 1000)
	dir := files{"dir/file": text}
	got := parse(t, text, pmns.Options{ReadFile: dir.ReadFile})
	if !strings.Contains(got, "nesting too deep") {
		t.Errorf("got %q", got)
	}
	dir = files{"a": strings.Repeat("#include \"b\"\n", 3000), "b": strings.Repeat("#include \"c\"\n", 3000), "c": "x\n"}
	got = parse(t, "#include \"a\"\n", pmns.Options{ReadFile: dir.ReadFile})
	if !strings.Contains(got, "pmcpp: Error: Too much text\n") {
		t.Errorf("many lines: got %q", got)
	}
	dir = files{"a": strings.Repeat("#include \"b\"\n", 100), "b": "/*" + strings.Repeat(" ", 1<<20) + "*/\n"}
	got = parse(t, "#include \"a\"\n", pmns.Options{ReadFile: dir.ReadFile})
	if !strings.Contains(got, "pmcpp: a[32]: #include \"b\"\npmcpp: Error: Too much text\n") {
		t.Errorf("large comments: got %q", got)
	}
}
