package lsp_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "pmtools/test/env"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// A step of a session: a method of the protocol, or open or change with the text of the document. A
// bar in the text is where the cursor is from then on.
type step struct {
	method string
	text   string
	more   map[string]any // parameters
}

// sessions are recorded in testdata. The archive has disks sda and nvme0n1.
var sessions = map[string][]step{
	"typing": {
		{"open", "# ü𝄞 comes first\ndisk.busy = disk.|\n", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = ra|\n", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = rate(disk.dev.totl|)\n", nil}, {"textDocument/codeAction", "", nil},
		{"change", "disk.busy = rate(disk.dev.total[|\n", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = rate(disk.dev.total[n|])\n", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = matchinst(/|/, disk.dev.total)\n", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = matchinst(/|\nb = rate(disk.dev.total)\n", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = rescale(disk.dev.total_bytes, \"K|\n", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = mkconst(1, units=\"micro|", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = mkconst(1, |", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = mkconst(1, type=d|", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = 1\ndi|", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = 1\ndisk.busy(on|", nil}, {"textDocument/completion", "", nil},
		{"change", "# pmderive: ignore no-|\ndisk.busy = 1\n", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = 1 + \\\n  hinv.|\n", nil}, {"textDocument/completion", "", nil},
		{"change", "disk.busy = 1\ndisk.busy(oneline) = rat|\n", nil}, {"textDocument/completion", "", nil},
	},
	"looking": {
		{"open", "a = disk.dev.to|tal\n", nil}, {"textDocument/hover", "", nil},
		{"change", "a = ra|te(disk.dev.total)\n", nil}, {"textDocument/hover", "", nil},
		{"change", "a| = rate(disk.dev.total) * 2\na(oneline) = how busy\n", nil}, {"textDocument/hover", "", nil},
		{"change", "a = rate(disk.dev.total) \\\n  *| 2\n", nil}, {"textDocument/hover", "", nil},
		{"change", "a = disk.dev.totl|\n", nil}, {"textDocument/hover", "", nil},
		{"change", "# no|thing\na = 1\n", nil}, {"textDocument/hover", "", nil},
		{"change", "a = disk.dev.total\n", nil}, {"textDocument/documentSymbol", "", nil},
	},
	"groups": {
		{"open", "# language: extended\na = sum(rate(disk.dev.total)) by (|", nil}, {"textDocument/completion", "", nil},
		{"change", "# language: extended\na = sum(rate(disk.dev.total)) by (medium, d|)\n", nil}, {"textDocument/completion", "", nil},
		{"change", "# language: extended\na = sum(rate(disk.dev.total)) by (|medium)\n", nil}, {"textDocument/hover", "", nil},
		{"change", "# language: extended\na = su|m(rate(disk.dev.total)) by (medium)\n", nil}, {"textDocument/hover", "", nil},
		{"change", "# language: extended\na = sum(rate(disk.dev.total)) by (|kind)\n", nil}, {"textDocument/codeAction", "", nil},
		{"change", "# language: extended\na = rate(disk.dev.total) by (m|edium)\n", nil}, {"textDocument/codeAction", "", nil},
		{"change", "# language: extended\na = sum by (m|edium) (disk.dev.total)\n", nil}, {"textDocument/codeAction", "", nil},
		{"change", "# language: extended\na = hinv.ncpu + sum(disk.dev.total) by (m|edium)\n", nil}, {"textDocument/codeAction", "", nil},
	},
	"names": {
		{"open", "a = disk.dev.total\na(oneline) = x\nü = 1\nb = defined(a) ? |a : mkconst(0, meta=a)\nc = a +\n", nil},
		{"textDocument/definition", "", nil}, {"textDocument/references", "", nil},
		{"textDocument/references", "", map[string]any{"context": map[string]any{"includeDeclaration": true}}},
		{"textDocument/prepareRename", "", nil}, {"textDocument/rename", "", map[string]any{"newName": "disk.all"}},
		{"textDocument/rename", "", map[string]any{"newName": "b"}}, {"textDocument/rename", "", map[string]any{"newName": "1x"}},
		{"textDocument/rename", "", map[string]any{"newName": "a + b"}}, {"textDocument/rename", "", map[string]any{"newName": "type"}},
		{"change", "a = disk.dev.|total\n", nil},
		{"textDocument/definition", "", nil}, {"textDocument/prepareRename", "", nil}, {"textDocument/rename", "", map[string]any{"newName": "b"}},
	},
	"mending": {
		{"open", "a   = 1\nb=disk.dev.total+1\nc = 2\n", nil}, {"textDocument/formatting", "", nil},
		{"change", "a = 1\n", nil}, {"textDocument/formatting", "", nil},
		{"change", "a = 1 +\n", nil}, {"textDocument/formatting", "", nil},
		{"change", "a = disk.dev.total > |5\n", nil}, {"textDocument/codeAction", "", nil},
		{"change", "a = hinv.ncpu + disk.dev.total|\n", nil}, {"textDocument/codeAction", "", nil},
		{"change", "a = rte(disk.dev.total)|\n", nil}, {"textDocument/codeAction", "", nil},
		{"change", "a = sum(rate(disk.dev.total|))\n", nil}, {"textDocument/codeAction", "", nil},
		{"change", "a   = 1\r\nb=2\r\n", nil}, {"textDocument/formatting", "", nil},
		{"change", "ü = 1\r\na = \\\n  |hinv.npcu\n", nil}, {"textDocument/codeAction", "", nil},
	},
}

// TestSessions plays sessions and compares them with those that were recorded.
func TestSessions(t *testing.T) {
	for name, steps := range sessions {
		t.Run(name, func(t *testing.T) {
			c := start(t, options(t, "demo"))
			c.initialize(map[string]any{"expand": true})
			var b strings.Builder
			play(c, steps, &b)
			c.end()
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("got\n%s\nwant\n%s", b.String(), want)
			}
		})
	}
}

// TestSpellings: two spellings of a URI are one document, and an answer about it has that of its opening.
func TestSpellings(t *testing.T) {
	c := start(t, options(t, "demo"))
	c.initialize(nil)
	for _, uris := range [][2]string{
		{"file:///tmp/a+b (1).conf", "file:///tmp/a%2Bb%20%281%29.conf"},
		{"file:///C%3A/d.conf", "file:///c:/d.conf"},
		{"file:///d.conf", "file://localhost/d.conf"},
	} {
		c.open(uris[0], "a   = 1\n")
		m := c.request("textDocument/formatting", map[string]any{"textDocument": map[string]any{"uri": uris[1]}})
		if m.Error != nil || !strings.Contains(string(m.Result), "a = 1") {
			t.Errorf("%s: %v", uris[1], m.Error)
		}
		c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uris[1], "version": 2}, "contentChanges": []map[string]any{{"text": "a = \n"}}})
		c.published(uris[0], 2)
	}
	c.end()
}

// TestNoSettings: an empty array, as clients in Lua write an empty table, is no setting.
func TestNoSettings(t *testing.T) {
	for _, empty := range []any{nil, []any{}, map[string]any{}} {
		c := start(t, options(t, "demo"))
		if m := c.initialize(empty); m.Error != nil {
			t.Errorf("%v: %s", empty, m.Error.Message)
			continue
		}
		c.open("file:///d.conf", "a = 1 +\n")
		for _, m := range c.seen {
			t.Errorf("%v: %s %s", empty, m.Method, m.Params)
		}
		c.end()
	}
}

// play plays the steps of a session and writes what is said.
func play(c *client, steps []step, b *strings.Builder) {
	const uri = "file:///d.conf"
	var params map[string]any
	for i, s := range steps {
		switch s.method {
		case "open", "change":
			var text string
			text, params = at(uri, s.text)
			fmt.Fprintf(b, "> %s\n%s", s.method, s.text)
			if !strings.HasSuffix(s.text, "\n") {
				b.WriteString("\n")
			}
			var m received
			if s.method == "open" {
				m = c.open(uri, text)
			} else {
				m = c.change(uri, i+1, map[string]any{"text": text})
			}
			var p struct{ Diagnostics []json.RawMessage }
			if err := json.Unmarshal(m.Params, &p); err != nil {
				c.t.Fatal(err)
			}
			for _, d := range p.Diagnostics {
				fmt.Fprintf(b, "! %s\n", compact(d))
			}
			continue
		}
		p := map[string]any{"range": map[string]any{"start": params["position"], "end": params["position"]}}
		for _, more := range []map[string]any{params, s.more} {
			for key, value := range more {
				p[key] = value
			}
		}
		more := ""
		if s.more != nil {
			text, _ := json.Marshal(s.more)
			more = " " + string(text)
		}
		fmt.Fprintf(b, "> %s%s\n", s.method, more)
		m := c.request(s.method, p)
		if m.Error != nil {
			fmt.Fprintf(b, "< error %d: %s\n", m.Error.Code, m.Error.Message)
			continue
		}
		text := compact(m.Result)
		text = strings.ReplaceAll(text, `},{"label"`, "},\n  {\"label\"")
		fmt.Fprintf(b, "< %s\n", strings.ReplaceAll(text, `},{"title"`, "},\n  {\"title\""))
	}
}
