package procfstest

import (
	"embed"
	"path"
	"runtime"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pmda"
)

//go:embed machines
var machines embed.FS

// Machines compares an agent's answers with machines/golden.tsv. Each file of machines has the /proc and
// /sys files of one kind of machine. A line of the golden file has the machine, a metric and its values;
// make peer compares all metrics with the reference's agents.
func Machines(t *testing.T, newAgent func(o *procfs.Options) *pmda.Agent) {
	if runtime.GOOS == "windows" {
		t.Skip("names of devices are no names of files here")
	}
	text, err := machines.ReadFile("machines/golden.tsv")
	if err != nil {
		t.Fatal(err)
	}
	names, want := map[string][]string{}, map[string][]string{}
	var order []string
	known := map[string]bool{}
	for _, name := range Names(newAgent(Options(t.TempDir()))) {
		known[name] = true
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if !known[f[1]] {
			continue
		}
		if names[f[0]] == nil {
			order = append(order, f[0])
		}
		names[f[0]], want[f[0]] = append(names[f[0]], f[1]), append(want[f[0]], f[2])
	}
	if len(order) < 10 {
		t.Errorf("only %d machines", len(order))
	}
	for _, machine := range order {
		t.Run(machine, func(t *testing.T) {
			text, err := machines.ReadFile(path.Join("machines", machine+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			dir := makeTree(t, string(text), func(content []byte) []byte { return content })
			for i, got := range Values(t, newAgent(Options(dir)), names[machine]...) {
				if got != want[machine][i] {
					t.Errorf("%s\n got %s\nwant %s", names[machine][i], got, want[machine][i])
				}
			}
		})
	}
}
