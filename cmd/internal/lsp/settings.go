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

// none reports whether settings are missing. A client in Lua writes its empty table as an empty array.
func none(raw json.RawMessage) bool {
	text := string(bytes.Join(bytes.Fields(raw), nil))
	return text == "" || text == "null" || text == "[]"
}

// configure applies the settings of the client.
func (s *server) configure(raw json.RawMessage) error {
	if none(raw) {
		return nil
	}
	set := settings{Syntax: s.use.lint.Syntax, Expand: s.use.lint.Expand, Unknown: s.use.lint.Unknown}
	if err := unmarshal(raw, &set); err != nil {
		return err
	}
	if err := s.use.apply(&set); err != nil {
		return rpcErrorf(codeInvalidParams, "settings: %v", err)
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

// sessions are those over one source, each made when it is needed.
type sessions struct {
	*server
	kind, name string
	lint       lint.Options

	mu    sync.Mutex
	list  [3]Session
	ready *document // whose definitions the session for questions has
}

const (
	forSyntax = iota // has no source
	forChecks
	forQuestions
)

func (u *sessions) get(purpose int) (s Session, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.list[purpose] == nil {
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
	for _, s := range u.list {
		if s != nil {
			s.Close()
		}
	}
}
