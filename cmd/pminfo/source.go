package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/derive"
	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
	"pmtools/lib/when"
)

// local is what pminfo says when there is no local context.
const local = "Cannot make standalone connection on localhost"

// run opens the source and reports on the operands.
func (f *flags) run(ctx context.Context, c *cli.Command, defs *definitions, args []string) error {
	env := c.Env
	config := env.Config()
	if err := config.Err(); err != nil {
		return err
	}
	defs.loadDefault(config)
	src, err := f.open(c, defs)
	if err != nil {
		return err
	}
	defer src.Close()
	defer defs.quiet()
	r := &reporter{flags: f, prog: env.Prog, traced: defs.traced(), src: src, out: env.Out, errs: env.Stderr,
		labelled: map[pcp.LabelKind]*labelCache{}}
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

// loadNames reads the name space file of -n or -N.
func (f *flags) loadNames(env *cli.Env, file string, unique bool) error {
	if f.names != nil {
		return pmerr.DupPMNS
	}
	names, err := pmns.Load(file, &pmns.Options{
		Preprocess:  true,
		DupOK:       !unique,
		IncludeDirs: []string{env.Config().Get("PCP_VAR_DIR") + "/pmns"},
		Shell:       func(command string) ([]byte, error) { return exec.Command("sh", "-c", command).Output() },
		Warn:        func(line string) { fmt.Fprintln(env.Stderr, line) },
	})
	var bad *pmns.Error
	if errors.As(err, &bad) {
		fmt.Fprint(env.Stderr, bad.Preprocessor)
		env.Messages.Print(bad.Message)
	}
	if err != nil {
		return err
	}
	f.names = names
	return nil
}

// open opens the source that the options ask for, with the names of -n and the
// metrics of reg.
func (f *flags) open(c *cli.Command, defs *definitions) (*derive.Source, error) {
	kind, name := c.Options.Source()
	reg, opt := defs.registry(), &derive.Options{Equivalent: equivalence(c.Env)}
	switch {
	case f.names != nil && !f.needsSource() && kind == cli.DefaultHost:
		return derive.NewSource(pmapi.WithNames(nil, f.names), reg, opt), nil
	case kind != cli.Archive:
		return nil, cli.SourceError(kind, name, local, pmerr.NYI)
	}
	a, err := pmapi.OpenArchive(name, &archive.Options{Warn: notifier(c.Env)})
	if err != nil {
		return nil, cli.SourceError(kind, name, local, err)
	}
	if f.names == nil {
		return derive.NewSource(a, reg, opt), nil
	}
	f.names.Cull(a.Has)
	return derive.NewSource(pmapi.WithNames(a, f.names), reg, opt), nil
}

// notifier returns a function that writes what the library has to say: a warning
// or an error as the reference's pmNotifyErr does, anything else as it is.
func notifier(env *cli.Env) func(string) {
	return func(msg string) {
		if strings.HasPrefix(msg, "Warning: ") || strings.HasPrefix(msg, "Error: ") {
			msg = fmt.Sprintf("[%s] %s(%d) %s", env.Now().In(processZone(env)).Format("Mon Jan _2 15:04:05"), env.Prog, os.Getpid(), msg)
		}
		env.Messages.Print(msg + "\n")
		env.Messages.Flush()
	}
}

// timeOptions applies -z, -Z and -O to an archive.
func (r *reporter) timeOptions(env *cli.Env, o *cli.Options) error {
	r.values.Location = processZone(env)
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

// processZone returns the zone of the process.
func processZone(env *cli.Env) *time.Location {
	tz, set := env.LookupEnv("TZ")
	return when.Local(tz, set)
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
func (r *reporter) setOrigin(env *cli.Env, o *cli.Options, t pmapi.Timeline) error {
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
	spec := when.Spec{Origin: o.Origin}
	if o.Origin == "" {
		spec.Empty = when.PartOrigin
	}
	w, err := spec.Window(base)
	if err != nil {
		var bad *when.SyntaxError
		if errors.As(err, &bad) {
			return fmt.Errorf("invalid time window.\n%s", bad.Caret())
		}
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
