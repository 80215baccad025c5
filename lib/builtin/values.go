package builtin

import (
	"context"
	"errors"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// Describe implements pmapi.Source.
func (s *Source) Describe(ctx context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	return answers(ctx, s, ids, func(ctx context.Context, id pcp.ID) (pcp.Desc, error) {
		m, err := s.serving(ctx, id.Domain(), pmerr.PMID)
		if err != nil {
			return pcp.Desc{}, err
		}
		return m.provider.Desc(ctx, s.client, id)
	})
}

// Instances implements pmapi.Source.
func (s *Source) Instances(ctx context.Context, ds []pcp.InDom, _ pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	return answers(ctx, s, ds, s.instances)
}

func (s *Source) instances(ctx context.Context, d pcp.InDom) ([]pcp.Instance, error) {
	m, err := s.serving(ctx, d.Domain(), pmerr.InDom)
	if err != nil {
		return nil, err
	}
	list, err := m.provider.Instances(ctx, s.client, d)
	if err != nil {
		return nil, err
	}
	// The provider's list is valid until the next question only.
	return append(make([]pcp.Instance, 0, len(list)), list...), nil
}

// LookupInst implements pmapi.Source.
func (s *Source) LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error) {
	m, err := s.serving(ctx, d.Domain(), pmerr.InDom)
	if err != nil {
		return 0, err
	}
	return pmda.FindInstance(ctx, m.provider, s.client, d, name)
}

// InstName implements pmapi.Source.
func (s *Source) InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error) {
	m, err := s.serving(ctx, d.Domain(), pmerr.InDom)
	if err != nil {
		return "", err
	}
	list, err := m.provider.Instances(ctx, s.client, d)
	if err != nil {
		return "", err
	}
	return pmda.InstanceName(list, inst)
}

// Fetch implements pmapi.Source. Each domain is asked once, in the order of the request; the time
// is taken before.
func (s *Source) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	if s.closed {
		return pmerr.NoContext
	}
	dst.Reset(len(req.IDs))
	dst.Time = pcp.TimestampOf(s.host.Time())
	for i, id := range req.IDs {
		if first(req.IDs, i) {
			s.fetch(ctx, req, id.Domain(), dst)
		}
	}
	return ctx.Err()
}

// first reports whether no identifier before number i has the same domain.
func first(ids []pcp.ID, i int) bool {
	for j := i - 1; j >= 0; j-- {
		if ids[j].Domain() == ids[i].Domain() {
			return false
		}
	}
	return true
}

func (s *Source) fetch(ctx context.Context, req *pmapi.Request, domain uint32, dst *pcp.Result) {
	m, err := s.serving(ctx, domain, pmerr.PMID)
	if err == nil {
		err = s.fetchPart(ctx, m, req, dst)
	}
	if err == nil {
		return
	}
	for i, id := range req.IDs {
		if id.Domain() == domain {
			dst.Sets[i].Reset(id, pcp.Unknown)
			dst.Sets[i].Err = pmerr.Of(err).Err()
		}
	}
}

func (s *Source) fetchPart(ctx context.Context, m *member, req *pmapi.Request, dst *pcp.Result) error {
	s.request = pmda.Request{Client: s.client, IDs: s.request.IDs[:0], Profile: req.Profile}
	for _, id := range req.IDs {
		if id.Domain() == m.Domain {
			s.request.IDs = append(s.request.IDs, id)
		}
	}
	n := len(s.request.IDs)
	if w, ok := m.provider.(pmda.ProfileWatcher); ok {
		w.SetProfile(s.client, req.Profile)
	}
	// A provider whose columns are all there are may fill them where they are.
	part, at := dst, dst.Time
	if n < len(req.IDs) {
		part = &s.part
	}
	changes := dst.Changes
	err := m.provider.Fetch(ctx, &s.request, part)
	sameID := func(v pcp.Values, id pcp.ID) bool { return v.ID == id }
	if err == nil && !slices.EqualFunc(part.Sets, s.request.IDs, sameID) {
		err = pmerr.Generic // the provider has answered another request
	}
	dst.Changes, dst.Time = changes|part.Changes, at
	if part == dst {
		if len(dst.Sets) != len(req.IDs) {
			dst.Reset(len(req.IDs))
		}
		return err
	}
	if err != nil {
		return err
	}
	n = 0
	for i, id := range req.IDs {
		if id.Domain() == m.Domain {
			// Swapping keeps the memory of both results, and shares no column between them.
			dst.Sets[i], part.Sets[n] = part.Sets[n], dst.Sets[i]
			n++
		}
	}
	return nil
}

// Store implements pmapi.Live: one metric after the other, up to the first that is refused.
func (s *Source) Store(ctx context.Context, sets []pcp.Values) error {
	switch {
	case s.closed:
		return pmerr.NoContext
	case len(sets) == 0:
		return pmerr.TooSmall
	}
	for i := range sets {
		if sets[i].Len() == 0 {
			return pmerr.Value
		}
	}
	for i := range sets {
		m, err := s.serving(ctx, sets[i].ID.Domain(), pmerr.PMID)
		if err != nil {
			return err
		}
		st, ok := m.provider.(pmda.Storer)
		if !ok {
			return pmerr.Permission
		}
		if err := st.Store(ctx, s.client, sets[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// Reconnect implements pmapi.Live: there is no connection to replace.
func (s *Source) Reconnect(context.Context) error {
	if s.closed {
		return pmerr.NoContext
	}
	return nil
}

// Text implements pmapi.Source.
func (s *Source) Text(ctx context.Context, kind pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error) {
	return answers(ctx, s, idents, func(ctx context.Context, ident uint32) (string, error) { return s.text(ctx, kind, ident) })
}

// text returns the one-line text instead of a full text that is missing or empty (wire.md W15).
func (s *Source) text(ctx context.Context, kind pcp.TextKind, ident uint32) (string, error) {
	id, d := pcp.ID(ident), pcp.InDom(ident)
	isInDom, kind := kind&pcp.InDomText != 0, kind&^pcp.InDomText
	domain, unknown := id.Domain(), pmerr.PMID
	if isInDom {
		domain, unknown = d.Domain(), pmerr.InDom
	}
	m, err := s.serving(ctx, domain, unknown)
	if err != nil {
		return "", err
	}
	t, ok := m.provider.(pmda.Texter)
	if !ok {
		return "", pmerr.Text
	}
	get := func(kind pcp.TextKind) (string, error) {
		if isInDom {
			return t.InDomText(ctx, s.client, d, kind)
		}
		return t.Text(ctx, s.client, id, kind)
	}
	text, err := get(kind)
	if kind == pcp.Help && (err != nil || text == "") && !errors.Is(err, context.Canceled) {
		return get(pcp.OneLine)
	}
	return text, err
}
