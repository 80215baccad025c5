package pmns

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A directive carries out a line that begins with its name; args is the rest of
// the line. It reports whether it put text in the line's place, otherwise the line
// becomes an empty one. Its errors have the words of the reference.
type directive func(c *cpp, args string, lineno int) (bool, error)

// findDirective returns the directive that a line begins with, and the rest of
// the line, or nil: other lines that begin with # are passed on. No blank is
// needed behind the name.
func findDirective(line string) (directive, string) {
	if !strings.HasPrefix(line, "#") {
		return nil, ""
	}
	for _, d := range []struct {
		name string
		run  directive
	}{
		{"#include", (*cpp).include},
		{"#shell", (*cpp).shell},
		{"#define", control((*cpp).define)},
		{"#undef", control((*cpp).undef)},
		{"#ifdef", control((*cpp).beginIfDef)},
		{"#ifndef", control((*cpp).beginIfNotDef)},
		{"#else", control((*cpp).otherwise)},
		{"#endif", control((*cpp).finishCondition)},
	} {
		if args, ok := strings.CutPrefix(line, d.name); ok {
			return d.run, args
		}
	}
	return nil, ""
}

// blanks are what separates the words of a directive.
const blanks = " \t\r"

// errExtra says that a directive goes on after its end.
var errExtra = errors.New("Unexpected extra text in a control line")

// control makes a directive of one that puts out an empty line.
func control(f func(c *cpp, args string, lineno int) error) directive {
	return func(c *cpp, args string, lineno int) (bool, error) {
		if err := f(c, args, lineno); err != nil {
			return false, err
		}
		c.out.WriteByte('\n')
		return false, nil
	}
}

// include puts out another file.
func (c *cpp) include(args string, _ int) (bool, error) {
	if c.skipping {
		c.out.WriteByte('\n')
		return false, nil
	}
	args = strings.TrimLeft(args, blanks)
	if args == "" || args[0] != '"' && args[0] != '<' {
		return false, errors.New(`Expected " or < after #include`)
	}
	quote := `"`
	if args[0] == '<' {
		quote = ">"
	}
	file, rest, closed := strings.Cut(args[1:], quote)
	if !closed {
		return false, fmt.Errorf("Expected %s after file name", quote)
	}
	if strings.Trim(rest, blanks) != "" {
		return false, errors.New("Unexpected extra text in #include line")
	}
	if c.depth >= maxNesting {
		return false, errors.New("#include and/or #shell nesting too deep")
	}
	name, text, err := c.search(file)
	if err != nil {
		return false, err
	}
	return true, c.file(name, text)
}

// search reads an included file from the first place that has it.
func (c *cpp) search(file string) (string, []byte, error) {
	places := []string{file}
	if file != "" && !filepath.IsAbs(file) {
		for _, dir := range append([]string{c.dir}, c.opts.IncludeDirs...) {
			places = append(places, dir+"/"+file)
		}
	}
	for _, name := range places {
		if name == "" {
			continue
		}
		if text, err := c.opts.read(name); err == nil {
			return name, text, nil
		}
	}
	return "", nil, errors.New("Cannot open file for #include")
}

// shell puts out what a command prints.
func (c *cpp) shell(args string, _ int) (bool, error) {
	if c.skipping {
		c.out.WriteByte('\n')
		return false, nil
	}
	args = strings.TrimLeft(args, blanks)
	if args == "" || args[0] != '"' && args[0] != '\'' {
		return false, errors.New(`Expected " or ' after #shell`)
	}
	command, rest, closed := strings.Cut(args[1:], args[:1])
	if !closed {
		return false, fmt.Errorf("Expected %s after command", args[:1])
	}
	if strings.Trim(rest, blanks) != "" {
		return false, errors.New("Unexpected extra text in #shell line")
	}
	if c.depth >= maxNesting {
		return false, errors.New("#include and/or #shell nesting too deep")
	}
	if c.opts.Shell == nil {
		return false, errors.New("#shell is not allowed here")
	}
	text, err := c.opts.Shell(command)
	var status interface{ ExitCode() int }
	switch {
	case errors.As(err, &status):
		c.opts.warn(fmt.Sprintf("Warning: #shell cmd returns %d exit status", status.ExitCode()))
	case err != nil:
		return false, err
	}
	return true, c.file("<shell>", text)
}

// takeName reads the name of a macro, which a blank or the end must follow.
func takeName(args string) (name, rest string, err error) {
	args = strings.TrimLeft(args, blanks)
	if args == "" {
		return "", "", errors.New("Missing macro name")
	}
	n := macroName(args)
	if n == 0 || n < len(args) && !strings.Contains(blanks, args[n:n+1]) {
		return "", "", errors.New("Illegal character in macro name")
	}
	return args[:n], strings.Trim(args[n:], blanks), nil
}

// define sets a macro to a word or a quoted text. Lines that are left out are
// checked all the same.
func (c *cpp) define(args string, _ int) error {
	name, value, err := takeName(args)
	if err != nil {
		return err
	}
	switch {
	case value != "" && (value[0] == '"' || value[0] == '\''):
		text, rest, closed := strings.Cut(value[1:], value[:1])
		if !closed {
			return errors.New("Unterminated value string in #define")
		}
		if rest != "" {
			return errExtra
		}
		value = text
	case strings.ContainsAny(value, blanks):
		return errExtra
	}
	if c.skipping {
		return nil
	}
	if _, dup := c.macros[name]; dup {
		return errors.New("Macro redefinition")
	}
	c.macros[name] = value
	return nil
}

// undef forgets a macro, which need not exist.
func (c *cpp) undef(args string, _ int) error {
	name, rest, err := takeName(args)
	switch {
	case err != nil:
		return err
	case rest != "":
		return errExtra
	}
	if !c.skipping {
		delete(c.macros, name)
	}
	return nil
}

// beginIfDef opens the condition that a macro exists.
func (c *cpp) beginIfDef(args string, lineno int) error {
	return c.begin(args, lineno, true)
}

// beginIfNotDef opens the condition that a macro does not exist.
func (c *cpp) beginIfNotDef(args string, lineno int) error {
	return c.begin(args, lineno, false)
}

// begin opens a condition; its lines count if the macro's existence is as wanted.
func (c *cpp) begin(args string, lineno int, wanted bool) error {
	name, rest, err := takeName(args)
	switch {
	case err != nil:
		return err
	case rest != "":
		return errExtra
	case c.condition > 0:
		return errors.New("Nested #ifdef or #ifndef")
	}
	_, exists := c.macros[name]
	c.condition, c.skipping = lineno, exists != wanted
	return nil
}

// otherwise turns a condition around.
func (c *cpp) otherwise(args string, _ int) error {
	return c.turn(args, "#else", !c.skipping)
}

// finishCondition closes a condition.
func (c *cpp) finishCondition(args string, _ int) error {
	if err := c.turn(args, "#endif", false); err != nil {
		return err
	}
	c.condition = 0
	return nil
}

// turn sets whether the lines of the open condition are left out.
func (c *cpp) turn(args, name string, skipping bool) error {
	if strings.Trim(args, blanks) != "" {
		return errExtra
	}
	if c.condition == 0 {
		return fmt.Errorf("No matching #ifdef or #ifndef for %s", name)
	}
	c.skipping = skipping
	return nil
}
