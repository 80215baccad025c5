package pmns

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"pmtools/internal/ctext"
	"pmtools/lib/pcp"
)

type kind int

const (
	badToken    kind = iota
	nameToken        // letter, then letters, digits, underscores
	pathToken        // names joined by dots; only the first character is checked
	metricToken      // d:c:i, d:*:*, or d
	openToken        // {
	closeToken       // }
	endToken         // end of the text
	failed           // a reported error that cannot be recovered from
)

const maxLine = 255 // bytes of the shortest line that is too long, without its newline

// A scanner cuts the text into lines, and the lines into tokens separated by white space. It also
// writes the messages, since they show the line.
type scanner struct {
	file   string
	lineno int
	text   []byte
	line   string // white space reduced; after a message, the caret
	next   int    // position after the token
	pos    int    // position of the token
	seen   bool   // a token was read: pos is valid
	token  string
	id     pcp.ID // identifier of a metric
	msg    strings.Builder
}

func (sc *scanner) scan() kind {
	for sc.next < len(sc.line) && ctext.IsSpace(sc.line[sc.next]) {
		sc.next++
	}
	for sc.next >= len(sc.line) {
		if len(sc.text) == 0 {
			return endToken
		}
		if !sc.readLine() {
			return failed
		}
	}
	sc.pos, sc.seen = sc.next, true
	rest := sc.line[sc.pos:]
	if i := strings.IndexAny(rest, ctext.Space); i >= 0 {
		rest = rest[:i]
	}
	sc.token = rest
	sc.next = sc.pos + len(rest)
	return sc.classify()
}

// readLine takes the next line that is not a line marker off the text; the last may lack its
// newline. At the end of the text it leaves an empty line.
func (sc *scanner) readLine() bool {
	for len(sc.text) > 0 {
		raw, rest, _ := bytes.Cut(sc.text, []byte("\n"))
		if len(raw) >= maxLine {
			return sc.fatal(reduce(string(raw[:maxLine])), "Absurdly long line, cannot recover")
		}
		sc.text = rest
		line := string(bytes.TrimLeft(raw, " \t\v\f\r"))
		if strings.HasPrefix(line, "#") {
			if !sc.marker(line[1:]) {
				return sc.fatal(reduce(line), "Illegal line number control number")
			}
			continue
		}
		sc.lineno++
		sc.line, sc.next = reduce(line), 0
		return true
	}
	sc.line, sc.next = "", 0
	return true
}

// marker reads a line marker: a line number and a file name in quotes. The rest is ignored.
func (sc *scanner) marker(s string) bool {
	s = strings.TrimLeft(s, " \t")
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	n, err := strconv.Atoi(s[:digits])
	if err != nil || n > 1<<30 {
		return false
	}
	sc.lineno = n
	s, quoted := strings.CutPrefix(strings.TrimLeft(s[digits:], " \t"), `"`)
	file, _, closed := strings.Cut(s, `"`)
	if !quoted || !closed {
		return false
	}
	sc.file, sc.lineno = file, n-1
	return true
}

// reduce removes white space at the start and around colons, and keeps the first character of each
// other run of white space.
func reduce(line string) string {
	out := make([]byte, 0, len(line))
	space := byte(0) // the first character of the white space before c, 0 for none
	for _, c := range []byte(line) {
		if c == 0 {
			c = ' '
		}
		if ctext.IsSpace(c) {
			if space == 0 && len(out) > 0 {
				space = c
			}
			continue
		}
		if space != 0 && c != ':' && out[len(out)-1] != ':' {
			out = append(out, space)
		}
		space = 0
		out = append(out, c)
	}
	if space != 0 && out[len(out)-1] != ':' {
		out = append(out, space)
	}
	return string(out)
}

func (sc *scanner) classify() kind {
	t := sc.token
	switch {
	case t == "{":
		return openToken
	case t == "}":
		return closeToken
	case ctext.IsLetter(t[0]):
		k := nameToken
		for _, c := range []byte(t) {
			switch {
			case ctext.IsLetter(c) || ctext.IsDigit(c) || c == '_':
			case c == '.':
				k = pathToken
			default:
				return badToken
			}
		}
		return k
	case strings.Trim(t, "0123456789:*") == "":
		return sc.metric()
	}
	return badToken
}

// metric reads the token as an identifier. Characters after a complete identifier are ignored, as
// long as they could be part of one.
func (sc *scanner) metric() kind {
	domain, rest := number(sc.token)
	if rest == sc.token {
		return sc.badMetric("Illegal PMID")
	}
	dynamic := rest == ":*:*" || !strings.Contains(rest, ":")
	var cluster, item int
	if !dynamic {
		var ok1, ok2 bool
		cluster, rest, ok1 = field(rest)
		item, _, ok2 = field(rest)
		if !ok1 || !ok2 {
			return sc.badMetric("Illegal PMID")
		}
	}
	switch {
	case dynamic && domain >= pcp.DynamicDomain:
		return sc.badMetric("Illegal domain field in dynamic PMID")
	case dynamic:
		sc.id = pcp.NewID(pcp.DynamicDomain, uint32(domain), 0)
	case domain >= pcp.DynamicDomain:
		return sc.badMetric("Illegal domain field in PMID")
	case cluster > 4095:
		return sc.badMetric("Illegal cluster field in PMID")
	case item > 1023:
		return sc.badMetric("Illegal item field in PMID")
	default:
		sc.id = pcp.NewID(uint32(domain), uint32(cluster), uint32(item))
	}
	return metricToken
}

func field(s string) (int, string, bool) {
	after, ok := strings.CutPrefix(s, ":")
	n, rest := number(after)
	return n, rest, ok && rest != after
}

// number parses the digits at the start of s. On overflow it returns a number beyond every valid
// range.
func number(s string) (int, string) {
	n, i := 0, 0
	for ; i < len(s) && ctext.IsDigit(s[i]); i++ {
		n = min(n*10+int(s[i]-'0'), 1_000_000)
	}
	return n, s[i:]
}

// badMetric reports a wrong identifier; the parser will report it once more.
func (sc *scanner) badMetric(text string) kind {
	sc.report(text)
	return badToken
}

// report adds a message about the current token. As in the reference, the caret then replaces the
// line, and a second message shows the caret instead of the line.
func (sc *scanner) report(text string) {
	if sc.lineno == 0 {
		sc.msg.WriteString(prefix + text + "\n")
		return
	}
	fmt.Fprintf(&sc.msg, "[%s:%d] %s%s\n", sc.file, sc.lineno, prefix, text)
	fmt.Fprintf(&sc.msg, "    %s\n", strings.TrimSuffix(sc.line, "\n"))
	if sc.seen {
		sc.line = caret(sc.line, sc.pos)
		fmt.Fprintf(&sc.msg, "    %s\n", sc.line)
	}
}

// caret draws a caret below a character, after the white space of the line, as in the reference.
func caret(line string, pos int) string {
	out := bytes.Repeat([]byte{' '}, pos+1)
	for i := range min(pos, len(line)) {
		if ctext.IsSpace(line[i]) {
			out[i] = line[i]
		}
	}
	out[pos] = '^'
	return string(out)
}

// fatal reports an error of a whole line and returns false. The caret stays at the last token.
func (sc *scanner) fatal(line, text string) bool {
	sc.line = line
	sc.report(text)
	return false
}
