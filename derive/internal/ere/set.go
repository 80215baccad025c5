package ere

type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

func (s *byteSet) negate() {
	for i := range s {
		s[i] = ^s[i]
	}
}

func setOf(in func(byte) bool) *byteSet {
	s := new(byteSet)
	for c := 0; c < 256; c++ {
		if in(byte(c)) {
			s.add(byte(c))
		}
	}
	return s
}

var classes = [...]struct {
	name string
	has  func(byte) bool
}{
	{"alnum", isAlnum},
	{"alpha", func(c byte) bool { return isUpper(c) || isLower(c) }},
	{"blank", func(c byte) bool { return c == ' ' || c == '\t' }},
	{"cntrl", func(c byte) bool { return c < ' ' || c == 0x7f }},
	{"digit", isDigit},
	{"graph", isGraph},
	{"lower", isLower},
	{"print", func(c byte) bool { return c == ' ' || isGraph(c) }},
	{"punct", func(c byte) bool { return isGraph(c) && !isAlnum(c) }},
	{"space", isSpace},
	{"upper", isUpper},
	{"xdigit", func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }},
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isUpper(c) || isLower(c) || isDigit(c) }
func isWord(c byte) bool  { return c == '_' || isAlnum(c) }
func isGraph(c byte) bool { return ' ' < c && c < 0x7f }
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
