package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/option"
	"pmtools/lib/pmerr"
)

const usage = `
  -l, --list   causes all known error codes to be listed
`

// newCommand returns the command. Only its first argument may be an option (commands.md T8).
func newCommand(env *cli.Env) cli.Func {
	return func(context.Context) error { return run(env, env.Args) }
}

func run(env *cli.Env, args []string) error {
	if len(args) > 0 {
		if done, err := scan(env, args[0]); done {
			return err
		}
	}
	for _, arg := range args {
		explain(env, arg)
	}
	return nil
}

// scan handles the first argument if it is an option, and reports whether that is all there is to
// do. A minus sign with a hexadecimal digit is not an option. Usage texts go to standard error, whatever
// PCP_STDERR says: the reference prints them without pmprintf.
func scan(env *cli.Env, arg string) (done bool, err error) {
	switch {
	case arg == "-l" || arg == "--list":
		list(env)
	case arg == "-?" || arg == "--help":
		fmt.Fprintf(env.Stderr, "Usage: %s [options] [code]\n%s", env.Prog, usage)
	case arg == "" || arg[0] != '-' || len(arg) > 1 && strings.IndexByte("0123456789abcdefABCDEF", arg[1]) >= 0:
		return false, nil
	default:
		fmt.Fprintf(env.Stderr, "Illegal option -- %s\nUsage: %s [options] [code]\n%s", arg[1:], env.Prog, usage)
	}
	return true, cli.Exit(1)
}

func list(env *cli.Env) {
	fmt.Fprintln(env.Out, "  Code  Symbolic Name          Message")
	for code := range pmerr.All() {
		fmt.Fprintf(env.Out, "%6d  %-22s %v\n", int32(code), code.Name(), code)
	}
}

// explain prints what one code means. A positive code stands for its negation.
func explain(env *cli.Env, arg string) {
	code, ok := decode(arg)
	if !ok {
		fmt.Fprintf(env.Out, "Cannot decode \"%s\" - neither decimal nor hexadecimal\n", arg)
		return
	}
	if code > 0 {
		code = -code
		fmt.Fprintf(env.Out, "Code is positive, assume you mean %d\n", int32(code))
	}
	fmt.Fprintf(env.Out, "Code: %d 0x%x Text: %v\n", int32(code), uint32(code), code)
}

// decode parses a code: a hexadecimal number if the whole argument is one, or else the decimal
// number that it begins with. Only the low 32 bits count.
func decode(arg string) (pmerr.Code, bool) {
	if n, ok := hexNumber(arg); ok {
		return pmerr.Code(int32(n)), true
	}
	n, rest := option.LeadingNumber(arg)
	return pmerr.Code(int32(n)), rest != arg
}

// hexNumber parses 0x and hexadecimal digits. Overflow saturates.
func hexNumber(arg string) (n uint64, ok bool) {
	digits, ok := strings.CutPrefix(strings.ToLower(arg), "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	return n, ok && !errors.Is(err, strconv.ErrSyntax)
}
