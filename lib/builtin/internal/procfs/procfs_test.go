package procfs

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("0123456789abcde\n", maxFile/16+1000)
	for name, content := range map[string]string{
		"empty": "", "short": "a\nb", "buffer": strings.Repeat("x", 16<<10), "more": strings.Repeat("y", 50000), "huge": long,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var asked []string
	p := &Root{Dir: dir, Trace: func(name string) { asked = append(asked, name) }}
	for _, c := range []struct {
		name string
		want string
	}{
		{"empty", ""},
		{"short", "a\nb"},
		{"buffer", strings.Repeat("x", 16<<10)},
		{"more", strings.Repeat("y", 50000)},
		{"short", "a\nb"}, // with the buffer of the one before
	} {
		got, err := p.Read(c.name)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %d bytes, %v", c.name, len(got), err)
		}
	}
	got, err := p.Read("huge")
	if err != nil {
		t.Errorf("huge: %d bytes, %v", len(got), err)
	} else if len(got) < maxFile-16 || len(got) > 2*maxFile || got[len(got)-1] != '\n' {
		t.Errorf("huge: %d bytes, %v", len(got), err)
	}
	if !slices.Equal(asked, []string{"empty", "short", "buffer", "more", "short", "huge"}) {
		t.Errorf("asked for %q", asked)
	}
	for _, name := range []string{"missing", "missing/below", "short/below"} {
		if got, err := p.Read(name); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, err := p.Read("missing"); Error(err) != pmerr.ENOENT || Missing(err) != nil {
		t.Errorf("missing: %v", err)
	}
	if _, err := p.Read("short/below"); Missing(err) != nil {
		t.Errorf("below a file: %v", err)
	}
	if Error(nil) != nil {
		t.Error("no error is an error")
	}
}

func TestPath(t *testing.T) {
	for _, c := range []struct {
		dir, name, want string
		live            bool
	}{
		{"/", "proc/stat", "/proc/stat", true},
		{"", "proc/stat", "/proc/stat", true},
		{"/srv/x", "proc/stat", filepath.FromSlash("/srv/x/proc/stat"), false},
		{"/srv/x", "../../etc/passwd", filepath.FromSlash("/srv/x/etc/passwd"), false},
	} {
		p := &Root{Dir: c.dir}
		if got := p.path(c.name); got != c.want || p.Live() != c.live {
			t.Errorf("%q: %s, %t", c.dir, got, p.Live())
		}
	}
}

func TestNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := &Root{Dir: dir}
	names, err := p.Names(".")
	if slices.Sort(names); err != nil || !slices.Equal(names, []string{"a", "b", "c"}) {
		t.Errorf("%q, %v", names, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if names, err := p.Names("d"); err != nil || len(names) != 0 {
		t.Errorf("an empty directory: %q, %v", names, err)
	}
	for _, name := range []string{"a", "missing"} {
		if names, err := p.Names(name); err == nil {
			t.Errorf("%s: %q", name, names)
		}
	}
	if got := p.Link("a"); got != "" {
		t.Errorf("not a link: %q", got)
	}
	if os.Symlink("where", filepath.Join(dir, "l")) == nil && p.Link("l") != "where" {
		t.Errorf("a link: %q", p.Link("l"))
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"a", []string{"a"}},
		{"a\n", []string{"a"}},
		{"a\n\nb", []string{"a", "", "b"}},
		{"\n", []string{""}},
	} {
		var got []string
		for text := []byte(c.text); len(text) > 0; {
			var line []byte
			line, text = Line(text)
			got = append(got, string(line))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

func TestWord(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"", nil},
		{"   ", nil},
		{"a", []string{"a"}},
		{"  a\tb  c ", []string{"a", "b", "c"}},
		{"a\x00b\r", []string{"a", "b"}},
		{"\xff\xfe x", []string{"\xff\xfe", "x"}},
	} {
		var got []string
		for word, rest := Word([]byte(c.line)); len(word) > 0; word, rest = Word(rest) {
			got = append(got, string(word))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.line, got)
		}
	}
}

func TestUint(t *testing.T) {
	for _, c := range []struct {
		word string
		want uint64
		ok   bool
	}{
		{"", 0, false},
		{"-", 0, false},
		{"+", 0, false},
		{"x", 0, false},
		{"0", 0, true},
		{"007", 7, true},
		{"+5", 0, false},
		{"-1", math.MaxUint64, true},
		{"-20", 1<<64 - 20, true},
		{"12kB", 0, false},
		{"12.5", 0, false},
		{"18446744073709551615", math.MaxUint64, true},
		{"18446744073709551616", 0, false},
		{"99999999999999999999999", 0, false},
		{"18446744073709551609", 18446744073709551609, true},
	} {
		if got, ok := Uint([]byte(c.word)); ok && got != c.want || ok != c.ok {
			t.Errorf("%q: %d, %t", c.word, got, ok)
		}
	}
}

func TestHex(t *testing.T) {
	for _, c := range []struct {
		word string
		want uint64
		ok   bool
	}{
		{"", 0, false},
		{"g", 0, false},
		{"0x", 0, false},
		{"0A", 10, true},
		{"0x1003", 0x1003, true},
		{"ffffffffffffffff", math.MaxUint64, true},
		{"1ffffffffffffffff", 0, false},
		{"fF:12", 0, false},
	} {
		if got, ok := Hex([]byte(c.word)); ok && got != c.want || ok != c.ok {
			t.Errorf("%q: %#x, %t", c.word, got, ok)
		}
	}
}

func TestReal(t *testing.T) {
	for _, c := range []struct {
		word string
		want float64
		ok   bool
	}{
		{"", 0, false},
		{".5", 0.5, true}, {"-.5e1", -5, true}, {".", 0, false}, {"-", 0, false}, {"1e5", 1e5, true}, {"1e", 0, false}, {"1.5E-1x", 0, false}, {"inf", 0, false}, {"NaN", 0, false},
		{"123456789012345678901234", 123456789012345678901234, true}, {"1e400", 0, false},
		{"x", 0, false},
		{"0", 0, true},
		{"0.00", 0, true},
		{"3.74", 3.74, true},
		{"9516.20", 9516.2, true},
		{"2596.122", 2596.122, true},
		{"12.", 12, true},
		{"12.5x9", 0, false},
		{"1.000000000000000000000000001", 1, true},
		{"9007199254740993.5", 9007199254740994, true},
	} {
		if got, ok := Real([]byte(c.word)); ok && got != c.want || ok != c.ok {
			t.Errorf("%q: %v, %t", c.word, got, ok)
		}
	}
}

// FuzzNumbers: numbers are those of strconv; words are parts of the text.
func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"", "0", "12", "-7", "18446744073709551616", "3.25", "0x1f", "1.2.3", "+9", "00.10"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, word []byte) {
		u, ok := Uint(word)
		if want, err := strconv.ParseUint(string(word), 10, 64); err == nil && (!ok || u != want) {
			t.Errorf("%q is %d, not %d", word, want, u)
		}
		h, ok := Hex(word)
		if want, err := strconv.ParseUint(string(bytes.TrimPrefix(word, []byte("0x"))), 16, 64); err == nil && len(word) < 17 && (!ok || h != want) {
			t.Errorf("%q is %#x, not %#x", word, want, h)
		}
		r, ok := Real(word)
		if ok && (math.IsNaN(r) || r < 0 && word[0] != '-') {
			t.Errorf("%q is %v", word, r)
		}
		n := 0
		for w, rest := Word(word); len(w) > 0; w, rest = Word(rest) {
			n += len(w)
		}
		if n > len(word) {
			t.Errorf("%q has words of %d bytes", word, n)
		}
	})
}

// TestReadWay reads files that the kernel makes in one piece, or in lines, which are shorter and longer than the buffer.
func TestReadWay(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "proc/7"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "proc/net"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"proc/7/stat", "proc/net/tcp", "proc/7/maps"} {
		p := Root{Dir: dir, Buf: make([]byte, 8)}
		for _, text := range []string{"", "1234567", "12345678", "123456789 and more", strings.Repeat("x", leastPage), strings.Repeat("x", 3*leastPage)} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := p.Read(name); err != nil || string(got) != text {
				t.Errorf("%s: got %.30q, %v, want %.30q", name, got, err, text)
			}
		}
	}
}

// TestReads counts the reads of a file whose reads return so many bytes each.
func TestReads(t *testing.T) {
	for _, c := range []struct {
		name  string
		sizes []int // then comes the end
		reads int
	}{
		{"proc/7/stat", []int{300}, 2},
		{"proc/net/tcp", []int{150}, 1},
		{"proc/net/tcp6", []int{leastPage - longestLine}, 1},
		{"proc/net/tcp6", []int{leastPage - longestLine + 1}, 2},
		{"proc/net/tcp", []int{4050, 4050, 300}, 3},
		{"proc/net/tcp", []int{4050, 4050, 4050}, 4},
		{"proc/net/tcp", nil, 1},
		{"proc/uptime", []int{20}, 2},
	} {
		r := &reads{sizes: c.sizes}
		text, err := fill(&Root{}, r, isTCP(c.name))
		want := 0
		for _, n := range c.sizes {
			want += n
		}
		if len(text) != want || err != nil || r.count != c.reads {
			t.Errorf("%s %d: %d bytes, %v, after %d reads, want %d", c.name, c.sizes, len(text), err, r.count, c.reads)
		}
	}
}

type reads struct {
	sizes []int
	count int
}

func (r *reads) Read(b []byte) (n int, err error) {
	if r.count++; r.count > len(r.sizes) {
		return 0, io.EOF
	}
	return min(r.sizes[r.count-1], len(b)), nil
}
