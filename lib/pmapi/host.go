package pmapi

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
)

// A Host is a Source of live metrics: a connection to a daemon. It is Live.
//
// Descriptions are kept until the connection ends, since a daemon does not change them. All other
// answers are requested each time.
type Host struct {
	questions // the same as conn, until Close
	spec      *pmcd.Spec
	dialer    *pmcd.Dialer
	conn      *pmcd.Conn
	descs     map[pcp.ID]pcp.Desc // known descriptions; one with the ID NullID stands for a metric without a description
	typeOf    func(pcp.ID) pcp.Type
	closed    bool
	retry     backoff
}

// questions are the methods of a connection that a Source has too.
type questions interface {
	Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error)
	Names(ctx context.Context, id pcp.ID) ([]string, error)
	Children(ctx context.Context, name string) ([]pcp.Child, error)
	LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error)
	InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error)
	Text(ctx context.Context, kind pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error)
}

type backoff struct {
	failures int
	until    time.Time
}

var (
	_ Source = (*Host)(nil)
	_ Live   = (*Host)(nil)
)

// OpenHost connects to the daemon that a host specification names (wire.md W2): "local:", "unix:",
// or a host with ports, proxy and attributes. A nil dialer is the same as the zero one. Errors
// match the codes of pmerr; one in the specification is a *pmcd.SpecError.
func OpenHost(ctx context.Context, spec string, dialer *pmcd.Dialer) (*Host, error) {
	s, err := pmcd.ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	if dialer == nil {
		dialer = new(pmcd.Dialer)
	}
	h := &Host{spec: s, dialer: dialer}
	h.typeOf = func(id pcp.ID) pcp.Type {
		if d, ok := h.descs[id]; ok {
			return d.Type
		}
		return pcp.Unknown
	}
	if err := h.dial(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

// dial connects, and forgets the descriptions from the last connection.
func (h *Host) dial(ctx context.Context) error {
	conn, err := h.dialer.Dial(ctx, h.spec)
	if err != nil {
		return err
	}
	h.conn, h.questions, h.descs = conn, conn, make(map[pcp.ID]pcp.Desc)
	return nil
}

// Close closes the connection. It implements Source.
func (h *Host) Close() error {
	h.closed, h.questions = true, noSource{}
	return h.conn.Close()
}

func (h *Host) delay() time.Duration {
	delays := h.dialer.ReconnectDelays()
	return delays[min(h.retry.failures, len(delays)-1)]
}

// Reconnect implements Live: the connection is closed if there is one, and replaced. After a
// failure it fails at once, without trying, until some time has passed: 5, 10, 20, 40 and then
// always 80 seconds, or the Dialer's delays. Every failure is ETIMEDOUT, and wraps its reason.
func (h *Host) Reconnect(ctx context.Context) error {
	if h.closed {
		return pmerr.NoContext
	}
	if wait := time.Until(h.retry.until); wait > 0 {
		return fmt.Errorf("%w: %v too early", pmerr.Of(syscall.ETIMEDOUT), wait)
	}
	h.conn.Close()
	if err := h.dial(ctx); err != nil {
		h.retry.until = time.Now().Add(h.delay())
		h.retry.failures++
		return fmt.Errorf("%w: %w", pmerr.Of(syscall.ETIMEDOUT), err)
	}
	h.retry = backoff{}
	return nil
}

// Walk implements Source. A name that the daemon lists and then does not know has the identifier
// NullID.
func (h *Host) Walk(ctx context.Context, name string, ids bool, f func(name string, id pcp.ID) bool) error {
	if h.closed {
		return pmerr.NoContext
	}
	names, err := h.conn.Traverse(ctx, name)
	if err != nil {
		return err
	}
	known := make([]pcp.ID, 0, len(names))
	for part := range slices.Chunk(names, walkWindow) {
		if !ids {
			break
		}
		found, err := h.conn.Lookup(ctx, part)
		if err != nil {
			return err
		}
		for _, answer := range found {
			known = append(known, answer.Value)
		}
	}
	for i, n := range names {
		id := pcp.NullID
		if ids {
			id = known[i]
		}
		if !f(n, id) {
			break
		}
	}
	return nil
}

// walkWindow is the number of names in one lookup: enough for many requests at once, and little memory.
const walkWindow = 64 << 10

// Describe implements Source.
func (h *Host) Describe(ctx context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	if h.closed {
		return nil, pmerr.NoContext
	}
	ask := ids
	if len(h.descs) > 0 {
		ask = slices.DeleteFunc(slices.Clone(ids), h.described)
	}
	found, err := h.conn.Describe(ctx, ask)
	if err != nil {
		return nil, err
	}
	out := found
	if len(ask) < len(ids) {
		out = make([]pcp.Answer[pcp.Desc], len(ids))
		rest := found
		for i, id := range ids {
			if h.described(id) {
				out[i].Value = h.descs[id]
			} else {
				out[i], rest = rest[0], rest[1:]
			}
		}
	}
	h.keep(ask, found)
	return out, nil
}

func (h *Host) described(id pcp.ID) bool {
	d, ok := h.descs[id]
	return ok && d.ID == id
}

func (h *Host) keep(ids []pcp.ID, found []pcp.Answer[pcp.Desc]) {
	if len(h.descs) == 0 {
		h.descs = make(map[pcp.ID]pcp.Desc, len(ids))
	}
	for i, r := range found {
		if r.Err != nil {
			// The encoding of a value is enough to show it. An entry here avoids a request before
			// each fetch.
			r.Value = pcp.Desc{ID: pcp.NullID, Type: pcp.Unknown}
		}
		h.descs[ids[i]] = r.Value
	}
}

// Fetch implements Source. A request without metrics takes the time from this machine's clock.
func (h *Host) Fetch(ctx context.Context, req *Request, dst *pcp.Result) error {
	if h.closed {
		return pmerr.NoContext
	}
	if len(req.IDs) == 0 {
		dst.Reset(0)
		dst.Time = pcp.TimestampOf(time.Now())
		return nil
	}
	if err := h.learn(ctx, req.IDs); err != nil {
		return err
	}
	if err := h.conn.Fetch(ctx, req.IDs, req.Profile, h.typeOf, dst); err != nil {
		return err
	}
	if dst.Changes&(pcp.AgentAdded|pcp.AgentRestarted) != 0 {
		h.retryUnknown()
	}
	return nil
}

// retryUnknown forgets metrics without a description: a newly started agent may have one.
func (h *Host) retryUnknown() {
	maps.DeleteFunc(h.descs, func(_ pcp.ID, d pcp.Desc) bool { return d.ID == pcp.NullID })
}

func (h *Host) learn(ctx context.Context, ids []pcp.ID) error {
	var ask []pcp.ID
	for _, id := range ids {
		if _, ok := h.descs[id]; !ok && id != pcp.NullID {
			ask = append(ask, id)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	_, err := h.Describe(ctx, ask)
	return err
}

// Store implements Live.
func (h *Host) Store(ctx context.Context, sets []pcp.Values) error {
	if h.closed {
		return pmerr.NoContext
	}
	return h.conn.Store(ctx, sets)
}

// Instances implements Source.
func (h *Host) Instances(ctx context.Context, ds []pcp.InDom, _ When) ([]pcp.Answer[[]pcp.Instance], error) {
	if h.closed {
		return nil, pmerr.NoContext
	}
	return h.conn.Instances(ctx, ds)
}

// Labels implements Source.
func (h *Host) Labels(ctx context.Context, kind pcp.LabelKind, idents []uint32, _ When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	if h.closed {
		return nil, pmerr.NoContext
	}
	return h.conn.Labels(ctx, kind, idents)
}

// Host implements Source: the name is that of the specification, or this machine's for the local
// daemon (wire.md W7.8).
func (h *Host) Host() (name, zone string) {
	name = h.spec.Host()
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "localhost") {
		if own, err := os.Hostname(); err == nil {
			return own, ""
		}
	}
	return name, ""
}
