package lsp

import (
	"context"
	"encoding/json"
	"sync"
)

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

// run runs a request in the background, so that the client can cancel it. It ends when there is another
// version of its document, too.
func (s *server) run(id json.RawMessage, h handler, p *params) error {
	doc, err := s.document(p.Document.URI)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(doc.current)
	s.mu.Lock()
	s.pending[string(id)] = cancel
	s.mu.Unlock()
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
		defer s.cancelRequest(id)
		if !h.asks {
			defer s.texts.take(ctx)()
		}
		reply(h.run(s, ctx, doc, p))
	})
	return nil
}

// cancelRequest ends a request, if it has not ended yet.
func (s *server) cancelRequest(id json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel, ok := s.pending[string(id)]; ok {
		cancel()
		delete(s.pending, string(id))
	}
}
