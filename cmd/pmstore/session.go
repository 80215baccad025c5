package main

import (
	"context"
	"errors"
	"fmt"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

type session struct {
	*flags
	env     *cli.Env
	src     pmapi.Source
	format  format.Options
	name    string
	local   bool // names are those of -n
	desc    pcp.Desc
	request pmapi.Request
	old     pcp.Result // the values before
	now     pcp.Result // with -F, the values afterwards
}

// run stores text. The first error ends it (commands.md T7.1).
func (s *session) run(ctx context.Context, text string) error {
	for _, step := range []func(context.Context) error{s.find, s.selectInsts, s.fetchOld} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	v, err := s.parse(text)
	if err != nil {
		return err
	}
	insts := s.old.Sets[0].Insts
	if len(insts) == 0 {
		if !s.force {
			return s.fail("%s: No value(s) available!", s.name)
		}
		insts = []int32{0} // as in the reference, whatever -i says
	}
	stored := column(s.desc.ID, v, insts)
	if err := pmapi.Store(ctx, s.src, []pcp.Values{stored}); err != nil {
		return s.fail("%s: new value=\"%s\" pmStore: %s", s.name, text, pmerr.Message(err))
	}
	if !s.fetch {
		s.report(ctx, &stored)
		return nil
	}
	if err := s.src.Fetch(ctx, &s.request, &s.now); err != nil {
		return s.fail("%s: post pmFetch: %s", s.name, pmerr.Message(err))
	}
	s.report(ctx, &s.now.Sets[0])
	return nil
}

// fail reports on standard output, as the reference does, why nothing was stored.
func (s *session) fail(format string, args ...any) error {
	fmt.Fprintf(s.env.Out, format+"\n", args...)
	return cli.Exit(1)
}

// find looks the metric up. It rejects types without a text form.
func (s *session) find(ctx context.Context) error {
	id, err := s.lookup(ctx)
	if err != nil {
		return s.fail("%s: pmLookupName: %s", s.name, pmerr.Message(err))
	}
	if s.desc, err = pmapi.LookupDesc(ctx, s.src, id); err != nil {
		return s.fail("%s: pmLookupDesc: %s", s.name, pmerr.Message(err))
	}
	s.request.IDs = []pcp.ID{id}
	switch s.desc.Type {
	case pcp.Aggregate, pcp.AggregateStatic:
		return errors.New("Cannot modify values for PM_TYPE_AGGREGATE metrics")
	case pcp.Event, pcp.HighResEvent:
		return errors.New("Cannot modify values for event type metrics")
	}
	return nil
}

func (s *session) lookup(ctx context.Context) (pcp.ID, error) {
	if s.name == "" && !s.local {
		return 0, pmerr.IPC // the answer of a daemon to an empty name
	}
	return pmapi.LookupName(ctx, s.src, s.name)
}

func (s *session) selectInsts(ctx context.Context) error {
	for _, name := range s.insts {
		inst, err := s.lookupInst(ctx, name)
		if err != nil {
			return s.fail("pmLookupInDom %s[%s]: %s", s.name, name, pmerr.Message(err))
		}
		if s.request.Profile == nil {
			s.request.Profile = new(pcp.Profile)
		}
		s.request.Profile.Add(s.desc.InDom, inst)
	}
	return nil
}

func (s *session) lookupInst(ctx context.Context, name string) (int32, error) {
	if s.desc.InDom == pcp.NullInDom {
		return 0, pmerr.InDom
	}
	return s.src.LookupInst(ctx, s.desc.InDom, name)
}

func (s *session) fetchOld(ctx context.Context) error {
	if err := s.src.Fetch(ctx, &s.request, &s.old); err != nil {
		return s.fail("%s: pre pmFetch: %s", s.name, pmerr.Message(err))
	}
	if code := s.old.Sets[0].Err; code != nil {
		return s.fail("%s: Error: %s", s.name, code.Error())
	}
	return nil
}

func (s *session) parse(text string) (pcp.Value, error) {
	v, err := pcp.ParseValue(s.desc.Type, text)
	if err == nil {
		return v, nil
	}
	what := "is out of range for"
	if errors.Is(err, pmerr.Type) {
		what = "is incompatible with"
	}
	fmt.Fprintf(s.env.Stderr, "The value \"%s\" %s the data type (PM_TYPE_%s)\n", text, what, s.desc.Type)
	return v, cli.Exit(1)
}

func column(id pcp.ID, v pcp.Value, insts []int32) pcp.Values {
	c := pcp.Values{ID: id, Type: v.Type()}
	for _, inst := range insts {
		c.Append(inst, v)
	}
	return c
}
