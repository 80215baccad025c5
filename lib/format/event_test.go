package format

import (
	"encoding/binary"
	"testing"
	"time"

	"pmtools/lib/pcp"
)

// record describes one event record for a test.
type record struct {
	sec, frac int64
	flags     uint32
	count     uint32 // parameters of one word each, or missed records
}

// events returns the content of an event value.
func events(highRes bool, n int32, records ...record) pcp.Value {
	typ := pcp.Event
	b := binary.BigEndian.AppendUint32(nil, uint32(n))
	for _, r := range records {
		if highRes {
			typ = pcp.HighResEvent
			b = binary.BigEndian.AppendUint64(b, uint64(r.sec))
			b = binary.BigEndian.AppendUint64(b, uint64(r.frac))
		} else {
			b = binary.BigEndian.AppendUint32(b, uint32(r.sec))
			b = binary.BigEndian.AppendUint32(b, uint32(r.frac))
		}
		b = binary.BigEndian.AppendUint32(b, r.flags)
		b = binary.BigEndian.AppendUint32(b, r.count)
		if r.flags>>31 == 0 {
			for range r.count {
				b = binary.BigEndian.AppendUint32(b, 0x07400081)
				b = binary.BigEndian.AppendUint32(b, 0x06000006) // two bytes, padded
				b = binary.BigEndian.AppendUint32(b, 0x61627e7e)
			}
		}
	}
	return pcp.BlobValue(typ, b)
}

func TestEventSummary(t *testing.T) {
	const missed = 1 << 31
	tests := []struct {
		name  string
		value pcp.Value
		want  string
	}{
		{"none", events(false, 0), "[0 event records]"},
		{"one", events(false, 1, record{38638, 45999, 1, 1}), "[1 event record timestamp 10:43:58.045]"},
		{"two", events(true, 2, record{38628, 45449348, 1, 2}, record{38629, 45449349, 0, 0}),
			"[2 event records timestamps 10:43:48.045449348...10:43:49.045449349]"},
		{"one missed record", events(false, 1, record{100, 0, missed, 7}), "[1 event record timestamp 00:01:40.000]"},
		{"missed before the last", events(false, 3, record{100, 0, 1, 1}, record{200, 0, missed, 7}, record{300, 0, 1, 1}),
			"[3 event records (7 missed) timestamps 00:01:40.000...00:03:20.000]"},
		{"missed earlier counts again and again", events(false, 5, record{100, 0, 1, 1}, record{200, 0, missed, 7}, record{300, 0, 1, 1},
			record{400, 0, 1, 0}, record{500, 0, 1, 0}), "[5 event records (21 missed) timestamps 00:01:40.000...00:03:20.000]"},
		{"missed at the end is not counted", events(false, 2, record{100, 0, 1, 3}, record{200, 0, missed, 7}),
			"[2 event records timestamps 00:01:40.000...00:03:20.000]"},
		{"missed nothing", events(true, 2, record{100, 0, missed, 0}, record{200, 0, 1, 0}),
			"[2 event records timestamps 00:01:40.000000000...00:01:40.000000000]"},
		{"cut after the first", events(false, 2, record{100, 0, 1, 1}), "[2 event records]"},
		{"no records", events(false, 3), "[3 event records]"},
		{"negative", events(false, -1), "[-1 event records]"},
		{"huge count", events(false, 1<<31-1, record{100, 0, 1, 0}), "[2147483647 event records]"},
		{"huge number of parameters", pcp.BlobValue(pcp.Event, []byte{0, 0, 0, 2, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 1, 127, 255, 255, 255}),
			"[2 event records timestamps 00:01:40.000...00:01:40.000]"},
		{"nothing", pcp.BlobValue(pcp.Event, nil), "[0 event records]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(new(Options).AppendOne(nil, tt.value, 1)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestEventSummaryZoneAndWidth(t *testing.T) {
	o := Options{Location: time.FixedZone("", -3600)}
	got := string(o.AppendOne(nil, events(false, 1, record{38638, 45999, 1, 1}), 45))
	if want := "      [1 event record timestamp 09:43:58.045]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzEventSummary: event records of any bytes have a summary in brackets.
func FuzzEventSummary(f *testing.F) {
	f.Add(true, events(true, 2, record{1, 2, 1, 1}, record{3, 4, 1 << 31, 5}).Bytes())
	f.Add(false, events(false, 3, record{1, 2, 1, 1}, record{3, 4, 1 << 31, 5}, record{6, 7, 1, 0}).Bytes())
	f.Add(false, events(false, 1<<31-1).Bytes())
	f.Fuzz(func(t *testing.T, highRes bool, b []byte) {
		typ := pcp.Event
		if highRes {
			typ = pcp.HighResEvent
		}
		got := new(Options).AppendOne(nil, pcp.BlobValue(typ, b), 1)
		if len(got) < 2 || got[0] != '[' || got[len(got)-1] != ']' {
			t.Errorf("got %q", got)
		}
	})
}
