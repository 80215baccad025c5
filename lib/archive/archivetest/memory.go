package archivetest

import (
	"encoding/binary"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"pmtools/lib/pcp"
)

// A Memory holds archives in memory, to be damaged and read again and again without files.
type Memory map[string]Files

// InMemory builds archives.
func InMemory(tb TB, names ...string) Memory {
	tb.Helper()
	dir := tb.TempDir()
	m := make(Memory)
	for _, name := range names {
		err := Build(dir, name)
		if err == nil {
			m[name], err = ReadFiles(filepath.Join(dir, name))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return m
}

// FS returns the files of some archives, as they are.
func (m Memory) FS(names ...string) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for _, name := range names {
		for suffix, b := range m[name] {
			fsys[name+"."+suffix] = &fstest.MapFile{Data: b}
		}
	}
	return fsys
}

// Damaged returns the files of some archives with one damage or more, and their descriptions. The
// damage depends only on rng.
func (m Memory) Damaged(rng *rand.Rand, names ...string) (fsys fs.FS, done string) {
	bad := maps.Clone(m)
	var list []string
	for more := true; more; more = len(list) < 8 && rng.IntN(4) == 0 {
		name := names[rng.IntN(len(names))]
		files := maps.Clone(bad[name])
		if len(files) == 0 {
			break
		}
		list = append(list, name+"."+files.Damage(rng))
		bad[name] = files
	}
	return bad.FS(names...), strings.Join(list, "; ")
}

// Place returns a mode, an origin and a step for reading an archive with records at such times: of
// them, or near to them.
func Place(rng *rand.Rand, times []pcp.Timestamp) (pcp.Mode, pcp.Timestamp, time.Duration) {
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

// Runs returns how many damaged archives a test reads, usually so many, and the seed they are drawn
// from: PMTOOLS_RUNS and PMTOOLS_SEED, as in the comparisons with the reference.
func Runs(tb TB, usually int) (runs int, seed uint64) {
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

// Scripts returns n texts for Script that a fuzzer begins with.
func Scripts(n int) [][]byte {
	list := make([][]byte, n)
	for i := range list {
		rng := rand.NewPCG(uint64(i), 0)
		for range 20 {
			list[i] = binary.BigEndian.AppendUint16(list[i], uint16(rng.Uint64()))
		}
	}
	return list
}

// Script returns random numbers that begin with those in text, two bytes each, so that a fuzzer
// decides about them.
func Script(text []byte) *rand.Rand {
	return rand.New(&script{text: text, rest: rand.NewPCG(uint64(len(text)), 0)})
}

type script struct {
	text []byte
	rest *rand.PCG
}

func (s *script) Uint64() uint64 {
	n := s.rest.Uint64()
	if len(s.text) < 2 {
		return n
	}
	head := uint64(binary.BigEndian.Uint16(s.text))
	s.text = s.text[2:]
	return head<<48 | n>>16
}
