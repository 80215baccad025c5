package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/source"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// run reads the operand, opens the source that the options and the operand ask for, and shows the
// metric.
func (f *flags) run(ctx context.Context, c *command.Command, open *source.Opener, args []string) error {
	m, err := f.operand(c, args)
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
	c.Env.OwnForm = f.output != "" || f.plot
	open.Interpolates = !f.recorded
	src, err := open.Open(ctx)
	if err != nil {
		return err
	}
	defer source.Leave(src)
	s := &session{flags: f, env: c.Env, options: &c.Options, opened: opened{src: src}}
	err = s.run(ctx, m.Name)
	if s.complete {
		src.Close()
	}
	return err
}

// severalHint returns a line that names the command for several metrics, or "" if output is not a
// terminal.
func severalHint(env *cli.Env) string {
	if !cli.IsTerminal(env.Stderr) {
		return ""
	}
	return env.Prog + ": pmderive eval shows several metrics, all below a name, and expressions\n"
}

// operand parses the one operand and sets the source of the options from it. An error in it does
// not hide other errors.
func (f *flags) operand(c *command.Command, args []string) (option.Metric, error) {
	switch {
	case len(args) == 0:
		return option.Metric{}, c.UsageError("error - no metricname specified")
	case len(args) > 1:
		err := c.UsageError("error - too many arguments")
		c.Env.Messages.Print(severalHint(c.Env))
		return option.Metric{}, err
	case f.plot && f.output != "":
		c.Env.Errorf("--plot and --output exclude each other")
		return option.Metric{}, cli.Exit(1)
	}
	m, err := option.ParseMetric(args[0])
	if err != nil {
		c.Complain(err.Error())
		return m, nil
	}
	if m.Instances != nil {
		f.insts, f.hasInsts, f.fromOperand = m.Instances, true, true
	}
	if err := c.Options.SetSource(m); err != nil {
		c.Complain(c.Env.Prog + ": " + err.Error() + "\n")
	}
	return m, nil
}

// check reports options that the kind of source has no use for. As in the reference there is no
// newline after the first text.
func (f *flags) check(c *command.Command) {
	kind, _ := c.Options.Source()
	if f.recorded && kind != option.Archive {
		c.Complain(c.Env.Prog + ": uninterpolated mode can only be used with archives")
	}
	switch {
	case f.delay && kind != option.Archive:
		c.Complain(c.Env.Prog + ": delay can only be used with archives\n")
	case f.delay && c.Options.GUI:
		c.Complain(c.Env.Prog + ": guiflag cannot be used with delay\n")
	}
}

func (s *session) run(ctx context.Context, name string) error {
	if t, ok := pmapi.As[pmapi.Timeline](s.src); ok {
		s.timeline = t
	} else {
		s.identify(ctx)
	}
	if err := s.findHost(ctx); err != nil {
		return err
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
	if s.flags.output == "" && !s.redrawn() {
		s.env.Out.WriteString(s.space())
	}
	if s.options.GUI || s.options.GUIPort > 0 {
		if err := s.connectControl(ctx); err != nil {
			return err
		}
		defer s.control.conn.Close()
	}
	if err := s.start(); err != nil {
		return err
	}
	return s.loop(ctx)
}

func (s *session) find(ctx context.Context, name string) error {
	id, err := pmapi.LookupName(ctx, s.src, name)
	if err != nil {
		text := fmt.Sprintf("pmLookupName(%s): %s", name, pmerr.Message(err))
		if hint := severalHint(s.env); hint != "" && errors.Is(err, pmerr.NonLeaf) {
			text += "\n" + strings.TrimSuffix(hint, "\n")
		}
		return errors.New(text)
	}
	if s.desc, err = pmapi.LookupDesc(ctx, s.src, id); err != nil {
		return fmt.Errorf("pmLookupDesc: %s", pmerr.Message(err))
	}
	s.name = name
	s.request.IDs = []pcp.ID{id}
	if s.desc.InDom == pcp.NullInDom {
		if s.flags.fromOperand {
			return fmt.Errorf("%s: singular metrics do not have instances", name)
		}
		s.columns = []column{{inst: pcp.NullInst}}
		return nil
	}
	return s.findInstances(ctx)
}
