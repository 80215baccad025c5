package syntax

import (
	"math"
	"strconv"
	"strings"
)

// The texts of the scanner's errors.
const (
	msgIllegal      = "Illegal character"
	msgTooLarge     = "Constant value too large"
	msgOpenString   = "unterminated STRING"
	msgOpenInstance = "unterminated instance name"
	msgOpenPattern  = "unterminated pattern"
)

// A scanner cuts a text into tokens (derived.md D2). The fields below src describe the token
// scanned last.
type scanner struct {
	src string
	off int // of the byte after the token

	extended bool // the functions are those of the extended language

	tok Token
	pos Pos    // of the token's first byte; at the end of the text, of the text's last byte
	lit string // what the token stands for, without delimiters and escapes; the message if tok is ILLEGAL
	num uint32 // the value of an INTEGER
}

// next scans one token. A slash is an operator.
func (s *scanner) next() {
	for s.off < len(s.src) && isSpace(s.src[s.off]) {
		s.off++
	}
	if s.off >= len(s.src) {
		s.tok, s.pos, s.lit = EOS, Pos(len(s.src)-1), ""
		return
	}
	s.pos = Pos(s.off)
	switch c := s.src[s.off]; {
	case isLetter(c):
		s.word()
	case isDigit(c), c == '.':
		s.number()
	case c == '"':
		s.text()
	case c == '[':
		s.escaped(INSTNAME, ']', msgOpenInstance)
	default:
		s.operator()
	}
}

// nextPattern scans one token. A slash begins a pattern.
func (s *scanner) nextPattern() {
	s.next()
	if s.tok == SLASH {
		s.off = int(s.pos)
		s.escaped(PATTERN, '/', msgOpenPattern)
	}
}

func (s *scanner) illegal(msg string) {
	s.tok, s.lit = ILLEGAL, msg
}

func (s *scanner) word() {
	end := s.off + 1
	for end < len(s.src) && isWord(s.src[end]) {
		end++
	}
	s.lit = s.src[s.off:end]
	s.off = end
	s.tok = NAME
	call := end < len(s.src) && s.src[end] == '('
	if t := Token(s.lit); call && t.IsFunction() && (s.extended || !t.IsExtension()) || t.isKeyword() {
		s.tok = t
	}
}

func (s *scanner) number() {
	end := skipDigits(s.src, s.off)
	if end < len(s.src) && s.src[end] == '.' {
		end = skipDigits(s.src, end+1)
		s.tok = DOUBLE
	} else {
		s.tok = INTEGER
	}
	s.lit = s.src[s.off:end]
	s.off = end
	if s.tok == DOUBLE {
		return
	}
	n, err := strconv.ParseUint(s.lit, 10, 32)
	if err != nil {
		s.illegal(msgTooLarge)
	}
	s.num = uint32(n)
}

// float returns the value of a DOUBLE. A lone point is zero; what is too large for a double is
// infinite.
func float(lit string) float64 {
	if lit == "." {
		return 0
	}
	f, err := strconv.ParseFloat(lit, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0
	}
	return f
}

// text scans a string, which knows no escapes.
func (s *scanner) text() {
	n := strings.IndexByte(s.src[s.off+1:], '"')
	if n < 0 {
		s.illegal(msgOpenString)
		return
	}
	s.tok, s.lit = STRING, s.src[s.off+1:s.off+1+n]
	s.off += n + 2
}

// escaped scans up to an end that is not after a backslash, and removes one level of backslashes.
func (s *scanner) escaped(tok Token, end byte, unterminated string) {
	start := s.off + 1
	var b strings.Builder
	for i := start; i < len(s.src); i++ {
		switch s.src[i] {
		case end:
			b.WriteString(s.src[start:i])
			s.tok, s.lit, s.off = tok, b.String(), i+1
			return
		case '\\':
			b.WriteString(s.src[start:i])
			i++ // over the byte after the backslash, which ends nothing
			start = i
		}
	}
	s.illegal(unterminated)
}

func (s *scanner) operator() {
	for _, t := range operators {
		if strings.HasPrefix(s.src[s.off:], string(t)) {
			s.tok, s.lit, s.off = t, "", s.off+len(t)
			return
		}
	}
	s.illegal(msgIllegal)
	s.off++
}

func skipDigits(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

const blanks = " \t\n\v\f\r"

func isSpace(c byte) bool  { return c == ' ' || '\t' <= c && c <= '\r' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' || c == '.' }
