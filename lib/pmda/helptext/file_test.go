package helptext

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// helpFiles returns the files that newhelp makes on a machine of a byte order (collector.md C7.3):
// numfetch with both texts, color with none, instance domain 1 with one line.
func helpFiles(order binary.AppendByteOrder) (dir, pag string) {
	pag = "PcPh22\n\n@ simple.numfetch one\x00long\x00\n@ simple.color \x00\x00\n@ 253.1 only one-line\x00\x00"
	at := func(s string) uint32 { return uint32(strings.Index(pag, s)) }
	color := at("color ") + uint32(len("color "))
	last := uint32(len(pag) - 1)
	var b []byte
	for _, w := range []uint32{0x50635068, 0x31320000, 3, 0x3f400000, at("one\x00"), at("long"), 0x3f400001, color, color + 1, 0x3f400001 | 1<<31, at("only"), last} {
		b = order.AppendUint32(b, w)
	}
	return string(b), pag
}

// writeHelp writes help files and returns their name.
func writeHelp(t testing.TB, dir, pag string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "help")
	for suffix, text := range map[string]string{".dir": dir, ".pag": pag} {
		if err := os.WriteFile(name+suffix, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// TestHelpFile checks texts from files of both byte orders.
func TestHelpFile(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		h, err := Open(writeHelp(t, first(helpFiles(order)), second(helpFiles(order))))
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name  string
			id    uint32
			indom bool
			kind  pcp.TextKind
			want  string
			err   error
		}{
			{"one line", 0x3f400000, false, pcp.OneLine, "one", nil},
			{"help", 0x3f400000, false, pcp.Help, "long", nil},
			{"in another domain", 0x01400000, false, pcp.Help, "long", nil},
			{"empty", 0x3f400001, false, pcp.OneLine, "", nil},
			{"empty help", 0x3f400001, false, pcp.Help, "", nil},
			{"of a domain", 0x3f400001, true, pcp.OneLine, "only one-line", nil},
			{"empty help of a domain", 0x3f400001, true, pcp.Help, "", nil},
			{"unknown metric", 0x3f400002, false, pcp.Help, "", pmerr.Text},
			{"unknown domain", 0x3f400000, true, pcp.Help, "", pmerr.Text},
		} {
			got, err := h.Text(pcp.ID(tt.id), tt.kind)
			if tt.indom {
				got, err = h.InDomText(pcp.InDom(tt.id), tt.kind)
			}
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("%v: %s: %q, %v", order, tt.name, got, err)
			}
		}
	}
}

func first(a, _ string) string  { return a }
func second(_, b string) string { return b }

// TestBadHelpFiles checks what is not read.
func TestBadHelpFiles(t *testing.T) {
	dir, pag := helpFiles(binary.LittleEndian)
	for name, files := range map[string][2]string{
		"empty index":    {"", pag},
		"short index":    {dir[:len(dir)-1], pag},
		"missing record": {dir[:len(dir)-12], pag},
		"other magic":    {"x" + dir[1:], pag},
		"other version":  {dir[:4] + "x" + dir[5:], pag},
		"no texts":       {dir, ""},
		"other texts":    {dir, "PcPh12\n"},
	} {
		if h, err := Open(writeHelp(t, files[0], files[1])); h != nil || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "nosuch")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	name := writeHelp(t, dir, pag)
	if err := os.Remove(name + ".pag"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no texts: %v", err)
	}
	h, err := Open(writeHelp(t, dir, pag[:10]))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := h.Text(0x3f400000, pcp.Help); !errors.Is(err, pmerr.Text) {
		t.Errorf("text outside the file: %q, %v", s, err)
	}
}

// FuzzHelpFile reads texts of damaged files.
func FuzzHelpFile(f *testing.F) {
	dir, pag := helpFiles(binary.LittleEndian)
	f.Add([]byte(dir), []byte(pag))
	dir, pag = helpFiles(binary.BigEndian)
	f.Add([]byte(dir), []byte(pag))
	f.Fuzz(func(t *testing.T, dir, pag []byte) {
		h, err := decode(dir, pag)
		if err != nil {
			return
		}
		for id := range uint32(3) {
			for _, kind := range []pcp.TextKind{pcp.OneLine, pcp.Help} {
				// Any answer will do.
				_, _ = h.Text(pcp.ID(id), kind)
				_, _ = h.InDomText(pcp.InDom(id), kind)
			}
		}
	})
}
