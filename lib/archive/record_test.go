package archive

import (
	"bytes"
	"errors"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Records of archive.md A8.
const (
	fooRec = `000000d4 35c9f739 0003cb6f 00000005
		0740002e 00000001 00000001 ffffffff 00000033
		07400007 00000001 00000000 ffffffff 00000096
		07400006 00000009 00000000 00000064 00000064 000000c8 000000c8 0000012c 0000012c 00000190 00000190
			000001f4 000001f4 00000258 00000258 000002bc 000002bc 00000320 00000320 00000384 00000384
		07400005 00000003 00000000 00000000 00000077 00000001 000000dc 00000002 00000141
		07400002 00000001 00000000 ffffffff 0000037a
		0600000b "yellow" 00 7e 000000d4`
	mark2   = "00000014 59a87c40 0004dbc1 00000000 00000014"
	mark3   = "00000018 6553f119 00000000 00000000 00000000 00000018"
	miniRec = "0000002c 6553f100 00000000 00000000 00000001 3d400001 00000001 00000000 ffffffff 00000007 0000002c"
)

func TestRecordDecode(t *testing.T) {
	tests := []struct {
		name    string
		version int
		src     string
		stamp   pcp.Timestamp
		ids     int
	}{
		{"v2", 2, fooRec, pcp.Timestamp{Sec: 0x35c9f739, Nsec: 248687000}, 5},
		{"v3", 3, miniRec, pcp.Timestamp{Sec: 1700000000}, 1},
		{"mark v2", 2, mark2, pcp.Timestamp{Sec: 0x59a87c40, Nsec: 318401000}, 0},
		{"mark v3", 3, mark3, pcp.Timestamp{Sec: 1700000025}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec, err := checkedRecord(unhex(t, tt.src), tt.version)
			if err != nil || rec.stamp != tt.stamp || rec.nsets != tt.ids {
				t.Errorf("got %v with %d sets, %v", rec.stamp, rec.nsets, err)
			}
		})
	}
}

func TestRecordBlock(t *testing.T) {
	rec, err := checkedRecord(unhex(t, fooRec), 2)
	if err != nil {
		t.Fatal(err)
	}
	c := Cursor{walk: walker{set: newSet(nil)}}
	c.walk.set.descs[pcp.NewID(29, 0, 46)] = pcp.Desc{Type: pcp.String, InDom: pcp.NullInDom}
	c.walk.set.descs[pcp.NewID(29, 0, 5)] = pcp.Desc{Type: pcp.Int32}
	c.rec = rec
	c.want.set([]pcp.ID{pcp.NewID(29, 0, 5), pcp.NewID(29, 0, 46), 99, pcp.NewID(29, 0, 5)})
	var dst pcp.Result
	c.columns(0, nil, &dst)
	if s := dst.Sets[1].Value(0).Bytes(); string(s) != "yellow" {
		t.Errorf("string: got %q", s)
	}
	for _, i := range []int{0, 3} {
		if v := &dst.Sets[i]; v.Len() != 3 || v.Words[2] != 0x141 {
			t.Errorf("column %d: got %v", i, v)
		}
	}
	if v := &dst.Sets[2]; v.Len() != 0 || v.ID != 99 || v.Err != nil {
		t.Errorf("missing metric: got %v", v)
	}
}

func TestRecordErrors(t *testing.T) {
	tests := []struct {
		name    string
		version int
		src     string
	}{
		{"nothing but the frame", 2, "00000008 00000008"},
		{"no count", 2, "00000010 59a87c40 0004dbc1 00000010"},
		{"v2 record as v3", 3, mark2},
		{"negative count", 2, "00000014 59a87c40 0004dbc1 ffffffff 00000014"},
		{"sets missing", 2, "00000014 59a87c40 0004dbc1 00000001 00000014"},
		{"mark with more", 2, "00000018 59a87c40 0004dbc1 00000000 00000000 00000018"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if rec, err := checkedRecord(unhex(t, tt.src), tt.version); err == nil {
				t.Errorf("got %v", rec)
			}
		})
	}
}

func TestRecordAt(t *testing.T) {
	data := unhex(t, mark2+mark3)
	tests := []struct {
		name   string
		off    int64
		length int
		need   int64
		err    error
	}{
		{"first", 0, 20, 0, nil},
		{"second", 20, 24, 0, nil},
		{"end", 44, 0, 48, nil},
		{"less than a length", 42, 0, 46, nil},
		{"in the middle", 4, 0, 4 + 0x59a87c40, nil},
		{"length too short", 12, 0, 0, pmerr.LogRec},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src, need, err := recordAt(data, tt.off)
			if len(src) != tt.length || need != tt.need || !errors.Is(err, tt.err) {
				t.Errorf("got %d bytes, need %d, %v", len(src), need, err)
			}
		})
	}
	data[19]++
	if _, _, err := recordAt(data, 0); !errors.Is(err, pmerr.LogRec) {
		t.Errorf("bad trailer: got %v", err)
	}
}

func TestRecordBefore(t *testing.T) {
	data := unhex(t, mark2+mark3)
	if src, err := recordBefore(data, 0, 44); err != nil || !bytes.Equal(src, data[20:]) {
		t.Errorf("last: got % x, %v", src, err)
	}
	if src, err := recordBefore(data, 0, 20); err != nil || !bytes.Equal(src, data[:20]) {
		t.Errorf("first: got % x, %v", src, err)
	}
	for _, tt := range []struct{ first, end int64 }{{21, 44}, {0, 43}, {0, 45}, {0, 4}, {1, 20}, {0, 0}, {44, 44}} {
		if src, err := recordBefore(data, tt.first, tt.end); !errors.Is(err, pmerr.LogRec) {
			t.Errorf("from %d to %d: got % x, %v", tt.first, tt.end, src, err)
		}
	}
}

// FuzzRecord: a record that is found forwards is found backwards, and has the sets that it counts.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{fooRec, mark2, mark3, miniRec} {
		f.Add(unhex(f, s), 2)
		f.Add(unhex(f, s), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, version int) {
		version = 2 + version&1
		for off := int64(0); ; {
			src, _, err := recordAt(data, off)
			if err != nil || src == nil {
				return
			}
			off += int64(len(src))
			back, err := recordBefore(data, off-int64(len(src)), off)
			if err != nil || !bytes.Equal(back, src) {
				t.Fatalf("backwards: %v", err)
			}
			rec, err := checkedRecord(src, version)
			if err != nil {
				continue
			}
			n := 0
			for sets := rec.sets(); sets.Next(); n++ {
			}
			if n != rec.nsets {
				t.Fatalf("%d of %d sets", n, rec.nsets)
			}
		}
	})
}
