package archive_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// record turns text like `0000003a "name\0"` into bytes: hexadecimal words and quoted strings.
func record(t testing.TB, text string) []byte {
	t.Helper()
	var out []byte
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if q, err := strconv.QuotedPrefix(text); err == nil {
			s, err := strconv.Unquote(q)
			if err != nil {
				t.Fatal(err)
			}
			out, text = append(out, s...), text[len(q):]
			continue
		}
		word, rest, _ := strings.Cut(text, " ")
		b, err := hex.DecodeString(word)
		if err != nil {
			t.Fatalf("%q: %v", word, err)
		}
		out, text = append(out, b...), rest
	}
	return out
}

// equalRecord compares a record with the expected one, and makes sure that it was appended.
func equalRecord(t *testing.T, encode func(dst []byte) []byte, want string) {
	t.Helper()
	got := encode([]byte("before"))
	if w := record(t, want); string(got) != "before"+string(w) {
		t.Errorf("got  %x\nwant %x", strings.TrimPrefix(string(got), "before"), w)
	}
}

var (
	stampV3 = pcp.Timestamp{Sec: 1700000000}
	testDom = pcp.NewInDom(245, 1)
)

func TestAppendMetadata(t *testing.T) {
	deltaTime := pcp.Timestamp{Sec: 1700000010}
	tests := []struct {
		name   string
		encode func(dst []byte) []byte
		want   string
	}{
		{"desc", func(dst []byte) []byte {
			return archive.AppendDesc(dst, pcp.Desc{ID: pcp.NewID(2, 3, 3), Type: pcp.String, InDom: pcp.NewInDom(2, 1), Sem: pcp.Discrete},
				"pmcd.pmlogger.host")
		}, `0000003a 00000001 00800c03 00000006 00800001 00000004 00000000 00000001 00000012 "pmcd.pmlogger.host" 0000003a`},
		{"desc with two names", func(dst []byte) []byte {
			return archive.AppendDesc(dst, pcp.Desc{ID: pcp.NewID(245, 0, 1), InDom: testDom, Sem: pcp.Instant}, "t.i", "t.alias")
		}, `00000036 00000001 3d400001 00000000 3d400001 00000003 00000000 00000002 00000003 "t.i" 00000007 "t.alias" 00000036`},
		{"desc with units", func(dst []byte) []byte {
			return archive.AppendDesc(dst, pcp.Desc{ID: pcp.NewID(245, 0, 1), Type: pcp.NoSupport, InDom: pcp.NullInDom, Sem: pcp.Counter,
				Units: pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte, DimTime: -1, ScaleTime: pcp.Sec}}, "x")
		}, `00000029 00000001 3d400001 ffffffff ffffffff 00000001 1f013000 00000001 00000001 "x" 00000029`},
		{"indom v2", func(dst []byte) []byte {
			return archive.AppendInDom(dst, 2, pcp.Timestamp{Sec: 0x35c9f738, Nsec: 0x3ede0 * 1000}, pcp.NewInDom(2, 1),
				[]pcp.Instance{{ID: 0x151b, Name: "5403"}})
		}, `00000029 00000002 35c9f738 0003ede0 00800001 00000001 0000151b 00000000 "5403\x00" 00000029`},
		{"indom v3", func(dst []byte) []byte {
			return archive.AppendInDom(dst, 3, stampV3, testDom,
				[]pcp.Instance{{ID: 30, Name: "three three"}, {ID: 10, Name: "one"}, {ID: 20, Name: "two alpha"}})
		}, `00000052 00000005 6553f100 00000000 00000000 3d400001 00000003 0000001e 0000000a 00000014
			00000000 0000000c 00000010 "three three\x00one\x00two alpha\x00" 00000052`},
		{"indom without instances", func(dst []byte) []byte { return archive.AppendInDom(dst, 3, stampV3, testDom, nil) },
			`00000020 00000005 6553f100 00000000 00000000 3d400001 00000000 00000020`},
		{"delta", func(dst []byte) []byte {
			return archive.AppendInDomDelta(dst, deltaTime, testDom, []pcp.Instance{{ID: 25, Name: "two beta"}}, []int32{20})
		}, `00000039 00000006 6553f10a 00000000 00000000 3d400001 00000002 00000014 00000019 ffffffff 00000000 "two beta\x00" 00000039`},
		{"delta in order", func(dst []byte) []byte {
			return archive.AppendInDomDelta(dst, deltaTime, testDom, []pcp.Instance{{ID: 9, Name: "n"}, {ID: 1, Name: "a"}}, []int32{5, 3})
		}, `00000044 00000006 6553f10a 00000000 00000000 3d400001 00000004 00000001 00000003 00000005 00000009
			00000000 ffffffff ffffffff 00000002 "a\x00n\x00" 00000044`},
		{"text", func(dst []byte) []byte {
			return archive.AppendText(dst, 0x3d400002, false, pcp.OneLine, "one line x")
		}, `0000001f 00000004 00000005 3d400002 "one line x\x00" 0000001f`},
		{"text of a domain", func(dst []byte) []byte { return archive.AppendText(dst, 0x3d400001, true, pcp.Help, "") },
			`00000015 00000004 0000000a 3d400001 00 00000015`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { equalRecord(t, tt.encode, strings.Join(strings.Fields(tt.want), " ")) })
	}
}

func TestAppendLabels(t *testing.T) {
	at := pcp.Timestamp{Sec: 1700000010}
	one := func(labels ...pcp.Label) []pcp.LabelSet { return []pcp.LabelSet{{Inst: 77, Labels: labels}} }
	many := make([]pcp.Label, 256)
	for i := range many {
		many[i] = pcp.Label{Name: "n" + strconv.Itoa(i), Value: "1"}
	}
	tests := []struct {
		name    string
		version int
		kind    pcp.LabelKind
		ident   uint32
		sets    []pcp.LabelSet
		want    string
		err     error
	}{
		{"item", 3, pcp.ItemLabels, 0x3d400002, one(pcp.Label{Name: "item", Value: "42", Flags: 16}),
			`00000043 00000007 6553f10a 00000000 00000000 00000010 3d400002 00000001
			ffffffff 0000000b {"item":42} 00000001 0002 04 10 0008 0002 00000043`, nil},
		{"version 2, sorted", 2, pcp.ContextLabels, ^uint32(0), one(pcp.Label{Name: "b", Value: `"x"`, Flags: 129}, pcp.Label{Name: "a", Value: "1"}),
			`0000004b 00000003 6553f10a 00000000 00000001 ffffffff 00000001
			ffffffff 0000000f {"a":1,"b":"x"} 00000002 0002 01 00 0005 0001 0008 01 81 000b 0003 0000004b`, nil},
		{"no labels", 3, pcp.DomainLabels, 245, one(),
			`00000032 00000007 6553f10a 00000000 00000000 00000002 000000f5 00000001 ffffffff 00000002 {} 00000000 00000032`, nil},
		{"instances, one in error", 3, pcp.InstanceLabels, 0x3d400001, []pcp.LabelSet{{Inst: 5, Err: pmerr.Again}, {Inst: 6}},
			`0000003e 00000007 6553f10a 00000000 00000000 00000020 3d400001 00000002
			00000005 00000000 ffffcf9b 00000006 00000002 {} 00000000 0000003e`, nil},
		{"no instances", 3, pcp.InstanceLabels, 0x3d400001, nil,
			`00000024 00000007 6553f10a 00000000 00000000 00000020 3d400001 00000000 00000024`, nil},
		{"name empty", 3, pcp.ItemLabels, 1, one(pcp.Label{Value: "1"}), "", pmerr.EINVAL},
		{"name twice", 3, pcp.ItemLabels, 1, one(pcp.Label{Name: "a", Value: "1"}, pcp.Label{Name: "a", Value: "2"}), "", pmerr.EINVAL},
		{"name long", 3, pcp.ItemLabels, 1, one(pcp.Label{Name: strings.Repeat("n", 255), Value: "1"}), "", pmerr.EINVAL},
		{"value empty", 3, pcp.ItemLabels, 1, one(pcp.Label{Name: "a"}), "", pmerr.EINVAL},
		{"value long", 3, pcp.ItemLabels, 1, one(pcp.Label{Name: "a", Value: strings.Repeat("1", 65535)}), "", pmerr.TooBig},
		{"too many", 3, pcp.ItemLabels, 1, one(many...), "", pmerr.TooBig},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if open := strings.Index(want, "{"); open >= 0 { // the JSON is easier to read without quotes
				end := strings.LastIndex(want, "}") + 1
				want = want[:open] + strconv.Quote(want[open:end]) + want[end:]
			}
			got, err := archive.AppendLabels([]byte("before"), tt.version, at, tt.kind, tt.ident, tt.sets)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if w := "before" + string(record(t, strings.Join(strings.Fields(want), " "))); string(got) != w {
				t.Errorf("got  %x\nwant %x", got, w)
			}
		})
	}
}

func TestAppendLabel(t *testing.T) {
	zeros := func(n int) string { return fmt.Sprintf("%q", strings.Repeat("\x00", n)) }
	long := strings.Repeat("h", 300)
	tests := []struct {
		name  string
		label archive.Label
		want  string
	}{
		{"version 2", archive.Label{Version: 2, PID: 0x151b, Start: pcp.Timestamp{Sec: 0x35c9f738, Nsec: 0x3ede0*1000 + 999},
			Host: "gonzo", Zone: "EST-11EST-10,87/2:00,297/2:00", ZoneInfo: "lost"},
			`00000084 50052602 0000151b 35c9f738 0003ede0 00000000 "gonzo" ` + zeros(59) +
				` "EST-11EST-10,87/2:00,297/2:00" ` + zeros(11) + " 00000084"},
		{"version 3", archive.Label{Version: 3, PID: 4242, Start: pcp.Timestamp{Sec: 1<<33 + 1, Nsec: 5}, Volume: -1, Features: 1 << 31,
			Host: "specbox", Zone: "UTC", ZoneInfo: ":UTC"},
			`00000328 50052603 00001092 00000001 00000002 00000005 ffffffff 80000000 00000000 "specbox" ` + zeros(249) +
				` "UTC" ` + zeros(253) + ` ":UTC" ` + zeros(252) + " 00000328"},
		{"too long", archive.Label{Version: 3, Volume: 7, Host: long},
			`00000328 50052603 00000000 00000000 00000000 00000000 00000007 00000000 00000000 "` + long[:255] + `" ` + zeros(513) + " 00000328"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			equalRecord(t, func(dst []byte) []byte { return archive.AppendLabel(dst, &tt.label) }, tt.want)
		})
	}
}

func TestAppendIndexEntry(t *testing.T) {
	at := pcp.Timestamp{Sec: 0x35c9f739, Nsec: 0x3cb6f * 1000}
	tests := []struct {
		name    string
		version int
		meta    int64
		data    int64
		want    string
	}{
		{"version 2", 2, 0x15e, 0x11c, "35c9f739 0003cb6f 00000002 0000015e 0000011c"},
		{"version 3", 3, 1 << 32, 1<<40 + 1, "35c9f739 00000000 0ed2a998 00000002 0000000100000000 0000010000000001"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := archive.AppendIndexEntry(nil, tt.version, at, 2, tt.meta, tt.data)
			if want := record(t, tt.want); !bytes.Equal(got, want) {
				t.Errorf("got  %x\nwant %x", got, want)
			}
		})
	}
}

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
		{"positive error", pcp.Values{Err: pmerr.Code(1)}, pmerr.EINVAL},
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
