package cli

import (
	"context"
	"errors"

	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// Open opens the source that the options ask for, under the names of -n if names is
// not nil. What is wrong with a host specification is said through the message
// channel; the error is what the command says then. local is as for SourceError.
func (c *Command) Open(ctx context.Context, local string, names *pmns.Tree) (pmapi.Source, error) {
	src, err := c.open(ctx, local)
	if err != nil || names == nil {
		return src, err
	}
	return pmapi.WithNames(src, names), nil
}

// open opens the source under its own names.
func (c *Command) open(ctx context.Context, local string) (pmapi.Source, error) {
	kind, name := c.Options.Source()
	var src pmapi.Source
	var err error
	switch kind {
	case Archive:
		src, err = pmapi.OpenArchive(name, c.archiveOptions())
	case Local:
		src = c.local()
	default:
		src, err = pmapi.OpenHost(ctx, name, c.dialer())
		if bad, ok := errors.AsType[*pmcd.SpecError](err); ok {
			c.Env.Messages.Print(bad.Message())
			c.Env.Messages.Flush()
		}
		if kind == DefaultHost && noDaemon(err) {
			c.Env.Errorf("no pmcd on this host (%v), using the collectors inside %s", pmerr.Of(err), c.Env.Prog)
			src, err = c.local(), nil
		}
	}
	if err != nil {
		return nil, SourceError(kind, name, local, err)
	}
	return src, nil
}

// dialer returns what connects to daemons as the environment and the options say.
func (c *Command) dialer() *pmcd.Dialer {
	d := pmcd.DialerFromEnv(c.Env.LookupEnv, c.Env.Config().Get, func(text string) { c.Env.Notify("Warning: " + text) })
	d.Prompt = prompt
	if c.Options.Container != "" {
		d.Container = &c.Options.Container
	}
	return d
}
