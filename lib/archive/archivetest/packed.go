package archivetest

import (
	"bytes"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Bomb replaces a file of an archive by a small compressed file that unpacks to text and 16 GiB of
// zeros.
func Bomb(path string, text []byte) error {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		return err
	}
	zeros := w.EncodeAll(make([]byte, 8<<20), nil)
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.WriteFile(path+".zst", append(w.EncodeAll(text, nil), bytes.Repeat(zeros, 2048)...), 0o666)
}
