package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/source"
	"pmtools/derive"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

// run opens the source and reports on the operands.
func (f *flags) run(ctx context.Context, c *command.Command, open *source.Opener, args []string) error {
	env := c.Env
	config := env.Config()
	if err := config.Err(); err != nil {
		return err
	}
	if f.batch < 0 {
		return fmt.Errorf("namelist malloc: %w", pmerr.Of(syscall.ENOMEM))
	}
	src, err := f.open(ctx, open, &c.Options)
	if err != nil {
		return err
	}
	defer src.Unwrap().Close()
	f.batch = max(f.batch, 1)
	r := &reporter{flags: f, prog: env.Prog, src: src, out: env.Out, errs: env.Stderr,
		labelled: map[pcp.LabelKind]*labelCache{}}
	if _, recorded := pmapi.As[pmapi.Timeline](src); recorded {
		r.batch = 1 // each metric is looked for on its own
	} else {
		r.ahead = !f.batchSet
	}
	if f.verify {
		r.known = knownDomains(config, env)
	}
	_, r.values.Squash = env.LookupEnv("PCP_SQUASH_NEWLINES")
	if err := r.timeOptions(env, &c.Options); err != nil {
		return err
	}
	if !register(ctx, env, src, f.registrations) || !r.operands(ctx, args) {
		return cli.Exit(1)
	}
	return nil
}

// open opens the source. Names and identifiers of -n need none.
func (f *flags) open(ctx context.Context, open *source.Opener, o *option.Options) (*derive.Source, error) {
	if kind, _ := o.Source(); kind == option.DefaultHost && open.Names() != nil && !f.needsSource() {
		open.LoadDefault()
		return open.Derive(pmapi.WithNames(nil, open.Names())), nil
	}
	return open.Open(ctx)
}

// timeOptions applies -z, -Z and -O to an archive.
func (r *reporter) timeOptions(env *cli.Env, o *option.Options) error {
	r.values.Location = env.Zone()
	t, ok := pmapi.As[pmapi.Timeline](r.src)
	if !ok {
		return nil
	}
	switch {
	case o.HostZone:
		host, zone := t.Host()
		if err := r.setZone(zone); err != nil {
			return fmt.Errorf("Cannot set context timezone: %w", pmerr.Of(err))
		}
		fmt.Fprintf(env.Out, "Note: timezone set to local timezone of host \"%s\" from archive\n\n", host)
	case o.HasTimezone:
		if err := r.setZone(o.Timezone); err != nil {
			return fmt.Errorf("Cannot set timezone to \"%s\": %w", o.Timezone, pmerr.Of(err))
		}
		fmt.Fprintf(env.Out, "Note: timezone set to \"TZ=%s\"\n\n", o.Timezone)
	}
	if !o.HasOrigin {
		return nil
	}
	return r.setOrigin(env, o, t)
}

// setZone makes zone the reporting zone.
func (r *reporter) setZone(zone string) error {
	if err := when.CheckZone(zone); err != nil {
		return err
	}
	r.values.Location = when.LoadZone(zone)
	return nil
}

// setOrigin applies -O.
func (r *reporter) setOrigin(env *cli.Env, o *option.Options, t pmapi.Timeline) error {
	start, end, err := t.Bounds()
	base := when.Base{Start: start.Time(), Now: env.Now(), Zone: r.values.Location}
	if err != nil {
		fmt.Fprintf(env.Stderr, "%s: Cannot locate end of archive %s: %s\n\n"+
			"WARNING: This archive is sufficiently damaged that it may not be possible to\n"+
			"         produce complete information.  Continuing and hoping for the best.\n\n",
			env.Prog, o.Archive, reason(err))
	} else {
		base.End = end.Time()
	}
	only := option.Options{Origin: o.Origin, HasOrigin: true}
	w, err := only.Window(base)
	if err != nil {
		return err
	}
	r.origin = pcp.TimestampOf(w.Origin)
	return nil
}

// register defines the metrics of -r. It returns false if one failed.
func register(ctx context.Context, env *cli.Env, src *derive.Source, registrations []string) bool {
	ok := true
	fail := func(format string, args ...any) {
		env.Errorf(format, args...)
		ok = false
	}
	for _, reg := range registrations {
		i := strings.IndexAny(reg, "= \t")
		if i < 0 {
			fail("bad register string, no =")
			continue
		}
		name, rest := reg[:i], strings.TrimLeft(reg[i:], " \t")
		expr, found := strings.CutPrefix(rest, "=")
		expr = strings.TrimLeft(expr, " \t")
		switch {
		case !found:
			fail("bad register string, no =")
		case expr == "":
			fail("bad register string, no expr after =")
		default:
			var bad *derive.Error
			if err := src.Add(ctx, name, expr); errors.As(err, &bad) {
				fail("per-context derived metric registration error:\n%s", strings.TrimSuffix(bad.Message(), "\n"))
			} else if err != nil {
				fail("per-context derived metric registration error:\n%s", reason(err))
			}
		}
	}
	return ok
}
