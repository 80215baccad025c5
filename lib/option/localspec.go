package option

import (
	"errors"
	"fmt"
	"strings"
)

// A LocalSpec is one change to the table of agents that a local context loads (-K; commands.md
// T1.4).
type LocalSpec struct {
	Op     string // "add", "del" or "clear"
	Domain int    // -1 if a del names a path only
	Path   string // may be "" for del
	Init   string // for add
}

// maxDomain is the highest domain number that -K takes.
const maxDomain = 510

func (o *Options) addSpec(arg string) error {
	spec, err := parseLocalSpec(arg)
	if err != nil {
		return fmt.Errorf("pmSpecLocalPMDA failed: %w", err)
	}
	o.Specs = append(o.Specs, spec)
	return nil
}

// parseLocalSpec reads "add,DOM,PATH,INIT", "del,[DOM][,PATH]" or "clear".
func parseLocalSpec(text string) (LocalSpec, error) {
	spec := LocalSpec{Domain: -1}
	var rest string
	for _, op := range []string{"add", "del", "clear"} {
		if strings.HasPrefix(text, op) {
			spec.Op, rest = op, text[len(op):]
		}
	}
	switch {
	case spec.Op == "":
		return spec, errors.New("bad op in spec")
	case spec.Op == "clear" && rest != "":
		return spec, errors.New("unexpected text after clear op in spec")
	case spec.Op == "clear":
		return spec, nil
	case !strings.HasPrefix(rest, ","):
		return spec, errors.New("expected , after op in spec")
	}
	return spec.arguments(rest[1:])
}

// arguments reads what follows the operation "add" or "del".
func (spec LocalSpec) arguments(text string) (LocalSpec, error) {
	domain, text, hasPath := strings.Cut(text, ",")
	if domain != "" {
		n, rest := LeadingNumber(domain)
		if rest != "" || n < 0 || n > maxDomain {
			return spec, errors.New("bad domain in spec")
		}
		spec.Domain = int(n)
	}
	var hasInit bool
	spec.Path, spec.Init, hasInit = strings.Cut(text, ",")
	switch {
	case domain == "" && (spec.Op == "add" || !hasPath):
		return spec, errors.New("missing domain in spec")
	case domain == "" && spec.Path == "":
		return spec, errors.New("missing domain and dso-path in spec")
	case spec.Op == "del":
		return spec, nil
	case !hasPath || text == "":
		return spec, errors.New("missing dso-path in spec")
	case !hasInit || spec.Path != "" && spec.Init == "":
		return spec, errors.New("missing init-routine in spec")
	}
	return spec, nil
}
