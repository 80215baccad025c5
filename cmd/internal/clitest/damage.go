package clitest

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/test/golden"
)

// Damage runs a command line over an archive that is damaged at one of its records: at each record
// of the metadata and of the first volume, in each way. No run may panic or hang, and one that
// fails must say so. run takes the archive's base name.
func Damage(t *testing.T, name string, run func(base string) golden.Entry) {
	t.Helper()
	dir := t.TempDir()
	if err := archivetest.Build(dir, name); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(dir, name)
	intact := run(base)
	if intact.Status != 0 {
		t.Fatalf("status %d: %q", intact.Status, intact.Stderr)
	}
	for _, member := range []string{".meta", ".0"} {
		file := base + member
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, at := range records(text) {
			for way, damaged := range damages(text, at) {
				if err := os.WriteFile(file, damaged, 0o666); err != nil {
					t.Fatal(err)
				}
				got := Guard(t, func() golden.Entry { return run(base) })
				check(t, fmt.Sprintf("%s, record %d, %s", member, n, way), false, &intact, &got)
			}
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// records returns where the records of a file begin and end; each has its length in front.
func records(text []byte) (at [][2]int) {
	for i := 0; i+4 <= len(text); {
		size := int(binary.BigEndian.Uint32(text[i:]))
		if size < 8 || size > len(text)-i {
			break
		}
		at = append(at, [2]int{i, i + size})
		i += size
	}
	return at
}

// damages returns a file with one of its records spoilt, in each way.
func damages(text []byte, at [2]int) map[string][]byte {
	spoil := func(offset int, word uint32) []byte {
		out := append([]byte(nil), text...)
		binary.BigEndian.PutUint32(out[offset:], word)
		return out
	}
	return map[string][]byte{
		"cut off before": text[:at[0]],
		"cut off amid":   text[:(at[0]+at[1])/2],
		"missing":        append(append([]byte(nil), text[:at[0]]...), text[at[1]:]...),
		"long":           spoil(at[0], 1<<31-1),
		"negative":       spoil(at[0], 1<<31),
		"other end":      spoil(at[1]-4, 3),
		"spoilt amid":    spoil(at[0]+(at[1]-at[0])/2&^3, 1<<32-1),
	}
}
