// Package procfs reads the files of /proc and /sys into tables, and binds lists of metrics to their
// cells.
package procfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

// maxFile is the number of bytes of one file that are read. Files of the kernel are far smaller,
// even with thousands of processors or mounts; a longer file is cut after its last complete line.
const maxFile = 16 << 20

const maxNames = 1 << 20 // entries that are read of a directory

// A Root reads files below a directory that has proc and sys in it. The result of Read is valid
// until the next call.
type Root struct {
	Dir   string
	Buf   []byte
	Trace func(name string) // called with the name of each file that is read, for tests; may be nil

	failed  error // why no file could be opened
	reads   int
	yielded time.Time
}

// note notes the error of opening a file. Only a value is left out if the file of an instance cannot be opened. Without free descriptors
// no file can be opened, and all values of that kind have the error.
func (p *Root) note(err error) error {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		p.failed = err
	}
	return err
}

// Live reports whether the files are those of the running system, so that system calls may be used
// too.
func (p *Root) Live() bool { return p.Dir == "" || p.Dir == "/" }

// path returns where a file of the tree is. Names come from the kernel: slashes in a device's name
// stand as '!' there, so that they do not leave the tree.
func (p *Root) path(name string) string {
	if p.Live() {
		return "/" + name
	}
	if strings.Contains(name, "..") { // places of mounts come from a file, and stay below the root
		name = path.Clean("/" + name)
	}
	return filepath.Join(p.Dir, name)
}

// Read returns the content of a file.
func (p *Root) Read(name string) ([]byte, error) {
	if p.Trace != nil {
		p.Trace(name)
	}
	p.yield()
	f, err := open(p.path(name))
	if err != nil {
		return nil, p.note(err)
	}
	defer f.Close()
	return fill(p, f, isTCP(name))
}

// yield lets other goroutines run. It is for the runtime's monitor, which takes the processor from a goroutine that has kept it for 10 ms
// once that is in a system call, and wakes each 20 us from then on.
func (p *Root) yield() {
	const often = 16 // files, which are read in far less than 10 ms
	if p.reads++; p.reads%often == 0 && time.Since(p.yielded) > 5*time.Millisecond {
		runtime.Gosched()
		p.yielded = time.Now()
	}
}

// isTCP reports whether a file lists TCP connections. The kernel scans its whole connection table even to report the end of file, so fill
// avoids that read: each read returns as many lines as fit a page, so a read with room for another line is the last one.
func isTCP(name string) bool { return name == "proc/net/tcp" || name == "proc/net/tcp6" }

const (
	longestLine = 512
	leastPage   = 4096
)

// fill reads a file into the buffer. An error in the middle of the file leaves nothing of it.
func fill[R io.Reader](p *Root, f R, tcp bool) ([]byte, error) {
	if p.Buf == nil {
		p.Buf = make([]byte, 16<<10)
	}
	n := 0
	for {
		k, err := f.Read(p.Buf[n:])
		n += k
		switch {
		case errors.Is(err, io.EOF):
			return p.Buf[:n], nil
		case err != nil:
			return nil, err
		case tcp && n < len(p.Buf) && k <= leastPage-longestLine:
			return p.Buf[:n], nil
		case n >= maxFile:
			return p.Buf[:bytes.LastIndexByte(p.Buf[:n], '\n')+1], nil
		case n == len(p.Buf):
			p.Buf = append(p.Buf, make([]byte, len(p.Buf))...)
		}
	}
}

// Number returns the number that a small file has.
func (p *Root) Number(name string) (n uint64, ok bool) {
	text, err := p.Read(name)
	if word, _ := Word(text); err == nil {
		n, ok = Uint(word)
	}
	return n, ok
}

// Tail returns the end of a regular file, at most n bytes.
func (p *Root) Tail(name string, n int64) ([]byte, error) {
	f, info, err := safefile.Open(p.path(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-n), n))
}

// Names returns the names in a directory in the order of the directory, which is the order that the
// reference's collectors number instances in.
func (p *Root) Names(dir string) ([]string, error) {
	return readDir(p.path(dir), (*os.File).Readdirnames)
}

// Entries returns the number of entries of a directory that the program may list. Since Linux 6.2 the
// size of /proc/PID/fd says it, without a look at each file that is open.
func (p *Root) Entries(dir string) (int, error) {
	if p.Live() {
		if n := sizeOf(p.path(dir)); n > 0 {
			return n, nil
		}
	}
	names, err := p.Names(dir)
	return len(names), err
}

// Dirs returns the names of the directories in a directory in the order of the directory.
func (p *Root) Dirs(dir string) ([]string, error) {
	var names []string
	entries, err := readDir(p.path(dir), (*os.File).ReadDir)
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func readDir[T any](path string, read func(*os.File, int) ([]T, error)) ([]T, error) {
	f, err := os.Open(path + "/") // in the place of a directory a named pipe is an error, and does not wait for a writer
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := read(f, maxNames)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return list, nil
}

// Exists reports whether there is a file.
func (p *Root) Exists(name string) bool {
	_, err := os.Stat(p.path(name))
	return err == nil
}

// Link returns the target of a symbolic link, "" if it cannot be read.
func (p *Root) Link(name string) string {
	target, _ := os.Readlink(p.path(name))
	return target
}

// Line takes the first line off text.
func Line(text []byte) (line, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

// After returns text without its first n lines, which are headings.
func After(text []byte, n int) []byte {
	for range n {
		_, text = Line(text)
	}
	return text
}

// Lines returns the lines of text.
func Lines(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			var line []byte
			if line, text = Line(text); !yield(line) {
				return
			}
		}
	}
}

// Words returns the words of a line with their numbers, from 0 on.
func Words(line []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		word, rest := Word(line)
		for i := 0; len(word) > 0 && yield(i, word); i++ {
			word, rest = Word(rest)
		}
	}
}

// Skip returns the rest of a line after its first n words.
func Skip(line []byte, n int) []byte {
	for range n {
		_, line = Word(line)
	}
	return line
}

// Word takes the first word off a line; it is empty at the end of the line.
func Word(line []byte) (word, rest []byte) {
	i := 0
	for i < len(line) && blank(line[i]) {
		i++
	}
	line = line[i:]
	for i = 0; i < len(line) && !blank(line[i]); i++ {
	}
	return line[:i], line[i:]
}

func blank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' || c == 0 }

// Uint returns the decimal number that a word is. A minus sign negates modulo 2^64.
func Uint(word []byte) (n uint64, ok bool) {
	digits := bytes.TrimPrefix(word, []byte{'-'})
	for _, c := range digits {
		d := uint64(c - '0')
		if d > 9 || n > (math.MaxUint64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	if len(digits) < len(word) {
		n = -n
	}
	return n, len(digits) > 0
}

// Hex returns the hexadecimal number that a word is, after 0x or not.
func Hex(word []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(bytes.TrimPrefix(word, []byte("0x"))), 16, 64)
	return n, err == nil
}

// Real returns the number that a word is, which may have a fraction.
func Real(word []byte) (float64, bool) {
	x, err := strconv.ParseFloat(string(word), 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// Chop returns a text without its last byte, which ends a line or a string.
func Chop(text []byte) []byte { return text[:max(len(text)-1, 0)] }

// Error returns the code that stands for a file that could not be read.
func Error(err error) error {
	if err == nil {
		return nil
	}
	return pmerr.Of(err)
}

// Missing returns the error of metrics whose file could not be read: nil if the file does not
// exist or is for others, so that they have no values.
func Missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return Error(err)
}

// Unescape returns a name without the kernel's escapes: blanks stand as \040.
func Unescape(name []byte) string {
	if !bytes.ContainsRune(name, '\\') {
		return string(name)
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if c := name[i]; c == '\\' && i+3 < len(name) && len(bytes.Trim(name[i+1:i+4], "01234567")) == 0 {
			b.WriteByte((name[i+1]-'0')<<6 | (name[i+2]-'0')<<3 | (name[i+3] - '0'))
			i += 3
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
