package content

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"pmtools/lib/archive/internal/xz"
)

// The windows of zstd: levels below 20 stay within the first, the program without options within the second.
const (
	usualWindow = 8 << 20
	maxWindow   = 128 << 20
)

// Upper bounds of the memory of unpackers, besides windows.
const (
	zstdWork  = 4 << 20
	bzip2Work = 4 << 20
	smallWork = 256 << 10 // gzip, compress
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

// unpacker returns a reader that unpacks f, by the suffix of its name, and how much memory it takes.
// Files of gzip and of compress are told apart by their beginning, as gzip does, which the reference uses
// for both. An empty file is an error: no program writes one. Matches of zstd go farther back if wide is set.
func unpacker(f io.Reader, suffix string, wide bool) (r io.ReadCloser, memory int64, err error) {
	in := bufio.NewReaderSize(f, 32<<10) // that of lzma is larger, and passes by it
	magic, err := in.Peek(2)
	if len(magic) == 0 {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, 0, err
	}
	var plain io.Reader
	switch suffix {
	case ".lzma":
		a, err := xz.NewAlone(in)
		if err != nil {
			return nil, 0, err
		}
		return io.NopCloser(a), a.Memory(), nil
	case ".bz2", ".bz":
		s, err := newStreams(in)
		return io.NopCloser(s), bzip2Work, err
	case ".gz", ".Z", ".z":
		if string(magic) == "\x1f\x9d" {
			plain, err = newLZW(in)
		} else {
			plain, err = newMembers(in)
		}
		return io.NopCloser(plain), smallWork, err
	case ".zst":
		window := usualWindow
		if wide {
			window = maxWindow
		}
		z, err := zstd.NewReader(in, zstd.WithDecoderMaxWindow(uint64(window)), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, 0, err
		}
		return z.IOReadCloser(), int64(window) + zstdWork, nil
	}
	return nil, 0, errSuffix
}

func wantsMore(err error) bool {
	return errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)
}
