package pmcd

import (
	"bytes"
	"context"
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// Fetch asks for the values of metrics, and makes dst their columns in the order of ids; p selects
// instances, nil means all. typeOf returns the type of a metric as its description has it, or
// Unknown.
func (c *Conn) Fetch(ctx context.Context, ids []pcp.ID, p *pcp.Profile, typeOf func(pcp.ID) pcp.Type, dst *pcp.Result) error {
	if len(ids) == 0 {
		return pmerr.TooSmall
	}
	if err := c.idle(ctx); err != nil {
		return err
	}
	fresh, err := c.queueProfile(ctx, p)
	if err != nil {
		return err
	}
	var req pdu.Message = &pdu.HighResFetch{IDs: ids}
	c.result.Values, c.result.TypeOf, c.result.Most = dst, typeOf, len(ids)
	defer func() { c.result.Values, c.result.TypeOf = nil, nil }()
	var reply pdu.Message = &c.result
	if c.features&featureHighRes == 0 {
		req, reply = &pdu.Fetch{IDs: ids}, &c.result.Result
	}
	if err := c.send(ctx, req); err != nil {
		return err
	}
	changes, err := c.fetched(ctx, reply)
	if err == pmerr.Permission && fresh {
		err = c.readRefusals(ctx)
	}
	if err != nil {
		return err
	}
	if len(dst.Sets) != len(ids) {
		return c.fail(ctx, "receive", fmt.Errorf("values of %d metrics where %d were asked for", len(dst.Sets), len(ids)))
	}
	dst.Changes = changes
	for i := range dst.Sets {
		// No agent can have this identifier, so the reference's code is that of an unknown metric
		// (wire.md W7.6).
		if s := &dst.Sets[i]; s.Err == pmerr.NoAgent && (s.ID == pcp.NullID || s.ID.IsDerived()) {
			s.Err = pmerr.PMID
		}
	}
	return nil
}

// maxNotices caps the notices of changes before a result. pmcd sends one for each change since the last
// result, and joins simultaneous ones.
const maxNotices = 1 << 10

// fetched waits for a result, after any notices of changes.
func (c *Conn) fetched(ctx context.Context, reply pdu.Message) (pcp.Changes, error) {
	var changes pcp.Changes
	for range maxNotices {
		f, err := c.recv(ctx)
		if err != nil {
			return 0, err
		}
		var notice pdu.Error
		if f.Type == pdu.TypeError && notice.Decode(f.Body) == nil && notice.Code > 0 {
			changes |= pcp.Changes(notice.Code)
			continue
		}
		return changes, c.decode(ctx, f, reply)
	}
	return 0, c.fail(ctx, "receive", fmt.Errorf("more than %d notices before a result", maxNotices))
}

// queueProfile queues a profile, which has no reply, unless the daemon has it already. fresh
// reports whether the profile was queued.
func (c *Conn) queueProfile(ctx context.Context, p *pcp.Profile) (fresh bool, err error) {
	if p.All() && c.profileAll {
		return false, nil
	}
	// The daemon keeps the last profile of a connection, so an equal one is not sent again.
	var m pdu.Profile
	m.Exclude, m.Entries = p.Entries()
	msg, err := m.Encode(nil)
	if err != nil || bytes.Equal(msg, c.profile) {
		return false, err
	}
	if _, err := c.queue(ctx, &m); err != nil {
		return false, err
	}
	c.profile, c.profileAll = msg, p.All()
	return true, nil
}

// readRefusals reads the replies after a refused request that followed a profile. A pmcd that permits no
// fetches has sent two refusals, the first for the profile; a pmcd that refuses only the request has sent
// one (wire.md W8.3). To tell the cases apart, readRefusals sends an invalid message (W8.1): all replies
// before its error belong to the two requests. It returns pmerr.Permission, unless the connection breaks.
func (c *Conn) readRefusals(ctx context.Context) error {
	if err := c.send(ctx, &pdu.Error{}); err != nil {
		return err
	}
	for range 2 {
		var answer pdu.Error
		if err := c.reply(ctx, &answer); err != nil {
			return err
		}
		if answer.Code != pmerr.Permission {
			break
		}
	}
	return pmerr.Permission
}

// Store gives metrics the values in columns. The request is never repeated: after an error that
// breaks the connection it is not known whether the values were stored, unless the error is an
// *Error with NotSent.
func (c *Conn) Store(ctx context.Context, sets []pcp.Values) error {
	if len(sets) == 0 {
		return pmerr.TooSmall
	}
	for i := range sets {
		if sets[i].Len() == 0 {
			return pmerr.Value
		}
	}
	if err := c.idle(ctx); err != nil {
		return err
	}
	var status pdu.Error
	if err := c.send(ctx, &pdu.Result{Values: &pcp.Result{Sets: sets}}); err != nil {
		return err
	}
	f, err := c.recv(ctx)
	if err != nil {
		return err
	}
	if f.Type != pdu.TypeError || status.Decode(f.Body) != nil || status.Code > 0 {
		return c.fail(ctx, "receive", fmt.Errorf("%v where the status of a store was expected", f.Type))
	}
	if status.Code != 0 {
		return status.Code
	}
	return nil
}
