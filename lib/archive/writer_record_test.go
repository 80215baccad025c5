package archive_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

func TestAppendRecord(t *testing.T) {
	null := []int32{pcp.NullInst}
	sample := func(item uint32) pcp.ID { return pcp.NewID(29, 0, item) }
	tests := []struct {
		name    string
		version int
		time    pcp.Timestamp
		sets    []pcp.Values
		want    string
	}{
		{"string in version 2", 2, pcp.Timestamp{Sec: 0x35c9f739, Nsec: 0x3cb6f * 1000}, []pcp.Values{
			{ID: sample(46), Type: pcp.String, Insts: null, Blobs: [][]byte{[]byte("yellow")}},
			{ID: sample(7), Type: pcp.Int32, Insts: null, Words: []uint64{150}},
			{ID: sample(5), Type: pcp.Int32, Insts: []int32{0, 1, 2}, Words: []uint64{0x77, 0xdc, 0x141}},
		}, `0000006c 35c9f739 0003cb6f 00000003
			0740002e 00000001 00000001 ffffffff 00000019
			07400007 00000001 00000000 ffffffff 00000096
			07400005 00000003 00000000 00000000 00000077 00000001 000000dc 00000002 00000141
			0600000b "yellow\x00" 7e 0000006c`},
		{"no values and an error", 3, pcp.Timestamp{Sec: 1700000020}, []pcp.Values{
			{ID: 0x3d400002, Type: pcp.Int32, Insts: null, Words: []uint64{20}},
			{ID: 0x3d400004, Err: pmerr.AppVersion}, {ID: 0x3d400003},
		}, `0000003c 6553f114 00000000 00000000 00000003 3d400002 00000001 00000000 ffffffff 00000014
			3d400004 ffffcfc2 3d400003 00000000 0000003c`},
		{"blocks of each size", 3, stampV3, []pcp.Values{
			{ID: 1, Type: pcp.Int64, Insts: []int32{3}, Words: []uint64{math.MaxUint64}},
			{ID: 2, Type: pcp.Float, Insts: []int32{3, 4}, Words: []uint64{0x3f800000, 0x7fc00000}},
			{ID: 3, Type: pcp.Aggregate, Insts: []int32{0, 1, 2}, Blobs: [][]byte{nil, {1}, {1, 2, 3, 4}}},
		}, `0000009c 6553f100 00000000 00000000 00000003
			00000001 00000001 00000001 00000003 0000001c
			00000002 00000002 00000001 00000003 0000001f 00000004 00000021
			00000003 00000003 00000001 00000000 00000023 00000001 00000024 00000002 00000026
			0200000c ffffffffffffffff 04000008 3f800000 04000008 7fc00000
			07000004 07000005 01 7e7e7e 07000008 01020304 0000009c`},
		{"negative", 3, stampV3, []pcp.Values{{ID: 1, Type: pcp.Int32, Insts: null, Words: []uint64{math.MaxUint64}}},
			`0000002c 6553f100 00000000 00000000 00000001 00000001 00000001 00000000 ffffffff ffffffff 0000002c`},
		{"derived", 3, stampV3, []pcp.Values{{ID: pcp.NewID(511, 0, 13)}},
			`00000020 6553f100 00000000 00000000 00000001 7fe0000d 00000000 00000020`},
		{"odd in place", 3, stampV3, []pcp.Values{{ID: 1, Type: pcp.Double, Insts: null, Words: []uint64{0},
			Odd: []pcp.Odd{{Bad: true, InSitu: true, Word: 7}}}},
			`0000002c 6553f100 00000000 00000000 00000001 00000001 00000001 00000000 ffffffff 00000007 0000002c`},
		{"odd block", 3, stampV3, []pcp.Values{{ID: 1, Type: pcp.Int32, Insts: null, Words: []uint64{0},
			Odd: []pcp.Odd{{Bad: true, Type: pcp.Unknown, Blob: []byte{9}}}}},
			`00000034 6553f100 00000000 00000000 00000001 00000001 00000001 00000001 ffffffff 0000000c ff000005 09 7e7e7e 00000034`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			equalRecord(t, func(dst []byte) []byte {
				out, err := archive.AppendRecord(dst, tt.version, &pcp.Result{Time: tt.time, Sets: tt.sets})
				if err != nil {
					t.Fatal(err)
				}
				return out
			}, strings.Join(strings.Fields(tt.want), " "))
		})
	}
}

func TestAppendRecordErrors(t *testing.T) {
	two := []int32{0, 1}
	tests := []struct {
		name string
		set  pcp.Values
		err  error
	}{
		{"positive error", pcp.Values{Err: 1}, pmerr.EINVAL},
		{"error and values", pcp.Values{Err: pmerr.Again, Insts: two, Words: []uint64{1, 2}}, pmerr.EINVAL},
		{"words missing", pcp.Values{Insts: two, Words: []uint64{1}}, pmerr.EINVAL},
		{"blobs missing", pcp.Values{Type: pcp.String, Insts: two}, pmerr.EINVAL},
		{"odds missing", pcp.Values{Insts: two, Words: []uint64{1, 2}, Odd: make([]pcp.Odd, 1)}, pmerr.EINVAL},
		{"mixed formats", pcp.Values{Insts: two, Words: []uint64{1, 2}, Odd: []pcp.Odd{{}, {Bad: true}}}, pmerr.EINVAL},
		{"no type", pcp.Values{Type: pcp.NoSupport, Insts: two, Blobs: make([][]byte, 2)}, pmerr.Type},
		{"big type", pcp.Values{Type: 256, Insts: two, Blobs: make([][]byte, 2)}, pmerr.Type},
		{"events cut", pcp.Values{Type: pcp.Event, Insts: two, Blobs: [][]byte{make([]byte, 4), {0, 0, 0, 1}}}, pmerr.EINVAL},
		{"no events", pcp.Values{Type: pcp.HighResEvent, Insts: two, Blobs: [][]byte{make([]byte, 4), nil}}, pmerr.EINVAL},
		{"odd events cut", pcp.Values{Type: pcp.String, Insts: two[:1], Blobs: make([][]byte, 1),
			Odd: []pcp.Odd{{Bad: true, Type: pcp.Event, Blob: []byte{0, 0, 0, 1}}}}, pmerr.EINVAL},
		{"long value", pcp.Values{Type: pcp.String, Insts: two, Blobs: [][]byte{nil, make([]byte, 0xffffff-4)}}, pmerr.TooBig},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dst, err := archive.AppendRecord([]byte("before"), 3, &pcp.Result{Sets: []pcp.Values{{ID: 1}, tt.set}})
			if !errors.Is(err, tt.err) || string(dst) != "before" {
				t.Errorf("got %q, %v, want %v", dst, err, tt.err)
			}
		})
	}
	longest := pcp.Values{Type: pcp.String, Insts: two[:1], Blobs: [][]byte{make([]byte, 0xffffff-5)}}
	if _, err := archive.AppendRecord(nil, 3, &pcp.Result{Sets: []pcp.Values{longest}}); err != nil {
		t.Errorf("longest string: %v", err)
	}
}

func TestAppendMark(t *testing.T) {
	at := pcp.Timestamp{Sec: 0x59a87c40, Nsec: 0x4dbc1 * 1000}
	equalRecord(t, func(dst []byte) []byte { return archive.AppendMark(dst, 2, at) }, "00000014 59a87c40 0004dbc1 00000000 00000014")
	at = pcp.Timestamp{Sec: 0x6553f119}
	equalRecord(t, func(dst []byte) []byte { return archive.AppendMark(dst, 3, at) }, "00000018 6553f119 00000000 00000000 00000000 00000018")
}
