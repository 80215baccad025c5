package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
)

// Some commands are not the reference's, and let pflag scan their arguments. They
// begin with Plain and add the shared options to flag sets of their own.

// SharedFlags adds options that mean the same in every command, by their long
// names, to a flag set. It panics if there is no such option. What they ask for
// stands in Options.
func (c *Command) SharedFlags(fs *pflag.FlagSet, long ...string) {
	all := c.sharedOptions()
	for _, name := range long {
		found := false
		for _, s := range all {
			if s.long == name {
				fs.AddFlag(s.flag())
				found = true
			}
		}
		if !found {
			panic("cli: no shared option " + name)
		}
	}
}

// flag returns a shared option as a flag of pflag's.
func (s *sharedOption) flag() *pflag.Flag {
	f := &pflag.Flag{Name: s.long, Shorthand: s.short, Usage: s.text, Value: &value{word: s.word, set: s.set}}
	if s.word == "" {
		f.NoOptDefVal = "true"
	}
	return f
}

// ReadEnvironment gives the variables of the environment to the shared options that
// they stand for. The error joins all that was wrong.
func (c *Command) ReadEnvironment() error {
	var errs []error
	c.Options.Container = c.Env.Getenv("PCP_CONTAINER")
	for _, e := range c.environment() {
		if arg, ok := c.Env.LookupEnv(e.name); ok {
			if err := e.set(arg); err != nil {
				errs = append(errs, fmt.Errorf("$%s: %w", e.name, err))
			}
		}
	}
	return errors.Join(errs...)
}
