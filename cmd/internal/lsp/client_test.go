package lsp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/cmd/internal/lsp"
	"pmtools/cmd/internal/repl"
	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/lint"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmapi"
)

// A client is one end of a connection.
type client struct {
	t    testing.TB
	in   *io.PipeWriter
	out  chan received // of what the server says
	seen []received    // that nobody has waited for
	last int           // id
	done chan error
}

// A received message.
type received struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// start starts a server.
func start(t testing.TB, opt *lsp.Options) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, out: make(chan received, 1<<16), done: make(chan error, 1)}
	go c.listen(bufio.NewReader(outR))
	go func() {
		c.done <- lsp.Serve(context.Background(), inR, outW, opt)
		inR.Close()
		outW.Close()
	}()
	t.Cleanup(func() { inW.Close() })
	return c
}

// raw sends bytes.
func (c *client) raw(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Fatal(err)
	}
}

// send sends a message.
func (c *client) send(m map[string]any) {
	c.t.Helper()
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	c.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

// listen receives messages: the server waits until they are read.
func (c *client) listen(r *bufio.Reader) {
	defer close(c.out)
	for {
		head, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil {
			c.t.Error(err)
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			c.t.Error(err)
			return
		}
		var m received
		if err := json.Unmarshal(body, &m); err != nil {
			c.t.Errorf("%v: %s", err, body)
			return
		}
		c.out <- m
	}
}

// wait returns the first message that f takes; the others stay for later.
func (c *client) wait(f func(received) bool) received {
	c.t.Helper()
	for i, m := range c.seen {
		if f(m) {
			c.seen = append(c.seen[:i:i], c.seen[i+1:]...)
			return m
		}
	}
	for {
		m, ok := <-c.out
		if !ok {
			c.t.Fatal("the server has ended")
		}
		if f(m) {
			return m
		}
		c.seen = append(c.seen, m)
	}
}

// begin sends a request and returns its id.
func (c *client) begin(method string, params any) int {
	c.t.Helper()
	c.last++
	c.send(map[string]any{"id": c.last, "method": method, "params": params})
	return c.last
}

// answer waits for the answer to a request.
func (c *client) answer(id int) received {
	c.t.Helper()
	return c.wait(func(m received) bool { return m.Method == "" && string(m.ID) == strconv.Itoa(id) })
}

// request sends a request and waits for the answer.
func (c *client) request(method string, params any) received {
	c.t.Helper()
	return c.answer(c.begin(method, params))
}

// notify sends a notification.
func (c *client) notify(method string, params any) {
	c.t.Helper()
	c.send(map[string]any{"method": method, "params": params})
}

// initialize begins, with settings.
func (c *client) initialize(settings any) received {
	c.t.Helper()
	m := c.request("initialize", map[string]any{"processId": nil, "rootUri": nil, "capabilities": map[string]any{}, "initializationOptions": settings})
	c.notify("initialized", map[string]any{})
	return m
}

// open opens a document and returns what is published about it.
func (c *client) open(uri, text string) received {
	c.t.Helper()
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "pcp", "version": 1, "text": text}})
	return c.published(uri, 1)
}

// change replaces a text and returns what is published about it.
func (c *client) change(uri string, version int, changes ...map[string]any) received {
	c.t.Helper()
	c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": changes})
	return c.published(uri, version)
}

// published waits for what is published about a version of a document.
func (c *client) published(uri string, version int) received {
	c.t.Helper()
	return c.wait(func(m received) bool {
		var p struct {
			URI     string
			Version int
		}
		return m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil && p.URI == uri && p.Version == version
	})
}

// end ends the server properly.
func (c *client) end() {
	c.t.Helper()
	c.request("shutdown", nil)
	c.notify("exit", nil)
	if err := <-c.done; err != nil {
		c.t.Errorf("the server ends: %v", err)
	}
}

// at returns the parameters of a request about a place: that of the bar in the text.
func at(uri, marked string) (text string, params map[string]any) {
	before, after, _ := strings.Cut(marked, "|")
	line := strings.Count(before, "\n")
	return before + after, map[string]any{
		"textDocument": map[string]any{"uri": uri},
		"position":     map[string]any{"line": line, "character": len(before) - strings.LastIndex(before, "\n") - 1},
	}
}

// options returns those of a server over archives that are built for it.
func options(t testing.TB, names ...string) *lsp.Options {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := archivetest.Build(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	return sourceOptions(names[0], func(ctx context.Context, kind, name string) (pmapi.Source, error) {
		if kind != repl.Archive {
			return nil, errors.New("there is no " + kind + " here")
		}
		return pmapi.OpenArchive(ctx, filepath.Join(dir, name), nil)
	})
}

// sourceOptions returns options with a function that opens sources.
func sourceOptions(name string, open func(ctx context.Context, kind, name string) (pmapi.Source, error)) *lsp.Options {
	rules := slices.DeleteFunc(lint.Rules(), func(r *lint.Rule) bool { return r.Name == "no-help" })
	return &lsp.Options{Kind: repl.Archive, Name: name, Lint: lint.Options{Rules: rules}, Session: func(kind, name string) (lsp.Session, error) {
		opt := &repl.Options{Sources: repl.Sources{Open: open, Kind: kind, Name: name}, Definitions: derive.NewSet()}
		opt.Settings.Language = check.Extended // as pmderive lsp does
		if kind == lsp.NoSource {
			opt.Open = nil
		}
		return repl.New(opt), nil
	}}
}

// compact returns JSON without blanks.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return string(raw)
	}
	return b.String()
}
