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

// A Host is a Source of live metrics: a connection to a daemon. It is Live, and may be shared by
// goroutines, each with a context of its own: they take turns, a request at a time.
//
// A request whose context ends breaks the connection, since its reply is still under way. The next request
// after a lost connection makes a new one, unless the Dialer has NoRedial; while that fails,
// requests fail with pmerr.IPC and a [*Down]. The first result of a new connection has all Changes: the
// daemon may be another.
//
// Descriptions are kept until the connection ends, since a daemon does not change them. All other
// answers are requested each time.
type Host struct {
	spec   *pmcd.Spec
	dialer *pmcd.Dialer
	typeOf func(pcp.ID) pcp.Type

	turn   chan struct{} // has room for the one request under way, which owns the fields below
	conn   *pmcd.Conn
	descs  map[pcp.ID]pcp.Desc // known descriptions; one with the ID NullID stands for a metric without a description
	missed pcp.Changes         // what may have changed since the last connection
	retry  Retry
	closed bool
}

var (
	_ Source = (*Host)(nil)
	_ Live   = (*Host)(nil)
)

// OpenHost connects to the daemon that a host specification names: "local:", "unix:", or a host
// with ports, proxy and attributes. A nil dialer is the same as the zero one. Errors match the
// codes of pmerr; an invalid specification is a *pmcd.SpecError.
func OpenHost(ctx context.Context, spec string, dialer *pmcd.Dialer) (*Host, error) {
	s, err := pmcd.ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	if dialer == nil {
		dialer = new(pmcd.Dialer)
	}
	h := &Host{spec: s, dialer: dialer, turn: make(chan struct{}, 1)}
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
	h.conn, h.descs = conn, make(map[pcp.ID]pcp.Desc)
	return nil
}

// Close waits for the request under way, and closes the connection. It implements Source.
func (h *Host) Close() error {
	h.turn <- struct{}{}
	defer h.end()
	h.closed = true
	return h.conn.Close()
}

// wait waits for the turn of a request, which end ends. Without an error it must be ended.
func (h *Host) wait(ctx context.Context) error {
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if h.closed {
		h.end()
		return pmerr.NoContext
	}
	return nil
}

func (h *Host) end() { <-h.turn }

// begin is wait, and connects if the connection is lost.
func (h *Host) begin(ctx context.Context) error {
	if err := h.wait(ctx); err != nil || h.conn.Err() == nil || h.dialer.NoRedial {
		return err
	}
	if err := h.redial(ctx); err != nil {
		h.end()
		if ctx.Err() == nil {
			err = fmt.Errorf("%w: %w", pmerr.IPC, err)
		}
		return err
	}
	h.missed = pcp.AgentAdded | pcp.AgentRestarted | pcp.LabelsChanged | pcp.NamesChanged
	return nil
}

// ask makes a request of a connection.
func ask[T any](ctx context.Context, h *Host, request func(*pmcd.Conn) (T, error)) (answer T, err error) {
	if err := h.begin(ctx); err != nil {
		return answer, err
	}
	defer h.end()
	return request(h.conn)
}

// redial replaces the connection, unless the last attempt is too recent. The end of ctx does not count
// as a failure of the daemon.
func (h *Host) redial(ctx context.Context) error {
	if err := h.retry.Wait(); err != nil {
		return err
	}
	h.conn.Close()
	if err := h.dial(ctx); err != nil {
		if ctx.Err() != nil {
			return err
		}
		h.retry.Delays = h.dialer.ReconnectDelays()
		return h.retry.Failed(err)
	}
	h.retry.Reset()
	return nil
}

// Reconnect implements Live: the connection is closed if there is one, and replaced. After a
// failure it fails at once, without trying, until some time has passed: 5, 10, 20, 40 and then
// always 80 seconds, or the Dialer's delays. Every failure is ETIMEDOUT, and wraps its reason.
func (h *Host) Reconnect(ctx context.Context) error {
	if err := h.wait(ctx); err != nil {
		return err
	}
	defer h.end()
	if err := h.redial(ctx); err != nil {
		return fmt.Errorf("%w: %w", pmerr.Of(syscall.ETIMEDOUT), err)
	}
	return nil
}

// Lookup implements Source.
func (h *Host) Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	return ask(ctx, h, func(c *pmcd.Conn) ([]pcp.Answer[pcp.ID], error) { return c.Lookup(ctx, names) })
}

// Names implements Source.
func (h *Host) Names(ctx context.Context, id pcp.ID) ([]string, error) {
	return ask(ctx, h, func(c *pmcd.Conn) ([]string, error) { return c.Names(ctx, id) })
}

// Children implements Source.
func (h *Host) Children(ctx context.Context, name string) ([]pcp.Child, error) {
	return ask(ctx, h, func(c *pmcd.Conn) ([]pcp.Child, error) { return c.Children(ctx, name) })
}

// LookupInst implements Source.
func (h *Host) LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error) {
	return ask(ctx, h, func(c *pmcd.Conn) (int32, error) { return c.LookupInst(ctx, d, name) })
}

// InstName implements Source.
func (h *Host) InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error) {
	return ask(ctx, h, func(c *pmcd.Conn) (string, error) { return c.InstName(ctx, d, inst) })
}

// Text implements Source.
func (h *Host) Text(ctx context.Context, kind pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error) {
	return ask(ctx, h, func(c *pmcd.Conn) ([]pcp.Answer[string], error) { return c.Text(ctx, kind, idents) })
}

// Walk implements Source. A name that the daemon lists and then does not know has the identifier
// NullID.
func (h *Host) Walk(ctx context.Context, name string, ids bool, f func(name string, id pcp.ID) bool) error {
	var known []pcp.ID
	names, err := ask(ctx, h, func(c *pmcd.Conn) ([]string, error) {
		names, err := c.Traverse(ctx, name)
		if err != nil || !ids {
			return names, err
		}
		known = make([]pcp.ID, 0, len(names))
		for part := range slices.Chunk(names, walkWindow) {
			found, err := c.Lookup(ctx, part)
			if err != nil {
				return nil, err
			}
			for _, answer := range found {
				known = append(known, answer.Value)
			}
		}
		return names, nil
	})
	for i, n := range names {
		id := pcp.NullID
		if ids {
			id = known[i]
		}
		if !f(n, id) {
			break
		}
	}
	return err
}

// walkWindow is the number of names in one lookup: enough for many requests at once, and little memory.
const walkWindow = 64 << 10

// Describe implements Source.
func (h *Host) Describe(ctx context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	if err := h.begin(ctx); err != nil {
		return nil, err
	}
	defer h.end()
	return h.describe(ctx, ids)
}

func (h *Host) describe(ctx context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
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
	if err := h.begin(ctx); err != nil {
		return err
	}
	defer h.end()
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
	dst.Changes |= h.missed
	h.missed = 0
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
	_, err := h.describe(ctx, ask)
	return err
}

// Store implements Live.
func (h *Host) Store(ctx context.Context, sets []pcp.Values) error {
	if err := h.begin(ctx); err != nil {
		return err
	}
	defer h.end()
	return h.conn.Store(ctx, sets)
}

// Instances implements Source.
func (h *Host) Instances(ctx context.Context, ds []pcp.InDom, _ When) ([]pcp.Answer[[]pcp.Instance], error) {
	return ask(ctx, h, func(c *pmcd.Conn) ([]pcp.Answer[[]pcp.Instance], error) { return c.Instances(ctx, ds) })
}

// Labels implements Source.
func (h *Host) Labels(ctx context.Context, kind pcp.LabelKind, idents []uint32, _ When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	return ask(ctx, h, func(c *pmcd.Conn) ([]pcp.Answer[pcp.ObjectLabels], error) { return c.Labels(ctx, kind, idents) })
}

// Host implements Source. It returns the host name of the specification, or this machine's for the
// local daemon.
func (h *Host) Host() (name, zone string) {
	name = h.spec.Host()
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "localhost") {
		if own, err := os.Hostname(); err == nil {
			return own, ""
		}
	}
	return name, ""
}
