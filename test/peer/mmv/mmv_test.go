package mmv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/mmv"
	_ "pmtools/test/env"
	"pmtools/test/peer/harness"
)

// TestFiles draws registries of each version, and compares the files of both sides byte by byte: all
// but the time, the process, and what stands behind the end of a label, which the reference does not
// initialize. The reference's mmvdump reads each of ours.
func TestFiles(t *testing.T) {
	_, _, root := harness.Setup(t)
	program := harness.Compile(t, root, "testdata/driver.c", "-l:libpcp_mmv.so.1", "-lpcp")
	theirs, ours := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(theirs, "mmv"), 0o777); err != nil {
		t.Fatal(err)
	}
	runs := harness.Number("PMTOOLS_RUNS", 200)
	for version := 1; version <= 3; version++ {
		var script []string
		for i := range runs {
			script = append(script, drawRegistry(t, version, i, ours)...)
		}
		cmd := exec.Command(program[0], program[1:]...)
		cmd.Env = []string{"PCP_CONF=" + root + "/etc/pcp.conf", "PCP_TMP_DIR=" + theirs}
		cmd.Stdin = strings.NewReader(strings.Join(script, "\n") + "\n")
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("driver: %v\n%s", err, out)
		}
		same := 0
		for i := range runs {
			name := fmt.Sprintf("v%d_%d", version, i)
			want, got := normal(t, filepath.Join(theirs, "mmv", name)), normal(t, filepath.Join(ours, name))
			if !bytes.Equal(got, want) {
				t.Errorf("%s: %s", name, difference(got, want))
			} else if same++; binary.NativeEndian.Uint32(got[4:]) != uint32(version) {
				t.Errorf("%s: version %d", name, got[4])
			}
		}
		t.Logf("version %d: %d of %d files are the same", version, same, runs)
		dump(t, root, ours, version, runs)
	}
}

// dump reads our files with the reference's mmvdump.
func dump(t *testing.T, root, dir string, version, runs int) {
	t.Helper()
	program := append(harness.Loader(t, root), filepath.Join(root, "usr/lib/pcp/pmdas/mmv/mmvdump"))
	for i := range runs {
		path := filepath.Join(dir, fmt.Sprintf("v%d_%d", version, i))
		out, err := exec.Command(program[0], append(program[1:], path)...).CombinedOutput()
		if err != nil || bytes.Contains(out, []byte("Bad ")) || !bytes.Contains(out, fmt.Appendf(nil, "Version    = %d\n", version)) {
			t.Errorf("mmvdump %s: %v\n%s", path, err, out)
		}
	}
}

// drawRegistry makes a registry, and returns the script for it.
func drawRegistry(t *testing.T, version, i int, dir string) []string {
	t.Helper()
	d := &draw{
		Rand:    rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), uint64(version)<<32+uint64(i))),
		version: version, names: map[string]bool{}, numbers: map[int]bool{},
	}
	name, cluster, flags := fmt.Sprintf("v%d_%d", version, i), d.IntN(2048), mmv.Flags(d.IntN(8))
	var err error
	if d.reg, err = mmv.Create(name, mmv.Options{Dir: dir, Cluster: int32(cluster), Flags: flags &^ mmv.Process}); err != nil {
		t.Fatal(err)
	}
	d.say("registry", name, cluster, int(flags&^mmv.Process))
	register := func() {
		d.drawDomains()
		d.drawMetrics(1 + d.IntN(12))
		if version == 3 {
			d.reg.Label("last", "one")
			d.say("registrylabel", "last", `"one"`, 1, 0)
		}
	}
	if d.IntN(2) == 0 {
		register() // one after the other
	} else {
		d.reg.Batch(register)
	}
	if err := d.reg.Err(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := d.reg.Close(); err != nil {
		t.Fatal(err)
	}
	d.say("start")
	return append(d.script, d.after...)
}

// normal returns a file without what differs from run to run.
func normal(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := mmv.Parse(b)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	clear(b[8:24])
	clear(b[32:36])
	for i := range f.Labels {
		payload := b[len(b)-256*(len(f.Labels)-i)+12:][:244]
		clear(payload[bytes.IndexByte(payload, 0):])
	}
	return b
}

// difference says where two files differ first.
func difference(got, want []byte) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			from := max(0, i-16)
			return fmt.Sprintf("at %#x of %d, %d bytes:\n% x\n% x", i, len(got), len(want), got[from:min(i+32, len(got))], want[from:min(i+32, len(want))])
		}
	}
	return fmt.Sprintf("%d bytes, want %d", len(got), len(want))
}
