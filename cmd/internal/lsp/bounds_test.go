package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmapi"
)

// messages returns the diagnostics of what is published.
func messages(t *testing.T, m received) (list []string) {
	t.Helper()
	var p struct{ Diagnostics []struct{ Message string } }
	if err := json.Unmarshal(m.Params, &p); err != nil {
		t.Fatal(err)
	}
	for _, d := range p.Diagnostics {
		list = append(list, d.Message)
	}
	return list
}

// TestTooLarge opens texts that are too large: a diagnostic says so, and a smaller text is checked.
func TestTooLarge(t *testing.T) {
	c := start(t, options(t, "demo"))
	c.initialize(map[string]any{"syntax": true})
	for _, tt := range []struct{ uri, text, want string }{
		{"file:///a", strings.Repeat("# 45678\n", 1<<20+1), "the file has 8388616 bytes, and is not checked; the limit for an editor is 8388608"},
		{"file:///b", strings.Repeat("a=1\n", 100_002), "more than 100000 definitions"},
	} {
		if got := messages(t, c.open(tt.uri, tt.text)); len(got) != 1 || !strings.HasPrefix(got[0], tt.want) {
			t.Errorf("%s: %q, want %q", tt.uri, got, tt.want)
		}
		if got := messages(t, c.open(tt.uri, "a = \n")); len(got) != 1 || got[0] != "expression missing" {
			t.Errorf("%s, smaller: %q", tt.uri, got)
		}
	}
	c.end()
}

// TestMany asks everything about many definitions with many mistakes. The time must not go with the
// square of the number.
func TestMany(t *testing.T) {
	const uri, n = "file:///m", 25_000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "d%d = rescale(common, \"%d Kbyte\")\n", i, i+2)
	}
	b.WriteString("last = |common +\n")
	began := time.Now()
	c := start(t, options(t, "demo"))
	c.initialize(map[string]any{"syntax": true})
	text, params := at(uri, b.String())
	got := messages(t, c.open(uri, text))
	if len(got) != n+1 || !strings.HasPrefix(got[n], "found the end") {
		t.Errorf("%d findings, the last is %q", len(got), got[len(got)-1])
	}
	for _, method := range []string{"completion", "hover", "definition", "references", "prepareRename", "codeAction", "documentSymbol", "formatting"} {
		params["range"] = map[string]any{"start": map[string]any{"line": 0, "character": 0}, "end": map[string]any{"line": n, "character": 9}}
		c.request("textDocument/"+method, params)
	}
	c.end()
	if took := time.Since(began); took > 60*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestEditEnds checks that a request ends when its document changes, and that the next one is answered.
func TestEditEnds(t *testing.T) {
	const uri = "file:///e"
	base, slow := archivetest.Path(t, "demo"), make(chan struct{})
	opt := sourceOptions(base, func(ctx context.Context, _, name string) (pmapi.Source, error) {
		<-slow
		return pmapi.OpenArchive(ctx, name, nil)
	})
	opt.Patience = time.Millisecond
	c := start(t, opt)
	c.initialize(nil)
	text, params := at(uri, "a = disk.dev.to|tal\n")
	c.open(uri, text)
	id := c.begin("textDocument/hover", params)
	c.change(uri, 2, map[string]any{"text": "# more\n" + text})
	if m := c.answer(id); m.Error == nil || m.Error.Code != -32801 {
		t.Errorf("after a change: %+v", m)
	}
	close(slow)
	if m := c.request("textDocument/prepareRename", params); m.Error == nil || m.Error.Code != -32803 {
		t.Errorf("about the new text: %+v", m)
	}
	c.end()
}
