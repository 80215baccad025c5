package lsp

import (
	"context"
	"sync"
)

// Bounds of the requests that are not answered yet.
const (
	maxPending = 1000
	maxAsking  = 64 // that ask the source
)

type pending struct {
	turns chan struct{} // holds a token while a request reads a text

	mu     sync.Mutex                    // guards the rest
	list   map[string]context.CancelFunc // by their ids
	asking int                           // how many of them ask the source
}

func (p *pending) begin(id string, asks bool, cancel context.CancelFunc) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.list[id] != nil:
		return rpcErrorf(codeInvalidRequest, "two requests with the id %s", id)
	case len(p.list) >= maxPending, asks && p.asking >= maxAsking:
		return rpcErrorf(codeInvalidRequest, "too many requests: %d are not answered yet", len(p.list))
	}
	p.list[id] = cancel
	if asks {
		p.asking++
	}
	return nil
}

func (p *pending) end(id string, asks bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.list, id)
	if asks {
		p.asking--
	}
}

func (p *pending) cancel(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel := p.list[id]; cancel != nil {
		cancel()
	}
}

// turn waits until no other request reads a text, or for the end of the context, and returns what ends
// the turn: many at once would take memory for each.
func (p *pending) turn(ctx context.Context) (end func()) {
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }
	case <-ctx.Done():
		return func() {}
	}
}

// run runs a request in the background, so that the client can cancel it. It ends when there is another
// version of its document, too.
func (s *server) run(m *message, h handler) {
	p, doc := new(params), (*document)(nil)
	err := unmarshal(m.Params, p)
	if err == nil {
		doc, err = s.document(p.Document.URI)
	}
	if err != nil {
		s.reply(m.ID, nil, err)
		return
	}
	ctx, cancel := context.WithCancel(doc.current)
	if err := s.pending.begin(string(m.ID), h.asks, cancel); err != nil {
		cancel()
		s.reply(m.ID, nil, err)
		return
	}
	type answer struct {
		result any
		err    error
	}
	done := make(chan answer, 1)
	s.work.Go(func() {
		defer s.pending.end(string(m.ID), h.asks) // a request that the source has not answered counts, cancelled or not
		if !h.asks {
			defer s.pending.turn(ctx)()
		}
		result, err := h.run(s, ctx, doc, p)
		done <- answer{result, err}
	})
	s.work.Go(func() {
		defer cancel()
		select {
		case a := <-done:
			if ctx.Err() == nil {
				s.reply(m.ID, a.result, a.err)
				return
			}
		case <-ctx.Done():
		}
		if doc.current.Err() != nil && s.ctx.Err() == nil {
			s.reply(m.ID, nil, rpcErrorf(codeModified, "the document has changed"))
			return
		}
		s.reply(m.ID, nil, rpcErrorf(codeCancelled, "cancelled"))
	})
}

func (s *server) cancelRequest(p *message) error {
	s.pending.cancel(string(p.ID))
	return nil
}
