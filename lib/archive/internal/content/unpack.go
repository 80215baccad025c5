package content

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"pmtools/lib/archive/internal/xz"
)

// maxWindow is how far back a match of zstd may refer.
const maxWindow = 256 << 20

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
// apart by their beginning, as gzip does, which the reference uses for both. No program packs
// anything to an empty file.
func unpacker(f io.Reader, suffix string) (r io.ReadCloser, err error) {
	in := bufio.NewReaderSize(f, 32<<10) // that of lzma is larger, and passes by it
	magic, err := in.Peek(2)
	if len(magic) == 0 {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	var plain io.Reader
	switch suffix {
	case ".lzma":
		plain, err = xz.NewAlone(in)
	case ".bz2", ".bz":
		plain, err = bzip2.NewReader(in), nil
	case ".gz", ".Z", ".z":
		if string(magic) == "\x1f\x9d" {
			plain, err = newLZW(in)
		} else {
			plain, err = newMembers(in)
		}
	case ".zst":
		z, err := zstd.NewReader(in, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	default:
		err = errSuffix
	}
	return io.NopCloser(plain), err
}
