package archivetest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files are the contents of the files of an archive by their suffix: "meta", "index", "0".
type Files map[string][]byte

// ReadFiles reads the files of the archive with that base name.
func ReadFiles(base string) (Files, error) {
	paths, err := filepath.Glob(base + ".*")
	if err != nil {
		return nil, err
	}
	f := make(Files)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f[strings.TrimPrefix(path, base+".")] = b
	}
	if len(f) == 0 {
		return nil, fmt.Errorf("archivetest: %s: %w", base, os.ErrNotExist)
	}
	return f, nil
}

// Write makes the files of the archive with that base name.
func (f Files) Write(base string) error {
	var errs []error
	for suffix, b := range f {
		errs = append(errs, os.WriteFile(base+"."+suffix, b, 0o666))
	}
	return errors.Join(errs...)
}

// damages are the ways to damage a file, each as often as it is in the list. A way returns a
// description for people.
var damages = []func(f Files, file string, rng *rand.Rand) string{
	number, number, number, number, number, number, number, number, bit, bit, cutFile, cutFile, dropRecord, repeatRecord, exchangeRecords,
	appendBytes, swapFiles, emptyFile, removeFile,
}

// Damage damages one of the files, or swaps two, and returns a description. The damage depends only
// on rng.
func (f Files) Damage(rng *rand.Rand) string {
	file := f.any(rng)
	return file + ": " + damages[rng.IntN(len(damages))](f, file, rng)
}

// any returns the suffix of a file.
func (f Files) any(rng *rand.Rand) string {
	suffixes := slices.Sorted(maps.Keys(f))
	return suffixes[rng.IntN(len(suffixes))]
}

// number changes a word, half of one, or two.
func number(f Files, file string, rng *rand.Rand) string {
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

func bit(f Files, file string, rng *rand.Rand) string {
	b := slices.Clone(f[file])
	if len(b) == 0 {
		return "empty"
	}
	off, mask := rng.IntN(len(b)), byte(1)<<rng.IntN(8)
	b[off] ^= mask
	f[file] = b
	return fmt.Sprintf("%#x of byte %d", mask, off)
}

func cutFile(f Files, file string, rng *rand.Rand) string {
	off := rng.IntN(len(f[file]) + 1)
	f[file] = f[file][:off]
	return fmt.Sprintf("cut at %d", off)
}

// record returns the place of a record, which begins and ends with its length, but not of the label; 0
// and 0 if there is none. The index has no such records: of it, this returns an entry or a part of two.
func record(b []byte, suffix string, rng *rand.Rand) (off, end int) {
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

func dropRecord(f Files, file string, rng *rand.Rand) string {
	b := f[file]
	off, end := record(b, file, rng)
	f[file] = slices.Concat(b[:off], b[end:])
	return fmt.Sprintf("without the record at %d", off)
}

func repeatRecord(f Files, file string, rng *rand.Rand) string {
	b := f[file]
	off, end := record(b, file, rng)
	to := []int{end, len(b)}[rng.IntN(2)]
	f[file] = slices.Concat(b[:to], b[off:end], b[to:])
	return fmt.Sprintf("the record at %d again at %d", off, to)
}

func exchangeRecords(f Files, file string, rng *rand.Rand) string {
	b := f[file]
	off, end := record(b, file, rng)
	other, otherEnd := record(b, file, rng)
	if other < off {
		off, end, other, otherEnd = other, otherEnd, off, end
	}
	if off != other {
		f[file] = slices.Concat(b[:off], b[other:otherEnd], b[end:other], b[off:end], b[otherEnd:])
	}
	return fmt.Sprintf("the records at %d and %d in each other's place", off, other)
}

func appendBytes(f Files, file string, rng *rand.Rand) string {
	tail := make([]byte, 1+rng.IntN(40))
	if rng.IntN(3) > 0 {
		for i := range tail {
			tail[i] = byte(rng.Uint32())
		}
	}
	f[file] = slices.Concat(f[file], tail)
	return fmt.Sprintf("with % x", tail)
}

func swapFiles(f Files, file string, rng *rand.Rand) string {
	other := f.any(rng)
	f[file], f[other] = f[other], f[file]
	return "in place of " + other
}

func emptyFile(f Files, file string, _ *rand.Rand) string {
	f[file] = nil
	return "empty"
}

func removeFile(f Files, file string, _ *rand.Rand) string {
	delete(f, file)
	return "removed"
}
