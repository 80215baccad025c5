package derive

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// TestSQLWindows: within -S and --until, an expression has the values that it has without them.
func TestSQLWindows(t *testing.T) {
	ours, _, root := harness.Setup(t)
	dir := sqlDir(t, root)
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(ours.Bin, "pmderive"), args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TZ=UTC")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return string(out)
	}
	run("-a", filepath.Join(root, "var/lib/pcp/testsuite/archives/pcp-zeroconf"), "export", "-o", "tables")
	for _, e := range []*engine{duckEngine(root, dir), clickEngine(root, dir)} {
		t.Run(e.name, func(t *testing.T) {
			if e.skip != "" {
				t.Skip(e.skip)
			}
			var queries []string
			for _, text := range []string{
				"kernel.all.load", "rate(kernel.all.intr)", "delta(disk.dev.read)", "avg_over(kernel.all.load, 1min)", "shift(mem.util.free, 1min)",
				"max_over(rate(kernel.all.cpu.user), 1min)", "rate(kernel.all.intr) / avg_over(mem.util.free, 30sec)", "delta(delta(mem.util.free))",
			} {
				write := func(more ...string) string {
					return run(append(append([]string{"sql", "--extended", "--dialect", e.dialect, "-m", "tables"}, more...), text)...)
				}
				queries = append(queries, fmt.Sprintf(e.rows, write()))
				queries = append(queries, fmt.Sprintf(e.rows, write("-S", "@2025-10-12 23:17:00", "--until", "@2025-10-12 23:18:00")))
			}
			out, err := e.run(queries)
			if err != nil {
				t.Fatalf("%v\n%.2000s", err, out)
			}
			parts := strings.Split("\n"+string(out), "\n@query ")[1:]
			if len(parts) != len(queries) {
				t.Fatalf("%d answers, want %d\n%.2000s", len(parts), len(queries), out)
			}
			for i := 0; i < len(queries); i += 2 {
				whole, some := windowed(parts[i]), windowed(parts[i+1])
				if len(whole) < 6 || strings.Count(parts[i+1], "\n") > len(some)+1 || !slices.Equal(whole, some) {
					t.Errorf("%s\nin the window: %q\nwithout it: %q", queries[i+1], some, whole)
				}
			}
		})
	}
}

// windowed returns the rows of an answer in the minute after 2025-10-12 23:17:00.
func windowed(answer string) (rows []string) {
	_, text, _ := strings.Cut(answer, "\n")
	const from = 1760311020_000000000
	for row := range strings.Lines(text) {
		if row = strings.TrimSpace(row); row == "" {
			continue
		}
		at, _, _ := strings.Cut(row, ",")
		if ns, err := strconv.ParseInt(at, 10, 64); err != nil || ns >= from && ns < from+60e9 {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows
}
