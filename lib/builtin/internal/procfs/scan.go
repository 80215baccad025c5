package procfs

import (
	"bytes"
	"math"
)

// A Scanner reads words of a text in order, across lines, as the reference's scanf does: what does
// not fit stops it where it stands. Ok becomes false then, and stays so until the caller resets it.
type Scanner struct {
	Text []byte
	Ok   bool
}

// Uint reads a decimal number.
func (s *Scanner) Uint() (n uint64) {
	word, _ := Word(s.Text)
	if n, s.Ok = Uint(word); s.Ok {
		s.Text = s.skip(digitsOf(word))
	}
	return n
}

// Real reads a number that may have a fraction.
func (s *Scanner) Real() (x float64) {
	word, _ := Word(s.Text)
	if x, s.Ok = Real(word); s.Ok {
		s.Text = s.skip(realOf(word))
	}
	return x
}

// Literal reads a text that begins with no blank. As much of it as fits is read.
func (s *Scanner) Literal(text string) {
	s.Text = s.skip(0)
	n := 0
	for n < len(text) && n < len(s.Text) && s.Text[n] == text[n] {
		n++
	}
	s.Text, s.Ok = s.Text[n:], n == len(text)
}

// skip returns the text after blanks and n bytes more.
func (s *Scanner) skip(n int) []byte {
	for i, c := range s.Text {
		if !blank(c) {
			return s.Text[i+n:]
		}
	}
	return nil
}

// digitsOf returns the length of the number that a word begins with.
func digitsOf(word []byte) int {
	for i, c := range word {
		if (c < '0' || c > '9') && (i > 0 || c != '-' && c != '+') {
			return i
		}
	}
	return len(word)
}

// Whole reports whether a word is a decimal number and no more.
func Whole(word []byte) bool { return digitsOf(word) == len(word) }

// Complete returns the lines of a text that have an end, which are those that the reference counts in some files.
func Complete(text []byte) []byte { return text[:bytes.LastIndexByte(text, '\n')+1] }

// Chop returns a text without its last byte, which PCP's agents take for the end of a line, or of a string.
func Chop(text []byte) []byte { return text[:max(len(text)-1, 0)] }

// Digits returns a line from its first digit on, where the reference looks for the number of a key.
func Digits(line []byte) []byte {
	for i, c := range line {
		if c >= '0' && c <= '9' {
			return line[i:]
		}
	}
	return nil
}

// DropOnes removes the numbers of 64 ones from a row. The reference takes them for lines that the
// file does not have.
func (r *Row) DropOnes() {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Kind == Number && c.Num == math.MaxUint64 {
			c.Kind = None
		}
	}
}

// realOf returns the length of the number that a word begins with, which may have a fraction and an exponent.
func realOf(word []byte) int {
	end := digitsOf(word)
	if end < len(word) && word[end] == '.' {
		for end++; end < len(word) && word[end] >= '0' && word[end] <= '9'; {
			end++
		}
	}
	if end < len(word) && word[end]|0x20 == 'e' {
		if n := digitsOf(word[end+1:]); n > 0 && word[end+n] >= '0' { // not a sign alone
			end += 1 + n
		}
	}
	return end
}
