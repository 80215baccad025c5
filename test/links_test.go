package test

import (
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/test/env"
)

// unlinked says which packages a command does not import, directly or not. A name stands for the
// packages below it too.
var unlinked = map[string][]string{
	"pmerr": {
		"crypto/tls", "net", "text/template", "regexp", "github.com", "pmtools/derive", "pmtools/lib/archive",
		"pmtools/lib/builtin", "pmtools/lib/pcp", "pmtools/lib/pdu", "pmtools/lib/pmapi", "pmtools/lib/pmcd",
		"pmtools/cmd/internal/command", "pmtools/cmd/internal/source",
	},
	"pminfo":  {"net/http", "github.com/klauspost/compress/flate", "github.com/klauspost/compress/s2", "github.com/klauspost/compress/snappy", "github.com/ulikunitz", "github.com/parquet-go", "google.golang.org/protobuf", "pmtools/lib/export", "github.com/chzyer", "github.com/guptarohit", "github.com/olekukonko", "github.com/rogpeppe", "github.com/wcharczuk", "pmtools/cmd/internal/repl", "pmtools/lib/remotewrite"},
	"pmstore": {"net/http", "github.com/klauspost/compress/flate", "github.com/klauspost/compress/s2", "github.com/klauspost/compress/snappy", "github.com/ulikunitz", "github.com/parquet-go", "google.golang.org/protobuf", "pmtools/lib/export", "github.com/chzyer", "github.com/guptarohit", "github.com/olekukonko", "github.com/rogpeppe", "github.com/wcharczuk", "pmtools/cmd/internal/repl", "pmtools/lib/remotewrite"},
	"pmval":   {"net/http", "github.com/klauspost/compress/flate", "github.com/klauspost/compress/s2", "github.com/klauspost/compress/snappy", "github.com/ulikunitz", "github.com/parquet-go", "google.golang.org/protobuf", "pmtools/lib/export", "github.com/chzyer", "github.com/olekukonko", "github.com/rogpeppe", "github.com/wcharczuk", "pmtools/cmd/internal/repl", "pmtools/lib/remotewrite"},
}

// TestUnlinked: each command imports what it uses.
func TestUnlinked(t *testing.T) {
	t.Parallel()
	for command, not := range unlinked {
		out, err := env.Go("list", "-deps", "pmtools/cmd/"+command).Output()
		if err != nil {
			t.Fatal(err)
		}
		for p := range strings.Lines(string(out)) {
			p = strings.TrimSuffix(p, "\n")
			if slices.ContainsFunc(not, func(n string) bool { return p == n || strings.HasPrefix(p, n+"/") }) {
				t.Errorf("%s imports %s", command, p)
			}
		}
	}
}

// TestUncalled: pmstore imports the readers of archives with pmapi, but the linker leaves them out,
// because only a command that calls source.Opener.WithArchives reaches them. The part that stays is the
// initialization of their packages.
func TestUncalled(t *testing.T) {
	t.Parallel()
	out, err := env.Go("tool", "nm", command(t, "pmstore")).Output()
	if err != nil {
		t.Fatal(err)
	}
	reader := regexp.MustCompile(`(?m) T (pmtools/lib/archive(?:/internal/[a-z]+)?|github.com/klauspost/compress/zstd)\.(.*)$`)
	for _, m := range reader.FindAllStringSubmatch(string(out), -1) {
		if !strings.HasPrefix(m[2], "init") {
			t.Errorf("pmstore has %s.%s", m[1], m[2])
		}
	}
	if !strings.Contains(string(out), "pmtools/lib/pmapi.OpenHost") {
		t.Error("pmstore without pmapi.OpenHost: the symbols cannot be read")
	}
}

// initWork is how much the packages of a command may allocate before main begins, in bytes: what
// each start pays for, whatever is asked. It is the same on each run, as times are not. 46 KB of
// pmderive's are those of Parquet and what comes with it, 125 KB those of the client of S3.
var initWork = map[string]int{"pmerr": 3 << 10, "pminfo": 56 << 10, "pmval": 56 << 10, "pmstore": 56 << 10, "pmderive": 340 << 10}

// TestInit: no package of a command does much before main begins, and none of ours anything but in
// pmderive: each one that does costs a page of its code and one of its data as well.
func TestInit(t *testing.T) {
	t.Parallel()
	work := regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes`)
	for name, most := range initWork {
		c := exec.Command(command(t, name), "-V")
		c.Env = append(c.Environ(), "GODEBUG=inittrace=1")
		out, err := c.CombinedOutput()
		if err != nil && name != "pmerr" {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		sum, list := 0, ""
		for _, m := range work.FindAllStringSubmatch(string(out), -1) {
			if strings.HasPrefix(m[1], "pmtools/") && name != "pmderive" {
				t.Errorf("%s: %s has work to do before main begins: a table of a few entries can be an array or a switch", name, m[1])
			}
			n, _ := strconv.Atoi(m[2])
			if sum += n; n > most/20 {
				list += " " + m[1] + " " + m[2]
			}
		}
		if sum == 0 || sum > most {
			t.Errorf("%s: %d bytes are allocated before main begins, at most %d are wanted:%s", name, sum, most, list)
		}
	}
}
