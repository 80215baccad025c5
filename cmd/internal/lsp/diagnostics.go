package lsp

import (
	"net/url"
	"strings"
	"time"

	"pmtools/derive/lint"
)

type findings struct {
	full bool // the source was asked
	list []lint.Diagnostic
}

// check has a document checked in the background.
func (s *server) check(d *document) {
	s.work.Go(func() {
		defer s.checks.take(d.current)()
		if d.current.Err() == nil {
			s.checkFully(d)
		}
	})
	if s.opt.Patience > 0 {
		time.AfterFunc(s.opt.Patience, func() {
			if s.undecided(d) {
				s.checkText(d)
			}
		})
	}
}

func (s *server) undecided(d *document) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.docs[key(d.uri)] == d && d.found == nil
}

// checkFully checks a document with the source. If that is not there, the text is checked alone.
func (s *server) checkFully(d *document) {
	use := s.use
	if err := d.parse(d.current); err != nil {
		if d.current.Err() == nil {
			s.refuse(d.uri, d.version, err.Error())
		}
		return
	}
	if use.lint.Syntax {
		s.checkText(d)
		return
	}
	session, err := use.get(forChecks)
	if err == nil {
		var list []lint.Diagnostic
		opt := use.lint
		opt.Text = d.current
		if list, err = session.Lint(s.ctx, []lint.File{d.file()}, opt); err == nil {
			s.publish(d, &findings{true, list})
			return
		}
	}
	if d.current.Err() == nil {
		s.show("only the syntax is checked: " + err.Error())
		s.checkText(d)
	}
}

func (s *server) checkText(d *document) {
	use := s.use
	session, err := use.get(forSyntax)
	if err != nil {
		return
	}
	opt := use.lint
	opt.Syntax = true
	if d.parse(d.current) != nil {
		return // checkFully says so
	}
	if list, err := session.Lint(d.current, []lint.File{d.file()}, opt); err == nil {
		s.publish(d, &findings{false, list})
	}
}

// publish sends the findings, unless the document has changed or more is known of it.
func (s *server) publish(d *document, f *findings) {
	p := published{d.uri, d.version, []diagnostic{}}
	for i := range f.list {
		p.Diagnostics = append(p.Diagnostics, d.diagnostic(&f.list[i]))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs[key(d.uri)] != d || !f.full && d.found != nil {
		return
	}
	d.found = f
	s.notify("textDocument/publishDiagnostics", p) // under the lock, so that the last one sent is the last one kept
}

func (d *document) file() lint.File { return lint.File{Name: fileName(d.uri), Text: []byte(d.text)} }

// fileName returns the name of the file that a URI stands for, or the URI.
func fileName(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return uri
}

func (d *document) diagnostic(f *lint.Diagnostic) diagnostic {
	from := d.place(f.Line, f.Column)
	out := diagnostic{d.span(from, d.word(from)), severityError, f.Rule, "pmderive", strings.Join(append([]string{f.Message}, f.Notes...), "\n")}
	if f.Severity == lint.SeverityWarning {
		out.Severity = severityWarning
	}
	return out
}
