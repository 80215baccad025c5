package wire

import (
	"bytes"
	"errors"
	"testing"

	_ "pmtools/test/env"
)

func TestReader(t *testing.T) {
	src := []byte{1, 0, 2, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 0, 0, 0, 0, 9, 'a', 'b', 'c', 'd'}
	r := NewReader(src)
	if v := r.Uint8(); v != 1 {
		t.Errorf("Uint8: got %d", v)
	}
	if v := r.Uint16(); v != 2 {
		t.Errorf("Uint16: got %d", v)
	}
	if v := r.Int32(); v != -2 {
		t.Errorf("Int32: got %d", v)
	}
	if v := r.Int64(); v != 9 {
		t.Errorf("Int64: got %d", v)
	}
	if v := r.String(2); v != "ab" {
		t.Errorf("String: got %q", v)
	}
	if r.Len() != 2 || r.Offset() != len(src)-2 {
		t.Errorf("got %d left at %d", r.Len(), r.Offset())
	}
	if err := r.Finish(); !errors.Is(err, ErrFormat) {
		t.Errorf("Finish with bytes left: got %v", err)
	}
}

func TestReaderFailures(t *testing.T) {
	tests := []struct {
		name string
		src  []byte
		read func(r *Reader)
	}{
		{"uint8", nil, func(r *Reader) { r.Uint8() }},
		{"uint16", []byte{1}, func(r *Reader) { r.Uint16() }},
		{"uint32", []byte{1, 2, 3}, func(r *Reader) { r.Uint32() }},
		{"uint64", []byte{1, 2, 3, 4, 5, 6, 7}, func(r *Reader) { r.Uint64() }},
		{"bytes", []byte{1, 2}, func(r *Reader) { r.Bytes(3) }},
		{"negative bytes", []byte{1, 2}, func(r *Reader) { r.Bytes(-1) }},
		{"skip", []byte{1}, func(r *Reader) { r.Skip(2) }},
		{"count without elements", []byte{0, 0, 0, 1}, func(r *Reader) { r.Count(4) }},
		{"count too large", []byte{0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7}, func(r *Reader) { r.Count(4) }},
		{"count of nothing", []byte{0x7f, 0xff, 0xff, 0xff}, func(r *Reader) { r.Count(0) }},
		{"negative count", []byte{0xff, 0xff, 0xff, 0xff}, func(r *Reader) { r.Count(1) }},
		{"own finding", nil, func(r *Reader) { r.Fail("odd") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := NewReader(tt.src)
			tt.read(&r)
			first := r.Err()
			if !errors.Is(first, ErrFormat) {
				t.Fatalf("got %v", first)
			}
			// All that follows gives zero and keeps the first error.
			if r.Uint8() != 0 || r.Uint32() != 0 {
				t.Errorf("not sticky: %v", r.Err())
			} else if r.Count(1) != 0 || r.String(1) != "" || r.Finish() != first {
				t.Errorf("not sticky: %v", r.Err())
			}
		})
	}
}

func TestCount(t *testing.T) {
	r := NewReader([]byte{0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8})
	if n := r.Count(4); n != 2 || r.Err() != nil {
		t.Errorf("got %d, %v", n, r.Err())
	}
}

func TestAppend(t *testing.T) {
	dst := AppendUint16(nil, 0x0102)
	dst = AppendInt32(dst, -2)
	dst = AppendUint32(dst, 0)
	dst = AppendUint64(dst, 1)
	PutUint32(dst, 6, 0xdeadbeef)
	want := []byte{1, 2, 0xff, 0xff, 0xff, 0xfe, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 0, 0, 0, 0, 1}
	if !bytes.Equal(dst, want) {
		t.Errorf("got % x, want % x", dst, want)
	}
}

// FuzzReader: reads stay within the message, and counts within the bytes left.
func FuzzReader(f *testing.F) {
	f.Add([]byte{0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8}, []byte{4, 2, 1})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, []byte{4})
	f.Fuzz(func(t *testing.T, src, ops []byte) {
		r := NewReader(src)
		for _, op := range ops {
			before := r.Len()
			switch op % 6 {
			case 0:
				r.Uint8()
			case 1:
				r.Uint16()
			case 2:
				r.Uint64()
			case 3:
				r.Bytes(int(int8(op)))
			case 4:
				if n := r.Count(4); 4*n > r.Len() {
					t.Fatalf("count %d with %d bytes left", n, r.Len())
				}
			case 5:
				r.Skip(int(op))
			}
			if r.Len() < 0 || r.Len() > before || r.Offset()+r.Len() != len(src) {
				t.Fatalf("%d bytes left of %d", r.Len(), len(src))
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	src := make([]byte, 4096)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		r := NewReader(src)
		for range len(src) / 4 {
			r.Uint32()
		}
		if r.Finish() != nil {
			b.Fatal(r.Err())
		}
	}
}
