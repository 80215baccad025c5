package proc

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/pmerr"
)

// A predicate selects interesting processes, in the language of pmdaproc(1):
//
//	cpuburn > 0.2 && (uname == "root" || psargs ~ /pmda/)
type predicate struct {
	text  string // text with all its parentheses
	holds func(v *hotVars) bool
}

type hotVars struct {
	numbers map[string]float64
	text    func(name string) string // uname, gname, fname, psargs
}

var hotNumbers = [...]string{
	"uid", "gid", "cpuburn", "iodemand", "ctxswitch", "syscalls", "virtualsize", "residentsize", "iowait", "schedwait",
}

var hotStrings = [...]string{"uname", "gname", "fname", "psargs"}

const (
	maxPredicate = 1 << 14
	maxDepth     = 100
)

// predicateParser reads a predicate. It panics with a pmerr.Code, which parsePredicate returns.
type predicateParser struct {
	rest  string
	token string // the next one; "" at the end
	depth int
}

// parsePredicate reads the text of a predicate, or of a file with one. An empty text gives nil.
func parsePredicate(text string) (p *predicate, err error) {
	if len(text) > maxPredicate {
		return nil, pmerr.BadStore
	}
	defer func() {
		if code, ok := recover().(pmerr.Code); ok {
			p, err = nil, code
		}
	}()
	x := &predicateParser{rest: text}
	if x.next(); x.token == "" {
		return nil, nil
	}
	p = x.list("||", func() *predicate { return x.list("&&", x.term) })
	if x.token != "" {
		panic(pmerr.BadStore)
	}
	return p, nil
}

// next reads the next token: a word, a number, a sign, or a string or pattern with its delimiters.
func (x *predicateParser) next() string {
	last := x.token
	x.rest = strings.TrimLeft(x.rest, " \t\r\n")
	for strings.HasPrefix(x.rest, "#") || strings.HasPrefix(x.rest, "Version") {
		_, x.rest, _ = strings.Cut(x.rest, "\n")
		x.rest = strings.TrimLeft(x.rest, " \t\r\n")
	}
	const digits, letters = "0123456789.", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	n := len(x.rest) - len(strings.TrimLeft(x.rest, digits))
	switch {
	case x.rest == "" || n > 0:
	case strings.Contains(letters, x.rest[:1]):
		n = len(x.rest) - len(strings.TrimLeft(x.rest, digits+letters))
	case x.rest[0] == '"' || x.rest[0] == '/':
		if n = 2 + strings.IndexByte(x.rest[1:], x.rest[0]); n < 2 {
			panic(pmerr.BadStore)
		}
	default:
		n = 1
		for _, sign := range [...]string{"&&", "||", "<=", ">=", "==", "!=", "!~"} {
			if strings.HasPrefix(x.rest, sign) {
				n = 2
			}
		}
	}
	x.token, x.rest = x.rest[:n], x.rest[n:]
	return last
}

func (x *predicateParser) list(op string, part func() *predicate) *predicate {
	p := part()
	for x.token == op {
		x.next()
		a, b := p, part()
		p = &predicate{text: "(" + a.text + " " + op + " " + b.text + ")"}
		if p.holds = func(v *hotVars) bool { return a.holds(v) && b.holds(v) }; op == "||" {
			p.holds = func(v *hotVars) bool { return a.holds(v) || b.holds(v) }
		}
	}
	return p
}

func (x *predicateParser) term() *predicate {
	if x.depth++; x.depth > maxDepth {
		panic(pmerr.BadStore)
	}
	defer func() { x.depth-- }()
	switch token := x.next(); token {
	case "!":
		p := x.term()
		return &predicate{"(! " + p.text + ")", func(v *hotVars) bool { return !p.holds(v) }}
	case "(":
		p := x.list("||", func() *predicate { return x.list("&&", x.term) })
		if x.next() != ")" {
			panic(pmerr.BadStore)
		}
		return p
	case "true", "false":
		return &predicate{"(" + token + ")", func(*hotVars) bool { return token == "true" }}
	default:
		return x.comparison(token)
	}
}

func (x *predicateParser) comparison(left string) *predicate {
	op := x.next()
	right := x.next()
	if op == "~" || op == "!~" {
		text := stringOf(left)
		if text == nil || len(right) < 2 || right[0] != '/' {
			panic(pmerr.BadStore)
		}
		pattern, err := regexp.CompilePOSIX(right[1 : len(right)-1])
		if err != nil {
			panic(pmerr.BadStore)
		}
		return &predicate{fmt.Sprintf(`(%s %s "%s")`, left, op, right[1:len(right)-1]), func(v *hotVars) bool {
			return pattern.MatchString(text(v)) == (op == "~")
		}}
	}
	if a, b := stringOf(left), stringOf(right); a != nil && b != nil && (op == "==" || op == "!=") {
		return &predicate{fmt.Sprintf("(%s %s %s)", left, op, right), func(v *hotVars) bool { return (a(v) == b(v)) == (op == "==") }}
	}
	a, shownA := numberOf(left)
	b, shownB := numberOf(right)
	holds, ok := map[string]func(order int) bool{
		"<": func(o int) bool { return o < 0 }, "<=": func(o int) bool { return o <= 0 }, "==": func(o int) bool { return o == 0 },
		">": func(o int) bool { return o > 0 }, ">=": func(o int) bool { return o >= 0 }, "!=": func(o int) bool { return o != 0 },
	}[op]
	if !ok {
		panic(pmerr.BadStore)
	}
	return &predicate{fmt.Sprintf("(%s %s %s)", shownA, op, shownB), func(v *hotVars) bool { return holds(cmp.Compare(a(v), b(v))) }}
}

// stringOf returns the value of a token that is a string, else nil.
func stringOf(token string) func(v *hotVars) string {
	if strings.HasPrefix(token, `"`) {
		return func(*hotVars) string { return token[1 : len(token)-1] }
	}
	if slices.Contains(hotStrings[:], token) {
		return func(v *hotVars) string { return v.text(token) }
	}
	return nil
}

// numberOf returns the value of a token that is a number, and how the token is shown.
func numberOf(token string) (value func(v *hotVars) float64, shown string) {
	if slices.Contains(hotNumbers[:], token) {
		return func(v *hotVars) float64 { return v.numbers[token] }, token
	}
	n, err := strconv.ParseFloat(token, 64)
	if err != nil || strings.Trim(token, ".0123456789") != "" {
		panic(pmerr.BadStore)
	}
	if shown = fmt.Sprintf("%f", n); n == math.Trunc(n) {
		shown = fmt.Sprintf("%.0f", n)
	}
	return func(*hotVars) float64 { return n }, shown
}
