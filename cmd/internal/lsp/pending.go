package lsp

import (
	"context"
	"encoding/json"
	"sync"
)

// Bounds of the requests that are not answered yet.
const (
	maxPending = 1000
	maxAsking  = 64 // that ask the source
)

// A pending request is not answered yet, or is cancelled and the source has not answered it.
type pending struct {
	cancel context.CancelFunc
	asks   bool // the source
}

// turns are taken one after the other: many at once would take memory for each.
type turns chan struct{}

// take waits for a turn, or for the end of the context, and returns what ends the turn.
func (t turns) take(ctx context.Context) (end func()) {
	select {
	case t <- struct{}{}:
		return func() { <-t }
	case <-ctx.Done():
		return func() {}
	}
}

func (s *server) begin(id string, r pending) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	asking := 0
	for _, other := range s.list {
		if other.asks {
			asking++
		}
	}
	switch {
	case s.list[id].cancel != nil:
		return rpcErrorf(codeInvalidRequest, "two requests with the id %s", id)
	case len(s.list) >= maxPending, r.asks && asking >= maxAsking:
		return rpcErrorf(codeInvalidRequest, "too many requests: %d are not answered yet", len(s.list))
	}
	s.list[id] = r
	return nil
}

func (s *server) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list[id].cancel()
	delete(s.list, id)
}

// run runs a request in the background, so that the client can cancel it. It ends when there is another
// version of its document, too.
func (s *server) run(id json.RawMessage, h handler, p *params) error {
	doc, err := s.document(p.Document.URI)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(doc.current)
	if err := s.begin(string(id), pending{cancel, h.asks}); err != nil {
		cancel()
		return err
	}
	var once sync.Once
	reply := func(result any, err error) {
		once.Do(func() {
			switch {
			case ctx.Err() == nil:
			case doc.current.Err() != nil && s.ctx.Err() == nil:
				err = rpcErrorf(codeModified, "the document has changed")
			default:
				err = rpcErrorf(codeCancelled, "cancelled")
			}
			s.reply(id, result, err)
		})
	}
	context.AfterFunc(ctx, func() { reply(nil, nil) }) // at once, whatever the source does
	s.work.Go(func() {
		defer s.end(string(id))
		if !h.asks {
			defer s.texts.take(ctx)()
		}
		reply(h.run(s, ctx, doc, p))
	})
	return nil
}

func (s *server) cancelRequest(p *params) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.list[string(p.ID)]; ok {
		r.cancel()
	}
	return nil
}
