package lsp

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"pmtools/derive/repl"
)

// findings are what is wrong with a version of a document.
type findings struct {
	doc  *document
	full bool // the source was asked
	list []repl.Diagnostic
}

// check has a document checked in the background.
func (s *server) check(d *document) {
	s.mu.Lock()
	if !slices.Contains(s.waiting, d.uri) {
		s.waiting = append(s.waiting, d.uri)
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	if s.opt.Patience > 0 {
		time.AfterFunc(s.opt.Patience, func() {
			if s.undecided(d) {
				s.checkText(d)
			}
		})
	}
}

// undecided reports whether a document is the current version, and nothing is known of it.
func (s *server) undecided(d *document) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.found[d.uri]
	return s.docs[d.uri] == d && (found == nil || found.doc != d)
}

// checkAll checks documents, one after the other, until the server ends.
func (s *server) checkAll() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.wake:
		}
		for d := s.next(); d != nil && s.ctx.Err() == nil; d = s.next() {
			s.checkFully(d)
		}
	}
}

// next returns the next document that is to be checked, or nil.
func (s *server) next() *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) > 0 {
		uri := s.waiting[0]
		s.waiting = s.waiting[1:]
		if d := s.docs[uri]; d != nil {
			return d
		}
	}
	return nil
}

// checkFully checks a document with the source. If that is not there, the text is checked alone.
func (s *server) checkFully(d *document) {
	use := s.sessions()
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
		var list []repl.Diagnostic
		opt := use.lint
		opt.Text = d.current
		if list, err = session.Lint(s.ctx, []repl.File{d.file()}, opt); err == nil {
			s.publish(newFindings(d, true, list))
			return
		}
	}
	if d.current.Err() == nil && s.sessions() == use {
		s.show("only the syntax is checked: " + err.Error())
		s.checkText(d)
	}
}

// checkText checks a document without the source.
func (s *server) checkText(d *document) {
	use := s.sessions()
	session, err := use.get(forSyntax)
	if err != nil {
		return
	}
	opt := use.lint
	opt.Syntax = true
	if d.parse(d.current) != nil {
		return // checkFully says so
	}
	if list, err := session.Lint(d.current, []repl.File{d.file()}, opt); err == nil {
		s.publish(newFindings(d, false, list))
	}
}

// maxFindings is how many findings of a document are published, errors before warnings.
const maxFindings = 1000

// newFindings returns what is published of a list.
func newFindings(d *document, full bool, list []repl.Diagnostic) *findings {
	if len(list) > maxFindings {
		slices.SortStableFunc(list, func(a, b repl.Diagnostic) int { return cmp.Compare(a.Severity, b.Severity) }) // "error" is less than "warning"
		more := list[maxFindings-1]
		more.Message, more.Notes, more.Fixes = fmt.Sprintf("%d more findings are not shown here; pmderive check shows them", len(list)-maxFindings+1), nil, nil
		more.Rule = ""
		list = append(slices.Clone(list[:maxFindings-1]), more) // the memory of the rest is not kept
	}
	return &findings{d, full, list}
}

// publish sends the findings, unless the document has changed or more is known of it.
func (s *server) publish(f *findings) {
	p := published{f.doc.uri, f.doc.version, []diagnostic{}}
	for i := range f.list {
		p.Diagnostics = append(p.Diagnostics, f.doc.diagnostic(&f.list[i]))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.found[f.doc.uri]
	if s.docs[f.doc.uri] != f.doc || !f.full && old != nil && old.doc == f.doc {
		return
	}
	s.found[f.doc.uri] = f
	s.notify("textDocument/publishDiagnostics", p) // in the order of what is noted
}

// file returns the document as the checker takes it.
func (d *document) file() repl.File { return repl.File{Name: fileName(d.uri), Text: []byte(d.text)} }

// fileName returns the name of the file that a URI stands for, or the URI.
func fileName(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return uri
}

// diagnostic returns what the client shows of a finding.
func (d *document) diagnostic(f *repl.Diagnostic) diagnostic {
	from := d.place(f.Line, f.Column)
	out := diagnostic{d.span(from, d.word(from)), severityError, f.Rule, "pmderive", strings.Join(append([]string{f.Message}, f.Notes...), "\n")}
	if f.Severity == repl.SeverityWarning {
		out.Severity = severityWarning
	}
	return out
}
