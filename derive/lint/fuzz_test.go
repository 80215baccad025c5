package lint_test

import (
	"context"
	"testing"

	"pmtools/derive/lint"
)

// FuzzRules applies all rules to anything that may be in a file, with and without a source.
func FuzzRules(f *testing.F) {
	for _, r := range lint.Rules() {
		f.Add(r.Bad, true)
		f.Add(r.Good, false)
	}
	f.Add("# pmderive: ignore counter\na = sum(disk.dev.total) > 5 && \\\n sum(disk.dev.total) > 5 ? novalue(meta=b) : -matchinst(!/x/, disk.dev.total)\nb = a[sda] == 1\n", true)
	l := linter(f, world(f))
	f.Fuzz(func(t *testing.T, text string, expand bool) {
		for _, syntax := range []bool{true, false} {
			opt := lint.Options{Rules: lint.Rules(), Syntax: syntax, Expand: expand, Unknown: expand}
			found, err := l.Files(context.Background(), []lint.File{{Name: "f", Text: []byte(text)}}, opt)
			if err != nil {
				t.Fatal(err)
			}
			for i := range found {
				if d := &found[i]; d.Line < 1 || d.Column < 1 {
					t.Errorf("%v", d)
				}
			}
		}
	})
}
