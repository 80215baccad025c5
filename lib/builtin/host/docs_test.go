package host

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/collectors.md")

// TestDocs compares the table of docs/collectors.md with the lists of metrics, and what each system
// fills of them.
func TestDocs(t *testing.T) {
	const file, mark = "../../../docs/collectors.md", "<!-- metrics -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(string(text), "\r\n", "\n") // as git may write it on Windows
	before, _, ok := strings.Cut(page, mark)
	if !ok {
		t.Fatalf("%s has no line %q", file, mark)
	}
	want := before + mark + metricTable()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if page != want {
		t.Errorf("%s does not list the metrics; go test ./lib/builtin/host -run=TestDocs -update writes it", file)
	}
}

// metricTable returns the metrics by the beginnings of their names, and those that a system lacks.
func metricTable() string {
	groups := map[string][3][]string{} // all, and what macOS and Windows lack
	for line := range strings.Lines(metricsText + processesText) {
		f := strings.Fields(line)
		if len(f) < 7 || strings.HasPrefix(line, "#") || f[0] == "indom" || !strings.Contains(f[0], ".") {
			continue
		}
		dot := strings.LastIndexByte(f[0], '.')
		if first, _, ok := strings.Cut(f[0][:dot], "."); ok && strings.Count(f[0], ".") > 2 {
			dot = len(first) + 1 + strings.IndexByte(f[0][len(first)+1:], '.')
		}
		g, name := groups[f[0][:dot]], f[0][dot+1:]
		g[0] = append(g[0], name)
		for i, system := range []string{"darwin", "windows"} {
			if !fills(system, f[6]) {
				g[i+1] = append(g[i+1], name)
			}
		}
		groups[f[0][:dot]] = g
	}
	var b strings.Builder
	b.WriteString("| metrics | | macOS lacks | Windows lacks |\n|---|---|---|---|\n")
	for _, prefix := range slices.Sorted(maps.Keys(groups)) {
		g := groups[prefix]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", prefix, strings.Join(g[0], ", "), strings.Join(g[1], ", "), strings.Join(g[2], ", "))
	}
	return b.String()
}

// fills reports whether a system fills the fields of a value like "disk:ReadCount+WriteCount".
func fills(system, value string) bool {
	table, keys, _ := strings.Cut(strings.TrimPrefix(value, "sum:"), ":")
	table = map[string]string{"netall": "net"}[table] + strings.TrimSuffix(table, "netall")
	fields, some := filled[system+"/"+table]
	if !some {
		return true
	}
	for key := range strings.FieldsFuncSeq(keys, func(r rune) bool { return strings.ContainsRune("+-*/!~", r) }) {
		optional := strings.HasSuffix(key, "?")
		if key[0] >= 'A' && key[0] <= 'Z' && !optional && !slices.Contains(strings.Fields(fields), key) || fields == "" {
			return false
		}
	}
	return true
}
