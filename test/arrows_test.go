// Package test holds what concerns the repository as a whole: the test of the import arrows, the
// differential runs, and the programs that make archives.
package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pmtools/test/env"
)

// arrows lists the packages of ours that each package may import. Data moves one way, and so do
// imports: a package knows what lies to its left, never to its right. "lib/*" stands for every
// package below lib that is not internal there, and for those below internal.
const arrows = `
lib:
lib/pmerr:
lib/version:
internal/ctext:
lib/internal/hostattr:
internal/textwidth:
lib/pcp: internal/ctext lib/pmerr
lib/safefile: lib/pmerr
lib/safefile/safefiletest: lib/safefile
lib/internal/wire: lib/pcp lib/pmerr
lib/archive: lib/archive/internal/content lib/safefile lib/internal/wire lib/pmns lib/pcp lib/pmerr
lib/archive/internal/xz: lib/internal/wire
lib/archive/internal/content: lib/archive/internal/xz lib/safefile lib/pmerr
lib/archive/archivetest: lib/archive lib/pcp lib/pmerr
lib/pmns: lib/safefile internal/ctext lib/pcp lib/pmerr
lib/when: internal/ctext lib/pmerr
lib/config: lib/pmerr
lib/option: internal/ctext lib/internal/hostattr lib/config lib/when lib/version lib/pmerr
lib/pdu: lib/internal/wire lib/pcp lib/pmerr
lib/pmcd: lib/internal/hostattr lib/pdu lib/pcp lib/pmerr
lib/pmcd/pmcdtest: lib/pdu lib/pcp lib/pmerr
lib/pmapi: lib/archive lib/pmcd lib/pmns lib/pcp lib/pmerr
lib/pmapi/sourcetest: lib/pmapi lib/pcp lib/pmerr
internal/suggest:
lib/remotewrite: lib/sampling lib/safefile lib/format lib/pmapi lib/pcp
internal/remotewritetest:
lib/export/internal/pagefile:
internal/ordered:
lib/export: internal/ordered internal/textwidth lib/export/internal/pagefile lib/archive lib/pmapi lib/pmns lib/safefile lib/version lib/pcp lib/pmerr lib/when
lib/export/bucket: lib/export lib/safefile lib/pmerr
lib/fetchgroup: internal/suggest lib/pmapi lib/pcp lib/pmerr lib/when
lib/format: lib/pcp lib/pmerr
lib/mmv: lib/config lib/safefile lib/pcp lib/pmerr
lib/mmv/mmvtest: lib/mmv lib/pcp lib/pmerr
lib/mmv/expvars: lib/mmv
lib/mmv/goruntime: lib/mmv
lib/trace/internal/tracepdu: lib/internal/wire
lib/trace: lib/trace/internal/tracepdu lib/pmerr
lib/pmda/helptext: lib/pcp lib/pmerr
lib/pmda/helptext/help: lib/pmda/helptext lib/safefile lib/pmns lib/pcp lib/pmerr
lib/pmda: lib/pmda/helptext lib/safefile lib/pmns lib/option lib/pdu lib/pcp lib/pmerr
lib/pmda/remote: lib/pmda lib/pmns lib/pdu lib/pcp lib/pmerr
lib/pmda/pmdatest: lib/pmda/remote lib/pmda lib/pdu lib/pcp lib/pmerr
internal/dbpmda: lib/pmda/remote lib/pmda lib/pmns lib/format lib/pdu lib/pcp lib/pmerr
lib/builtin/internal/host: lib/pcp
lib/builtin/internal/catalog: lib/pmda lib/pcp
lib/builtin/internal/procfs: lib/safefile lib/builtin/internal/catalog lib/pmda lib/pcp lib/pmerr
lib/builtin/internal/procfs/procfstest: lib/builtin/internal/procfs lib/pmda lib/pcp lib/pmerr
lib/builtin/linux: lib/builtin/internal/procfs lib/pmda lib/pcp lib/pmerr
lib/builtin/proc: lib/builtin/internal/procfs lib/pmda lib/pcp lib/pmerr
lib/builtin/host: lib/builtin/internal/procfs lib/pmda lib/pcp lib/pmerr
lib/builtin/mmv: lib/safefile lib/builtin/internal/host lib/pmda lib/pmns lib/mmv lib/pcp lib/pmerr
lib/sampling: lib/when lib/format lib/pmapi lib/pcp lib/pmerr
lib/record: lib/sampling lib/archive lib/pmapi lib/pmcd lib/safefile lib/pcp lib/pmerr
internal/timecontrol: lib/pcp lib/pmerr
internal/timecontrol/timecontroltest: internal/timecontrol
lib/builtin/pmcd: lib/safefile lib/when lib/builtin/internal/catalog lib/builtin/internal/host lib/pmda lib/version lib/pcp lib/pmerr
lib/builtin/sample: lib/builtin/internal/catalog lib/builtin/internal/host lib/pmda lib/pdu lib/pcp lib/pmerr
lib/builtin/simple: lib/builtin/internal/host lib/pmda lib/pcp lib/pmerr
lib/builtin/trivial: lib/pmda lib/pcp
lib/trace/agent: lib/trace/internal/tracepdu lib/pmda lib/pcp lib/pmerr
lib/builtin: lib/builtin/host lib/builtin/linux lib/builtin/proc lib/builtin/mmv lib/builtin/pmcd lib/builtin/sample lib/builtin/simple lib/builtin/trivial lib/builtin/internal/host lib/pmda lib/pmapi lib/pmns lib/pdu lib/pcp lib/pmerr
derive/syntax: internal/textwidth
derive/internal/ere:
derive/check: derive/syntax derive/internal/ere lib/pcp lib/pmerr
derive/expand: derive/syntax derive/check
derive/eval: derive/syntax derive/check lib/pcp lib/pmerr
derive/diagnose: derive/syntax derive/check internal/suggest internal/textwidth lib/format lib/pcp lib/pmerr
derive/internal/insts: derive/check lib/pmapi lib/pcp lib/pmerr
internal/draw: derive/diagnose internal/textwidth
derive: derive/diagnose internal/draw derive/syntax derive/check derive/eval derive/expand derive/internal/insts lib/pmapi lib/pcp lib/pmerr
derive/load: derive/diagnose lib/safefile derive derive/syntax lib/pcp lib/pmerr
derive/derivetest: derive/check internal/draw internal/textwidth derive/diagnose derive derive/load derive/syntax lib/archive lib/pmapi lib/safefile lib/format lib/when lib/pcp lib/pmerr
cmd/internal/answer: internal/textwidth lib/format lib/sampling lib/pcp
cmd/internal/deps: derive/check derive derive/syntax
cmd/internal/install: cmd/internal/answer derive/check lib/config lib/safefile derive/diagnose derive derive/load derive/syntax lib/pmapi
derive/debug: derive derive/syntax derive/check derive/eval lib/format lib/pcp lib/pmerr
cmd/internal/manual: derive/check derive/diagnose
derive/sql: internal/textwidth derive/syntax derive/check derive/internal/ere lib/pcp
derive/summary: derive derive/diagnose derive/query derive/internal/insts derive/syntax derive/check derive/eval lib/sampling lib/pmapi lib/pcp lib/pmerr
cmd/internal/lsp: derive/lint derive/diagnose internal/textwidth derive derive/syntax derive/check cmd/internal/manual lib/version lib/when
cmd/internal/explain: derive/syntax derive/check lib/format internal/textwidth lib/pcp
cmd/internal/item: derive/query derive/check derive/syntax lib/when
cmd/internal/fleet: derive/diagnose derive derive/check cmd/internal/item derive/query derive/sql lib/export lib/pcp
cmd/internal/digest: cmd/internal/answer derive/summary lib/sampling lib/format lib/when lib/pcp
cmd/internal/sarif: cmd/internal/answer derive/lint lib/version
cmd/internal/repl: cmd/internal/samples cmd/internal/picture internal/draw cmd/internal/deps cmd/internal/grid cmd/internal/sarif cmd/internal/command lib/option cmd/internal/report cmd/internal/digest cmd/internal/install cmd/internal/item cmd/internal/answer cmd/internal/describe cmd/internal/find cmd/internal/explain derive/sql derive/summary derive/internal/insts lib/fetchgroup lib/record lib/archive derive/lint derive/diagnose internal/ordered internal/suggest internal/textwidth lib/pmcd derive derive/syntax derive/check derive/expand lib/pmapi lib/format lib/when lib/pcp lib/pmerr cmd/internal/manual derive/query lib/sampling
derive/query: internal/ordered lib/option internal/textwidth lib/when derive/internal/insts lib/fetchgroup derive/diagnose lib/pmcd derive derive/syntax derive/check derive/expand lib/sampling lib/pmapi lib/format lib/pcp lib/pmerr
cmd/internal/describe: cmd/internal/answer internal/textwidth cmd/internal/deps derive/diagnose derive/query derive lib/sampling lib/pmapi lib/format lib/pcp lib/pmerr
cmd/internal/find: cmd/internal/answer cmd/internal/describe derive/diagnose derive/query internal/textwidth lib/sampling lib/pmapi lib/format lib/pcp lib/pmerr
cmd/internal/report: cmd/internal/answer derive derive/diagnose derive/lint derive/query derive/syntax lib/safefile lib/sampling internal/textwidth lib/when lib/pcp lib/pmerr
derive/lint: lib/sampling internal/textwidth derive derive/diagnose derive/expand derive/query derive/syntax derive/check lib/archive lib/pmapi lib/pcp
cmd/internal/cli: lib/config internal/textwidth lib/when lib/pmerr
cmd/internal/command: cmd/internal/cli lib/option internal/textwidth
cmd/internal/debug: lib/*
cmd/internal/source: cmd/internal/cli cmd/internal/debug lib/* derive derive/check derive/debug derive/diagnose derive/load derive/query
cmd/internal/chart: lib/format lib/pcp internal/textwidth
cmd/internal/samples: cmd/internal/chart cmd/internal/answer lib/format internal/textwidth lib/when lib/pcp lib/sampling
cmd/internal/duckdb: cmd/internal/cli
cmd/internal/files: cmd/internal/cli derive/load lib/safefile lib/pmerr
cmd/internal/hostfile: lib/safefile
cmd/internal/push: cmd/internal/cli cmd/internal/source cmd/internal/hostfile derive/query cmd/internal/repl lib/pmapi lib/pmcd lib/remotewrite lib/sampling lib/version
cmd/internal/history: cmd/internal/files cmd/internal/source lib/pmcd lib/safefile
cmd/internal/pager: cmd/internal/cli internal/textwidth
cmd/internal/picture: cmd/internal/chart internal/textwidth lib/safefile
cmd/internal/grid: cmd/internal/answer internal/textwidth
cmd/internal/clitest: cmd/internal/cli lib/archive/archivetest lib/pmcd/pmcdtest test/env test/golden
cmd/pminfo: cmd/internal/cli cmd/internal/command cmd/internal/source lib/* derive
cmd/pmerr: cmd/internal/cli lib/option lib/pmerr
cmd/pmderive: internal/draw cmd/internal/answer derive/diagnose cmd/internal/chart cmd/internal/cli cmd/internal/command cmd/internal/duckdb cmd/internal/files cmd/internal/grid cmd/internal/history cmd/internal/hostfile cmd/internal/pager cmd/internal/picture cmd/internal/push cmd/internal/samples cmd/internal/source lib/* derive derive/syntax derive/check derive/derivetest cmd/internal/fleet cmd/internal/install derive/lint derive/load cmd/internal/lsp cmd/internal/manual cmd/internal/repl derive/sql derive/summary derive/query cmd/internal/report
cmd/pmstore: cmd/internal/cli cmd/internal/command cmd/internal/source lib/* derive
cmd/pmval: cmd/internal/cli cmd/internal/command cmd/internal/samples cmd/internal/source lib/* derive
docs/examples/derived: derive lib/format lib/pmapi lib/pcp
docs/examples/fleet: lib/fetchgroup lib/pmerr
docs/examples/import: lib/archive lib/pcp
docs/examples/rooms: derive/query lib/pmapi lib/pcp lib/sampling
docs/examples/summarize: lib/pmapi lib/pcp lib/pmerr
docs/examples/watch: derive lib/fetchgroup lib/pmapi
test:
test/agents/count: lib/mmv
test/agents/hello: lib/pmda lib/pcp
test/agents/kinds: lib/pmda lib/pdu lib/pcp lib/pmerr
test/agents/sample: lib/builtin/sample lib/pmda
test/agents/simple: lib/builtin/simple lib/pmda
test/agents/spool: lib/pmda lib/pcp
test/agents/trivial: lib/builtin/trivial lib/pmda
test/agents/trace: lib/trace/agent lib/pmda lib/when lib/pcp
test/env:
test/golden:
cmd/internal/growth:
test/peer/agent:
test/peer/archive:
test/peer/cli:
test/peer/derive:
test/peer/fetchgroup:
test/peer/live:
test/peer/mmv:
test/peer/push:
test/peer/report:
test/peer/harness: lib/pcp lib/pmns test/env test/golden
test/peer/install:
test/simulation: lib/safefile/safefiletest
test/mkarchive: lib/archive/archivetest
`

// terminal are the packages that only commands may see.
var terminal = []string{
	"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/olekukonko/tablewriter", "github.com/chzyer/readline", "os/signal",
}

// outside are the packages of others that each part of the tree may import, besides the standard
// library. Tests are free.
var outside = map[string][]string{
	"lib/archive/":                 {"golang.org/x/sys/unix", "github.com/klauspost/compress/zstd"},
	"lib/remotewrite":              {"github.com/klauspost/compress/snappy", "github.com/klauspost/compress/zstd"},
	"internal/remotewritetest":     {"github.com/klauspost/compress/snappy"},
	"lib/pmcd":                     {"golang.org/x/text/unicode", "golang.org/x/sys/unix"},
	"lib/export/bucket":            {"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go"},
	"lib/safefile":                 {"golang.org/x/sys/unix"},
	"lib/export":                   {"github.com/parquet-go/parquet-go", "github.com/klauspost/compress"},
	"lib/export/internal/pagefile": {"github.com/parquet-go/parquet-go"},
	"cmd/":                         {"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"},
	"cmd/pmderive":                 {"github.com/chzyer/readline"},
	"cmd/internal/grid":            {"github.com/olekukonko/tablewriter"},
	"cmd/internal/picture":         {"github.com/wcharczuk/go-chart/v2"},
	"cmd/internal/repl":            {"github.com/rogpeppe/go-internal/diff"},
	"lib/builtin/host":             {"github.com/shirou/gopsutil/v4"},
	"cmd/internal/clitest":         {"github.com/google/go-cmp/cmp"},
	"test/peer/harness":            {"github.com/rogpeppe/go-internal/diff"},
	"lib/builtin/linux":            {"golang.org/x/sys/unix"},

	"lib/builtin/internal/procfs": {"golang.org/x/sys/unix"},
}

// pkg is the output of go list for a package.
type pkg struct {
	ImportPath string
	Doc        string
	GoFiles    []string
	Imports    []string
}

// packages returns all packages of the module.
func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := env.Go("list", "-json=ImportPath,Doc,GoFiles,Imports", "pmtools/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var ps []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return ps
		case err != nil:
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
}

// allowed parses arrows.
func allowed() map[string][]string {
	m := map[string][]string{}
	for _, l := range strings.Split(strings.TrimSpace(arrows), "\n") {
		p, to, _ := strings.Cut(l, ":")
		m[p] = strings.Fields(to)
	}
	return m
}

func TestArrows(t *testing.T) {
	t.Parallel()
	table := allowed()
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "pmtools/")
		may, ok := table[name]
		if !ok {
			t.Errorf("%s is not in the table of arrows", name)
			continue
		}
		for _, imp := range p.Imports {
			switch ours, local := strings.CutPrefix(imp, "pmtools/"); {
			case local:
				if !slices.ContainsFunc(may, func(m string) bool { return matches(m, ours) }) {
					t.Errorf("%s imports %s", name, ours)
				}
			case imp == "unsafe" && name == "lib/mmv": // values in memory that programs share
			case imp == "C" || imp == "unsafe":
				t.Errorf("%s imports %s", name, imp)
			case slices.Contains(terminal, imp) && !strings.HasPrefix(name, "cmd/"):
				t.Errorf("%s imports %s, which is for commands only", name, imp)
			case strings.Contains(imp, ".") && !mayOutside(name, imp):
				t.Errorf("%s imports %s", name, imp)
			}
		}
		if p.Doc == "" && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", name)
		}
	}
}

// matches reports whether pattern, a package or "lib/*", covers name.
func matches(pattern, name string) bool {
	if pattern == "lib/*" {
		return strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, "lib/") && !strings.Contains(name, "/internal/")
	}
	return pattern == name
}

// mayOutside reports whether package name may import somebody else's package imp.
func mayOutside(name, imp string) bool {
	for from, to := range outside {
		if name == from || strings.HasSuffix(from, "/") && strings.HasPrefix(name, from) {
			if slices.ContainsFunc(to, func(p string) bool { return imp == p || strings.HasPrefix(imp, p+"/") }) {
				return true
			}
		}
	}
	return false
}
