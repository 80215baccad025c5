package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
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
		if _, daemon := pmapi.As[pmapi.Reconnecter](src); kind == Default && !daemon {
			kind = Local // what there is instead
		}
		s.use(src, kind, s.name)
		return nil
	}
	if !s.lost {
		return nil
	}
	r, ok := pmapi.As[pmapi.Reconnecter](s.src)
	if !ok {
		return nil
	}
	if err := r.Reconnect(ctx); err != nil {
		return &Problem{Msg: "the connection cannot be made again: " + err.Error(), Err: err}
	}
	s.lost, s.full = false, nil
	s.cache.forget()
	return nil
}

// open opens a source.
func (s *Session) open(ctx context.Context, kind, name string) (pmapi.Source, error) {
	if s.opt.Open == nil {
		return nil, problemf("there is no source")
	}
	src, err := s.opt.Open(ctx, kind, name)
	if err != nil {
		return nil, &Problem{Msg: err.Error(), Err: err}
	}
	return src, nil
}

// use makes src the source.
func (s *Session) use(src pmapi.Source, kind, name string) {
	s.src, s.kind, s.name, s.lost, s.full = src, kind, name, false, nil
	s.cache.forget()
	s.timeline.begin(src)
}

// noteLost remembers that a connection is gone, and says so.
func (s *Session) noteLost(err error) error {
	if s.src == nil || err == nil {
		return err
	}
	if _, ok := pmapi.As[pmapi.Reconnecter](s.src); !ok {
		return err
	}
	_, idle := errors.AsType[idleError](err)
	switch {
	case idle:
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		s.lost = true // a request that was cut short leaves the connection useless
		return err
	case !errors.Is(err, pmerr.IPC) && !errors.Is(err, pmerr.Timeout) && !errors.Is(err, pmerr.EOF):
		return err
	}
	s.lost = true
	return &Problem{Msg: "connection lost: " + err.Error(), Notes: []string{"the next item connects again"}, Err: err}
}

// all returns the source with all definitions. Those that do not fit it are not listed.
func (s *Session) all(ctx context.Context) *derive.Source {
	if s.full != nil {
		return s.full
	}
	s.full = s.binder(ctx).src
	for _, d := range s.defs.own {
		for kind, text := range map[pcp.TextKind]string{pcp.OneLine: d.OneLine, pcp.Help: d.Help} {
			if text != "" {
				_ = s.full.AddText(d.Name, kind, text)
			}
		}
	}
	return s.full
}

// runSource shows or changes the source.
func runSource(ctx context.Context, s *Session, arg string, w io.Writer) error {
	if arg == "" {
		return s.showSource(ctx, w)
	}
	kind, name, _ := strings.Cut(arg, " ")
	name = strings.TrimSpace(name)
	switch {
	case kind == Local && name == "", kind == Host && name != "", kind == Archive && name != "":
	default:
		return problemf("usage: :source host SPEC ..., :source archive SET or :source local")
	}
	var hosts []string
	if list := strings.Fields(name); kind == Host && len(list) > 1 {
		if err := CheckHosts(list); err != nil {
			return err
		}
		hosts, name = list, list[0]
	}
	src, err := s.open(ctx, kind, name)
	if err != nil {
		return err
	}
	if s.src != nil {
		s.src.Close()
	}
	err = s.closePeers()
	s.use(src, kind, name)
	if s.hosts = hosts; err != nil {
		return err
	}
	if err := s.showSource(ctx, w); err != nil {
		return err
	}
	return s.recheck(ctx, w)
}

// showSource shows the source.
func (s *Session) showSource(ctx context.Context, w io.Writer) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	what := s.kind
	if s.hosts != nil {
		fmt.Fprintf(w, "%s; %s answers questions about metrics\n", plural(len(s.hosts), "host"), pmcd.Redact(s.name))
		return nil
	}
	switch s.kind {
	case Default:
		what = "local daemon"
	case Local:
		what = "local collectors"
	case Host:
		what += " " + pmcd.Redact(s.name)
	case Archive:
		what += " " + s.name
	}
	if host, err := pmapi.HostName(ctx, s.src); err == nil && host != "" && host != s.name {
		what += ", metrics of " + host
	}
	fmt.Fprintln(w, what)
	return nil
}

// recheck lists the definitions that do not fit the source.
func (s *Session) recheck(ctx context.Context, w io.Writer) error {
	b := s.binder(ctx)
	found, err := b.check(ctx, s.defs.own)
	for i, x := range found {
		switch d := s.defs.own[i]; {
		case x.Err != nil:
			fmt.Fprintf(w, "%s does not fit this source: %s\n", d.Name, b.problem(d.Expr, x.Err).Msg)
		case x.Masked:
			fmt.Fprintf(w, "%s is hidden: this source has a metric of that name\n", d.Name)
		}
	}
	return s.noteLost(err)
}

// catalogue returns the names of the metrics of the source; an error gives none.
func (s *Session) catalogue(ctx context.Context) []string {
	if s.cache.names == nil && s.src != nil {
		names := []string{}
		err := s.src.Walk(ctx, "", func(name string, _ pcp.ID) bool {
			names = append(names, name)
			return true
		})
		if err != nil {
			return nil
		}
		s.cache.names = names
	}
	return s.cache.names
}
