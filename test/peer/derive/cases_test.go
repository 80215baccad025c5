package derive

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/derivetest"
	"pmtools/derive/lint"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
	"pmtools/lib/pmapi"
	"pmtools/test/peer/harness"
)

// caseFiles returns the files of cases that a pattern matches.
func caseFiles(t *testing.T, pattern string) (files []*derivetest.File) {
	t.Helper()
	names, _ := filepath.Glob(pattern + derivetest.Suffix)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := derivetest.Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		t.Fatalf("there are no files %s%s", pattern, derivetest.Suffix)
	}
	return files
}

// shippedCases returns the files of cases for the definitions that the reference ships.
func shippedCases(t *testing.T) []*derivetest.File { return caseFiles(t, "../../derived/*") }

// questions returns the command lines that put the questions of cases to both sides, over the archive
// that was kept: descriptions by pminfo and values by pmval.
func questions(f *derivetest.File, definitions, kept string) (list []harness.Command) {
	archive := filepath.Join(kept, strings.TrimSuffix(filepath.Base(f.Name), derivetest.Suffix), "input")
	var env []string
	if len(f.Definitions) > 0 {
		env = []string{"PCP_DERIVED_CONFIG=" + filepath.Join(definitions, f.Definitions[0])}
	}
	source := []string{"-U", archive}
	info := harness.Command{Args: []string{"pminfo", "-a", archive, "-dm"}, Env: env}
	for _, name := range f.Exprs() {
		if !syntax.LegalName(name) {
			continue // pmval takes names only
		}
		info.Args = append(info.Args, name)
		list = append(list, harness.Command{Args: append(append([]string{"pmval", "-r", "-z", "-w", "40", "-f", "12"}, source...), name), Env: env})
	}
	return append(list, info)
}

// TestShippedCases runs the cases for the definitions that the reference ships, and puts each of
// their questions to the reference, and those of the examples of the documentation: the answers are
// the same on both sides.
func TestShippedCases(t *testing.T) {
	_, _, root := harness.Setup(t)
	conf, kept := filepath.Join(root, "etc/pcp/derived"), t.TempDir()
	tested := make(map[string]bool)
	var commands []harness.Command
	n := 0
	for _, f := range shippedCases(t) {
		r, err := f.Run(t.Context(), &derivetest.Options{Definitions: conf, Keep: kept})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Results {
			if n++; len(r.Results[i].Failures) > 0 {
				t.Error(r.Results[i].Text())
			}
		}
		for _, name := range f.Exprs() {
			tested[name] = true
		}
		commands = append(commands, questions(f, conf, kept)...)
	}
	for _, d := range shippedDefinitions(t, conf) {
		if !tested[d.name] {
			t.Errorf("%s, which the reference ships, has no case", d.name)
		}
	}
	const examples = "../../../docs/examples"
	for _, f := range caseFiles(t, examples+"/*") {
		if _, err := f.Run(t.Context(), &derivetest.Options{Keep: kept}); err != nil {
			t.Fatal(err)
		}
		dir, err := filepath.Abs(examples)
		if err != nil {
			t.Fatal(err)
		}
		commands = append(commands, questions(f, dir, kept)...)
	}
	harness.Compare(t, commands)
	t.Logf("%d cases", n)
}

// shippedDefinitions returns the definitions in the files of the reference, in their order.
func shippedDefinitions(t *testing.T, conf string) (list []formula) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(conf, "*.conf"))
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for c := range syntax.Chunks(name, text) {
			if d := c.Definition(); d != nil {
				list = append(list, formula{d.Name, d.Expr()})
			}
		}
	}
	if len(list) < 60 {
		t.Fatalf("only %d definitions", len(list))
	}
	return list
}

// shippedFindings are what check says of the definitions that the reference ships, over recordings
// that have all metrics: by rule, and why it is true.
var shippedFindings = map[string][]string{
	// Milliseconds in 32 bits wrap around after 49 days of transfers; delta() is -4294967296 and the
	// like then. The idle test before does not help.
	"wrap": {
		"disk.dev.await", "disk.dev.r_await", "disk.dev.w_await", "disk.dev.d_await", "disk.dev.f_await",
		"disk.dm.await", "disk.dm.r_await", "disk.dm.w_await", "disk.dm.d_await", "disk.dm.f_await",
		"disk.md.await", "disk.md.r_await", "disk.md.w_await", "disk.md.d_await", "disk.md.f_await",
		"disk.wwid.await", "disk.wwid.r_await", "disk.wwid.w_await", "disk.wwid.d_await", "disk.wwid.f_await",
	},
	// Where the metrics are missing these have another type, semantics or units than where they are
	// there: semantics= and units= are forgotten, or double is what a quotient is and U64 is said.
	"novalue": {
		"denki.bat.energy_now_rate",
		"kernel.cpu.util.nice", "kernel.cpu.util.intr", "kernel.cpu.util.wait", "kernel.cpu.util.steal",
		"mssql.buffer_manager.buffer_cache_hit_ratio", "mssql.databases.log_cache_hit_ratio", "mssql.latches.average_latch_wait_time",
		"mssql.locks.average_wait_time", "mssql.plan_cache.cache_hit_ratio",
		"openmetrics.grafana.go_memstats_last_gc_since_start_time_seconds",
		"proc.hog.cpu", "proc.hog.disk", "proc.hog.mem", "proc.hog.net", "proc.io.total_bytes", "proc.psinfo.age",
	},
	// Bytes of integers become whole Kbytes.
	"rounded": {"proc.hog.net"},
	// The energy in a battery goes up and down: it is meant so.
	"non-counter": {"denki.bat.energy_now_rate"},
}

// TestShippedFindings compares what check says of the definitions that the reference ships with what
// is known to be true.
func TestShippedFindings(t *testing.T) {
	_, _, root := harness.Setup(t)
	conf := filepath.Join(root, "etc/pcp/derived")
	kept := t.TempDir()
	var got, want []string
	for _, f := range shippedCases(t) {
		base := strings.TrimSuffix(filepath.Base(f.Name), derivetest.Suffix)
		if f.Definitions[0] != base+".conf" {
			continue
		}
		if _, err := f.Run(t.Context(), &derivetest.Options{Definitions: conf, Keep: kept}); err != nil {
			t.Fatal(err)
		}
		for _, d := range linted(t, filepath.Join(conf, f.Definitions[0]), filepath.Join(kept, base, "input")) {
			got = append(got, d.Rule+" "+d.Metric)
		}
	}
	for rule, names := range shippedFindings {
		for _, name := range names {
			want = append(want, rule+" "+name)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("check says\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// linted returns what check finds in a file of definitions over an archive.
func linted(t *testing.T, file, archive string) []lint.Diagnostic {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	src, err := pmapi.OpenArchive(t.Context(), archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	l := lint.Linter{Source: query.NewSource(src), Definitions: derive.NewSet()}
	found, err := l.Files(t.Context(), []lint.File{{Name: file, Text: text}}, lint.Options{Rules: lint.Rules()})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
