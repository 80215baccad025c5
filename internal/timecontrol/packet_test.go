package timecontrol

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// aPacket is the first packet of the reference's pmval over an archive (values.md V25.2).
const aPacket = `454d4954 62000000 01000000 01000000 00000000 00000000 0100000000000000 0000000000000000
	38f7c93500000000 e0ed030000000000 38f7c93500000000 e0ed030000000000 40f7c93500000000 adf1030000000000
	55544300676f6e7a6f00`

// packetBytes returns aPacket in the machine's byte binary.NativeEndian.
func packetBytes(t testing.TB) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(aPacket), ""))
	if err != nil {
		t.Fatal(err)
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 { // big-endian
		for at := 0; at < 24; at += 4 {
			binary.BigEndian.PutUint32(b[at:], binary.LittleEndian.Uint32(b[at:]))
		}
		for at := 24; at < headSize; at += 8 {
			binary.BigEndian.PutUint64(b[at:], binary.LittleEndian.Uint64(b[at:]))
		}
	}
	return b
}

func TestPacket(t *testing.T) {
	want := Packet{
		Command: Set, Kind: Recorded, Delta: time.Second, Zone: "UTC", ZoneLabel: "gonzo",
		Position: pcp.Timestamp{Sec: 902428472, Nsec: 257504000}, Start: pcp.Timestamp{Sec: 902428472, Nsec: 257504000},
		End: pcp.Timestamp{Sec: 902428480, Nsec: 258477000},
	}
	b := packetBytes(t)
	var got Packet
	if err := got.Decode(b); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if again, err := want.Encode([]byte{1}); err != nil || !bytes.Equal(again[1:], b) {
		t.Errorf("encoded %x, %v", again, err)
	}
	want.Zone = "a\x00b"
	if _, err := want.Encode(nil); !errors.Is(err, pmerr.EINVAL) {
		t.Errorf("zone with NUL: %v", err)
	}
}

func TestPacketErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(b []byte) []byte
	}{
		{"short", func(b []byte) []byte { return b[:headSize-1] }},
		{"other length", func(b []byte) []byte { return b[:headSize+1] }},
		{"huge length", func(b []byte) []byte { binary.NativeEndian.PutUint32(b[4:], 1<<32-1); return b }},
		{"a million microseconds", func(b []byte) []byte { binary.NativeEndian.PutUint64(b[48:], 1e6); return b }},
		{"negative microseconds", func(b []byte) []byte { binary.NativeEndian.PutUint64(b[32:], 1<<64-1); return b }},
	} {
		var p Packet
		if err := p.Decode(c.change(packetBytes(t))); !errors.Is(err, pmerr.IPC) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestLongDelta: a span that is too long for a Duration is the longest one.
func TestLongDelta(t *testing.T) {
	for _, sec := range []int64{1 << 62, -1 << 62} {
		b := packetBytes(t)
		binary.NativeEndian.PutUint64(b[24:], uint64(sec))
		var p Packet
		if err := p.Decode(b); err != nil || (p.Delta > 0) != (sec > 0) || p.Delta.Abs() < 290*365*24*time.Hour {
			t.Errorf("%d seconds: %v, %v", sec, p.Delta, err)
		}
	}
}

// FuzzPacket: a decoded packet can be encoded, and decodes to the same.
func FuzzPacket(f *testing.F) {
	f.Add(packetBytes(f))
	f.Add(packetBytes(f)[:headSize])
	f.Fuzz(func(t *testing.T, b []byte) {
		var p, q Packet
		if p.Decode(b) != nil {
			return
		}
		again, err := p.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Decode(again); err != nil {
			t.Fatal(err)
		}
		if p.Zone == "" {
			p.ZoneLabel = ""
		}
		if !reflect.DeepEqual(p, q) {
			t.Errorf("%+v is %+v then", p, q)
		}
	})
}
