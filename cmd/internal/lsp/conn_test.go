package lsp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/lsp"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmapi"
)

// TestMalformed: what is no message is answered with an error, and the next one is understood.
func TestMalformed(t *testing.T) {
	c := start(t, options(t, "demo"))
	framed := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	for _, tt := range []struct {
		raw  string
		code int
	}{
		{framed(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover"}`), -32002},
		{framed(`{`), -32700},
		{framed(`[]`), -32600},
		{framed(`{"id":{},"method":"x"}`), -32600},
		{framed(`{"id":1,"method":5}`), -32600},
		{framed(strings.Repeat("[", 20000)), -32700},
	} {
		c.raw(tt.raw)
		if m := c.wait(func(m received) bool { return m.Error != nil }); m.Error.Code != tt.code {
			t.Errorf("%.60q: %+v, want the code %d", tt.raw, m.Error, tt.code)
		}
	}
	c.initialize(nil)
	for _, tt := range []struct {
		method string
		params any
		code   int
	}{
		{"initialize", nil, -32600}, {"nothing", nil, -32601},
		{"textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": "file:///none"}}, -32602},
		{"textDocument/hover", []int{1}, -32602},
		{"textDocument/hover", map[string]any{"position": map[string]any{"line": -1}}, -32602},
	} {
		if m := c.request(tt.method, tt.params); m.Error == nil || m.Error.Code != tt.code {
			t.Errorf("%s: %+v, want the code %d", tt.method, m.Error, tt.code)
		}
	}
	c.notify("nothing", nil)
	c.notify("$/cancelRequest", map[string]any{"id": 99})
	c.request("shutdown", nil)
	if m := c.request("textDocument/hover", nil); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("after shutdown: %+v", m.Error)
	}
	c.notify("exit", nil)
	if err := <-c.done; err != nil {
		t.Error(err)
	}
}

// TestGone: a client that goes without a word, or sends what is no message, is an error.
func TestGone(t *testing.T) {
	for _, length := range []string{"x", "-1", "33554433", "99999999999999999999"} {
		in := strings.NewReader("Content-Length: " + length + "\r\n\r\n{}")
		if err := lsp.Serve(context.Background(), in, io.Discard, options(t, "demo")); err == nil || !strings.Contains(err.Error(), length) {
			t.Errorf("a length of %s: %v", length, err)
		}
	}
	for _, text := range []string{"", "Content-Length: 10\r\n\r\n{"} {
		if err := lsp.Serve(context.Background(), strings.NewReader(text), io.Discard, options(t, "demo")); !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestEdits: the last of several changes is the text that the client has.
func TestEdits(t *testing.T) {
	const uri = "file:///e.conf"
	c := start(t, options(t, "demo"))
	c.initialize(map[string]any{"expand": true})
	c.open(uri, "# 𝄞ü\r\na = 1\r\nb = 2\n")
	c.change(uri, 2, map[string]any{"text": "a = 2\n"}, map[string]any{"text": "# x\na = 1\nb = 3\nc = 4\nd   = 5\n"})
	m := c.request("textDocument/formatting", map[string]any{"textDocument": map[string]any{"uri": uri}})
	want := `[{"range":{"start":{"line":2,"character":0},"end":{"line":5,"character":0}},"newText":"\nb = 3\n\nc = 4\n\nd = 5\n"}]`
	if got := compact(m.Result); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	c.end()
}

// TestSlowSource: mistakes of syntax and what is in the text are there while the source says
// nothing, a request can be cancelled, and what the source knows comes later.
func TestSlowSource(t *testing.T) {
	const uri = "file:///s.conf"
	base := archivetest.Path(t, "demo")
	slow := make(chan struct{})
	opt := sourceOptions(base, func(ctx context.Context, _, name string) (pmapi.Source, error) {
		select {
		case <-slow:
			return pmapi.OpenArchive(ctx, name, nil)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	opt.Patience = time.Millisecond
	c := start(t, opt)
	c.initialize(nil)
	if m := c.open(uri, "a = disk.dev.totl\nb = 1 +\n"); !strings.Contains(string(m.Params), "found the end") || strings.Contains(string(m.Params), "unknown metric") {
		t.Errorf("without the source: %s", m.Params)
	}
	text, params := at(uri, "a = disk.dev.totl\nb = ra|\n")
	c.change(uri, 2, map[string]any{"text": text})
	if m := c.request("textDocument/completion", params); !strings.Contains(string(m.Result), `"rate("`) {
		t.Errorf("completion without the source: %s", m.Result)
	}
	_, params = at(uri, "a = disk|")
	id := c.begin("textDocument/hover", params)
	c.notify("$/cancelRequest", map[string]any{"id": id})
	if m := c.answer(id); m.Error == nil || m.Error.Code != -32800 {
		t.Errorf("a cancelled request: %+v", m)
	}
	close(slow)
	c.wait(func(m received) bool { return strings.Contains(string(m.Params), "unknown metric disk.dev.totl") })
	c.end()
}

// TestNoSource: a source that cannot be opened is reported once, and the syntax is checked.
func TestNoSource(t *testing.T) {
	c := start(t, sourceOptions(filepath.Join(t.TempDir(), "none"), func(context.Context, string, string) (pmapi.Source, error) {
		return nil, errors.New("there is no source")
	}))
	c.initialize(nil)
	c.open("file:///a", "a = b\n")
	c.open("file:///b", "a = \n")
	shown := 0
	for _, m := range c.seen {
		if m.Method == "window/showMessage" {
			shown++
		}
	}
	if shown != 1 {
		t.Errorf("%d messages", shown)
	}
	c.end()
}

// FuzzServe: whatever comes, the server answers or ends.
func FuzzServe(f *testing.F) {
	framed := func(bodies ...string) (text string) {
		for _, body := range bodies {
			text += fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
		}
		return text
	}
	begin := `{"id":1,"method":"initialize","params":{}}`
	opened := `{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"a","version":1,"text":"a = b[c] + 1\n"}}}`
	f.Add([]byte(framed(begin, opened, `{"id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"a"},"position":{"line":0,"character":6}}}`)))
	f.Add([]byte(framed(begin, opened, `{"method":"textDocument/didChange","params":{"textDocument":{"uri":"a","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":4},"end":{"line":1,"character":0}},"text":"\\\n ü"}]}}`)))
	f.Add([]byte(framed(begin, opened, `{"id":3,"method":"textDocument/rename","params":{"textDocument":{"uri":"a"},"newName":"x"}}`, `{"id":4,"method":"textDocument/completion","params":{"textDocument":{"uri":"a"},"position":{"line":0,"character":9}}}`)))
	f.Add([]byte("Content-Length: 5\r\n\r\n{}" + framed(begin)))
	for _, method := range []string{"codeAction", "documentSymbol", "formatting", "references", "definition", "prepareRename"} {
		f.Add([]byte(framed(begin, opened, `{"id":5,"method":"textDocument/`+method+`","params":{"textDocument":{"uri":"a"}}}`)))
	}
	base := archivetest.Path(f, "demo")
	f.Fuzz(func(t *testing.T, text []byte) {
		opt := sourceOptions(base, func(ctx context.Context, _, name string) (pmapi.Source, error) {
			return pmapi.OpenArchive(ctx, name, nil)
		})
		var out bytes.Buffer
		_ = lsp.Serve(t.Context(), bytes.NewReader(text), &out, opt) // that text is no conversation
	})
}
