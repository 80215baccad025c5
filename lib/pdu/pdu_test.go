package pdu

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	_ "pmtools/test/env"
)

// unhex returns the bytes of hexadecimal words; text in quotes stands for itself, with _ for a
// blank.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	var out []byte
	for _, word := range strings.Fields(s) {
		if text, ok := strings.CutPrefix(word, `"`); ok {
			out = append(out, strings.ReplaceAll(strings.TrimSuffix(text, `"`), "_", " ")...)
			continue
		}
		b, err := hex.DecodeString(word)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b...)
	}
	return out
}

// same compares messages by their content.
var same = cmp.Options{cmpopts.IgnoreUnexported(Result{}), cmpopts.EquateEmpty()}

// frame takes the only message off a stream.
func frame(t testing.TB, msg []byte) Frame {
	t.Helper()
	r := NewReader(bytes.NewReader(msg))
	f, err := r.Next()
	if err != nil {
		t.Fatalf("Next: %v", err)
	}
	if r.Started() {
		t.Fatal("bytes are left over")
	}
	return f
}

// A dump is a message as it is on the wire, header included.
type dump struct {
	name string
	hex  string
	want Message
}

// checkDumps decodes messages, and encodes them again.
func checkDumps(t *testing.T, dumps []dump) {
	t.Helper()
	for _, d := range dumps {
		t.Run(d.name, func(t *testing.T) {
			msg := unhex(t, d.hex)
			f := frame(t, msg)
			got := New(f.Type)
			if got == nil {
				t.Fatalf("no message of type %v", f.Type)
			}
			for range 2 { // the second time into existing memory
				if err := got.Decode(f.Body); err != nil {
					t.Fatalf("Decode: %v", err)
				}
				if diff := cmp.Diff(d.want, got, same); diff != "" {
					t.Errorf("decoded (-want +got):\n%s", diff)
				}
			}
			for _, m := range []Message{d.want, got} {
				out, err := m.Encode([]byte("prefix"))
				if err != nil {
					t.Fatalf("Encode: %v", err)
				}
				out, found := bytes.CutPrefix(out, []byte("prefix"))
				if SetFrom(out, f.From); !found || !bytes.Equal(out, msg) {
					t.Errorf("encoded\n%x, want\n%x", out, msg)
				}
			}
		})
	}
}

// A flaw is a body that has to be refused.
type flaw struct {
	name string
	hex  string
}

// checkFlaws decodes bodies that are malformed, and each good one cut short and with something
// after it.
func checkFlaws(t *testing.T, of Type, flaws []flaw) {
	t.Helper()
	for _, f := range flaws {
		t.Run(f.name, func(t *testing.T) {
			if err := New(of).Decode(unhex(t, f.hex)); !errors.Is(err, ErrFormat) {
				t.Errorf("error %v, want %v", err, ErrFormat)
			}
		})
	}
}

// checkCuts decodes a message without its end, and one with bytes after it.
func checkCuts(t *testing.T, dumps []dump, cut, more bool) {
	t.Helper()
	for _, d := range dumps {
		f := frame(t, unhex(t, d.hex))
		for n := range f.Body {
			if err := New(f.Type).Decode(f.Body[:n]); cut && !errors.Is(err, ErrFormat) {
				t.Errorf("%s: the first %d bytes of %d: error %v, want %v", d.name, n, len(f.Body), err, ErrFormat)
			}
		}
		if err := New(f.Type).Decode(append(bytes.Clone(f.Body), 0, 0, 0, 0)); more && !errors.Is(err, ErrFormat) {
			t.Errorf("%s: with a word too many: error %v, want %v", d.name, err, ErrFormat)
		}
	}
}

// fuzzMessage checks for a type that each decoded message that can be encoded decodes to the same
// again.
func fuzzMessage(f *testing.F, of Type, seeds ...string) {
	for _, s := range seeds {
		f.Add(unhex(f, s)[HeaderSize:])
	}
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0xff}, 40))
	f.Add(make([]byte, 40))
	f.Fuzz(func(t *testing.T, body []byte) {
		m := New(of)
		if err := m.Decode(body); err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("error %v is no %v", err, ErrFormat)
			}
			return
		}
		msg, err := m.Encode(nil)
		if err != nil {
			return // a decoded message may have more than may be sent
		}
		again := New(of)
		if err := again.Decode(frame(t, msg).Body); err != nil {
			t.Fatalf("decoding what was encoded, %x: %v", msg, err)
		}
		if diff := cmp.Diff(m, again, same); diff != "" {
			t.Fatalf("decoded again (-first +second):\n%s", diff)
		}
		if msg2, err := again.Encode(nil); err != nil || !bytes.Equal(msg, msg2) {
			t.Fatalf("encoded\n%x, and again, error %v\n%x", msg, err, msg2)
		}
	})
}

func TestType(t *testing.T) {
	for typ := range Type(0x7020) {
		m, name := New(typ), typ.String()
		switch {
		case (m == nil) != strings.HasPrefix(name, "TYPE-"):
			t.Errorf("%v: message %v", name, m)
		case m != nil && m.Type() != typ:
			t.Errorf("%v: message of type %v", name, m.Type())
		}
	}
	for _, row := range []struct {
		typ  Type
		want string
	}{
		{TypeError, "ERROR"}, {TypeHighResFetch, "HIGHRES_FETCH"}, {0x700b, "TYPE-28683?"}, {0x8000, "TYPE-32768?"}, {-1, "TYPE--1?"},
	} {
		if got := row.typ.String(); got != row.want {
			t.Errorf("type %#x is %s, want %s", int32(row.typ), got, row.want)
		}
	}
}

// TestEmpty encodes and decodes each message with nothing in it.
func TestEmpty(t *testing.T) {
	for typ := TypeError; typ <= TypeDescs; typ++ {
		m := New(typ)
		if m == nil {
			continue
		}
		msg, err := m.Encode(nil)
		if err != nil {
			t.Errorf("%v: Encode: %v", typ, err)
			continue
		}
		if f := frame(t, msg); f.Type != typ || f.From != 0 {
			t.Errorf("%v: encoded as %v from %d", typ, f.Type, f.From)
		}
		if err := New(typ).Decode(nil); !errors.Is(err, ErrFormat) {
			t.Errorf("%v: Decode of nothing: error %v, want %v", typ, err, ErrFormat)
		}
	}
}

func TestSetFrom(t *testing.T) {
	msg, err := new(DescReq).Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	SetFrom(msg, -5)
	if f := frame(t, msg); f.From != -5 || f.Type != TypeDescReq {
		t.Errorf("message %v from %d", f.Type, f.From)
	}
}
