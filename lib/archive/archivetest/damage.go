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

// A Damage describes a change to a file of an archive.
type Damage struct {
	Kind  string // one of the names of kinds
	File  string // suffix of the file
	Other string // suffix of the other file that has its name now, if Kind is "swap"
	Field string // name of the changed field, "" if it is not known
	Value uint64 // the new value of that field, if it has at most 8 bytes and was changed
	Text  string // a description for people
}

// String describes d for people.
func (d Damage) String() string { return d.Text }

var kinds = []struct {
	name  string
	often int
	do    func(f Files, d *Damage, rng *rand.Rand)
}{
	{"number", 50, number},
	{"bit", 8, bit},
	{"byte", 6, octet},
	{"cut", 12, cutFile},
	{"drop", 6, dropRecord},
	{"repeat", 6, repeatRecord},
	{"exchange", 5, exchangeRecords},
	{"append", 5, appendBytes},
	{"swap", 2, swapFiles},
	{"empty", 2, emptyFile},
	{"remove", 2, removeFile},
}

// Damage damages one of the files, or swaps two. The damage depends only on rng.
func (f Files) Damage(rng *rand.Rand) Damage {
	suffixes := f.suffixes()
	d := Damage{File: suffixes[rng.IntN(len(suffixes))]}
	sum := 0
	for _, k := range kinds {
		sum += k.often
	}
	n := rng.IntN(sum)
	i := 0
	for ; n >= kinds[i].often; i++ {
		n -= kinds[i].often
	}
	d.Kind = kinds[i].name
	kinds[i].do(f, &d, rng)
	d.Text = d.File + ": " + d.Kind + d.Text
	return d
}

func (f Files) suffixes() []string { return slices.Sorted(maps.Keys(f)) }

// change replaces the file of d by a copy, which may be damaged.
func (f Files) change(d *Damage) []byte {
	f[d.File] = slices.Clone(f[d.File])
	return f[d.File]
}

// Fields returns the fields of a file in order. Bytes that cannot be decoded are called "rest".
func (f Files) Fields(suffix string) []Field { return newLayout(suffix, f[suffix]).fields }

func (f Files) field(suffix string, off int) Field {
	for _, x := range f.Fields(suffix) {
		if off < x.Off+x.Size {
			return x
		}
	}
	return Field{}
}

// number changes a number. All names of fields are equally likely, so that rare ones are hit as well.
func number(f Files, d *Damage, rng *rand.Rand) {
	byName := map[string][]Field{}
	var names []string
	for _, x := range f.Fields(d.File) {
		if byName[x.Name] == nil {
			names = append(names, x.Name)
		}
		byName[x.Name] = append(byName[x.Name], x)
	}
	if len(names) == 0 {
		return
	}
	list := byName[names[rng.IntN(len(names))]]
	x := list[rng.IntN(len(list))]
	b := f.change(d)[x.Off : x.Off+x.Size]
	if len(b) > 8 {
		off := rng.IntN(len(b) - 3)
		b = b[off : off+4]
	}
	old := value(b)
	var wide [8]byte
	binary.BigEndian.PutUint64(wide[:], interesting(old, rng))
	copy(b, wide[8-len(b):])
	d.Field, d.Value = x.Name, value(b)
	d.Text = fmt.Sprintf(" %s at %d: %#x becomes %#x", x.Name, x.Off, old, d.Value)
}

func value(b []byte) uint64 {
	var wide [8]byte
	copy(wide[8-len(b):], b)
	return binary.BigEndian.Uint64(wide[:])
}

func interesting(old uint64, rng *rand.Rand) uint64 {
	list := []uint64{0, 1, 2, 3, 7, 8, ^uint64(0), ^uint64(1), 0x7fffffff, 0x80000000, 0x7fffffffffffffff, 1 << 63, 0xffff, 0x10000,
		0xffffff, 0x10000000, 0x3fffffff, 0x1fffffff, 255, 256,
		old + 1, old - 1, old + 4, old - 4, old * 2, old / 2, old + 8, old - 8, -old, old ^ 0x80000000, old + 1000, old - 1000, rng.Uint64()}
	return list[rng.IntN(len(list))]
}

func bit(f Files, d *Damage, rng *rand.Rand) {
	f.poke(d, rng, func(off int, old byte) byte {
		mask := byte(1) << rng.IntN(8)
		d.Text = fmt.Sprintf(" %#x of byte %d, in %s", mask, off, d.Field)
		return old ^ mask
	})
}

func octet(f Files, d *Damage, rng *rand.Rand) {
	f.poke(d, rng, func(off int, old byte) byte {
		now := byte(rng.Uint32())
		d.Text = fmt.Sprintf(" %d, in %s: %#x becomes %#x", off, d.Field, old, now)
		return now
	})
}

func (f Files) poke(d *Damage, rng *rand.Rand, change func(off int, old byte) byte) {
	b := f.change(d)
	if len(b) == 0 {
		return
	}
	off := rng.IntN(len(b))
	x := f.field(d.File, off)
	d.Field = x.Name
	b[off] = change(off, b[off])
	if x.Size <= 8 {
		d.Value = value(b[x.Off : x.Off+x.Size])
	}
}

func cutFile(f Files, d *Damage, rng *rand.Rand) {
	b := f[d.File]
	off := rng.IntN(len(b) + 1)
	if x := f.Fields(d.File); len(x) > 0 && rng.IntN(2) == 0 {
		off = x[rng.IntN(len(x))].Off
	}
	d.Field = f.field(d.File, off).Name
	f[d.File] = b[:off]
	d.Text = fmt.Sprintf(" at %d of %d, before or in %s", off, len(b), d.Field)
}

// record returns a record of a file, but not the label.
func record(f Files, d *Damage, rng *rand.Rand) (off, end int) {
	l := newLayout(d.File, f[d.File])
	if len(l.records) < 3 {
		return 0, 0
	}
	i := 1 + rng.IntN(len(l.records)-2)
	head := map[string]int{"index": 0, "meta": 8} // before the type
	skip, ok := head[d.File]
	if !ok {
		skip = 4
	}
	d.Field, _, _ = strings.Cut(f.field(d.File, l.records[i]+skip).Name, ".")
	return l.records[i], l.records[i+1]
}

func dropRecord(f Files, d *Damage, rng *rand.Rand) {
	b := f[d.File]
	off, end := record(f, d, rng)
	f[d.File] = slices.Concat(b[:off], b[end:])
	d.Text = fmt.Sprintf(" %s record at %d", d.Field, off)
}

func repeatRecord(f Files, d *Damage, rng *rand.Rand) {
	b := f[d.File]
	off, end := record(f, d, rng)
	to := end
	if rng.IntN(2) == 0 {
		to = len(b)
	}
	f[d.File] = slices.Concat(b[:to], b[off:end], b[to:])
	d.Text = fmt.Sprintf(" %s record at %d, at %d", d.Field, off, to)
}

func exchangeRecords(f Files, d *Damage, rng *rand.Rand) {
	b := f[d.File]
	off, end := record(f, d, rng)
	other, otherEnd := record(f, d, rng)
	if other < off {
		off, end, other, otherEnd = other, otherEnd, off, end
	}
	if off != other {
		f[d.File] = slices.Concat(b[:off], b[other:otherEnd], b[end:other], b[off:end], b[otherEnd:])
	}
	d.Text = fmt.Sprintf(" the records at %d and %d", off, other)
}

func appendBytes(f Files, d *Damage, rng *rand.Rand) {
	tail := make([]byte, 1+rng.IntN(40))
	if rng.IntN(3) > 0 {
		for i := range tail {
			tail[i] = byte(rng.Uint32())
		}
	}
	f[d.File] = slices.Concat(f[d.File], tail)
	d.Text = fmt.Sprintf(" % x", tail)
}

func swapFiles(f Files, d *Damage, rng *rand.Rand) {
	suffixes := f.suffixes()
	other := suffixes[rng.IntN(len(suffixes))]
	f[d.File], f[other] = f[other], f[d.File]
	d.Other = other
	d.Text = " with " + other
}

func emptyFile(f Files, d *Damage, rng *rand.Rand) {
	l := newLayout(d.File, f[d.File])
	d.Text = " altogether"
	if rng.IntN(2) == 0 && len(l.records) > 1 {
		d.Text = " but for the label"
		f[d.File] = f[d.File][:l.records[1]]
		return
	}
	f[d.File] = nil
}

func removeFile(f Files, d *Damage, _ *rand.Rand) { delete(f, d.File) }
