package content

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// packLZW packs b as compress does, with codes of at most so many bits. It clears the table after
// each so many codes.
func packLZW(b []byte, widest, clear int) []byte {
	out := []byte{0x1f, 0x9d, byte(widest | 0x80)}
	bits, nbits, codes := 0, 0, 0 // in this width
	width := minWidth
	emit := func(code int) {
		bits |= code << nbits
		for nbits += width; nbits >= 8; nbits -= 8 {
			out = append(out, byte(bits))
			bits >>= 8
		}
		codes++
	}
	flush := func(newWidth int) {
		for codes%8 != 0 {
			emit(0)
		}
		width, codes = newWidth, 0
	}
	var table map[string]int
	for n, from := 0, 0; from < len(b); n++ {
		if n%clear == 0 {
			if n = 0; table != nil {
				emit(clearCode)
				flush(minWidth)
			}
			table = make(map[string]int)
		}
		if clearCode+n == 1<<width && width < widest { // the reader has made a code less
			flush(width + 1)
		}
		code, to := int(b[from]), from+1
		for to < len(b) {
			longer, ok := table[string(b[from:to+1])]
			if !ok {
				break
			}
			code, to = longer, to+1
		}
		emit(code)
		if next := clearCode + 1 + n; to < len(b) && next < 1<<widest {
			table[string(b[from:to+1])] = next
		}
		from = to
	}
	if nbits > 0 {
		out = append(out, byte(bits))
	}
	return out
}

// unpackLZW unpacks all of a file.
func unpackLZW(src []byte) ([]byte, error) {
	z, err := newLZW(bytes.NewReader(src))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func TestLZW(t *testing.T) {
	texts := map[string][]byte{
		"nothing": nil, "one": {'a'}, "twice": []byte("aa"), "thrice": []byte("aaa"), "zeros": make([]byte, 100000), "noise": noise(200000),
		"words": []byte(strings.Repeat("there is a house in new orleans ", 5000)), "bytes": slices.Concat(noise(1000), make([]byte, 70000), noise(2000)),
	}
	for name, text := range texts {
		for _, widest := range []int{10, 12, 16} {
			for _, clear := range []int{1, 300, 1 << 30} {
				if got, err := unpackLZW(packLZW(text, widest, clear)); err != nil || !bytes.Equal(got, text) {
					t.Errorf("%s, %d bits, cleared after %d: %d bytes of %d, %v", name, widest, clear, len(got), len(text), err)
				}
			}
		}
	}
}

// TestLZWKnown unpacks what compress(1) has packed, and what it cannot have.
func TestLZWKnown(t *testing.T) {
	tests := []struct {
		name, src string
		want      string // or what the error says
	}{
		{"compress", "1f9d9068cab061f38605883072c6a04963a78c02", "hello, archive\n"},
		{"compress, no table to clear", "1f9d10 6168 0c 00", "a4\x03"},
		{"only a head", "1f9d90", ""},
		{"a code cut short", "1f9d9061", ""},
		{"no head", "1f9d", "unexpected EOF"},
		{"another magic", "1f8b90", errLZW.Error()},
		{"codes of at most 8 bits", "1f9d8861c400", "ab"},
		{"flags without a meaning", "1f9db061", errLZW.Error()},
		{"codes of 17 bits", "1f9d9161", errLZW.Error()},
		{"a code that is not made yet", "1f9d90615802", errLZW.Error()},
		{"a first code that is none", "1f9d900101", errLZW.Error()},
		{"a first code that clears the table", "1f9d8a000100", errLZW.Error()},
	}
	for _, tt := range tests {
		src, err := hex.DecodeString(strings.ReplaceAll(tt.src, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		got, err := unpackLZW(src)
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestLZWNarrow unpacks codes of 9 bits: compress writes at most as many of them as fill a table.
func TestLZWNarrow(t *testing.T) {
	text := noise(5000)
	if got, err := unpackLZW(packLZW(text, 9, 200)); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := unpackLZW(packLZW(text, 9, 1000)); !errors.Is(err, errLZW) {
		t.Errorf("got %v", err)
	}
}

// TestLZWBroken unpacks from what fails: the error is its own.
func TestLZWBroken(t *testing.T) {
	src := packLZW(noise(100000), 16, 1<<30)
	bad := errors.New("bad disk")
	z, err := newLZW(io.MultiReader(bytes.NewReader(src[:5000]), iotest.ErrReader(bad)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); !errors.Is(err, bad) || !bytes.HasPrefix(noise(100000), got) || len(got) < 5000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func BenchmarkLZW(b *testing.B) {
	text := bytes.Repeat(noise(1<<18), 4)
	src := packLZW(text, 16, 1<<30)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		z, err := newLZW(bytes.NewReader(src))
		if err == nil {
			_, err = io.Copy(io.Discard, z)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzLZW unpacks anything, and what it has packed itself.
func FuzzLZW(f *testing.F) {
	f.Add([]byte("hello hello"), uint8(16), uint16(3))
	f.Add(packLZW(noise(1000), 12, 100), uint8(9), uint16(1000))
	f.Fuzz(func(t *testing.T, src []byte, widest uint8, clear uint16) {
		_, _ = unpackLZW(src)
		if z, err := newLZW(bytes.NewReader(append([]byte{0x1f, 0x9d, widest}, src...))); err == nil {
			n, _ := io.Copy(io.Discard, io.LimitReader(z, 1<<20))
			if most := int64(len(src)) * 8 / minWidth << maxWidth; n > most {
				t.Errorf("%d bytes of %d", n, len(src))
			}
		}
		bits := 10 + int(widest)%(maxWidth-9)
		if got, err := unpackLZW(packLZW(src, bits, int(clear)+1)); err != nil || !bytes.Equal(got, src) {
			t.Errorf("%d bits, cleared after %d: %q, %v, want %q", bits, int(clear)+1, got, err, src)
		}
	})
}
