package lsp

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// key returns one of the spellings of a URI: clients escape more than they must, and drives of Windows have
// small letters or capitals.
func key(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	if len(u.Path) > 2 && u.Path[2] == ':' {
		u.Path = strings.ToLower(u.Path[:2]) + u.Path[2:]
	}
	return "file://" + strings.TrimPrefix(strings.ToLower(u.Host), "localhost") + u.Path
}

func (s *server) document(uri string) (*document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.docs[key(uri)]; d != nil {
		return d, nil
	}
	return nil, rpcErrorf(codeInvalidParams, "the document %q is not open", uri)
}

func (s *server) open() (list []*document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.docs {
		list = append(list, d)
	}
	return list
}

// put makes a text the current version of a document. A text that is too large is not kept: a
// diagnostic says so.
func (s *server) put(uri string, version int, text string) error {
	if len(text) > maxDocument {
		s.drop(uri)
		s.refuse(uri, version, fmt.Sprintf("the file has %d bytes, and is not checked; the limit for an editor is %d; "+
			"open it again when it is smaller", len(text), maxDocument))
		return nil
	}
	d := newDocument(uri, version, text)
	s.mu.Lock()
	old := s.docs[key(d.uri)]
	d.current, d.outdate = context.WithCancel(s.ctx)
	s.docs[key(d.uri)] = d
	s.mu.Unlock()
	if old != nil {
		old.outdate()
	}
	s.check(d)
	return nil
}

func (s *server) refuse(uri string, version int, why string) {
	s.notify("textDocument/publishDiagnostics", published{uri, version, []diagnostic{{Severity: severityError, Source: "pmderive", Message: why}}})
}

func (s *server) drop(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.docs[key(uri)]; d != nil {
		d.outdate()
	}
	delete(s.docs, key(uri))
}

func (s *server) didOpen(p *params) error {
	return s.put(p.Document.URI, p.Document.Version, p.Document.Text)
}

// didChange takes the whole text, as the server asks for it: that of the last of several changes holds.
func (s *server) didChange(p *params) error {
	d, err := s.document(p.Document.URI)
	if n := len(p.Changes); err == nil && n > 0 {
		err = s.put(d.uri, p.Document.Version, p.Changes[n-1].Text)
	}
	return err
}

func (s *server) didClose(p *params) error {
	if _, err := s.document(p.Document.URI); err != nil {
		return err
	}
	s.drop(p.Document.URI)
	s.notify("textDocument/publishDiagnostics", published{p.Document.URI, 0, []diagnostic{}})
	return nil
}
