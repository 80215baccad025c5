package export

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/safefile/safefiletest"
)

// number returns the number in a variable, or value.
func number(name string, value int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return value
}

// damage changes a file: bits, bytes, words that become huge, pieces that are missing or twice there.
func damage(rnd *rand.Rand, b []byte) []byte {
	for range 1 + rnd.IntN(3) {
		i := rnd.IntN(len(b))
		if rnd.IntN(2) == 0 { // the metadata at the end
			i = max(len(b)-1-rnd.IntN(2000), 0)
		}
		switch rnd.IntN(6) {
		case 0, 1:
			b[i] ^= 1 << rnd.IntN(8)
		case 2:
			b[i] = byte(rnd.Uint32())
		case 3: // a number of many bytes, as Thrift has them
			for ; i < len(b) && rnd.IntN(5) > 0; i++ {
				b[i] |= 0x80
			}
		case 4:
			j := min(i+rnd.IntN(40), len(b))
			b = append(b[:i:i], b[j:]...)
		case 5:
			j := min(i+rnd.IntN(40), len(b))
			b = append(b[:j:j], b[i:]...)
		}
		if len(b) == 0 {
			return b
		}
	}
	return b
}

// TestDamagedTables reads tables that are damaged: of metrics as Catalog does, and of values and events as
// Check does. PMTOOLS_RUNS is how many, or 500; PMTOOLS_SEED is the first seed. Each is read, or is
// an error that names the file, and takes memory in proportion to its size.
func TestDamagedTables(t *testing.T) {
	type table struct {
		kind, file string
		recs       *Records
		cfg        *Config
		sum        Summary
	}
	var tables []table
	for _, kind := range []string{"metrics", "values", "events"} {
		dir, name := t.TempDir(), "alltypes"
		if kind == "events" {
			name = "events"
		}
		recs := open(t, archivetest.Path(t, name))
		cfg := &Config{Dir: dir, Name: name}
		sum, err := Write(t.Context(), recs, recs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(dir, kind, "host=*", "*.parquet"))
		dated, _ := filepath.Glob(filepath.Join(dir, kind, "host=*", "date=*", "*.parquet"))
		if files = append(files, dated...); len(files) == 0 {
			t.Fatalf("no table of %s", kind)
		}
		tables = append(tables, table{kind, files[0], recs, cfg, sum})
	}
	first, wrong := number("PMTOOLS_SEED", 1), 0
	for seed := first; seed < first+number("PMTOOLS_RUNS", 500); seed++ {
		rnd := rand.New(rand.NewPCG(uint64(seed), 0))
		tab := tables[max(rnd.IntN(6)-3, 0)]
		file := tab.file
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, damage(rnd, append([]byte(nil), good...)), 0o666); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		func() {
			defer func() {
				if x := recover(); x != nil {
					t.Errorf("seed %d, %s: panic: %v", seed, file, x)
				}
			}()
			if tab.kind != "metrics" {
				err = Check(t.Context(), tab.recs, tab.recs, tab.cfg, &tab.sum)
			} else if c, failed := catalogOf(t, tab.cfg.Dir); failed != nil {
				err = failed
			} else {
				err = c.Walk(t.Context(), "", true, func(string, pcp.ID) bool { return true })
			}
		}()
		if err != nil {
			if wrong++; !strings.Contains(err.Error(), ".parquet") && !strings.Contains(err.Error(), "values") && !strings.Contains(err.Error(), "events") {
				t.Errorf("seed %d, %s: the error names no file: %v", seed, file, err)
			}
		}
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 64<<20 {
			t.Errorf("seed %d, %s: %d bytes of memory, error %v", seed, file, after.TotalAlloc-before.TotalAlloc, err)
		}
		if err := os.WriteFile(file, good, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if wrong == 0 {
		t.Error("nothing was damaged")
	}
}

// TestOneByte changes a byte of each kind of table at a time, and reads it as a compaction, a query and an export that goes on do: that
// is an error which names the file, or other values, and never a panic.
func TestOneByte(t *testing.T) {
	dir := t.TempDir()
	if err := writeTo(t, dir, archivetest.Path(t, "labels")); err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 0))
	for _, name := range tree(t, dir) {
		table, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		if filepath.Ext(name) != ".parquet" {
			continue
		}
		file := filepath.Join(dir, name)
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		try := func(at int, b byte) {
			bad := slices.Clone(good)
			bad[at] = b
			if err := os.WriteFile(file, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if x := recover(); x != nil {
					t.Fatalf("%s, byte %d is %#x: panic: %v", name, at, b, x)
				}
			}()
			err := readsOf(t, dir, filepath.ToSlash(name), table)
			if err == nil {
				return
			}
			if wrong++; !strings.Contains(err.Error(), filepath.Base(name)) {
				t.Fatalf("%s, byte %d is %#x: %v", name, at, b, err)
			}
		}
		for at := range min(32, len(good)) { // the header of the first page
			try(at, good[at]^2)
			try(at, good[at]^16)
		}
		for range 50 {
			try(rnd.IntN(len(good)), byte(rnd.Uint32()))
		}
		if err := os.WriteFile(file, good, 0o666); err != nil {
			t.Fatal(err)
		}
		if wrong == 0 {
			t.Errorf("%s: no byte mattered", name)
		}
	}
}

// readsOf reads a table as all that read it do.
func readsOf(t *testing.T, dir, file, table string) (err error) {
	t.Helper()
	switch table {
	case "metrics":
		return metricsOf(t.Context(), Dir(dir), file).err
	case "records":
		err = eachIdentity(t.Context(), Dir(dir), file, func(recordRow) {})
	}
	work := t.TempDir()
	defer os.RemoveAll(work)
	safefiletest.Quiet(func() {
		m := &merger{dir: work, temp: work, name: "merged", table: table, place: place{host: "specbox"}, infos: make(map[string]fs.FileInfo)}
		_, bad := m.merge(t.Context(), []string{Dir(dir).Name(file)})
		err = errors.Join(err, bad)
	})
	return err
}
