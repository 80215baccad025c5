// Package golden reads and writes transcripts: command lines and what the reference printed for
// them. They serve the tests where the reference is not installed; make record renews them where it
// is.
//
// A transcript is a text file. Lines that begin with # name the version that was recorded. Then,
// for each command line:
//
//	$ pminfo -a ta -f t.d        the command line
//	>                            a line of standard output
//	>     value 0
//	! Error: ...                 a line of standard error
//	? 1                          the exit status, unless it is 0
//
// Output that does not end in a newline is followed by a line of the same kind with a backslash
// only. Words of a command line may stand in single quotes.
package golden

import (
	"fmt"
	"strconv"
	"strings"
)

// An Entry is a command line and its outcome.
type Entry struct {
	Line   string // as it stands in the file
	Args   []string
	Stdout string
	Stderr string
	Status int
}

// Parse reads a transcript. Head is the text before the first command line.
func Parse(text string) (head string, entries []Entry, err error) {
	for i, l := range strings.SplitAfter(text, "\n") {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(l, "\n"), " ")
		var e *Entry
		if n := len(entries); n > 0 {
			e = &entries[n-1]
		}
		switch {
		case kind == "$":
			args, err := Words(rest)
			if err != nil {
				return "", nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			entries = append(entries, Entry{Line: rest, Args: args})
		case e == nil:
			head += l
		case kind == ">":
			e.Stdout = add(e.Stdout, rest)
		case kind == "!":
			e.Stderr = add(e.Stderr, rest)
		case kind == "?":
			if e.Status, err = strconv.Atoi(rest); err != nil {
				return "", nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		case l != "" && l != "\n":
			return "", nil, fmt.Errorf("line %d: %q begins no line of a transcript", i+1, kind)
		}
	}
	return head, entries, nil
}

// add appends a line to a stream; a lone backslash takes back the last newline.
func add(stream, line string) string {
	if line == `\` {
		return strings.TrimSuffix(stream, "\n")
	}
	return stream + line + "\n"
}

// Format writes a transcript.
func Format(head string, entries []Entry) string {
	var b strings.Builder
	b.WriteString(head)
	for i, e := range entries {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "$ %s\n", e.Line)
		lines(&b, '>', e.Stdout)
		lines(&b, '!', e.Stderr)
		if e.Status != 0 {
			fmt.Fprintf(&b, "? %d\n", e.Status)
		}
	}
	return b.String()
}

// lines writes a stream, each line behind its mark.
func lines(b *strings.Builder, mark byte, stream string) {
	for _, l := range strings.SplitAfter(stream, "\n") {
		if l == "" {
			continue
		}
		b.WriteByte(mark)
		if l != "\n" {
			b.WriteByte(' ')
		}
		b.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			fmt.Fprintf(b, "\n%c \\\n", mark)
		}
	}
}

// Words splits a command line at blanks. A part in single quotes is taken as it is.
func Words(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	in, quoted := false, false
	for _, c := range []byte(line) {
		switch {
		case c == '\'':
			in, quoted = true, !quoted
		case quoted || c != ' ':
			in = true
			word.WriteByte(c)
		case in:
			words = append(words, word.String())
			word.Reset()
			in = false
		}
	}
	if quoted {
		return nil, fmt.Errorf("quote without an end in %q", line)
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}
