package archivetest

import (
	"bytes"
	"encoding/hex"
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

// miniZ are the files of the archive mini as compress(1) packs them.
var miniZ = map[string]string{
	"meta.Z": "1f9d9000000c4001a58089010121482a33255ec08710ff49fc0711e21c3865c6887983a7a2c78f20438a1c49b2a4c9932853aa5cc9b2a5" +
		"4b8f55a80c7949b3a6cd9b3873eadc295247cc993c830a1d4ab4a85190031fba7818a007100001224e7c88d063d48006daa47193c645c7" +
		"802e00",
	"index.Z": "1f9d9000000c4001a58089010121482a33255ec08710ff49f40711e21c3865c6887983a7a2c78f20438a1c49b2a4c9932853aa5cc9b2a5" +
		"4b8f55a80c7949b3a6cd9b3873eadc295247cc993c830a1d4ab4a8519003193a5439d063d28601985a714a05",
	"0.Z": "1f9d9000000c4001a58089010121482a33255ec08710234a0430074e993162dee099c8b1a3c78f20438a1c49b2a4c9932853aa2c5985ca" +
		"90953063ca9c49b3a6cd9b1e75b47c89b3a7cf9f40830ae538f0210b860e3f06e801044080874f1ffe9bfaefe101a3469146edb8b4e9d6" +
		"ad00a8560d98c028",
}

// Compressed returns the archive mini as compress(1) has packed it, which no program in Go can.
func Compressed() (Files, error) {
	f := make(Files)
	for suffix, text := range miniZ {
		b, err := hex.DecodeString(text)
		if err != nil {
			return nil, err
		}
		f[suffix] = b
	}
	return f, nil
}
