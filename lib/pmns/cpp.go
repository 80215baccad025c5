package pmns

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pmtools/internal/ctext"
)

// The preprocessor (values.md V18.4) turns text with comments, includes, macros and conditions into
// plain lines. Line markers (# 12 "file") in its output name the origin of the lines; a directive
// becomes an empty line, so that line numbers stay right.

const maxNesting = 5 // files that may be open at once

// Files can include others many times; these are the bounds of the output.
const (
	maxInput  = 32 << 20
	maxOutput = 8 << 20
)

var errTooMuch = errors.New("Too much text")

type cpp struct {
	opts    *Options
	dir     string // directory of the first file
	out     bytes.Buffer
	macros  map[string]string
	depth   int
	input   int // bytes read so far
	comment int // line on which the open comment began, 0 outside of one
	// the open condition
	condition int  // line of the #ifdef or #ifndef, 0 outside of one
	skipping  bool // the condition is false: its lines are left out
}

// cppError is the first error, which ends the run: the text for standard error.
type cppError string

// Error returns the text.
func (e cppError) Error() string { return string(e) }

// preprocess returns the text up to the first error, and the message of that error, or "".
func preprocess(name string, text []byte, opts *Options) ([]byte, string) {
	c := &cpp{opts: opts, dir: filepath.Dir(name), macros: map[string]string{}}
	err := c.file(name, text)
	if err == nil {
		err = c.finish(name)
	}
	if err != nil {
		return c.out.Bytes(), err.Error()
	}
	return c.out.Bytes(), ""
}

func (c *cpp) finish(name string) error {
	what := ""
	switch {
	case c.comment > 0:
		what = fmt.Sprintf("Comment at line %d not terminated before end of file", c.comment)
	case c.condition > 0:
		what = fmt.Sprintf("End of input and no matching #endif for #ifdef or #ifndef at line %d", c.condition)
	default:
		return nil
	}
	return cppError(fmt.Sprintf("pmcpp: %s:\npmcpp: Error: %s\n", name, what))
}

func (c *cpp) file(name string, text []byte) error {
	c.depth++
	defer func() { c.depth-- }()
	if c.input += len(text); c.depth > 1 && c.input > maxInput {
		return errTooMuch
	}
	fmt.Fprintf(&c.out, "# 1 \"%s\"\n", name)
	for lineno := 1; len(text) > 0; lineno++ {
		raw, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		line := c.stripComments(string(raw), lineno)
		included, err := c.line(line, lineno)
		if included && err == nil {
			fmt.Fprintf(&c.out, "# %d \"%s\"\n", lineno+1, name)
		}
		if err == nil && c.out.Len() > maxOutput {
			err = errTooMuch
		}
		var done cppError
		if err != nil && !errors.As(err, &done) {
			err = cppError(fmt.Sprintf("pmcpp: %s[%d]: %s\npmcpp: Error: %v\n", name, lineno, line, err))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stripComments replaces comments by blanks, and removes blanks at the end of a line that had one.
func (c *cpp) stripComments(line string, lineno int) string {
	if c.comment == 0 && !strings.Contains(line, "/*") {
		return line
	}
	out := []byte(line)
	for i := 0; i < len(out); i++ {
		two := string(out[i:min(i+2, len(out))])
		switch {
		case c.comment == 0 && two == "/*":
			c.comment = lineno
			out[i], out[i+1] = ' ', ' '
			i++
		case c.comment > 0 && two == "*/":
			c.comment = 0
			out[i], out[i+1] = ' ', ' '
			i++
		case c.comment > 0:
			out[i] = ' '
		}
	}
	return strings.TrimRight(string(out), " \t\r")
}

// line writes a line or carries out its directive. It reports whether other text replaces it.
func (c *cpp) line(line string, lineno int) (bool, error) {
	for _, name := range directives {
		if args, ok := strings.CutPrefix(line, name); ok {
			return c.directive(name, args, lineno)
		}
	}
	if !c.skipping {
		c.out.WriteString(c.expand(line))
	}
	c.out.WriteByte('\n')
	return false, nil
}

// expand replaces the macros in a line. Macros within their values are not expanded.
func (c *cpp) expand(line string) string {
	if len(c.macros) == 0 {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		n := macroName(line[i:])
		word := line[i : i+max(n, 1)]
		i += len(word)
		if value, ok := c.macros[word]; ok {
			word = value
		}
		b.WriteString(word)
		if b.Len() > maxOutput {
			break
		}
	}
	return b.String()
}

// macroName returns the length of the name at the start of s, 0 if there is none.
func macroName(s string) int {
	i := 0
	for i < len(s) && (ctext.IsLetter(s[i]) || s[i] == '_' || i > 0 && ctext.IsDigit(s[i])) {
		i++
	}
	return i
}
