package archive_test

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

// A memory holds archives in memory, to be damaged and read again and again without files.
type memory map[string]archivetest.Files

// builtInMemory builds archives.
func builtInMemory(tb testing.TB, names ...string) memory {
	tb.Helper()
	dir := tb.TempDir()
	m := make(memory)
	for _, name := range names {
		err := archivetest.Build(dir, name)
		if err == nil {
			m[name], err = archivetest.ReadFiles(filepath.Join(dir, name))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return m
}

// FS returns the files of some archives, as they are.
func (m memory) FS(names ...string) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for _, name := range names {
		for suffix, b := range m[name] {
			fsys[name+"."+suffix] = &fstest.MapFile{Data: b}
		}
	}
	return fsys
}

// damaged returns the files of some archives with one damage or more, and their descriptions. The
// damage depends only on rng.
func (m memory) damaged(rng *rand.Rand, names ...string) (fsys fs.FS, done string) {
	bad := maps.Clone(m)
	var list []string
	for more := true; more; more = len(list) < 8 && rng.IntN(4) == 0 {
		name := names[rng.IntN(len(names))]
		files := maps.Clone(bad[name])
		if len(files) == 0 {
			break
		}
		list = append(list, name+"."+damage(files, rng))
		bad[name] = files
	}
	return bad.FS(names...), strings.Join(list, "; ")
}

// place returns a mode, an origin and a step for reading an archive with records at such times: of
// them, or near to them.
func place(rng *rand.Rand, times []pcp.Timestamp) (pcp.Mode, pcp.Timestamp, time.Duration) {
	mode := []pcp.Mode{pcp.Interp, pcp.Interp, pcp.Interp, pcp.Forward, pcp.Back}[rng.IntN(5)]
	origin := times[rng.IntN(len(times))]
	if near := rng.IntN(12); near < 6 {
		origin = origin.Add([]time.Duration{1, -1, time.Millisecond, -time.Second / 4, time.Second / 2, -5 * time.Second}[near])
	}
	sec := times[rng.IntN(len(times))].Sub(origin)
	if short := rng.IntN(8); short < 6 {
		sec = []float64{0, 0.1, 0.5, 1, 2.5, 10}[short]
	}
	step := time.Duration(sec * float64(time.Second))
	if rng.IntN(2) == 0 {
		step = -step
	}
	return mode, origin, step
}

// runsOf returns how many damaged archives a test reads, usually so many, and the seed they are drawn
// from: PMTOOLS_RUNS and PMTOOLS_SEED, as in the comparisons with the reference.
func runsOf(tb testing.TB, usually int) (runs int, seed uint64) {
	tb.Helper()
	read := func(name string, usually int) int {
		text := os.Getenv(name)
		if text == "" {
			return usually
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			tb.Fatal(name, err)
		}
		return n
	}
	return read("PMTOOLS_RUNS", usually), uint64(read("PMTOOLS_SEED", 1))
}

// damages are the ways to damage a file, each as often as it is in the list. A way returns a
// description for people.
var damages = []func(f archivetest.Files, file string, rng *rand.Rand) string{
	number, number, number, number, number, number, number, number, bit, bit, cutFile, cutFile, dropRecord, repeatRecord, exchangeRecords,
	appendBytes, swapFiles, emptyFile, removeFile,
}

// damage damages one of the files, or swaps two, and returns a description. The damage depends only
// on rng.
func damage(f archivetest.Files, rng *rand.Rand) string {
	file := anyFile(f, rng)
	return file + ": " + damages[rng.IntN(len(damages))](f, file, rng)
}

// anyFile returns the suffix of a file.
func anyFile(f archivetest.Files, rng *rand.Rand) string {
	suffixes := slices.Sorted(maps.Keys(f))
	return suffixes[rng.IntN(len(suffixes))]
}

// number changes a word, half of one, or two.
func number(f archivetest.Files, file string, rng *rand.Rand) string {
	b := slices.Clone(f[file])
	size := []int{2, 4, 4, 4, 8}[rng.IntN(5)]
	if len(b) < size {
		return "too short for a number"
	}
	off := rng.IntN(len(b)-size+1) &^ (min(size, 4) - 1)
	var wide [8]byte
	copy(wide[8-size:], b[off:])
	old := binary.BigEndian.Uint64(wide[:])
	binary.BigEndian.PutUint64(wide[:], interesting(old, rng))
	copy(b[off:], wide[8-size:])
	f[file] = b
	return fmt.Sprintf("%#x at %d becomes % x", old, off, wide[8-size:])
}

func interesting(old uint64, rng *rand.Rand) uint64 {
	list := []uint64{0, 1, 2, 3, 7, 8, ^uint64(0), ^uint64(1), 0x7fffffff, 0x80000000, 0x7fffffffffffffff, 1 << 63, 0xffff, 0x10000,
		0xffffff, 0x10000000, 0x3fffffff, 0x1fffffff, 255, 256,
		old + 1, old - 1, old + 4, old - 4, old * 2, old / 2, old + 8, old - 8, -old, old ^ 0x80000000, old + 1000, old - 1000, rng.Uint64()}
	return list[rng.IntN(len(list))]
}

func bit(f archivetest.Files, file string, rng *rand.Rand) string {
	b := slices.Clone(f[file])
	if len(b) == 0 {
		return "empty"
	}
	off, mask := rng.IntN(len(b)), byte(1)<<rng.IntN(8)
	b[off] ^= mask
	f[file] = b
	return fmt.Sprintf("%#x of byte %d", mask, off)
}

func cutFile(f archivetest.Files, file string, rng *rand.Rand) string {
	off := rng.IntN(len(f[file]) + 1)
	f[file] = f[file][:off]
	return fmt.Sprintf("cut at %d", off)
}

// recordOf returns the place of a record, which begins and ends with its length, but not of the label; 0
// and 0 if there is none. The index has no such records: of it, this returns an entry or a part of two.
func recordOf(b []byte, suffix string, rng *rand.Rand) (off, end int) {
	const indexEntry = 32
	var ends []int
	for at := 0; at+4 <= len(b); {
		size := int(int32(binary.BigEndian.Uint32(b[at:])))
		if suffix == "index" && len(ends) > 0 {
			size = indexEntry
		}
		if size < 8 || size > len(b)-at {
			break
		}
		at += size
		ends = append(ends, at)
	}
	if len(ends) < 2 {
		return 0, 0
	}
	i := rng.IntN(len(ends) - 1)
	return ends[i], ends[i+1]
}

func dropRecord(f archivetest.Files, file string, rng *rand.Rand) string {
	b := f[file]
	off, end := recordOf(b, file, rng)
	f[file] = slices.Concat(b[:off], b[end:])
	return fmt.Sprintf("without the record at %d", off)
}

func repeatRecord(f archivetest.Files, file string, rng *rand.Rand) string {
	b := f[file]
	off, end := recordOf(b, file, rng)
	to := []int{end, len(b)}[rng.IntN(2)]
	f[file] = slices.Concat(b[:to], b[off:end], b[to:])
	return fmt.Sprintf("the record at %d again at %d", off, to)
}

func exchangeRecords(f archivetest.Files, file string, rng *rand.Rand) string {
	b := f[file]
	off, end := recordOf(b, file, rng)
	other, otherEnd := recordOf(b, file, rng)
	if other < off {
		off, end, other, otherEnd = other, otherEnd, off, end
	}
	if off != other {
		f[file] = slices.Concat(b[:off], b[other:otherEnd], b[end:other], b[off:end], b[otherEnd:])
	}
	return fmt.Sprintf("the records at %d and %d in each other's place", off, other)
}

func appendBytes(f archivetest.Files, file string, rng *rand.Rand) string {
	tail := make([]byte, 1+rng.IntN(40))
	if rng.IntN(3) > 0 {
		for i := range tail {
			tail[i] = byte(rng.Uint32())
		}
	}
	f[file] = slices.Concat(f[file], tail)
	return fmt.Sprintf("with % x", tail)
}

func swapFiles(f archivetest.Files, file string, rng *rand.Rand) string {
	other := anyFile(f, rng)
	f[file], f[other] = f[other], f[file]
	return "in place of " + other
}

func emptyFile(f archivetest.Files, file string, _ *rand.Rand) string {
	f[file] = nil
	return "empty"
}

func removeFile(f archivetest.Files, file string, _ *rand.Rand) string {
	delete(f, file)
	return "removed"
}
