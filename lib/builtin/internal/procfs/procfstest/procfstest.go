// Package procfstest is for tests of collectors that read /proc and /sys: a small system in files,
// and the answers of the reference's agents about it.
package procfstest

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

//go:embed tree.txt
var tree string

//go:embed golden.txt
var golden string

// Options returns the options of a collector of the files below a directory, on a machine with pages of 4096 bytes.
func Options(dir string) *procfs.Options {
	return &procfs.Options{Root: dir, Getenv: func(name string) string {
		if strings.HasSuffix(name, "_PAGESIZE") {
			return "4096"
		}
		return ""
	}}
}

// Tree makes the files of tree.txt below a directory.
func Tree(t testing.TB) string { return Damaged(t, func(content []byte) []byte { return content }) }

// Damaged makes the files of tree.txt, each with its content changed.
func Damaged(t testing.TB, change func(content []byte) []byte) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("names of devices are no names of files here")
	}
	return makeTree(t, tree, change)
}

func makeTree(t testing.TB, text string, change func(content []byte) []byte) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range strings.Split("\n"+text, "\n-- ")[1:] {
		name, content, ok := strings.Cut(part, " --\n")
		if !ok { // the last one, an empty file
			name, content = strings.TrimSuffix(part, " --"), ""
		} else if content != "" && !strings.HasSuffix(content, "\n") {
			content += "\n"
		}
		file(t, dir, name, content, change)
	}
	return dir
}

// File writes one file below a directory, as Tree does.
func File(t testing.TB, dir, name, content string) {
	t.Helper()
	file(t, dir, name, content, func(content []byte) []byte { return content })
}

func file(t testing.TB, dir, name, content string, change func([]byte) []byte) {
	t.Helper()
	name, quoted := strings.CutSuffix(name, " (quoted)")
	name, link := strings.CutSuffix(name, " (link)")
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	switch {
	case strings.HasSuffix(name, "/"):
		err = os.MkdirAll(path, 0o755)
	case link:
		if err = os.Symlink(strings.TrimSpace(content), path); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	default:
		if quoted {
			if content, err = strconv.Unquote(strings.TrimSpace(content)); err != nil {
				t.Fatal(err)
			}
		}
		err = os.WriteFile(path, change([]byte(content)), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Names returns the names of the metrics of a provider.
func Names(p pmda.Provider) []string {
	var names []string
	for _, n := range p.Names() {
		names = append(names, n.Name)
	}
	return names
}

// Fetch fetches metrics of a provider by their names.
func Fetch(t testing.TB, p pmda.Provider, c *pmda.Client, names ...string) (res pcp.Result) {
	t.Helper()
	req, ids := &pmda.Request{Client: c}, map[string]pcp.ID{}
	for _, n := range p.Names() {
		ids[n.Name] = n.ID
	}
	for _, name := range names {
		id, ok := ids[name]
		if !ok {
			t.Fatalf("no metric %s", name)
		}
		req.IDs = append(req.IDs, id)
	}
	if err := p.Fetch(context.Background(), req, &res); err != nil {
		t.Fatal(err)
	}
	return res
}

// Values fetches metrics and writes the values of each as the golden file has them: instances and
// values, sorted.
func Values(t testing.TB, p pmda.Provider, names ...string) []string {
	t.Helper()
	ctx := context.Background()
	res := Fetch(t, p, nil, names...)
	out := make([]string, len(names))
	instances := map[pcp.InDom]map[int32]string{}
	for i := range names {
		col := &res.Sets[i]
		if col.Err != nil {
			out[i] = "error " + col.Err.Error()
			continue
		}
		desc, err := p.Desc(ctx, nil, col.ID)
		if err != nil {
			t.Fatal(err)
		}
		if d := desc.InDom; d != pcp.NullInDom && instances[d] == nil {
			instances[d] = instanceNames(t, p, d)
		}
		var parts []string
		for k, inst := range col.Insts {
			text := Shown(col.Value(k))
			if desc.InDom != pcp.NullInDom {
				text = instances[desc.InDom][inst] + "=" + text
			}
			parts = append(parts, text)
		}
		slices.Sort(parts)
		out[i] = strings.Join(parts, "|")
	}
	return out
}

// instanceNames returns the names of the instances of a domain, in the form they have in the golden
// file.
func instanceNames(t testing.TB, p pmda.Provider, d pcp.InDom) map[int32]string {
	t.Helper()
	list, err := p.Instances(context.Background(), nil, d)
	if err != nil {
		t.Fatalf("instances of %s: %v", d, err)
	}
	names := map[int32]string{}
	for _, in := range list {
		q := strconv.QuoteToASCII(in.Name)
		names[in.ID] = q[1 : len(q)-1]
	}
	return names
}

// Shown writes a value as the reference's pminfo does, strings quoted.
func Shown(v pcp.Value) string {
	switch v.Type() {
	case pcp.Int32, pcp.Int64:
		return strconv.FormatInt(int64(v.Word()), 10)
	case pcp.Float:
		return fmt.Sprintf("%.8g", math.Float32frombits(uint32(v.Word())))
	case pcp.Double:
		return fmt.Sprintf("%.16g", math.Float64frombits(v.Word()))
	case pcp.String:
		return strconv.QuoteToASCII(string(v.Bytes()))
	}
	return strconv.FormatUint(v.Word(), 10)
}

// Golden compares metrics with golden.txt: the answers of the reference's agents about the same
// files. A line with two values has the reference's, ours, and the reason of the difference. least
// is the least number of lines.
func Golden(t *testing.T, p pmda.Provider, domain uint32, least int) {
	t.Helper()
	known := map[string]bool{}
	for _, n := range p.Names() {
		known[n.Name] = n.ID.Domain() == domain
	}
	var names, want []string
	for line := range strings.Lines(golden) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if line[0] == '#' || !known[f[0]] {
			continue
		}
		names = append(names, f[0])
		if len(f) > 2 {
			f[1] = f[2]
		}
		want = append(want, f[1])
	}
	if len(names) < least {
		t.Errorf("%d metrics have golden values, want %d", len(names), least)
	}
	for i, got := range Values(t, p, names...) {
		if got != want[i] {
			t.Errorf("%s\n got %s\nwant %s", names[i], got, want[i])
		}
	}
}

// A Parser reads a file into tables; the rows of the first table are shown.
type Parser func(text []byte) []*procfs.Table

// OneRow returns the parser of a file that is about the whole system.
func OneRow(parse func(t *procfs.Table, r *procfs.Row, text []byte), keys ...string) Parser {
	return func(text []byte) []*procfs.Table {
		t := NewTable(keys...)
		parse(t, t.Row(-1), text)
		return []*procfs.Table{t}
	}
}

// Files makes a directory with files.
func Files(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		File(t, dir, name, content)
	}
	return dir
}

// NewTable returns a table that wants some keys.
func NewTable(keys ...string) *procfs.Table {
	t := procfs.NewTable(func(*procfs.Table, *pmda.Request) error { return nil })
	for _, k := range keys {
		t.Slot(k)
	}
	return t
}

// Dump writes the rows of a table: "7 name a=1 b="x"", cells without a value left out, rows
// separated by "; ".
func Dump(t *procfs.Table) string {
	t.Sort() // as Table.Reading does
	var rows []string
	for i := range t.Rows {
		r := &t.Rows[i]
		row := fmt.Sprint(r.Inst)
		if r.Name != "" {
			row += " " + r.Name
		}
		for _, key := range slices.Sorted(maps.Keys(t.Slots)) {
			c := &r.Cells[t.Slots[key]]
			switch c.Kind {
			case procfs.Number:
				row += fmt.Sprintf(" %s=%d", key, c.Num)
			case procfs.Float:
				row += fmt.Sprintf(" %s=%v", key, c.Real())
			case procfs.Text:
				row += fmt.Sprintf(" %s=%q", key, c.Text)
			}
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "; ")
}

// FetchAll fetches everything from a provider, instances and labels included, and returns the
// number of values and the errors of metrics.
func FetchAll(t *testing.T, p *pmda.Agent) (values int, failed map[string]pmerr.Code) {
	t.Helper()
	ctx, names := context.Background(), Names(p)
	res := Fetch(t, p, nil, names...)
	failed = map[string]pmerr.Code{}
	for i := range res.Sets {
		values += res.Sets[i].Len()
		if res.Sets[i].Err != nil {
			failed[names[i]] = pmerr.Of(res.Sets[i].Err)
		}
	}
	for serial := range uint32(100) {
		d := pcp.NewInDom(p.Domain(), serial)
		if _, err := p.Instances(ctx, nil, d); err != nil {
			continue
		}
		if _, err := p.Labels(ctx, nil, pcp.InstanceLabels, uint32(d)); err != nil {
			t.Errorf("labels of the instances of %s: %v", d, err)
		}
	}
	return values, failed
}
