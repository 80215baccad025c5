package content

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"io"
	"strings"

	"pmtools/lib/archive/internal/gzip"
	"pmtools/lib/archive/internal/xz"
	"pmtools/lib/archive/internal/zstd"
)

// Suffixes are the endings of compressed files, in the order of search (archive.md A1.2).
var Suffixes = [...]string{".xz", ".lzma", ".bz2", ".bz", ".gz", ".Z", ".z", ".zst"}

// Trim returns a name without one compression suffix.
func Trim(name string) string {
	for _, s := range Suffixes {
		if rest, ok := strings.CutSuffix(name, s); ok {
			return rest
		}
	}
	return name
}

var errSuffix = errors.New("unknown kind of compressed file")

// unpacker returns what unpacks f, by the suffix of its name. Files of gzip and of compress are told
// apart by their beginning, as gzip does, which the reference uses for both.
func unpacker(f io.Reader, suffix string) (io.ReadCloser, error) {
	in := bufio.NewReaderSize(f, 32<<10) // those of gzip and lzma are larger, and pass by it
	switch suffix {
	case ".lzma":
		r, err := xz.NewAlone(in)
		return io.NopCloser(r), err
	case ".bz2", ".bz":
		return io.NopCloser(bzip2.NewReader(in)), nil
	case ".gz", ".Z", ".z":
		if magic, err := in.Peek(2); err == nil && magic[1] == 0x9d {
			r, err := newLZW(in)
			return io.NopCloser(r), err
		}
		r, err := gzip.NewReader(in)
		return io.NopCloser(r), err
	case ".zst":
		return zstd.NewReader(in), nil
	}
	return nil, errSuffix
}
