package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/chzyer/readline"
)

// otherKeys are sequences of keys that readline takes for others or for none, and those of the same meaning that it knows:
// arrows and Delete with Ctrl or Alt go by words; Home and End have other sequences on some terminals.
var otherKeys = strings.NewReplacer(
	"\x1b[1;5D", "\x1bb", "\x1b[1;3D", "\x1bb", "\x1b[5D", "\x1bb", "\x1b\x1b[D", "\x1bb",
	"\x1b[1;5C", "\x1bf", "\x1b[1;3C", "\x1bf", "\x1b[5C", "\x1bf", "\x1b\x1b[C", "\x1bf",
	"\x1b[1~", "\x1b[H", "\x1b[7~", "\x1b[H", "\x1b[4~", "\x1b[F", "\x1b[8~", "\x1b[F",
	"\x1b[3;5~", "\x1bd", "\x1b[3;3~", "\x1bd",
)

// A keyReader is the input of the line editor. Each read returns whole keys.
type keyReader struct{ io.ReadCloser }

func (r keyReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	return copy(p, otherKeys.Replace(string(p[:n]))), err // no replacement is longer
}

// An editedLine is the line before a key. It implements [readline.Listener] for keys that readline gets wrong.
type editedLine struct {
	text []rune
	pos  int
}

// OnChange takes the word before the cursor for Ctrl-W, where readline may take the whole line, and keeps the cursor
// inside the line: exchanging two characters where there is one moves it beyond.
func (e *editedLine) OnChange(line []rune, pos int, key rune) ([]rune, int, bool) {
	changed := pos > len(line)
	if changed {
		pos = len(line)
	}
	if key == readline.CharCtrlW && e.pos <= len(e.text) {
		line, pos, changed = slices.Clone(e.text), wordStart(e.text, e.pos), true
		line = slices.Delete(line, pos, e.pos)
	}
	e.text, e.pos = slices.Clone(line), pos
	return line, pos, changed
}

// wordStart returns where the word before a place begins; there are blanks between words.
func wordStart(line []rune, pos int) int {
	for pos > 0 && unicode.IsSpace(line[pos-1]) {
		pos--
	}
	for pos > 0 && !unicode.IsSpace(line[pos-1]) {
		pos--
	}
	return pos
}

// plainLines reads lines of a terminal that knows no escape sequences (TERM=dumb), as in an editor.
type plainLines struct {
	in     *bufio.Scanner
	out    io.Writer
	prompt string
}

// SetPrompt implements lineReader.
func (p *plainLines) SetPrompt(text string) { p.prompt = text }

// Readline implements lineReader.
func (p *plainLines) Readline() (string, error) {
	fmt.Fprint(p.out, p.prompt)
	if p.in.Scan() {
		return p.in.Text(), nil
	}
	if err := p.in.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}
