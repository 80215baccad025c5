package growth

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/cmd/internal/repl"
	"pmtools/derive"
	"pmtools/derive/lint"
	"pmtools/derive/load"
	"pmtools/internal/suggest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// definitionOperations are those on derived metrics, and what the prompt does.
func definitionOperations() []operation {
	return []operation{
		{"load definitions", "definitions", steps, func(t *testing.T, n int) func() {
			file := definitions(t, n)
			return func() { registry(file) }
		}},
		{"load and bind definitions", "definitions", steps, func(t *testing.T, n int) func() {
			file, a := definitions(t, n), kept(t, write(t, shape{metrics: n, records: 2}))
			return func() {
				s := derive.NewSource(a, registry(file).Set(), nil)
				must(s.Walk(ctx, "", false, func(string, pcp.ID) bool { return true }))
			}
		}},
		{"load and bind where one may hold another", "definitions", steps, func(t *testing.T, n int) func() {
			file, a := definitions(t, n), kept(t, write(t, shape{metrics: n, records: 2}))
			return func() {
				s := derive.NewSource(a, registry(file).Set(), &derive.Options{Nested: true})
				must(s.Walk(ctx, "", false, func(string, pcp.ID) bool { return true }))
			}
		}},
		{"evaluate definitions", "definitions", []int{1000, 3000, 10000, 30000}, func(t *testing.T, n int) func() {
			return evaluate(t, shape{metrics: n, records: 5}, definitions(t, n), n)
		}},
		{"evaluate a definition", "instances", steps, func(t *testing.T, n int) func() {
			return evaluate(t, shape{metrics: 2, insts: n, records: 20}, definitions(t, 1), 1)
		}},
		{"check a file with all rules", "definitions", steps, func(t *testing.T, n int) func() { return lintFile(t, n, n, false) }},
		{"check where one may hold another", "definitions", steps, func(t *testing.T, n int) func() { return lintFile(t, n, n, true) }},
		{"check a file of unknown metrics", "definitions", steps, func(t *testing.T, n int) func() { return lintFile(t, n, 1, false) }},
		{"format a file", "definitions", steps, func(t *testing.T, n int) func() {
			text, err := os.ReadFile(definitions(t, n))
			must(err)
			return func() { lint.Format("d.conf", text, nil) }
		}},
		{"complete a name", "metrics", []int{500, 5000, 50000}, func(t *testing.T, n int) func() {
			s := session(write(t, shape{metrics: n, records: 2}))
			t.Cleanup(func() { s.Close() })
			return func() { complete(s) }
		}},
		{"open a prompt and complete a name", "metrics", []int{500, 5000, 50000}, func(t *testing.T, n int) func() {
			base := write(t, shape{metrics: n, records: 2})
			return func() {
				s := session(base)
				complete(s)
				must(s.Close())
			}
		}},
		{"complete where any metric may stand", "metrics", []int{500, 5000, 50000}, func(t *testing.T, n int) func() {
			s := session(write(t, shape{metrics: n, records: 2}))
			t.Cleanup(func() { s.Close() })
			return func() { s.Complete("rate(", 5) }
		}},
		{"find metrics by words", "metrics", []int{500, 5000, 50000}, func(t *testing.T, n int) func() {
			s := session(write(t, shape{metrics: n, records: 2}))
			t.Cleanup(func() { s.Close() })
			find := func() { must(s.Run(ctx, ":find group0 metric", io.Discard)) }
			find() // the first question reads all names
			return find
		}},
		{"open a prompt and find metrics by words", "metrics", []int{500, 5000, 50000}, func(t *testing.T, n int) func() {
			base := write(t, shape{metrics: n, records: 2})
			return func() {
				s := session(base)
				must(s.Run(ctx, ":find group0 metric", io.Discard))
				must(s.Close())
			}
		}},
		{"evaluate at the prompt", "metrics", steps, func(t *testing.T, n int) func() {
			s := session(write(t, shape{metrics: n, records: 2}))
			t.Cleanup(func() { s.Close() })
			return func() { must(s.Run(ctx, name(1), io.Discard)) }
		}},
		{"propose a name for an unknown one", "metrics", steps, func(t *testing.T, n int) func() {
			known := make([]string, n)
			for i := range known {
				known[i] = name(i)
			}
			return func() { suggest.Names("group0.sub1.metrik123", known) }
		}},
	}
}

// definitions writes a file of n definitions over as many metrics, and returns its name.
func definitions(t *testing.T, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "d%d.x%d = rate(%s) * 100 / delta(%s)\n", i%50, i, name(i), name(i/2))
	}
	file := filepath.Join(t.TempDir(), "d.conf")
	must(os.WriteFile(file, []byte(b.String()), 0o666))
	return file
}

// lintFile checks a file of n definitions where there are some metrics.
func lintFile(t *testing.T, n, metrics int, expand bool) func() {
	text, err := os.ReadFile(definitions(t, n))
	must(err)
	base := write(t, shape{metrics: metrics, records: 2})
	return func() {
		s := session(base)
		must2(s.Lint(ctx, []lint.File{{Name: "d.conf", Text: text}}, lint.Options{Rules: lint.Rules(), Expand: expand}))
		must(s.Close())
	}
}

// registry loads a file.
func registry(file string) *derive.Registry {
	reg := derive.NewRegistry(nil)
	must2(load.Config(reg, file))
	return reg
}

// evaluate fetches n definitions from the start of an archive to its end.
func evaluate(t *testing.T, s shape, file string, n int) func() {
	a := kept(t, write(t, s))
	src := derive.NewSource(a, registry(file).Set(), nil)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("d%d.x%d", i%50, i)
	}
	found, err := src.Lookup(ctx, names)
	must(err)
	list := make([]pcp.ID, n)
	for i, f := range found {
		must(f.Err)
		list[i] = f.Value
	}
	var res pcp.Result
	return func() {
		must(a.SetMode(pcp.Forward, &pcp.Timestamp{Sec: 1700000000}, 0))
		for range s.records {
			must(src.Fetch(ctx, &pmapi.Request{IDs: list}, &res))
		}
	}
}

// complete completes the beginning of a name. An answer that takes too long is there the next time.
func complete(s *repl.Session) {
	const line = "rate(group0.sub3.me"
	for texts := []string(nil); len(texts) == 0; {
		texts, _ = s.Complete(line, len(line))
	}
}

// session returns a prompt over an archive.
func session(base string) *repl.Session {
	return repl.New(&repl.Options{Sources: repl.Sources{Kind: "archive", Name: base, Open: openArchive}})
}
