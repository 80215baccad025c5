package option

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"pmtools/lib/pmerr"
)

// A LocalAgent is an agent in the table of those that a local context loads. An
// agent with a Path and no Init is a program, which the reference does not support: Path is followed
// by its arguments (see Words).
type LocalAgent struct {
	Domain int
	Path   string // path of the agent's library
	Init   string // the routine that starts it
}

type localSpec struct {
	op string // "add", "del" or "clear"
	LocalAgent
}

const maxDomain = 510 // the highest domain number of -K

// changeAgents handles -K.
func (o *Options) changeAgents(arg string) error {
	spec, err := parseLocalSpec(arg)
	if err != nil {
		return fmt.Errorf("pmSpecLocalPMDA failed: %w", err)
	}
	switch spec.op {
	case "add":
		o.Agents = append(o.Agents, spec.LocalAgent)
	case "clear":
		o.Agents = []LocalAgent{}
	case "del":
		n := len(o.Agents)
		if o.Agents = slices.DeleteFunc(o.Agents, spec.matches); len(o.Agents) == n {
			return fmt.Errorf("pmSpecLocalPMDA failed: __pmLocalPMDA: %w", pmerr.InDom)
		}
	}
	return nil
}

// matches reports whether a del names an agent: by its domain, or else by its path.
func (spec *localSpec) matches(a LocalAgent) bool {
	if spec.Domain >= 0 {
		return a.Domain == spec.Domain
	}
	return a.Path == spec.Path
}

// parseLocalSpec reads "add,DOM,PATH,INIT", "add,DOM,PROGRAM", "del,[DOM][,PATH]" or "clear".
func parseLocalSpec(text string) (localSpec, error) {
	spec := localSpec{LocalAgent: LocalAgent{Domain: -1}}
	var rest string
	for _, op := range []string{"add", "del", "clear"} {
		if strings.HasPrefix(text, op) {
			spec.op, rest = op, text[len(op):]
		}
	}
	switch {
	case spec.op == "":
		return spec, errors.New("bad op in spec")
	case spec.op == "clear" && rest != "":
		return spec, errors.New("unexpected text after clear op in spec")
	case spec.op == "clear":
		return spec, nil
	case !strings.HasPrefix(rest, ","):
		return spec, errors.New("expected , after op in spec")
	}
	return spec.arguments(rest[1:])
}

func (spec localSpec) arguments(text string) (localSpec, error) {
	domain, text, hasPath := strings.Cut(text, ",")
	if domain != "" {
		n, rest := LeadingNumber(domain)
		if rest != "" || n < 0 || n > maxDomain {
			return spec, errors.New("bad domain in spec")
		}
		spec.Domain = int(n)
	}
	program, closed := isProgram(text)
	switch {
	case spec.op == "add" && domain != "" && program && !closed:
		return spec, errors.New("missing closing quote in spec")
	case program && (domain != "" || spec.op == "del"):
		spec.Path = text
		return spec, nil
	}
	var hasInit bool
	spec.Path, spec.Init, hasInit = strings.Cut(text, ",")
	switch {
	case domain == "" && (spec.op == "add" || !hasPath):
		return spec, errors.New("missing domain in spec")
	case domain == "" && spec.Path == "":
		return spec, errors.New("missing domain and dso-path in spec")
	case spec.op == "del":
		return spec, nil
	case !hasPath || text == "":
		return spec, errors.New("missing dso-path in spec")
	case !hasInit || spec.Path != "" && spec.Init == "":
		return spec, errors.New("missing init-routine in spec")
	}
	return spec, nil
}

// isProgram reports whether a text is the path of a program, with optional arguments, and whether
// its quotes are closed. The path must have a slash, so that words that the reference rejects are
// rejected here too.
func isProgram(path string) (program, closed bool) {
	words, closed := Words(path)
	if len(words) == 0 || !strings.ContainsAny(words[0], `/\`) || strings.HasSuffix(words[0], ".so") {
		return false, closed
	}
	fi, err := os.Stat(words[0])
	return err == nil && fi.Mode().IsRegular() && (fi.Mode()&0o111 != 0 || strings.HasSuffix(words[0], ".exe")), closed
}

// Words returns the words of a command line: blanks separate them, unless they are between quotes
// of either kind. It also reports whether the last quote is closed.
func Words(text string) (words []string, closed bool) {
	var word strings.Builder
	var quote rune
	inside := false
	for _, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'':
			quote, inside = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if inside {
				words = append(words, word.String())
			}
			word.Reset()
			inside = false
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	if inside {
		words = append(words, word.String())
	}
	return words, quote == 0
}
