package pmcd

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// inferenceFile returns a file of pmie as that of PCP 7.2.2 writes it.
func inferenceFile() []byte {
	b := make([]byte, pmieSize)
	copy(b, "/etc/rules")
	copy(b[pmiePath:], "/var/log/pmie.log")
	copy(b[2*pmiePath:], "there\x00initialized)")
	for i, w := range [...]uint32{math.Float32bits(3), 4, 6, 7, 12, 1, 18, 1} {
		binary.NativeEndian.PutUint32(b[pmieWords+4*i:], w)
	}
	return b
}

// TestPrograms shows long-running programs, and leaves out files of ended programs, and other
// files.
func TestPrograms(t *testing.T) {
	root, pid := t.TempDir(), os.Getpid()
	write := func(name string, content []byte) {
		t.Helper()
		name = filepath.Join(root, filepath.FromSlash(tmpDir), name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(fmt.Sprint("pmlogger/", pid), []byte("4330\nthere\n/var/log/a\nnote\n"))
	write("pmlogger/2147483646", []byte("4331\nthere\n/b\n"))
	write("pmlogger/primary", []byte("4330\n"))
	write(fmt.Sprint("pmie/", pid), inferenceFile())
	p := newTest(t, root)
	for name, want := range map[string]string{
		"pmlogger.port": "4330", "pmlogger.pmcd_host": "there", "pmlogger.archive": "/var/log/a", "pmlogger.note": "note", "pmlogger.host": "here",
		"pmie.configfile": "/etc/rules", "pmie.logfile": "/var/log/pmie.log", "pmie.pmcd_host": "there", "pmie.numrules": "4", "pmie.actions": "6",
		"pmie.eval.true": "7", "pmie.eval.false": "12", "pmie.eval.unknown": "1", "pmie.eval.actual": "18", "pmie.eval.expected": fmt.Sprint(math.Float32bits(3)),
	} {
		v := fetchNamed(t, p, "pmcd."+name)
		got := ""
		switch {
		case len(v.Blobs) == 1:
			got = string(v.Blobs[0])
		case len(v.Words) == 1:
			got = fmt.Sprint(v.Words[0])
		}
		if got != want || len(v.Insts) != 1 || v.Insts[0] != int32(pid) {
			t.Errorf("%s: %+v, want %s", name, v, want)
		}
	}
	for _, content := range [][]byte{nil, []byte("x"), []byte("99999\nthere\n"), make([]byte, pmieSize-1)} {
		write(fmt.Sprint("pmlogger/", pid), content)
		write(fmt.Sprint("pmie/", pid), content)
		for _, name := range []string{"pmcd.pmlogger.port", "pmcd.pmie.numrules"} {
			if v := fetchNamed(t, p, name); v.Len() != 0 || v.Err != nil {
				t.Errorf("%s of %.20q: %+v", name, content, v)
			}
		}
	}
}

// FuzzPrograms: files of pmie and pmlogger of any content are read without a panic.
func FuzzPrograms(f *testing.F) {
	f.Add(inferenceFile())
	f.Add([]byte("4330\nthere\n/var/log/a\nnote\n"))
	f.Fuzz(func(_ *testing.T, content []byte) {
		x := program{texts: map[string]string{}, words: map[string]uint32{}}
		parseInference(content, &x)
		(&collector{}).parseLogger(content, &x)
	})
}
