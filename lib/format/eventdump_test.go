package format

import (
	"encoding/binary"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// words returns the big-endian bytes of numbers, and of strings as they are.
func words(list ...any) []byte {
	var b []byte
	for _, x := range list {
		switch x := x.(type) {
		case int:
			b = binary.BigEndian.AppendUint32(b, uint32(x))
		case string:
			b = append(b, x...)
		}
	}
	return b
}

// TestEventDump compares with the reference (7.2.2) on values that it cannot unpack.
func TestEventDump(t *testing.T) {
	const bad = -0x7fffffff // 0x80000001: missed records have no other flag
	param := int(pcp.NewID(245, 0, 100))
	one := func(t pcp.Type, size int, value ...any) []byte {
		return append(words(2, 1, 5, 9, 1, param, int(t)<<24|size), append(words(value...), words(1, 5, bad, 3)...)...)
	}
	for _, tt := range []struct {
		name  string
		typ   pcp.Type
		value []byte
		want  string // after the head; without a record that follows
		err   pmerr.Code
	}{
		{"no records", pcp.Event, words(-1), "nrecords: -1\nError: bad nrecords\n", pmerr.TooSmall},
		{"too short", pcp.HighResEvent, []byte{1, 2}, "Error: bad len (smaller than minimum size 8)\n", pmerr.TooSmall},
		{"cut", pcp.Event, words(2, 1, 5, 0, 0, 1), "nrecords: 2\nEvent Record [0] with 0 parameters\nEvent Record [1]: Error: buffer overflow\n", pmerr.TooBig},
		{"cut parameter", pcp.Event, words(1, 1, 5, 0, 1, param, 2<<24|20, 3, 4),
			"nrecords: 1\nEvent Record [0] with 1 parameters\n    Parameter [0]: Error: buffer overflow\n", pmerr.TooBig},
		{"highres", pcp.HighResEvent, words(1, 0, 1, 0, 5, bad, 3),
			"nrecords: 1\nEvent Record [0] flags=80000001\n    ==> 3 missed records (Warning: extra flags 1 ignored)\n", pmerr.Conv},
		{"parameter of a wrong type", pcp.Event, words(1, 1, 5, 0, 1, param, 9<<24|8, 1), "", pmerr.Type},
		{"", pcp.Event, one(pcp.Int32, 8, -2), " = -2", pmerr.Conv},
		{"", pcp.Event, one(pcp.Int32, 6, "\x01\x02pp"), " = 16937072", pmerr.Conv},
		{"", pcp.Event, one(pcp.Uint32, 8, -1), " = 4294967295", pmerr.Conv},
		{"", pcp.Event, one(pcp.Uint64, 12, 256, 0), " = 1099511627776", pmerr.Conv},
		{"", pcp.Event, one(pcp.Int64, 12, -1, -1), " = -1", pmerr.Conv},
		{"", pcp.Event, one(pcp.Float, 8, 0x3dcccccd), " = 0.1", pmerr.Conv},
		{"", pcp.Event, one(pcp.Double, 12, 0x40934a45, 0x6d5cfaad), " = 1234.5678", pmerr.Conv},
		{"", pcp.Event, one(pcp.Int64, 8, 1), " : bad length 4", pmerr.Conv},
		{"", pcp.Event, one(pcp.String, 10, "hello\x00pp"), ` = " hello"`, pmerr.Conv},
		{"", pcp.Event, one(pcp.String, 8, "x\x00y\x00"), ` = "   x"`, pmerr.Conv},
		{"", pcp.Event, one(pcp.String, 4), ` = ""`, pmerr.Conv},
		{"", pcp.Event, one(pcp.Aggregate, 8, "\x01\x02\x03\x04"), " = [04030201...]", pmerr.Conv},
		{"", pcp.Event, one(pcp.AggregateStatic, 5, "\x01ppp"), " = [70707001...]", pmerr.Conv},
		{"", pcp.Event, one(pcp.HighResEvent, 8, 1), " : bad type 10", pmerr.Conv},
		{"", pcp.Event, one(254, 8, 1), " : bad type 254", pmerr.Conv},
		{"", pcp.Event, one(pcp.Unknown, 8, 1), " : unknown type", pmerr.Conv},
	} {
		v := &pcp.Values{ID: pcp.NewID(245, 0, 3), Type: tt.typ, Insts: []int32{7, -1}, Blobs: [][]byte{tt.value, tt.value}}
		_, err := pcp.UnpackEvents(v.Value(0))
		if err != tt.err {
			t.Errorf("%s%x: error %v, want %v", tt.name, tt.value, err, tt.err)
		}
		want := tt.want
		if tt.name == "" {
			want = "nrecords: 2\nEvent Record [0] flags=9 with 1 parameters\n    Parameter [0]: 245.0.100" + want +
				"\nEvent Record [1] flags=80000001\n    ==> 3 missed records (Warning: extra flags 1 ignored)\n"
		}
		for i, inst := range []string{" inst: 7", ""} {
			got := string(AppendEventDump(nil, v, i, err, pcp.ID.String))
			_, rest, _ := strings.Cut(got, "\n")
			head, rest, _ := strings.Cut(rest, "\n")
			if tt.want != "" && !strings.HasPrefix(head, "PMID: 245.0.3 numval: 2 valfmt: 1"+inst+" vtype: "+tt.typ.String()+" vlen: ") || rest != want {
				t.Errorf("%s%x: got\n%swant\n%s", tt.name, tt.value, got, want)
			}
		}
	}
}

// FuzzEventDump dumps any bytes as event records.
func FuzzEventDump(f *testing.F) {
	f.Add(uint8(pcp.Event), words(1, 1, 5, 0, 2, 1, 2<<24|8, 3))
	f.Add(uint8(pcp.HighResEvent), words(3, 0, 1, 0, 5, -1, 3))
	f.Add(uint8(pcp.String), []byte("x"))
	f.Fuzz(func(t *testing.T, typ uint8, b []byte) {
		v := &pcp.Values{Type: pcp.Type(typ), Insts: []int32{-1}, Blobs: [][]byte{b}, Words: []uint64{0}}
		if _, err := pcp.UnpackEvents(v.Value(0)); err != nil {
			AppendEventDump(nil, v, 0, err, pcp.ID.String)
		}
	})
}
