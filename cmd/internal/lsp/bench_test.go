package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// names is how many metrics the source of the benchmark has.
const names = 5000

// wide makes an archive with many metrics, counters with four instances, and returns its name.
func wide(b testing.TB) string {
	b.Helper()
	base := filepath.Join(b.TempDir(), "wide")
	w, err := archive.Create(base, &archive.WriterOptions{Host: "wide", Zone: "UTC"})
	if err != nil {
		b.Fatal(err)
	}
	t0 := pcp.Timestamp{Sec: 1700000000}
	indom := pcp.NewInDom(245, 1)
	var insts []pcp.Instance
	for i := range int32(4) {
		insts = append(insts, pcp.Instance{ID: i, Name: fmt.Sprintf("cpu%d", i)})
	}
	if err := w.SetInDom(t0, indom, insts); err != nil {
		b.Fatal(err)
	}
	for i := range names {
		id := pcp.NewID(245, uint32(i/1000), uint32(i%1000)+1)
		d := pcp.Desc{ID: id, Type: pcp.Uint64, InDom: indom, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}}
		if err := w.AddMetric(d, metric(i)); err != nil {
			b.Fatal(err)
		}
	}
	id := pcp.NewID(245, 0, 1)
	for i := range 10 {
		set := pcp.Values{ID: id, Type: pcp.Uint64, Insts: []int32{0, 1, 2, 3}, Words: []uint64{uint64(i), 1, 2, 3}}
		if err := w.Put(&pcp.Result{Time: t0.Add(time.Duration(i) * time.Second), Sets: []pcp.Values{set}}); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return base
}

// metric returns the name of a metric of wide.
func metric(i int) string { return fmt.Sprintf("group%d.sub%d.metric%d", i/500, i/50%10, i) }

// BenchmarkAnswers measures what a client waits for, over a source with 5,000 metrics, while every
// request comes after a change of the text: of a file with 100 definitions, and of one with 5,000.
func BenchmarkAnswers(b *testing.B) {
	base := wide(b)
	for _, definitions := range []int{100, names} {
		var text strings.Builder
		for i := range definitions {
			fmt.Fprintf(&text, "d%d.x%d = rate(%s) * 100 / delta(%s[cpu1])\n", i%50, i, metric(i*7%names), metric(i*11%names))
		}
		for _, tt := range []struct{ method, line string }{
			{"completion", "new = rate(group3.|\n"}, {"completion", "new = |\n"}, {"completion", "new = group1.sub1.metric551[|\n"},
			{"completion", "new = rate(group3.sub2.metric16|\n"},
			{"hover", "new = rate(group3.sub2.met|ric1600)\n"}, {"hover", "new = rate(group3.sub2.metric1600) *| 2\n"},
			{"definition", "new = d1|.x1\n"}, {"references", "new = d1|.x1\n"}, {"documentSymbol", "new = |1\n"}, {"formatting", "new  =|1\n"},
			{"diagnostics", "new = rate(group3.sub2.metric1|)\n"},
		} {
			b.Run(fmt.Sprintf("%d/%s/%s", definitions, tt.method, strings.TrimSpace(tt.line)), func(b *testing.B) {
				answers(b, base, text.String(), tt.method, tt.line)
			})
		}
	}
}

// answers measures one kind of request, after a text.
func answers(b *testing.B, base, text, method, line string) {
	const uri = "file:///d.conf"
	c := start(b, sourceOptions(base, func(ctx context.Context, _, name string) (pmapi.Source, error) {
		return pmapi.OpenArchive(ctx, name, nil)
	}))
	c.initialize(map[string]any{"expand": true})
	marked, params := at(uri, text+line)
	c.open(uri, marked)
	if method != "diagnostics" {
		c.request("textDocument/"+method, params) // opens the source
	}
	var took []time.Duration
	b.ResetTimer()
	for i := range b.N {
		change := map[string]any{"text": marked + strings.Repeat("# one more line\n", i+1)}
		began := time.Now()
		if method == "diagnostics" {
			c.change(uri, i+2, change)
			took = append(took, time.Since(began))
			continue
		}
		c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": i + 2}, "contentChanges": []any{change}})
		m := c.request("textDocument/"+method, params)
		took = append(took, time.Since(began))
		if m.Error != nil || string(m.Result) == "null" || json.Valid(m.Result) && len(m.Result) < 3 && method != "definition" {
			b.Fatalf("%+v %s", m.Error, m.Result)
		}
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "ms-median")
	b.ReportMetric(float64(took[len(took)*99/100])/1e6, "ms-p99")
	c.end()
}
