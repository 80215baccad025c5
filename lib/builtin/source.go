package builtin

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/builtin/internal/host"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// Options choose the collectors of a Source, and their files. The zero value is the default.
type Options struct {
	// Collectors are the collectors of the Source, in the order of the name space. New has no
	// others; Default has its own, and these after them.
	Collectors []Collector
	// Agents are the collectors of this package that Default has; nil means the result of Agents.
	Agents []Agent
	// Root is the directory below which proc, sys, etc and var are; "" means "/".
	Root string
	// Getenv returns the variables that select files recorded on other systems, as the reference's
	// tests set for its agents. nil means no variables.
	Getenv func(name string) string
	// CacheDir is the directory in which collectors keep the numbers of instances for the next
	// program; "" keeps them in memory.
	CacheDir string
	// MMVDir is the directory of programs' memory-mapped value files, "" for none.
	MMVDir string
	// Hostname returns the name of the host; nil means os.Hostname.
	Hostname func() (string, error)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Zone is the reporting zone of the host in the form of TZ; "" means that the metrics about it
	// are found out.
	Zone string
}

// A Collector is a provider that is made when it is first needed.
type Collector struct {
	// Name is the label "agent" of a provider that has no labels of its own.
	Name string
	// Domain is the domain of the provider.
	Domain uint32
	// Roots are the first components of the provider's names, in their order. Without them, the
	// provider is made at the first question about a name.
	Roots []string
	// Asked is set if a user has asked for this collector: a name that others have, too, is its own,
	// and so is the domain.
	Asked bool
	// New makes the provider. With an error, there is nothing in its domain.
	New func() (pmda.Provider, error)
	// Start is New for a provider that takes time, which the context of the question ends. The next question begins again then.
	Start func(ctx context.Context) (pmda.Provider, error)
}

// Source answers from collectors in this process, as the reference's local context does.
// It is a pmapi.Live Source. It may not be shared by goroutines.
type Source struct {
	opts    Options
	host    host.Host
	members []*member
	client  *pmda.Client
	part    pcp.Result // result of one provider
	request pmda.Request
	closed  bool
}

type member struct {
	Collector
	provider pmda.Provider
	names    *pmns.Tree // names of provider
	err      error      // reason of a missing provider
}

// New returns a Source of the collectors that the options list.
func New(opts *Options) *Source {
	s := &Source{client: &pmda.Client{Attrs: map[pdu.AttrCode]string{pmda.ProcessID: strconv.Itoa(os.Getpid())}}}
	if uid, gid := os.Getuid(), os.Getgid(); uid >= 0 && gid >= 0 {
		s.client.Attrs[pmda.UserID], s.client.Attrs[pmda.GroupID] = strconv.Itoa(uid), strconv.Itoa(gid)
	}
	if opts != nil {
		s.opts = *opts
	}
	s.host = host.Host{Root: s.opts.Root, Hostname: s.opts.Hostname, Now: s.opts.Now}
	for _, c := range s.opts.Collectors {
		if c.Asked || !slices.ContainsFunc(s.opts.Collectors, func(o Collector) bool { return o.Asked && o.Domain == c.Domain }) {
			s.members = append(s.members, &member{Collector: c})
		}
	}
	return s
}

// Host implements pmapi.Source. It returns the name of this machine.
func (s *Source) Host() (name, zone string) { return s.host.Name(), "" }

// A domainError is the error of an identifier whose domain has no collector. It matches
// pmerr.NoAgent and the code for an unknown identifier.
type domainError struct{ unknown pmerr.Code }

func (e domainError) Error() string   { return pmerr.NoAgent.Error() }
func (e domainError) Unwrap() []error { return []error{pmerr.NoAgent, e.unknown} }

// open makes the provider of a member, and keeps the error of a failed attempt.
func (s *Source) open(ctx context.Context, m *member) error {
	switch {
	case s.closed:
		return pmerr.NoContext
	case m.provider != nil || m.err != nil:
		return m.err
	}
	start := m.Start
	if start == nil {
		start = func(context.Context) (pmda.Provider, error) { return m.New() }
	}
	if m.provider, m.err = start(ctx); m.err != nil {
		err := m.err
		if m.provider = nil; ctx.Err() != nil {
			m.err = nil
		}
		return err
	}
	m.names = new(pmns.Tree)
	for _, n := range m.provider.Names() {
		m.names.Add(n.Name, n.ID)
	}
	if w, ok := m.provider.(pmda.ClientWatcher); ok {
		for _, code := range []pdu.AttrCode{pmda.UserID, pmda.GroupID, pmda.ProcessID} {
			if _, known := s.client.Attrs[code]; known {
				w.SetAttr(s.client, code)
			}
		}
	}
	return nil
}

// serving returns the member of a domain, ready to be asked. Its error without one is unknown, too.
func (s *Source) serving(ctx context.Context, domain uint32, unknown pmerr.Code) (*member, error) {
	if s.closed {
		return nil, pmerr.NoContext
	}
	for _, m := range s.members {
		if m.Domain == domain {
			if s.open(ctx, m) != nil {
				break
			}
			return m, s.check(ctx, m)
		}
	}
	return nil, domainError{unknown}
}

func (s *Source) check(ctx context.Context, m *member) error {
	c, ok := m.provider.(pmda.Checker)
	if !ok {
		return nil
	}
	err := c.Check(ctx, s.client)
	if errors.Is(err, pmda.ErrNotReady) {
		return pmerr.Again
	}
	return err
}

// Close implements pmapi.Source. It ends the client of each provider.
func (s *Source) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for _, m := range s.members {
		if w, ok := m.provider.(pmda.ClientWatcher); ok {
			w.EndClient(s.client)
		}
		if c, ok := m.provider.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
		m.provider, m.err = nil, pmerr.NoContext // open makes no provider again
	}
	return errors.Join(errs...)
}

func (s *Source) roots(ctx context.Context, m *member) []string {
	if m.Roots == nil {
		if s.open(ctx, m) != nil {
			return nil
		}
		children, err := m.names.Children("")
		if err != nil {
			return nil
		}
		for _, c := range children {
			m.Roots = append(m.Roots, c.Name)
		}
	}
	return m.Roots
}

// hides reports whether a requested member has a name of the default member m, over which it takes
// precedence.
func (s *Source) hides(ctx context.Context, m *member, name string) bool {
	return !m.Asked && slices.ContainsFunc(s.members, func(o *member) bool {
		if !o.Asked || s.open(ctx, o) != nil {
			return false
		}
		_, err := o.names.Lookup(name)
		return err == nil
	})
}

// naming returns the available members that may have a name, or names below it.
func (s *Source) naming(ctx context.Context, name string) []*member {
	root, _, _ := strings.Cut(name, ".")
	var list []*member
	for _, m := range s.members {
		if (name == "" || slices.Contains(s.roots(ctx, m), root)) && s.open(ctx, m) == nil {
			list = append(list, m)
		}
	}
	return list
}
