package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"pmtools/derive/lint"
)

// settings are those of the client; missing ones keep the values of the command line.
type settings struct {
	Archive string   `json:"archive"`
	Host    string   `json:"host"`
	Local   bool     `json:"local"`
	Syntax  bool     `json:"syntax"`
	Expand  bool     `json:"expand"`
	Unknown bool     `json:"allowUnknown"`
	Disable []string `json:"disable"`
}

const settingsID = "pmderive-settings"

// none reports whether settings are missing. A client in Lua writes its empty table as an empty array.
func none(raw json.RawMessage) bool {
	text := string(bytes.Join(bytes.Fields(raw), nil))
	return text == "" || text == "null" || text == "[]"
}

// configure applies settings: an object, or one in an object as its member "pmderive".
func (s *server) configure(raw json.RawMessage) error {
	var nested struct {
		Own json.RawMessage `json:"pmderive"`
	}
	if none(raw) {
		return nil
	}
	if err := unmarshal(raw, &nested); err != nil {
		return err
	}
	if nested.Own != nil {
		raw = nested.Own
	}
	if none(raw) {
		raw = json.RawMessage("{}")
	}
	opt := s.opt.Lint
	set := settings{Syntax: opt.Syntax, Expand: opt.Expand, Unknown: opt.Unknown}
	if err := unmarshal(raw, &set); err != nil {
		return err
	}
	use := &sessions{server: s, kind: s.opt.Kind, name: s.opt.Name, lint: opt}
	if err := use.apply(&set); err != nil {
		return rpcErrorf(codeInvalidParams, "settings: %v", err)
	}
	s.mu.Lock()
	old := s.use
	s.use = use
	for _, d := range s.docs {
		d.found = nil // it was found with other settings
	}
	s.mu.Unlock()
	s.work.Go(old.close) // may have to wait for its source
	for _, d := range s.open() {
		s.check(d)
	}
	return nil
}

func (u *sessions) apply(set *settings) error {
	switch {
	case set.Archive != "" && set.Host != "":
		return fmt.Errorf("there is one source: an archive or a host")
	case set.Local:
		u.kind, u.name = Local, ""
	case set.Archive != "":
		u.kind, u.name = Archive, set.Archive
	case set.Host != "":
		u.kind, u.name = Host, set.Host
	}
	u.lint.Syntax, u.lint.Expand, u.lint.Unknown = set.Syntax, set.Expand, set.Unknown
	if set.Disable == nil {
		return nil
	}
	rules, err := lint.RulesBut(set.Disable)
	u.lint.Rules = rules
	return err
}

func (s *server) didChangeConfiguration(p *params) error {
	if s.pull && none(p.Settings) {
		return s.initialized(nil)
	}
	return s.configure(p.Settings)
}

// answered handles the answer to a request of the server: the settings.
func (s *server) answered(m *message) {
	var list []json.RawMessage
	if string(m.ID) != `"`+settingsID+`"` || json.Unmarshal(m.Result, &list) != nil || len(list) != 1 {
		return
	}
	if err := s.configure(list[0]); err != nil {
		s.show(err.Error())
	}
}

// sessions are those over one source, each made when it is needed.
type sessions struct {
	*server
	kind, name string
	lint       lint.Options

	mu     sync.Mutex
	closed bool
	list   [3]Session
	ready  *document // whose definitions the session for questions has
}

const (
	forSyntax = iota // has no source
	forChecks
	forQuestions
)

func (u *sessions) get(purpose int) (s Session, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.closed:
		return nil, context.Canceled
	case u.list[purpose] == nil:
		kind, name := u.kind, u.name
		if purpose == forSyntax {
			kind, name = NoSource, ""
		}
		if u.list[purpose], err = u.opt.Session(kind, name); err != nil {
			return nil, err
		}
	}
	return u.list[purpose], nil
}

func (u *sessions) prepare(ctx context.Context, session Session, d *document) error {
	u.mu.Lock()
	ready := u.ready == d
	u.mu.Unlock()
	if ready {
		return nil
	}
	err := session.Replace(ctx, fileName(d.uri), []byte(d.text))
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ready = d; err != nil {
		u.ready = nil
	}
	return err
}

func (u *sessions) close() {
	u.mu.Lock()
	list := u.list
	u.closed = true
	u.mu.Unlock()
	for _, s := range list {
		if s != nil {
			s.Close()
		}
	}
}

func (s *server) sessions() *sessions {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.use
}
