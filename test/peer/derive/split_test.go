package derive

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"pmtools/derive/check"
	"pmtools/test/peer/harness"
)

// A batch is a configuration file of definitions, one on a line, that is given to pminfo for all of
// them.
type batch struct {
	file  string
	texts []string
	again []bool // has a history: is asked for twice
}

// newBatch writes a configuration file.
func newBatch(w *world, file string, texts []string) (batch, error) {
	b := batch{file, texts, make([]bool, len(texts))}
	var lines strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&lines, "%s = %s\n", derivedName(i), text)
		b.again[i] = w.history(text)
	}
	return b, os.WriteFile(file, []byte(lines.String()), 0o666)
}

// history reports whether an expression has to do with the samples before. An expression of
// constants has not: to ask for it twice confuses the reference.
func (w *world) history(text string) bool {
	if w.source[0] != "-a" {
		return false // values of a daemon are fetched together, at one time (row D15)
	}
	if !strings.Contains(text, "delta(") && !strings.Contains(text, "rate(") {
		return false
	}
	e, err := check.Syntax().Parse(text)
	if err != nil {
		return false
	}
	info, err := check.Check(e, w, nil)
	return err == nil && len(info.Operands) > 0
}

// derivedName returns the name of definition i.
func derivedName(i int) string { return fmt.Sprintf("x.y%03d", i) }

// args returns the command line for an archive. A metric with a history is asked for twice.
func (b batch) args(w *world) []string {
	args := append(append([]string{"pminfo"}, w.source...), "-c", b.file, "-dfm")
	if w.origin != "" {
		args = append(args, "-O", w.origin)
	}
	for i := range b.texts {
		args = append(args, derivedName(i))
	}
	for i, again := range b.again {
		if again {
			args = append(args, derivedName(i))
		}
	}
	return args
}

// A part is the output about one definition.
type part struct{ out, err string }

// valid reports whether the metric exists.
func (p part) valid() bool { return strings.Contains(p.out, "Data Type:") }

// nameless returns p without the names of instances. Where they come from depends on the metric
// that was printed before.
func (p part) nameless() part {
	return part{instName.ReplaceAllString(p.out, "$1]"), p.err}
}

// stringless returns p without the texts of strings.
func (p part) stringless() part { return part{stringText.ReplaceAllString(p.out, `value ""`), p.err} }

// stringText is a value that is a string.
var stringText = regexp.MustCompile(`value ".*"`)

// instName is the name of an instance, or the complaint that there is none.
var instName = regexp.MustCompile(`(?m)^(?:pmNameIndom: .*\n)?(    inst \[-?\d+)(?: or ".*?")?\]`)

var (
	outHead = regexp.MustCompile(`(?m)^\n?x\.y(\d{3})(?: PMID:|:)`)
	errHead = regexp.MustCompile(`(?m)^(?:\[[^\]\n]*:(\d+)\] |Semantic error: derived metric x\.y(\d{3}):|Error: x\.y(\d{3}):)`)
)

// split takes apart what was printed about a batch. The text before the first definition is an
// error.
func (b batch) split(o harness.Outcome) ([]part, error) {
	parts := make([]part, len(b.texts))
	err := eachPiece(harness.Normal(o.Stdout), outHead, func(i int, text string) {
		if i < len(parts) {
			parts[i].out += text
		}
	}, 0)
	if err != nil {
		return nil, err
	}
	err = eachPiece(harness.Normal(o.Stderr), errHead, func(i int, text string) {
		if i < len(parts) {
			parts[i].err += text
		}
	}, 1)
	b.identifiers(parts)
	return parts, err
}

// eachPiece calls f for each piece of text with the number in its head; the first group of the head
// counts from base, the others from 0.
func eachPiece(text []byte, head *regexp.Regexp, f func(i int, text string), base int) error {
	at := head.FindAllSubmatchIndex(text, -1)
	if len(text) > 0 && (len(at) == 0 || at[0][0] > 0) {
		return fmt.Errorf("output that belongs to no definition: %q", text)
	}
	for k, m := range at {
		end := len(text)
		if k+1 < len(at) {
			end = at[k+1][0]
		}
		for group := 2; group < len(m); group += 2 {
			if m[group] < 0 {
				continue
			}
			i, err := strconv.Atoi(string(text[m[group]:m[group+1]]))
			if err != nil {
				return err
			}
			if group == 2 {
				i -= base
			}
			f(i, string(text[m[0]:end]))
		}
	}
	return nil
}

// identifiers takes the identifiers of metrics out of parts where they are what they have to be:
// they are counted upwards over the definitions that have been registered, and what one definition
// gets depends on those before it.
func (b batch) identifiers(parts []part) {
	next := 3
	for i := range parts {
		p := &parts[i]
		if strings.Contains(p.err, "syntax error") || strings.Contains(p.err, "pmLoadDerivedConfig:") {
			continue
		}
		p.out = strings.ReplaceAll(p.out, fmt.Sprintf(" PMID: 511.%d.%d\n", (next-1)/1023, (next-1)%1023+1), " PMID\n")
		next++
	}
	for i := range parts {
		parts[i].out = strings.ReplaceAll(parts[i].out, derivedName(i), "x.y")
		parts[i].err = lineNumber.ReplaceAllString(strings.ReplaceAll(parts[i].err, derivedName(i), "x.y"), "[FILE] ")
	}
}

// lineNumber is the place of a definition in messages.
var lineNumber = regexp.MustCompile(`(?m)^\[[^\]\n]*:\d+\] `)
