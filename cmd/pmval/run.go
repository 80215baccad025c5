package main

import (
	"context"
	"fmt"

	"pmtools/cmd/internal/cli"
	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// local is what pmval says when there is no local context.
const local = "Cannot establish local context"

// run reads the operand, opens the source that the options and the operand ask
// for, and shows the metric.
func (f *flags) run(ctx context.Context, c *cli.Command, defs *cli.Definitions, args []string) error {
	spec, err := f.operand(c, args)
	if err != nil {
		return err
	}
	if err := c.CheckSource(func() { f.check(c) }); err != nil {
		return err
	}
	config := c.Env.Config()
	if err := config.Err(); err != nil {
		return err
	}
	defs.LoadDefault()
	src, err := f.open(ctx, c, defs)
	if err != nil {
		return err
	}
	defer src.Close()
	kind, _ := c.Options.Source()
	s := &session{flags: f, env: c.Env, options: &c.Options, src: src, kind: kind}
	err = s.run(ctx, spec.metric)
	if !s.complete {
		// Where the reference ends early it closes nothing, and does not tell of it.
		defs.Registry().SetDebug(derive.Debug{})
	}
	return err
}

// operand takes the one operand apart and puts what it says about the source into
// the options. What is wrong with it does not keep other mistakes from being told.
func (f *flags) operand(c *cli.Command, args []string) (metricSpec, error) {
	switch {
	case len(args) == 0:
		return metricSpec{}, cli.UsageError("error - no metricname specified")
	case len(args) > 1:
		return metricSpec{}, cli.UsageError("error - too many arguments")
	}
	spec, err := parseSpec(args[0])
	if err != nil {
		c.Complain(err.Error())
		return spec, nil
	}
	if spec.hasInsts {
		f.insts, f.hasInsts, f.fromOperand = spec.insts, true, true
	}
	o := &c.Options
	switch {
	case spec.kind == specLocal:
		o.Local = true
	case spec.kind == specHost && o.HasArchive || spec.kind == specArchive && o.HasHost:
		c.Complain(c.Env.Prog + ": only one host or archive allowed\n")
	case spec.kind == specHost:
		o.Host, o.HasHost = spec.source, true
	case spec.kind == specArchive:
		o.Archive, o.HasArchive = spec.source, true
	}
	return spec, nil
}

// check reports options that the kind of source has no use for. As in the
// reference there is no newline behind the first text.
func (f *flags) check(c *cli.Command) {
	kind, _ := c.Options.Source()
	if f.recorded && kind != cli.Archive {
		c.Complain(c.Env.Prog + ": uninterpolated mode can only be used with archives")
	}
	switch {
	case f.delay && kind != cli.Archive:
		c.Complain(c.Env.Prog + ": delay can only be used with archives\n")
	case f.delay && c.Options.GUI:
		c.Complain(c.Env.Prog + ": guiflag cannot be used with delay\n")
	}
}

// open opens the source that the options ask for, with the names of -n and the
// derived metrics.
func (f *flags) open(ctx context.Context, c *cli.Command, defs *cli.Definitions) (*derive.Source, error) {
	c.Interpolates = !f.recorded
	src, err := c.Open(ctx, local, f.names)
	if err != nil {
		return nil, err
	}
	return derive.NewSource(src, defs.Registry(), &derive.Options{Equivalent: c.Env.Equivalence()}), nil
}

// run shows a metric of the source.
func (s *session) run(ctx context.Context, name string) error {
	if t, ok := pmapi.As[pmapi.Timeline](s.src); ok {
		s.timeline = t
	} else {
		s.identify(ctx)
	}
	if err := s.setTime(ctx); err != nil {
		return err
	}
	if err := s.find(ctx, name); err != nil {
		return err
	}
	if err := s.store(ctx); err != nil {
		return err
	}
	if s.timeControl() {
		return s.controlled()
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	return s.loop(ctx)
}

// find looks the metric and its instances up.
func (s *session) find(ctx context.Context, name string) error {
	rs, err := s.src.Lookup(ctx, []string{name})
	if err == nil {
		err = rs[0].Err
	}
	if err != nil {
		return fmt.Errorf("pmLookupName(%s): %s", name, reason(err))
	}
	id := rs[0].Value
	ds, err := s.src.Describe(ctx, []pcp.ID{id})
	if err == nil {
		err = ds[0].Err
	}
	if err != nil {
		return fmt.Errorf("pmLookupDesc: %s", reason(err))
	}
	s.name, s.desc = name, ds[0].Value
	s.request.IDs = []pcp.ID{id}
	if s.desc.InDom == pcp.NullInDom {
		if s.fromOperand {
			return fmt.Errorf("%s: singular metrics do not have instances", name)
		}
		s.columns = []column{{inst: pcp.NullInst}}
		return nil
	}
	return s.findInstances(ctx)
}
