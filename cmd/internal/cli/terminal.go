package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// IsTerminal reports whether a stream of the command is a terminal.
func IsTerminal(stream any) bool {
	f, ok := file(stream)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Confirm asks the user a question on the terminal. Without one the answer is no.
func (env *Env) Confirm(question string) bool {
	if !IsTerminal(env.Stdin) {
		return false
	}
	fmt.Fprintf(env.Stderr, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(env.Stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

func file(of any) (*os.File, bool) {
	if s, ok := of.(*stream); ok {
		of = s.w
	}
	f, ok := of.(*os.File)
	return f, ok
}

// TerminalSize returns how many columns and lines a stream's terminal has, 0 if it is none.
func TerminalSize(stream any) (width, height int) {
	f, ok := file(stream)
	if !ok {
		return 0, 0
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// ColorWanted reports whether output to a stream may have colours: it is a terminal that knows
// them, and NO_COLOR is not set or empty.
func (env *Env) ColorWanted(stream any) bool {
	return env.Getenv("NO_COLOR") == "" && env.Getenv("TERM") != "dumb" && IsTerminal(stream)
}

// ASCIIOnly reports whether charts are drawn with ASCII alone: the terminal is dumb, or the locale has another encoding than
// UTF-8. Without a locale, as in containers and on Windows, terminals have UTF-8.
func (env *Env) ASCIIOnly() bool {
	locale := strings.ToLower(cmp.Or(env.Getenv("LC_ALL"), env.Getenv("LC_CTYPE"), env.Getenv("LANG")))
	utf8 := locale == "" || strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
	return env.Getenv("TERM") == "dumb" || !utf8
}
