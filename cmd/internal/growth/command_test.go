package growth

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/cmd/internal/deps"
	"pmtools/cmd/internal/repl"
	"pmtools/derive"
	"pmtools/derive/derivetest"
	"pmtools/derive/query"
	"pmtools/derive/summary"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/remotewrite"
	"pmtools/lib/sampling"
)

// commandOperations are those of single commands of pmderive.
func commandOperations() []operation {
	return []operation{
		{"show the largest at the prompt", "instances", steps, func(t *testing.T, n int) func() {
			return prompt(t, shape{metrics: 1, insts: n, records: 2}, ":top "+name(0))
		}},
		{"load definitions at the prompt", "definitions", steps, func(t *testing.T, n int) func() {
			base, file := write(t, shape{metrics: n, records: 2}), disk{definitions(t, n)}
			return func() {
				s := repl.New(&repl.Options{Sources: repl.Sources{Kind: "archive", Name: base, Open: openArchive}, World: repl.World{Files: file}})
				must(s.Run(ctx, ":load d.conf", io.Discard))
				must(s.Close())
			}
		}},
		{"define one more at the prompt", "definitions", steps, func(t *testing.T, n int) func() {
			base, file := write(t, shape{metrics: n, records: 2}), disk{definitions(t, n)}
			s := repl.New(&repl.Options{Sources: repl.Sources{Kind: "archive", Name: base, Open: openArchive}, World: repl.World{Files: file}})
			t.Cleanup(func() { s.Close() })
			must(s.Run(ctx, ":load d.conf", io.Discard))
			return func() { must(s.Run(ctx, "more = rate("+name(1)+")", io.Discard)) }
		}},
		{"evaluate at the prompt", "hosts", []int{10, 100, 1000}, hosts},
		{"summarize all metrics", "metrics", steps, func(t *testing.T, n int) func() { return summarize(t, shape{metrics: n, records: 10}) }},
		{"summarize all metrics", "records", steps, func(t *testing.T, n int) func() { return summarize(t, shape{metrics: 10, records: n}) }},
		{"run cases of definitions", "cases", steps, testCases},
		{"what definitions are made of", "definitions", steps, func(t *testing.T, n int) func() {
			list := make([]*derive.Definition, n)
			for i := range list {
				var err error
				list[i], err = derive.Compile(fmt.Sprintf("d.x%d", i), fmt.Sprintf("rate(%s) + d.x%d", name(i), i&^7))
				must(err)
			}
			return func() { deps.New(list, derive.NewSet().Find, true) }
		}},
		{"encode samples for a database", "series", steps, func(t *testing.T, n int) func() {
			list := make([]remotewrite.Series, n)
			for i := range list {
				list[i].Labels = remotewrite.EncodeLabels(remotewrite.Label{Name: "__name__", Value: "m"}, remotewrite.Label{Name: "inst", Value: instance(i)})
			}
			var r remotewrite.Request
			return func() {
				for i := range list {
					r.Add(&list[i], 1700000000000, float64(i))
				}
				r.Split(8)
				r.Reset()
			}
		}},
	}
}

// openArchive opens the source of a session.
func openArchive(ctx context.Context, _, name string) (pmapi.Source, error) {
	return pmapi.OpenArchive(ctx, name, nil)
}

// disk is a file that a session may read.
type disk struct{ name string }

// ReadFile implements repl.Files.
func (d disk) ReadFile(string) ([]byte, error) { return os.ReadFile(d.name) }

// WriteFile implements repl.Files.
func (disk) WriteFile(string, []byte, bool) error { return os.ErrPermission }

// Create implements repl.Files.
func (disk) Create(string) (io.WriteCloser, error) { return nil, os.ErrPermission }

// Glob implements repl.Files.
func (disk) Glob(string) []string { return nil }

// prompt runs a line of the prompt over an archive.
func prompt(t *testing.T, s shape, line string) func() {
	p := session(write(t, s))
	t.Cleanup(func() { p.Close() })
	return func() { must(p.Run(ctx, line, io.Discard)) }
}

// nowhere takes samples.
type nowhere struct{}

// Sample implements sampling.Writer.
func (nowhere) Sample(context.Context, *sampling.Sample) error { return nil }

// Close implements sampling.Writer.
func (nowhere) Close() error { return nil }

// hosts evaluates a metric on many hosts at the prompt.
func hosts(t *testing.T, n int) func() {
	list, dialer := addresses(t, n)
	s := repl.New(&repl.Options{
		Sources: repl.Sources{Hosts: list, OpenHost: func(ctx context.Context, name string) (pmapi.Source, error) { return pmapi.OpenHost(ctx, name, dialer) }},
		World:   repl.World{Output: func(io.Writer, *sampling.Header, repl.Form) (sampling.Writer, error) { return nowhere{}, nil }},
	})
	t.Cleanup(func() { s.Close() })
	return func() { must(s.Run(ctx, name(1), io.Discard)) }
}

// summarize summarizes an archive.
func summarize(t *testing.T, s shape) func() {
	a, err := openArchive(ctx, "", write(t, s))
	must(err)
	t.Cleanup(func() { a.Close() })
	src, defs := query.NewSource(a), derive.NewSet()
	opt := &summary.Options{Times: sampling.Times{Start: pcp.Timestamp{Sec: 1700000000}}}
	return func() {
		_, err := summary.Summarize(ctx, src, defs, opt)
		must(err)
	}
}

// testCases runs a file of n cases, each of a definition.
func testCases(t *testing.T, n int) func() {
	dir := t.TempDir()
	var defs, text strings.Builder
	text.WriteString("definitions d.conf\nmetric a double instant\nvalue 1 2 3\n")
	for i := range n {
		fmt.Fprintf(&defs, "d.x%d = a + %d\n", i, i)
		fmt.Fprintf(&text, "case c%d\neval d.x%d\nvalue %d %d %d\n", i, i, i+1, i+2, i+3)
	}
	must(os.WriteFile(filepath.Join(dir, "d.conf"), []byte(defs.String()), 0o666))
	return func() {
		f, err := derivetest.Parse(filepath.Join(dir, "d.cases"), []byte(text.String()))
		must(err)
		r, err := f.Run(ctx, nil)
		must(err)
		if r.Failed() > 0 {
			panic("a case has failed")
		}
	}
}
