package cli

import (
	"bufio"
	"strings"
	"testing"
)

// TestStream: what reaches a terminal, a file, and a terminal in PCP's own form.
func TestStream(t *testing.T) {
	const text, safe = "a\x1b]0;b\x07\u202ec\x1b[31m\n", "a?]0;b??c\x1b[31m\n"
	for _, tt := range []struct {
		name     string
		terminal bool
		painted  bool
		want     string
	}{
		{"a file", false, false, text}, {"a terminal", true, false, strings.ReplaceAll(safe, "\x1b", "?")}, {"a painted terminal", true, true, safe},
	} {
		var b strings.Builder
		env := new(Env)
		env.Paints(tt.painted, tt.painted)
		s := &stream{w: &b, terminal: tt.terminal, env: env}
		if n, err := s.Write([]byte(text)); n != len(text) || err != nil || b.String() != tt.want {
			t.Errorf("%s: %d, %v, %q, want %q", tt.name, n, err, b.String(), tt.want)
		}
	}
}

// TestStreamOrder: buffered output comes before a message.
func TestStreamOrder(t *testing.T) {
	var b strings.Builder
	out := bufio.NewWriter(&b)
	errs := &stream{w: &b, first: out}
	out.WriteString("one ")
	errs.Write([]byte("two"))
	if b.String() != "one two" {
		t.Errorf("%q", b.String())
	}
}

// TestProgress: a text replaces the line, and has nothing that the terminal obeys.
func TestProgress(t *testing.T) {
	var b strings.Builder
	env := &Env{Stderr: &stream{w: &b, terminal: true}}
	env.Progress("ex\x1b[2Kport")
	if got, want := b.String(), "\rex?[2Kport\x1b[K"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
