package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/source"
	"pmtools/derive"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

func (f *flags) run(ctx context.Context, c *command.Command, open *source.Opener, args []string) error {
	env := c.Env
	env.OwnForm = f.show.json
	config := env.Config()
	if err := config.Err(); err != nil {
		return err
	}
	if kind, _ := c.Options.Source(); kind != option.Archive && f.batch < 0 {
		return fmt.Errorf("namelist malloc: %w", pmerr.Of(syscall.ENOMEM))
	}
	src, err := f.open(ctx, open, &c.Options)
	if err != nil {
		return err
	}
	defer source.Leave(src)
	r := &reporter{show: f.show, batch: max(f.batch, 1), src: src, printer: printer{prog: env.Prog, out: env.Out, errs: env.Stderr}}
	r.traced = open.Traced()
	r.labelled = make(map[pcp.LabelKind]*labelCache)
	if _, recorded := pmapi.As[pmapi.Timeline](src); recorded {
		r.batch = 1 // metrics are read one at a time
	} else {
		r.ahead = !f.batchSet
	}
	r.known = sync.OnceValue(func() func(uint32) bool { return knownDomains(config, env) })
	_, r.values.Squash = env.LookupEnv("PCP_SQUASH_NEWLINES")
	if err := r.timeOptions(ctx, env, &c.Options); err != nil {
		return err
	}
	if !register(ctx, env, src, f.registrations) || !r.operands(ctx, args) {
		return cli.Exit(1)
	}
	return nil
}

// open opens the source. Names and identifiers of -n need no daemon; then, as in the reference, the
// files of derived metrics that every command loads are not loaded.
func (f *flags) open(ctx context.Context, open *source.Opener, o *option.Options) (*derive.Source, error) {
	if kind, _ := o.Source(); kind == option.DefaultHost && open.Names() != nil && !f.show.needsSource() && len(f.registrations) == 0 {
		return open.Derive(pmapi.WithNames(nil, open.Names())), nil
	}
	return open.Open(ctx)
}

func (r *reporter) timeOptions(ctx context.Context, env *cli.Env, o *option.Options) (err error) {
	r.values.Location = env.Zone()
	if _, recorded := pmapi.As[pmapi.Timeline](r.src); !recorded {
		return nil
	}
	var note string
	if r.values.Location, note, err = source.Zone(ctx, env, o, r.src); err != nil {
		return env.Messages.Refuse(err)
	}
	if !r.show.json {
		env.Out.WriteString(note)
	}
	if !o.HasOrigin {
		return nil
	}
	only := option.Options{Origin: o.Origin, HasOrigin: true}
	w, err := only.Window(source.Base(ctx, env, o, r.src, r.values.Location))
	if err != nil {
		return env.Messages.Refuse(err)
	}
	r.origin = pcp.TimestampOf(w.Origin)
	return nil
}

// register defines the metrics of -r. It returns false if one failed.
func register(ctx context.Context, env *cli.Env, src *derive.Source, registrations []string) bool {
	ok := true
	for _, reg := range registrations {
		if err := registerOne(ctx, src, reg); err != nil {
			env.Errorf("%v", err)
			ok = false
		}
	}
	return ok
}

func registerOne(ctx context.Context, src *derive.Source, reg string) error {
	name := reg[:max(strings.IndexAny(reg, "= \t"), 0)]
	expr, found := strings.CutPrefix(strings.TrimLeft(reg[len(name):], " \t"), "=")
	expr = strings.TrimLeft(expr, " \t")
	switch {
	case !found:
		return errors.New("bad register string, no =")
	case expr == "":
		return errors.New("bad register string, no expr after =")
	}
	err := src.Add(ctx, name, expr)
	if err == nil {
		return nil
	}
	text := pmerr.Message(err)
	if lines := derive.Message(err); lines != "" {
		text = strings.TrimSuffix(lines, "\n")
	}
	return errors.New("per-context derived metric registration error:\n" + text)
}
