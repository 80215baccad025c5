package builtin

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// procfsSmallPages skips a test whose sizes are those of pages of 4096 bytes.
func procfsSmallPages(t *testing.T) {
	t.Helper()
	if os.Getpagesize() != 4096 {
		t.Skip("the sizes are those of pages of 4096 bytes")
	}
}

// procfsTestTree makes the files of testdata/linux_tree.txt below a directory.
func procfsTestTree(t testing.TB) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("names of devices are no names of files here")
	}
	text, err := os.ReadFile("testdata/linux_tree.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, part := range strings.Split("\n"+string(text), "\n-- ")[1:] {
		name, content, ok := strings.Cut(part, " --\n")
		if !ok { // the last one, an empty file
			name, content = strings.TrimSuffix(part, " --"), ""
		} else if content != "" && !strings.HasSuffix(content, "\n") {
			content += "\n"
		}
		procfsTestFile(t, dir, name, content)
	}
	return dir
}

// procfsTestFile makes one file of the tree.
func procfsTestFile(t testing.TB, dir, name, content string) {
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
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// procfsNames returns the names of the metrics of a provider.
func procfsNames(p pmda.Provider) []string {
	var names []string
	for _, n := range p.Names() {
		names = append(names, n.Name)
	}
	return names
}

// procfsFetch fetches metrics of a provider by their names.
func procfsFetch(t testing.TB, p pmda.Provider, c *pmda.Client, names ...string) (res pcp.Result) {
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

// procfsValues fetches metrics and writes the values of each as the golden file has
// them: instances and values, sorted.
func procfsValues(t testing.TB, p pmda.Provider, names ...string) []string {
	t.Helper()
	ctx := context.Background()
	res := procfsFetch(t, p, nil, names...)
	out := make([]string, len(names))
	instances := map[pcp.InDom]map[int32]string{}
	for i := range names {
		col := &res.Sets[i]
		if col.Err != 0 {
			out[i] = "error " + col.Err.Error()
			continue
		}
		desc, err := p.Desc(ctx, nil, col.ID)
		if err != nil {
			t.Fatal(err)
		}
		if d := desc.InDom; d != pcp.NullInDom && instances[d] == nil {
			instances[d] = procfsInstances(t, p, d)
		}
		var parts []string
		for k, inst := range col.Insts {
			text := procfsShown(col.Value(k))
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

// procfsInstances returns the names of the instances of a domain, in the form they
// have in the golden file.
func procfsInstances(t testing.TB, p pmda.Provider, d pcp.InDom) map[int32]string {
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

// procfsShown writes a value as the reference's pminfo does, strings quoted.
func procfsShown(v pcp.Value) string {
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

// procfsGolden compares metrics with testdata/linux_golden.txt: what the reference's
// agents say of the same files. A line that has two values has the reference's, ours,
// and why they differ.
func procfsGolden(t *testing.T, p pmda.Provider, domain uint32) {
	t.Helper()
	procfsSmallPages(t)
	text, err := os.ReadFile("testdata/linux_golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, n := range p.Names() {
		known[n.Name] = n.ID.Domain() == domain
	}
	var names, want []string
	for line := range bytes.Lines(text) {
		f := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		if line[0] == '#' || !known[f[0]] {
			continue
		}
		names = append(names, f[0])
		if len(f) > 2 {
			f[1] = f[2]
		}
		want = append(want, f[1])
	}
	if len(names) < len(p.Names())-60 {
		t.Errorf("%d of %d metrics have golden values", len(names), len(p.Names()))
	}
	for i, got := range procfsValues(t, p, names...) {
		if got != want[i] {
			t.Errorf("%s\n got %s\nwant %s", names[i], got, want[i])
		}
	}
}
