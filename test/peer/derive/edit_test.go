package derive

import (
	"regexp"
	"strings"
)

// pieces are the tokens of an expression, roughly, with white space between.
var pieces = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_.]*|[0-9.]+|"[^"]*"|\[[^\]]*\]|[<>=!]=|&&|\|\||\s+|.`)

// strays are tokens that edit puts in.
var strays = []string{
	"+", "-", "*", "/", "<", "<=", "==", ">=", ">", "!=", "&&", "||", "!", "?", ":", "(", ")", ",", "=", "1", "2.5", "no.such",
	"avg(", "count(", "max(", "min(", "sum(", "delta(", "rate(", "instant(", "scalar(", "rescale(", "matchinst(", "defined(", "mkconst(",
	"novalue(", "anon(", "meta(", "type", "units", `"byte"`, "[x]", "/x/", "%", "&", "|", "'", `"`, "[", "]", "#", "@", "_", "4294967296", "\x80",
}

// edit damages an expression: tokens are left out, doubled, exchanged, put in, or a byte is.
func (g *generator) edit(text string) string {
	for range 1 + g.IntN(2) {
		ts := pieces.FindAllString(text, -1)
		if len(ts) == 0 {
			return g.pick(strays...)
		}
		i := g.IntN(len(ts))
		switch g.IntN(7) {
		case 0:
			ts[i] = ""
		case 1:
			ts[i] += ts[i]
		case 2:
			ts[i] += " " + g.pick(strays...) + " "
		case 3:
			ts[i] = g.pick(strays...)
		case 4:
			j := g.IntN(len(ts))
			ts[i], ts[j] = ts[j], ts[i]
		case 5:
			ts = ts[:i]
		case 6:
			b := []byte(text)
			j := g.IntN(len(b))
			b = append(b[:j], b[min(len(b), j+1+g.IntN(2)):]...)
			ts = []string{string(b)}
		}
		text = strings.Join(ts, "")
	}
	// A definition is a line, and a backslash at its end would join the next one.
	return strings.TrimRight(strings.ReplaceAll(text, "\n", " "), `\`)
}
