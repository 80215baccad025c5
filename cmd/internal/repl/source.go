package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/sampling"
)

// connect makes sure that there is a source that answers: it opens the first one when it is needed,
// and reconnects if the connection was lost.
func (s *Session) connect(ctx context.Context) error {
	if s.src == nil {
		src, err := s.open(ctx, s.kind, s.name)
		if err != nil {
			return err
		}
		kind := s.kind
		if _, daemon := pmapi.As[*pmapi.Host](src); kind == Default && !daemon {
			kind = Local // what there is instead
		}
		s.use(src, kind, s.name)
		return nil
	}
	if !s.lost {
		return nil
	}
	if err := pmapi.Reconnect(ctx, s.src); err != nil {
		return &diagnose.Problem{Msg: "the connection cannot be made again: " + err.Error(), Err: err}
	}
	s.lost, s.full = false, nil
	s.forget()
	return nil
}

func (s *Session) open(ctx context.Context, kind, name string) (pmapi.Source, error) {
	if s.opt.Open == nil {
		return nil, query.Problemf("there is no source")
	}
	src, err := s.opt.Open(ctx, kind, name)
	if err != nil {
		return nil, diagnose.From(err)
	}
	return src, nil
}

func (s *Session) use(src pmapi.Source, kind, name string) {
	var step time.Duration
	if s.src != nil {
		step = s.src.Step
	}
	s.src, s.kind, s.name, s.lost, s.full, s.children = query.NewSource(src), kind, name, false, nil, nil
	s.src.Equivalent, s.src.Step, s.recorded = s.opt.Equivalent, step, nil
}

func (s *Session) live() bool { return s.fleet != nil || s.src == nil || s.src.Line == nil }

func (s *Session) useFleet(hosts []string) {
	s.kind, s.name, s.fleet = Host, hosts[0], query.NewFleet(hosts)
	s.fleet.Open, s.fleet.Report, s.fleet.Equivalent = s.opt.OpenHost, s.opt.Report, s.opt.Equivalent
}

func (s *Session) closeFleet() error {
	if s.fleet == nil {
		return nil
	}
	return s.fleet.Close()
}

func (s *Session) noteLost(err error) error {
	if s.src == nil || err == nil || s.kind == Local || s.kind == Archive {
		return err
	}
	if _, idle := errors.AsType[*sampling.IdleError](err); idle {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		s.lost = true // a request that was cut short leaves the connection useless
		return err
	}
	s.lost = s.lost || query.IsLost(err)
	return query.Lost(err)
}

// all returns the source with all definitions. Those that do not fit it are not listed.
func (s *Session) all(ctx context.Context) *derive.Source {
	if s.full != nil {
		return s.full
	}
	s.full = s.binder().Derived
	return s.full
}

func newSource() *Verb {
	return &Verb{
		Name: "source", Usage: "[host SPEC ... | [archive] SET | local]",
		Short:    "Show or change the source of metrics: values of several hosts are shown together; SET may be a folio, which :record writes",
		Operands: Text, Most: 1, Complete: ofSource, New: plain(runSource), // a password may have blanks
	}
}

func runSource(ctx context.Context, s *Session, args []string, w io.Writer) error {
	if len(args) == 0 {
		return s.showSource(ctx, w)
	}
	arg := args[0]
	kind, name, _ := strings.Cut(arg, " ")
	name = strings.TrimSpace(name)
	switch {
	case kind == Local && name == "", kind == Host && name != "", kind == Archive && name != "":
	case name == "" && kind != Host && kind != Archive:
		kind, name = Archive, arg
	default:
		return query.Problemf("usage: :source host SPEC ..., :source archive SET or :source local")
	}
	var hosts []string
	if list := hostList(name); kind == Host && len(list) > 1 {
		if err := query.CheckHosts(list); err != nil {
			return err
		}
		hosts, name = list, list[0]
	}
	src, err := s.open(ctx, kind, name)
	if p, ok := errors.AsType[*diagnose.Problem](err); ok && name == arg && strings.ContainsAny(name, ":") {
		p.Notes = []string{":source host " + pmcd.Redact(name) + " asks a host"}
	}
	if err != nil {
		return err
	}
	if s.src != nil {
		s.src.Close()
	}
	err = s.closeFleet()
	s.use(src, kind, name)
	if s.fleet = nil; hosts != nil {
		s.useFleet(hosts)
	}
	if err != nil {
		return err
	}
	if err := s.showSource(ctx, w); err != nil {
		return err
	}
	return s.recheck(ctx, w)
}

// hostList returns the hosts of a list with blanks between them. A password may have blanks: a
// specification that has one goes on to the end.
func hostList(text string) (list []string) {
	for {
		text = strings.TrimSpace(text)
		end := strings.IndexFunc(text, unicode.IsSpace)
		if end < 0 || pmcd.Redact(text[:end]) != text[:end] {
			return append(list, text)
		}
		list, text = append(list, text[:end]), text[end:]
	}
}

func (s *Session) showSource(ctx context.Context, w io.Writer) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	what := s.kind
	if s.fleet != nil {
		fmt.Fprintf(w, "%s; %s answers questions about metrics\n", textwidth.Plural(len(s.fleet.Hosts()), "host"), pmcd.Redact(s.name))
		return nil
	}
	switch s.kind {
	case Default:
		what = "local daemon"
	case Local:
		what = "local collectors"
	case Host, Archive:
		what += " " + pmcd.Redact(s.name)
	}
	if host, err := pmapi.HostName(ctx, s.src); err == nil && host != "" && host != s.name {
		what += ", metrics of " + host
	}
	fmt.Fprintln(w, what)
	return nil
}

func (s *Session) recheck(ctx context.Context, w io.Writer) error {
	b := s.binder()
	found, err := b.Check(ctx, s.defs.Own())
	for i, x := range found {
		switch d := s.defs.Own()[i]; {
		case x.Err != nil:
			fmt.Fprintf(w, "%s does not fit this source: %s\n", d.Name(), b.Problem(ctx, d.String(), x.Err).Msg)
		case x.Masked:
			fmt.Fprintf(w, "%s is hidden: this source has a metric of that name\n", d.Name())
		}
	}
	return err
}
