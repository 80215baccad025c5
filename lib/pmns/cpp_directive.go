package pmns

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// directives need no blank after them. Other lines that begin with # are passed on.
var directives = [...]string{"#include", "#shell", "#define", "#undef", "#ifdef", "#ifndef", "#else", "#endif"}

// directive carries out the directive with the given name; args is the rest of the line. It reports
// whether other text replaces the line; otherwise the line becomes an empty one. Its errors have
// the words of the reference.
func (c *cpp) directive(name, args string, lineno int) (replaced bool, err error) {
	switch {
	case name == "#include" && !c.skipping:
		return true, c.include(args)
	case name == "#shell" && !c.skipping:
		return false, c.shell(args)
	case name == "#define":
		err = c.define(args)
	case name == "#undef":
		err = c.undef(args)
	case name == "#ifdef" || name == "#ifndef":
		err = c.begin(args, lineno, name == "#ifdef")
	case name == "#else" || name == "#endif":
		err = c.turn(name, args)
	}
	if err == nil {
		c.out.WriteByte('\n')
	}
	return false, err
}

const blanks = " \t\r" // between the words of a directive

var errExtra = errors.New("Unexpected extra text in a control line")

// quoted returns the text in quotes after a directive. what is the name of the text in messages.
func (c *cpp) quoted(name, what, args, either string) (string, error) {
	args = strings.TrimLeft(args, blanks)
	if args == "" || !strings.Contains(either, args[:1]) {
		return "", fmt.Errorf("Expected %c or %c after %s", either[0], either[1], name)
	}
	end := args[:1]
	if end == "<" {
		end = ">"
	}
	text, rest, closed := strings.Cut(args[1:], end)
	switch {
	case !closed:
		return "", fmt.Errorf("Expected %s after %s", end, what)
	case strings.Trim(rest, blanks) != "":
		return "", fmt.Errorf("Unexpected extra text in %s line", name)
	case c.depth >= maxNesting:
		return "", errors.New("#include and/or #shell nesting too deep")
	}
	return text, nil
}

func (c *cpp) include(args string) error {
	file, err := c.quoted("#include", "file name", args, `"<`)
	if err != nil {
		return err
	}
	name, text, err := c.search(file)
	if err != nil {
		return err
	}
	return c.file(name, text)
}

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
		if text, err := c.opts.include(name); err == nil {
			return name, text, nil
		}
	}
	return "", nil, errors.New("Cannot open file for #include")
}

// shell refuses to run a command: name space files come from anywhere.
func (c *cpp) shell(args string) error {
	if _, err := c.quoted("#shell", "command", args, `"'`); err != nil {
		return err
	}
	return errors.New("#shell is refused: a name space file must not run programs; #include a file with the text instead")
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

func onlyName(args string) (string, error) {
	name, rest, err := takeName(args)
	if err == nil && rest != "" {
		err = errExtra
	}
	return name, err
}

// define sets a macro to a word or a quoted text. Lines within a false condition are checked too.
func (c *cpp) define(args string) error {
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

// undef forgets a macro. An unknown macro is not an error.
func (c *cpp) undef(args string) error {
	name, err := onlyName(args)
	if err == nil && !c.skipping {
		delete(c.macros, name)
	}
	return err
}

// begin opens a condition; its lines count if the macro's existence is as wanted.
func (c *cpp) begin(args string, lineno int, wanted bool) error {
	name, err := onlyName(args)
	switch {
	case err != nil:
		return err
	case c.condition > 0:
		return errors.New("Nested #ifdef or #ifndef")
	}
	_, exists := c.macros[name]
	c.condition, c.skipping = lineno, exists != wanted
	return nil
}

// turn inverts the open condition at #else, and closes it at #endif.
func (c *cpp) turn(name, args string) error {
	if strings.Trim(args, blanks) != "" {
		return errExtra
	}
	if c.condition == 0 {
		return fmt.Errorf("No matching #ifdef or #ifndef for %s", name)
	}
	if c.skipping = name == "#else" && !c.skipping; name == "#endif" {
		c.condition = 0
	}
	return nil
}
