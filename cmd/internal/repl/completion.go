package repl

import (
	"slices"
	"strings"

	"pmtools/cmd/internal/manual"
)

// A Completion proposes completions of a verb's last operand, and returns the offset of the replaced part.
type Completion func(c *completer, arg string) (start int)

// lastWord returns the offset of the last word of a text. Quotes keep the blanks in it.
func lastWord(arg string) (start int) {
	quote := byte(0)
	for i := range len(arg) {
		switch b := arg[i]; {
		case quote != 0 && b == quote:
			quote = 0
		case quote == 0 && (b == '"' || b == '\''):
			quote = b
		case quote == 0 && b == ' ':
			start = i + 1
		}
	}
	return start
}

// OfChoices is the completion of one of a list of words.
func OfChoices(texts ...string) Completion {
	return func(c *completer, arg string) int {
		start := lastWord(arg)
		c.offer(arg[start:], texts...)
		return start
	}
}

// OfExprs is the completion of expressions, or of names of reports.
func OfExprs(c *completer, arg string) int {
	if start := lastWord(arg); strings.HasPrefix(arg, ":") {
		c.reports(arg[start:], ":")
		return start
	}
	return c.expr(arg)
}

// ofNames is the completion of names of metrics.
func ofNames(c *completer, arg string) int {
	start := lastWord(arg)
	c.metric(arg[start:])
	return start
}

// ofReports is the completion of names of reports.
func ofReports(c *completer, arg string) int {
	start := lastWord(arg)
	c.reports(arg[start:], "")
	return start
}

// ofFiles is the completion of names of files. Those with blanks are in quotes.
func ofFiles(c *completer, arg string) int {
	start := lastWord(arg)
	bare := strings.TrimLeft(arg[start:], `'"`)
	quote := arg[start : len(arg)-len(bare)]
	for _, name := range c.s.opt.Files.Glob(bare) {
		if quote == "" && strings.Contains(name, " ") {
			c.offer(arg[start:], `"`+name+`"`)
			continue
		}
		end := quote
		if strings.HasSuffix(name, "/") {
			end = "" // names below it may follow
		}
		c.offer(arg[start:], quote+name+end)
	}
	return start
}

func ofSource(c *completer, arg string) int {
	if rest, ok := strings.CutPrefix(arg, Archive+" "); ok {
		c.offer(rest, c.s.opt.Files.Glob(rest)...)
		return len(arg) - len(rest)
	}
	c.offer(arg, Host+" ", Archive+" ", Local)
	c.offer(arg, c.s.opt.Files.Glob(arg)...)
	return 0
}

func ofRecording(c *completer, arg string) int {
	words := strings.Fields(arg[:lastWord(arg)])
	if slices.ContainsFunc(words, func(word string) bool { return !strings.HasPrefix(word, "-") }) {
		return ofNames(c, arg)
	}
	return ofFiles(c, arg)
}

// orReports is the completion of what another one proposes, and of reports.
func orReports(other Completion) Completion {
	return func(c *completer, arg string) int {
		start := other(c, arg)
		c.reports(arg[start:], ":")
		return start
	}
}

func ofSettings(c *completer, arg string) int {
	start := lastWord(arg)
	key, _, ok := strings.Cut(arg, " ")
	for _, k := range settings {
		switch {
		case !ok:
			c.offer(arg[start:], k.key+" ")
		case k.key == key:
			c.offer(arg[start:], k.values...)
		}
	}
	return start
}

func ofTopics(c *completer, arg string) int {
	c.offer(arg, manual.Names()...)
	for _, v := range At(Prompt, c.s.verbs) {
		c.offer(arg, v.names()...)
	}
	return 0
}

func ofDefinitions(c *completer, arg string) int {
	start := lastWord(arg)
	c.offer(arg[start:], c.s.defs.Names()...)
	return start
}
