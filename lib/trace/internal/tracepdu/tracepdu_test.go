package tracepdu

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	_ "pmtools/test/env"
)

// unhex returns the bytes that hexadecimal words stand for.
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// dumps are messages of the reference's client (collector.md C14.1).
var dumps = []struct {
	hex string
	pid int32
	d   Data
}{
	{"0000001c 00007051 0000166c 01030180 3f51ba3ca7503b82 7478007e", 0x166c, Data{Transaction, true, "tx", 0.001082}},
	{"00000020 00007051 00001a61 01050300 3ff8000000000000 6c6f6164007e7e7e", 0x1a61, Data{Observation, false, "load", 1.5}},
	{"0000001c 00007051 00001a61 01020200 bff0000000000000 70007e7e", 0x1a61, Data{Point, false, "p", PointValue}},
}

// TestDumps encodes and decodes messages of the reference's client.
func TestDumps(t *testing.T) {
	for _, dump := range dumps {
		want := unhex(t, dump.hex)
		if got := dump.d.Append([]byte{}, dump.pid); !bytes.Equal(got, want) {
			t.Errorf("%+v\n got %x\nwant %x", dump.d, got, want)
		}
		typ, body, err := NewReader(iotest.OneByteReader(bytes.NewReader(want))).Next()
		if err != nil || typ != TypeData {
			t.Fatalf("type %#x, error %v", typ, err)
		}
		if d, err := DecodeData(body); err != nil || d != dump.d {
			t.Errorf("got %+v, error %v, want %+v", d, err, dump.d)
		}
	}
	ack := unhex(t, "00000010 00007050 00001092 00000001")
	if got := AppendAck(nil, 0x1092, Version); !bytes.Equal(got, ack) {
		t.Errorf("acknowledgement %x", got)
	}
	if v, err := DecodeAck(ack[header:]); err != nil || v != 1 {
		t.Errorf("acknowledgement %d, error %v", v, err)
	}
}

// TestDecodeData decodes odd bodies; the reference's agent takes and refuses the same ones.
func TestDecodeData(t *testing.T) {
	const value = "3ff0000000000000"
	for _, tt := range []struct {
		name, hex string
		tag       string
		err       string
	}{
		{"no end in the tag's length", "01040280" + value + "7778797a", "wxyz", ""},
		{"an end within", "01060280" + value + "70007172730a7e7e", "p", ""},
		{"a longer message", "01030280" + value + "6578007e" + strings.Repeat("7e", 40), "ex", ""},
		{"a length within the tag", "01020280" + value + "61626300", "ab", ""},
		{"no tag", "01010280" + value + "007e7e7e", "", ""},
		{"no padding", "01030280" + value + "756e00", "un", ""},
		{"other flags", "01020201" + value + "61007e7e", "a", ""},
		{"version 2", "02020280" + value + "61007e7e", "", "version 2"},
		{"no length", "01000280" + value + "61007e7e", "", "tag without"},
		{"kind 0", "01020080" + value + "61007e7e", "", "kind 0"},
		{"kind 5", "01020580" + value + "61007e7e", "", "kind 5"},
		{"a short tag", "01640280" + value + "61007e7e", "", "100 bytes"},
		{"no bytes", "", "", "bytes"},
		{"half a value", "010202803ff0", "", "bytes"},
	} {
		d, err := DecodeData(unhex(t, tt.hex))
		if tt.err == "" {
			if err != nil {
				t.Errorf("%s: %+v, error %v", tt.name, d, err)
			} else if d.Tag != tt.tag || d.Kind != Point || d.Value != 1 {
				t.Errorf("%s: %+v, error %v", tt.name, d, err)
			}
		} else if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want one about %q", tt.name, err, tt.err)
		}
	}
}

// TestReader reads streams that end or go wrong.
func TestReader(t *testing.T) {
	good := (&Data{Kind: Point, Tag: "p"}).Append(nil, 1)
	for _, tt := range []struct {
		name   string
		stream []byte
		n      int // messages before the error
		want   error
	}{
		{"nothing", nil, 0, io.EOF},
		{"two", append(good[:len(good):len(good)], good...), 2, io.EOF},
		{"half a header", good[:7], 0, io.ErrUnexpectedEOF},
		{"half a body", good[:20], 0, io.ErrUnexpectedEOF},
		{"length 0", unhex(t, "00000000 00007051 00000001"), 0, ErrFormat},
		{"length 12", unhex(t, "0000000c 00007051 00000001"), 0, ErrFormat},
		{"length -1", unhex(t, "ffffffff 00007051 00000001"), 0, ErrFormat},
		{"length 2^31-1", unhex(t, "7fffffff 00007051 00000001"), 0, ErrFormat},
		{"length 281", unhex(t, "00000119 00007051 00000001"), 0, ErrFormat},
		{"text", []byte("GET / HTTP/1.0\r\n\r\n"), 0, ErrFormat},
	} {
		r, n := NewReader(bytes.NewReader(tt.stream)), 0
		var err error
		for {
			if _, _, err = r.Next(); err != nil {
				break
			}
			n++
		}
		if n != tt.n || !errors.Is(err, tt.want) {
			t.Errorf("%s: %d messages, then %v, want %d and %v", tt.name, n, err, tt.n, tt.want)
		}
	}
}

// FuzzData decodes streams. A decoded message is encoded and decoded to the same again.
func FuzzData(f *testing.F) {
	for _, dump := range dumps {
		f.Add(dump.d.Append(nil, dump.pid))
	}
	f.Add((&Data{Kind: Counter, Sync: true, Tag: strings.Repeat("x", MaxTag), Value: math.NaN()}).Append(nil, -1))
	f.Add(append(AppendAck(nil, 1, -12010), 0, 0, 0))
	f.Add(unhex(f, "00000119 00007051 00000001 ff"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := NewReader(iotest.HalfReader(bytes.NewReader(stream)))
		for {
			typ, body, err := r.Next()
			if err != nil {
				return
			}
			if typ == TypeAck {
				if v, err := DecodeAck(body); err == nil && !bytes.Equal(AppendAck(nil, 0, v)[header:], body) {
					t.Fatalf("%x was decoded as %d", body, v)
				}
				continue
			}
			d, err := DecodeData(body)
			if err != nil {
				continue
			}
			if len(d.Tag) > MaxTag { // a tag of 255 bytes without a NUL
				continue
			}
			_, again, err := NewReader(bytes.NewReader(d.Append(nil, 1))).Next()
			if err != nil {
				t.Fatalf("%+v: %v", d, err)
			}
			e, err := DecodeData(again)
			if math.IsNaN(d.Value) && math.IsNaN(e.Value) {
				d.Value, e.Value = 0, 0
			}
			if err != nil || d != e {
				t.Fatalf("%+v became %+v, error %v", d, e, err)
			}
		}
	})
}
