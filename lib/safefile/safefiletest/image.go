package safefiletest

import (
	"fmt"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// A disk is the content that is certain after a power failure, and the content that is possible.
type disk struct {
	names   map[string]*inode
	pending [][]effect
	content map[*inode][]byte
	writes  map[*inode][]event
}

// apply adds an event. Synced content becomes certain.
func (d *disk) apply(e *event) {
	switch {
	case e.effects != nil:
		d.pending = append(d.pending, e.effects)
	case e.sync && e.file != nil:
		d.content[e.file] = written(d.content[e.file], d.writes[e.file], nil)
		delete(d.writes, e.file)
	case e.sync:
		d.syncDir(e.dir)
	case e.file != nil:
		d.writes[e.file] = append(d.writes[e.file], *e)
	}
}

// syncDir makes the names of a directory last. A rename is never done without its new name; the old one, in another directory, may stay.
func (d *disk) syncDir(dir string) {
	var rest [][]effect
	for _, effects := range d.pending {
		last := effects[len(effects)-1] // the new name, if there is one
		switch {
		case effects[0].file != nil && len(effects) > 1: // an exchange, which is done in whole or not
			if path.Dir(effects[0].name) == dir || path.Dir(effects[1].name) == dir {
				d.change(d.names, effects)
				effects = nil
			}
		case path.Dir(last.name) == dir:
			d.change(d.names, effects[len(effects)-1:])
			if effects = effects[:len(effects)-1]; len(effects) > 0 && path.Dir(effects[0].name) == dir {
				d.change(d.names, effects)
				effects = nil
			}
		case path.Dir(effects[0].name) == dir:
			d.change(d.names, effects)
			effects = nil
		}
		if len(effects) > 0 {
			rest = append(rest, effects)
		}
	}
	d.pending = rest
}

func (d *disk) change(names map[string]*inode, effects []effect) {
	for _, x := range effects {
		if delete(names, x.name); x.file != nil {
			names[x.name] = x.file
		}
	}
}

// written returns content after writes; r tears them, if it is not nil: each may be missing, in whole or in blocks, or be zeros.
func written(content []byte, writes []event, r *rand.Rand) []byte {
	content = slices.Clone(content)
	for i := range writes {
		e := &writes[i]
		fate := 0
		if r != nil {
			fate = r.IntN(4)
		}
		switch {
		case fate == 1:
		case e.data == nil:
			content = resize(content, e.at)
		default:
			at := e.at
			if at < 0 {
				at = int64(len(content))
			}
			content = resize(content, max(int64(len(content)), at+int64(len(e.data))))
			if fate == 0 {
				copy(content[at:], e.data)
			} else {
				tear(content[at:], e.data, r, fate == 2)
			}
		}
	}
	return content
}

// tear writes some blocks of data, or a prefix of any length.
func tear(to, data []byte, r *rand.Rand, prefix bool) {
	if prefix {
		copy(to, data[:r.IntN(len(data)+1)])
		return
	}
	const block = 512
	for at := 0; at < len(data); at += block {
		if r.IntN(2) == 0 {
			copy(to[at:], data[at:min(at+block, len(data))])
		}
	}
}

func resize(b []byte, size int64) []byte {
	if size <= int64(len(b)) {
		return b[:size]
	}
	return append(b, make([]byte, size-int64(len(b)))...)
}

// An image is one possible content of the disk.
type image map[string]*[]byte // nil for a directory

// image returns the files if the pending changes of names in the set are on the disk; torn is nil for all writes.
func (d *disk) image(has func(i int) bool, content func(file *inode) []byte) image {
	names := maps.Clone(d.names)
	for i, effects := range d.pending {
		if has(i) {
			d.change(names, effects)
		}
	}
	files, made := make(image), make(map[*inode]*[]byte)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if above := path.Dir(name); above != "." {
			if at, ok := files[above]; !ok || at != nil {
				continue // its directory is not there
			}
		}
		file := names[name]
		if !file.dir && made[file] == nil {
			text := content(file)
			made[file] = &text
		}
		files[name] = made[file]
	}
	return files
}

// Images calls check with the directory of each image that a power failure may leave after each event, and the marks made before: at most most images per event, chosen at
// random, or fifty times as many if PMTOOLS_RUNS is all. An error of check fails the test. The variable PMTOOLS_SEED repeats a run.
func (tr *Trace) Images(t *testing.T, most int, check func(dir string, marks []string) error) {
	t.Helper()
	if os.Getenv("PMTOOLS_RUNS") == "all" {
		most *= 50
	}
	seed := Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	d := &disk{maps.Clone(tr.base), nil, make(map[*inode][]byte), make(map[*inode][]event)}
	for _, file := range tr.base {
		d.content[file] = file.content
	}
	var marks []string
	seen, images := make(map[uint64]bool), 0
	for i := range tr.list {
		e := &tr.list[i]
		if d.apply(e); e.mark {
			marks = append(marks, e.text)
		}
		for files := range d.images(most, r) {
			if sum := files.sum(len(marks)); seen[sum] {
				continue
			} else {
				seen[sum] = true
			}
			images++
			dir := files.make(t)
			if err := check(dir, marks); err != nil {
				t.Fatalf("PMTOOLS_SEED=%d: image %d, after %q: %v; there are %q", seed, images, tr.last(i), err, slices.Sorted(maps.Keys(files)))
			}
			os.RemoveAll(dir)
		}
	}
	t.Logf("PMTOOLS_SEED=%d: %d events, %d images", seed, len(tr.list), images)
}

// last returns the texts of the last events before one, and it.
func (tr *Trace) last(i int) (list []string) {
	for _, e := range tr.list[max(0, i-12) : i+1] {
		list = append(list, e.text)
	}
	return list
}

// images yields at most most images, beginning with those that have all, or none, of the names and of the writes.
func (d *disk) images(most int, r *rand.Rand) func(yield func(image) bool) {
	whole := func(file *inode) []byte { return written(d.content[file], d.writes[file], nil) }
	synced := func(file *inode) []byte { return d.content[file] }
	torn := func(file *inode) []byte { return written(d.content[file], d.writes[file], r) }
	return func(yield func(image) bool) {
		left := most
		more := func(has func(int) bool, content func(*inode) []byte) bool {
			left--
			return yield(d.image(has, content)) && left > 0
		}
		for _, content := range []func(*inode) []byte{whole, synced} {
			for _, all := range []bool{true, false} {
				if !more(func(int) bool { return all }, content) {
					return
				}
			}
		}
		for has := range sets(len(d.pending), most, r) {
			if !more(has, whole) || len(d.writes) > 0 && !more(has, torn) {
				return
			}
		}
		for len(d.writes) > 0 && more(func(int) bool { return r.IntN(4) > 0 }, torn) {
		}
	}
}

// sets yields all sets of numbers below n, or most of them: all numbers but one, one alone, or any.
func sets(n, most int, r *rand.Rand) func(yield func(has func(i int) bool) bool) {
	return func(yield func(has func(i int) bool) bool) {
		if n < 10 && 1<<n <= most {
			for set := range 1 << n {
				if !yield(func(i int) bool { return set>>i&1 != 0 }) {
					return
				}
			}
			return
		}
		for k := range most {
			one, any := r.IntN(n), make([]bool, n)
			for i := range any {
				any[i] = r.IntN(2) == 0
			}
			has := [...]func(int) bool{
				func(i int) bool { return i != one }, func(i int) bool { return i == one }, func(i int) bool { return any[i] },
			}[k%3]
			if !yield(has) {
				return
			}
		}
	}
}

var hashSeed = maphash.MakeSeed()

func (files image) sum(marks int) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	fmt.Fprintln(&h, marks)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&h, "%q %v\n", name, files[name] == nil)
		if files[name] != nil {
			fmt.Fprintln(&h, len(*files[name]))
			h.Write(*files[name])
		}
	}
	return h.Sum64()
}

// make writes the files into a new directory.
func (files image) make(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, name := range slices.Sorted(maps.Keys(files)) {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if files[name] == nil {
			err = os.Mkdir(at, 0o700)
		} else {
			err = os.WriteFile(at, *files[name], 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Seed returns PMTOOLS_SEED, or another one each time.
func Seed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("PMTOOLS_SEED")
	if text == "" {
		return uint64(time.Now().UnixNano())
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
