package repl_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/cmd/internal/repl"
)

var update = flag.Bool("update", false, "rewrite the transcripts of sessions")

// TestSessions runs the items in the transcripts of testdata/session and compares their output. A
// line "> ITEM" is an item, "... LINE" goes on with it; the archive stands in the first line.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/session/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { transcript(t, file) })
	}
}

func transcript(t *testing.T, file string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(src), "\n")
	archive, ok := strings.CutPrefix(head, "# archive ")
	if !ok {
		t.Fatalf("%s does not begin with the name of an archive", file)
	}
	s := newSession(t, archive, func(o *repl.Options) {
		o.Files = memory{"old.conf": "old.a = 1\n", "bad.conf": "# about ok\nok.a = t.s + 1\nok.a(oneline) = one\nbad = t.s +\nno sign\n",
			"items": "# items of a prompt\nrun.x = t.s + \\\n  1\nsum(t.b\n)\n",
			"wrong": "t.s\nt.b + )\nt.d\n", "self": ":run self\n",
			"twice.conf": "tw.b = t.s + 10\ntw.b = 3\ntw.c = 4\n"}
	})
	var got strings.Builder
	got.WriteString(head + "\n")
	item := ""
	flush := func() {
		if item != "" {
			got.WriteString(run(s, item))
		}
		item = ""
	}
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSuffix(line, "\n")
		if more, ok := strings.CutPrefix(line, "... "); ok && item != "" {
			if s.Incomplete(item) == "" {
				t.Errorf("%q does not wait for another line", item)
			}
			item = repl.Join(item, more)
			got.WriteString(line + "\n")
		}
		if next, ok := strings.CutPrefix(line, "> "); ok {
			flush()
			item = next
			got.WriteString(line + "\n")
		}
	}
	flush()
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(strings.Split(string(src), "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
