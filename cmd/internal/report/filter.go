package report

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

// A Filter selects instances by their names.
type Filter struct {
	pattern string
	whole   *regexp.Regexp
}

// filters returns the filters in a list of them, each of which may be quoted.
func filters(list string) (all []Filter, wrong string) {
	for _, pattern := range splitQuoted(list) {
		pattern = unquote(strings.TrimSpace(pattern))
		re, err := regexp.Compile("^(?:" + pattern + ")$")
		if err != nil {
			return nil, "the filter of instances " + pattern + " is not a regular expression" + reason(err)
		}
		all = append(all, Filter{pattern, re})
	}
	return all, ""
}

// reason returns why a text is not a regular expression.
func reason(err error) string {
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		return ": " + string(bad.Code)
	}
	return ""
}

// splitQuoted splits a list at the commas outside quotes. A quote begins a part.
func splitQuoted(list string) (parts []string) {
	quote, start := byte(0), 0
	for i := range len(list) {
		switch c := list[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '\'' || c == '"') && strings.Trim(list[start:i], blanks) == "":
			quote = c
		case c == ',':
			parts = append(parts, list[start:i])
			start = i + 1
		}
	}
	return append(parts, list[start:])
}

// selects reports whether one of the filters selects an instance of a metric. A process also has the
// name that is its number, and that which is the last component of its program's path.
func selects(filters []Filter, metric, instance string) bool {
	pid, command := "", ""
	if strings.HasPrefix(metric, "proc.") || strings.HasPrefix(metric, "hotproc.") {
		pid, command, _ = strings.Cut(instance, " ")
		pid = strings.TrimLeft(pid, "0")
		command, _, _ = strings.Cut(command, " ")
		command = command[strings.LastIndexByte(command, '/')+1:]
	}
	for _, f := range filters {
		if f.whole.MatchString(instance) || f.pattern == pid && pid != "" || f.pattern == command && command != "" {
			return true
		}
	}
	return false
}
