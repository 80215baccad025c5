package main

import (
	"context"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/source"
)

func (f *flags) run(ctx context.Context, c *command.Command, open *source.Opener, args []string) error {
	if len(args) != 2 {
		c.Env.Messages.Print(c.Usage())
		return cli.Exit(1)
	}
	// As in the reference, an archive in the environment means the local daemon.
	c.Options.HasArchive = false
	if err := configured(c); err != nil {
		return err
	}
	src, err := open.Open(ctx)
	if err != nil {
		return err
	}
	defer source.Leave(src)
	s := &session{flags: f, env: c.Env, src: src, name: args[0], local: open.Names() != nil}
	_, s.format.Squash = c.Env.LookupEnv("PCP_SQUASH_NEWLINES")
	s.format.Location = c.Env.Zone()
	return s.run(ctx, args[1])
}

// configured returns an error if pcp.conf cannot be read but is needed: for the derived metrics
// that every command loads, or for the socket of the local daemon.
func configured(c *command.Command) error {
	_, derived := c.Env.LookupEnv("PCP_DERIVED_CONFIG")
	_, socket := c.Env.LookupEnv("PMCD_SOCKET")
	_, host := c.Options.Source()
	if derived && (socket || host != "local:" && host != "unix:") {
		return nil
	}
	return c.Env.Config().Err()
}
