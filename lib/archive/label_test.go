package archive

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
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

// padded returns s in a field of n bytes.
func padded(s string, n int) []byte { return append([]byte(s), make([]byte, n-len(s))...) }

// labelV2 is the label of the archive ok-foo (archive.md A5).
func labelV2(t testing.TB) []byte {
	b := unhex(t, "00000084 50052602 0000151b 35c9f738 0003ede0 00000000")
	b = append(b, padded("gonzo", 64)...)
	b = append(b, padded("EST-11EST-10,87/2:00,297/2:00", 40)...)
	return append(b, 0, 0, 0, 0x84)
}

// labelV3 is that of the minimal archive (archive.md A19).
func labelV3(t testing.TB) []byte {
	b := unhex(t, "00000328 50052603 00001092 6553f100 00000000 00000000 fffffffe 80000000 00000000")
	for _, s := range []string{"specbox", "UTC", ":UTC"} {
		b = append(b, padded(s, 256)...)
	}
	return append(b, 0, 0, 3, 0x28)
}

func TestLabelDecode(t *testing.T) {
	tests := []struct {
		name string
		src  []byte
		want Label
	}{
		{"v2", labelV2(t), Label{Version: 2, PID: 5403, Start: pcp.Timestamp{Sec: 0x35c9f738, Nsec: 257504000},
			Host: "gonzo", Zone: "EST-11EST-10,87/2:00,297/2:00"}},
		{"v3", labelV3(t), Label{Version: 3, PID: 4242, Start: pcp.Timestamp{Sec: 1700000000}, Volume: -2, Features: 0x80000000,
			Host: "specbox", Zone: "UTC", ZoneInfo: ":UTC"}},
		{"followed by a record", append(labelV2(t), 1, 2, 3), Label{Version: 2, PID: 5403, Start: pcp.Timestamp{Sec: 0x35c9f738, Nsec: 257504000},
			Host: "gonzo", Zone: "EST-11EST-10,87/2:00,297/2:00"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Label{Host: "old"}
			if err := got.decode(tt.src); err != nil || got != tt.want {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestLabelErrors(t *testing.T) {
	change := func(off int, b byte) []byte {
		src := labelV2(t)
		src[off] = b
		return src
	}
	tests := []struct {
		name string
		src  []byte
		want error
	}{
		{"empty", nil, pmerr.NoData},
		{"less than a header", labelV2(t)[:7], pmerr.NoData},
		{"header only", labelV2(t)[:8], pmerr.Label},
		{"cut", labelV2(t)[:131], pmerr.Label},
		{"bad magic", change(4, 0), pmerr.Label},
		{"version 1", change(7, 1), pmerr.Label},
		{"version 4", change(7, 4), pmerr.Label},
		{"version 3 with the length of 2", change(7, 3), pmerr.Label},
		{"bad length", change(3, 0x85), pmerr.Label},
		{"negative length", change(0, 0xff), pmerr.Label},
		{"bad trailer", change(131, 0x85), pmerr.Label},
		{"v3 cut", labelV3(t)[:807], pmerr.Label},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l Label
			if err := l.decode(tt.src); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestReadStamp(t *testing.T) {
	tests := []struct {
		name    string
		version int
		src     string
		want    pcp.Timestamp
	}{
		{"v2", 2, "35c9f738 0003ede0", pcp.Timestamp{Sec: 0x35c9f738, Nsec: 257504000}},
		{"v2 before 1970", 2, "ffffffff 00000001", pcp.Timestamp{Sec: -1, Nsec: 1000}},
		{"v2 with too many microseconds", 2, "00000001 ffffffff", pcp.Timestamp{Sec: 1 + 4294, Nsec: 967295000}},
		{"v3 low word first", 3, "6553f100 00000000 00000005", pcp.Timestamp{Sec: 1700000000, Nsec: 5}},
		{"v3 high word", 3, "00000001 00000002 00000000", pcp.Timestamp{Sec: 2<<32 + 1}},
		{"v3 before 1970", 3, "ffffffff ffffffff 00000000", pcp.Timestamp{Sec: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := wire.NewReader(unhex(t, tt.src))
			if got := readStamp(&r, tt.version); got != tt.want || r.Finish() != nil {
				t.Errorf("got %v, %v, want %v", got, r.Err(), tt.want)
			}
		})
	}
}

// FuzzLabel: a label that is read can be written, and read as the same.
func FuzzLabel(f *testing.F) {
	f.Add(labelV2(f))
	f.Add(labelV3(f))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, src []byte) {
		var l, again Label
		if l.decode(src) != nil {
			return
		}
		// The metadata can be written and read again.
		if err := again.decode(AppendLabel(nil, &l)); err != nil || again.Host != l.Host && len(l.Host) < 63 {
			t.Errorf("got %+v, %v, want %+v", again, err, l)
		}
	})
}
