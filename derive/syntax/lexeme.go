package syntax

// A Lexeme is a token with its text.
type Lexeme struct {
	Tok Token
	Pos Pos
	// Text is the word, the number or the operator. For strings, instance names and patterns it is
	// the text between the delimiters, for an ILLEGAL token the wrong text.
	Text string
}

// Lexemes returns the tokens that Parse reads: all of them with EOS, or those up to the one at
// which it fails.
func (c *Config) Lexemes(text string) []Lexeme {
	if len(text) > MaxLen {
		return nil
	}
	stop, failed := c.failure(text)
	var list []Lexeme
	s := scanner{src: text, extended: c != nil && c.Extended}
	for pattern := patternNever; ; {
		if pattern == patternHere {
			s.nextPattern()
		} else {
			s.next()
		}
		list = append(list, Lexeme{s.tok, s.pos, s.spelling()})
		if s.tok == EOS || s.tok == ILLEGAL || failed && s.pos >= stop {
			return list
		}
		pattern = pattern.after(s.tok)
	}
}

// failure returns the position of the token at which Parse fails. At the end of the text that token
// is EOS, which has the position of the text's last byte; then the position is one more, unless the
// token that ends there is wrong.
func (c *Config) failure(text string) (pos Pos, failed bool) {
	_, err := c.Parse(text)
	bad, failed := err.(*Error)
	if !failed || int(bad.Pos) != len(text)-1 {
		if failed {
			return bad.Pos, true
		}
		return 0, false
	}
	// Text that follows changes an error at the end, but not one before it.
	_, err = c.Parse(text + " 1")
	if more, ok := err.(*Error); ok && more.Pos == bad.Pos {
		return bad.Pos, true
	}
	return bad.Pos + 1, true
}

// A patternState says whether the next slash may begin a pattern: directly after "matchinst(" and
// after a '!' there.
type patternState uint8

const (
	patternNever patternState = iota
	patternSoon               // after matchinst
	patternHere
)

func (p patternState) after(t Token) patternState {
	switch {
	case t == "matchinst":
		return patternSoon
	case p == patternSoon && t == LPAREN, p == patternHere && t == NOT:
		return patternHere
	}
	return patternNever
}

func (s *scanner) spelling() string {
	switch s.tok {
	case EOS:
		return ""
	case NAME, INTEGER, DOUBLE, STRING, INSTNAME, PATTERN:
		return s.lit
	case ILLEGAL:
		return s.blame()
	}
	return s.tok.Symbol()
}

// blame returns the text that makes the current token illegal: a number, an unterminated string, or
// a character.
func (s *scanner) blame() string {
	rest := s.src[s.pos:]
	switch c := rest[0]; {
	case isDigit(c):
		return rest[:skipDigits(rest, 0)]
	case s.lit == msgOpenString, s.lit == msgOpenInstance, s.lit == msgOpenPattern:
		return rest[1:]
	}
	return rest[:1]
}
