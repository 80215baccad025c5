package export

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
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
				err = c.Walk(t.Context(), "", func(string, pcp.ID) bool { return true })
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
