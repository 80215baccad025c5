package pdu

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"

	"github.com/google/go-cmp/cmp"
)

// result returns a message with these columns.
func result(sec int64, usec int32, sets ...pcp.Values) *Result {
	return &Result{Values: &pcp.Result{Time: pcp.Timestamp{Sec: sec, Nsec: usec * 1000}, Sets: sets}}
}

// singular returns a column of one value without instances.
func singular(id pcp.ID, t pcp.Type, word uint64) pcp.Values {
	return pcp.Values{ID: id, Type: t, Insts: []int32{pcp.NullInst}, Words: []uint64{word}}
}

// blob returns a column of one value of bytes.
func blob(id pcp.ID, t pcp.Type, b []byte) pcp.Values {
	return pcp.Values{ID: id, Type: t, Insts: []int32{pcp.NullInst}, Blobs: [][]byte{b}}
}

// missing returns a column without values.
func missing(id pcp.ID, err pmerr.Code) pcp.Values {
	return pcp.Values{ID: id, Type: pcp.Unknown, Err: err.Err()}
}

// Event records, as they stand in a value block.
const (
	eventRecord   = "00000001 6b0020b1 0004c32b 00000001 00000001 07800086 0600000c 66657463 68202334"
	highResRecord = "00000001 00000000 6b0020bd 00000000 174cc4ae 00000001 00000001 07800086 0600000c 66657463 68202332"
	missedRecord  = "00000001 6b0020aa 0004c60f 80000000 00000007"
)

// resultDumps are those of wire.md W6.1, W6.4, W6.5, W9.5 and W12; where only value sets or blocks
// are shown there, with a header.
func resultDumps(t testing.TB) []dump {
	return []dump{
		{"value sets", "0000003c 00007001 00000000 6b0024c6 00053610 00000003 0740000a 00000001 00000000 ffffffff 00000001" +
			" 0740008a 00000000 07400036 ffffcfba",
			result(0x6b0024c6, 0x53610, singular(0x0740000a, pcp.Int32, 1), missing(0x0740008a, 0), missing(0x07400036, pmerr.PMID))},
		{"double", "00000040 00007015 00000000 00000001 00000000 6b00201e 00000000 225c3280 07400003 00000001 00000001 ffffffff" +
			" 0000000d 0500000c 41161a1b a4dd2f1b",
			&HighResResult{Result{Values: &pcp.Result{Time: pcp.Timestamp{Sec: 0x6b00201e, Nsec: 0x225c3280},
				Sets: []pcp.Values{singular(0x07400003, pcp.Double, 0x41161a1ba4dd2f1b)}}}}},
		{"string", "00000040 00007001 00000000 00000000 00000000 00000001 0740001f 00000001 00000001 ffffffff 0000000b" +
			` 06000011 "hullo_world!" 007e7e7e`, result(0, 0, blob(0x0740001f, pcp.String, []byte("hullo world!")))},
		{"empty aggregate", "00000030 00007001 00000000 00000000 00000000 00000001 0740001f 00000001 00000001 ffffffff 0000000b 07000004",
			result(0, 0, blob(0x0740001f, pcp.Aggregate, []byte{}))},
		{"event", "00000054 00007001 00000000 00000000 00000000 00000001 07800086 00000001 00000001 ffffffff 0000000b 09000028 " + eventRecord,
			result(0, 0, blob(0x07800086, pcp.Event, unhex(t, eventRecord)))},
		{"high resolution event", "0000005c 00007001 00000000 00000000 00000000 00000001 07800086 00000001 00000001 ffffffff 0000000b 0a000030 " + highResRecord,
			result(0, 0, blob(0x07800086, pcp.HighResEvent, unhex(t, highResRecord)))},
		{"missed events", "00000044 00007001 00000000 00000000 00000000 00000001 07800086 00000001 00000001 ffffffff 0000000b 09000018 " + missedRecord,
			result(0, 0, blob(0x07800086, pcp.Event, unhex(t, missedRecord)))},
		{"of an agent", "00000048 00007001 00000000 00000000 00000000 00000003 7d000000 00000001 00000000 ffffffff 0000002a" +
			" 7d000009 ffffcfc1 7d000400 00000001 00000000 ffffffff 0000002a",
			result(0, 0, singular(0x7d000000, pcp.Int32, 42), missing(0x7d000009, pmerr.Value), singular(0x7d000400, pcp.Int32, 42))},
		{"store", "0000002c 00007001 00000000 6b0024c6 00053610 00000001 07400024 00000001 00000000 ffffffff 00000007",
			result(0x6b0024c6, 0x53610, singular(0x07400024, pcp.Int32, 7))},
		{"store of a string", "0000003c 00007001 00000000 00000000 00000000 00000001 07400020 00000001 00000001 ffffffff 0000000b" +
			" 0600000d 68692074 68657265 007e7e7e", result(0, 0, blob(0x07400020, pcp.String, []byte("hi there")))},
		{"nothing", "00000018 00007001 00000000 00000000 00000000 00000000", result(0, 0)},
		{"two of 64 bits and a float", "00000070 00007015 00000000 00000002 00000000 00000001 00000000 00000002" +
			" 07400001 00000002 00000001 00000064 00000014 000000c8 00000017 07400002 00000001 00000001 ffffffff 0000001a" +
			" 0200000c ffffffff fffffffe 0200000c 00000000 00000003 04000008 3fc00000",
			&HighResResult{Result{Values: &pcp.Result{Time: pcp.Timestamp{Sec: 1, Nsec: 2}, Sets: []pcp.Values{
				{ID: 0x07400001, Type: pcp.Int64, Insts: []int32{100, 200}, Words: []uint64{math.MaxUint64 - 1, 3}},
				singular(0x07400002, pcp.Float, uint64(math.Float32bits(1.5))),
			}}}}},
	}
}

func TestResult(t *testing.T) {
	dumps := resultDumps(t)
	checkDumps(t, dumps)
	checkCuts(t, dumps, true, true)
	const head = "00000000 00000000 00000001 07400001 "
	checkFlaws(t, TypeResult, []flaw{
		{"negative number of sets", "00000000 00000000 ffffffff"},
		{"very many sets", "00000000 00000000 7fffffff 07400001 00000000"},
		{"one set too few", "00000000 00000000 00000002 07400001 00000000"},
		{"very many values", head + "7fffffff 00000000 ffffffff 00000001"},
		{"one value too few", head + "00000002 00000000 ffffffff 00000001"},
		{"unknown format", head + "00000001 00000003 ffffffff 00000001"},
		{"negative format", head + "00000001 ffffffff ffffffff 00000001"},
		{"block before the message", head + "00000001 00000001 ffffffff 00000000 0600000c 00000000 00000000"},
		{"block in the value sets", head + "00000001 00000001 ffffffff 00000007 0600000c 00000000 00000000"},
		{"block behind the end", head + "00000001 00000001 ffffffff 0000000e 0600000c 00000000 00000000"},
		{"block at the last place", head + "00000001 00000001 ffffffff ffffffff 0600000c 00000000 00000000"},
		{"gap before the block", head + "00000001 00000001 ffffffff 0000000c 00000000 0600000c 00000000 00000000"},
		{"bytes behind the block", head + "00000001 00000001 ffffffff 0000000b 0600000c 00000000 00000000 00000000"},
		{"block shorter than its header", head + "00000001 00000001 ffffffff 0000000b 06000003"},
		{"block of nothing", head + "00000001 00000001 ffffffff 0000000b 06000000"},
		{"block longer than the message", head + "00000001 00000001 ffffffff 0000000b 06000010 00000000 00000000"},
		{"longest block", head + "00000001 00000001 ffffffff 0000000b 06ffffff 00000000 00000000"},
		{"block without its pad", head + "00000001 00000001 ffffffff 0000000b 06000007 414243"},
		{"block shared by two values", head + "00000002 00000001 00000001 0000000d 00000002 0000000d 0600000c 00000000 00000000"},
		{"event outside its block", head + "00000001 00000001 ffffffff 0000000b 09000008 00000001"},
		{"set without its values", head + "00000001"},
	})
	checkFlaws(t, TypeHighResResult, []flaw{
		{"nanoseconds", "00000000 00000000 00000001 00000000 3b9aca00"},
		{"negative nanoseconds", "00000000 00000000 00000001 ffffffff ffffffff"},
		{"many seconds in the nanoseconds", "00000000 00000000 00000001 00000001 00000000"},
	})
}

// TestResultTime decodes times of stores, which may be anything.
func TestResultTime(t *testing.T) {
	for _, row := range []struct {
		hex  string
		want pcp.Timestamp
	}{
		{"00000005 000f423f 00000000", pcp.Timestamp{Sec: 5, Nsec: 999999000}},
		{"00000005 000f4240 00000000", pcp.Timestamp{Sec: 5}},
		{"ffffffff ffffffff 00000000", pcp.Timestamp{Sec: -1}},
		{"80000000 80000000 00000000", pcp.Timestamp{Sec: math.MinInt32}},
	} {
		var m Result
		if err := m.Decode(unhex(t, row.hex)); err != nil || m.Values.Time != row.want {
			t.Errorf("%s: time %v, error %v, want %v", row.hex, m.Values.Time, err, row.want)
		}
	}
}

// show prints a column.
func show(v *pcp.Values) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v", v.Type)
	for i, inst := range v.Insts {
		switch {
		case v.Odd != nil && v.Odd[i].Bad:
			fmt.Fprintf(&b, " %d odd", inst)
		case v.Type.Arithmetic():
			fmt.Fprintf(&b, " %d=%d", inst, int64(v.Words[i]))
		default:
			fmt.Fprintf(&b, " %d=%q", inst, v.Blobs[i])
		}
	}
	return b.String()
}

// TestResultTypes decodes values with the type that their description has.
func TestResultTypes(t *testing.T) {
	for _, row := range []struct {
		name, hex string // of one value set, and its blocks
		typ       pcp.Type
		want      string
	}{
		{"signed", "00000000 ffffffff ffffffff", pcp.Int32, "32 -1=-1"},
		{"unsigned", "00000000 ffffffff ffffffff", pcp.Uint32, "U32 -1=4294967295"},
		{"float in place", "00000000 ffffffff 3fc00000", pcp.Float, "FLOAT -1=1069547520"},
		{"64 bits in place", "00000000 ffffffff 00000001", pcp.Int64, "64 -1 odd"},
		{"32 bits in a block", "00000001 ffffffff 0000000b 00000008 00000001", pcp.Int32, "32 -1 odd"},
		{"string of another type", `00000001 ffffffff 0000000b 06000008 "abc" 00`, pcp.Double, "DOUBLE -1 odd"},
		{"string without its end", `00000001 ffffffff 0000000b 06000008 "abcd"`, pcp.String, `STRING -1="abcd"`},
		{"string with bytes behind its end", `00000001 ffffffff 0000000b 06000008 "a" 00 "cd"`, pcp.String, `STRING -1="a"`},
		{"second pointer format", `00000002 ffffffff 0000000b 06000008 "abc" 00`, pcp.String, `STRING -1="abc"`},
		{"unknown type", "00000000 ffffffff 00000001", pcp.Unknown, "UNKNOWN -1 odd"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := Result{TypeOf: func(pcp.ID) pcp.Type { return row.typ }}
			if err := m.Decode(unhex(t, "00000000 00000000 00000001 07400001 00000001 "+row.hex)); err != nil {
				t.Fatal(err)
			}
			if got := show(&m.Values.Sets[0]); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

// TestResultRoundTrip encodes columns of all types in one message.
func TestResultRoundTrip(t *testing.T) {
	want := &pcp.Result{Time: pcp.Timestamp{Sec: 1 << 40, Nsec: 999999999}, Sets: []pcp.Values{
		{ID: 1, Type: pcp.Int32, Insts: []int32{1, 2}, Words: []uint64{math.MaxUint64, 7}},
		{ID: 2, Type: pcp.Uint32, Insts: []int32{1}, Words: []uint64{math.MaxUint32}},
		{ID: 3, Type: pcp.Unknown, Err: pmerr.Again},
		{ID: 4, Type: pcp.Uint64, Insts: []int32{1, 5, 9}, Words: []uint64{1, math.MaxUint64, 3}},
		{ID: 5, Type: pcp.Float, Insts: []int32{-1}, Words: []uint64{uint64(math.Float32bits(-1))}},
		{ID: 6, Type: pcp.String, Insts: []int32{1, 2, 3}, Blobs: [][]byte{{}, []byte("a"), []byte("abcdefg")}},
		{ID: 7, Type: pcp.AggregateStatic, Insts: []int32{-1}, Odd: []pcp.Odd{{Bad: true, Type: pcp.AggregateStatic, Blob: []byte("static")}}, Blobs: [][]byte{nil}},
		{ID: 8, Type: pcp.Aggregate, Insts: []int32{-1}, Blobs: [][]byte{make([]byte, 70000)}},
		{ID: 1, Type: pcp.Int32, Insts: []int32{1}, Words: []uint64{8}},
	}}
	types := map[pcp.ID]pcp.Type{}
	for _, v := range want.Sets {
		types[v.ID] = v.Type
	}
	msg, err := (&HighResResult{Result{Values: want}}).Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := HighResResult{Result{TypeOf: func(id pcp.ID) pcp.Type { return types[id] }}}
	if err := got.Decode(frame(t, msg).Body); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Values, same); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestResultEncodeErrors(t *testing.T) {
	m := result(0, 0, pcp.Values{ID: 1, Type: pcp.Int32, Insts: []int32{1}})
	if msg, err := m.Encode([]byte("x")); !errors.Is(err, pmerr.EINVAL) || string(msg) != "x" {
		t.Errorf("error %v, message %q", err, msg)
	}
	if msg, err := (&HighResResult{*m}).Encode([]byte("x")); !errors.Is(err, pmerr.EINVAL) || string(msg) != "x" {
		t.Errorf("error %v, message %q", err, msg)
	}
}

// TestResultAllocs decodes a result again and again, with the same bytes in it and with other
// numbers.
func TestResultAllocs(t *testing.T) {
	body := frame(t, unhex(t, resultDumps(t)[11].hex)).Body
	text := frame(t, unhex(t, resultDumps(t)[2].hex)).Body
	types := func(id pcp.ID) pcp.Type {
		if id == 0x07400001 {
			return pcp.Int64
		}
		return pcp.Float
	}
	numbers, strings := HighResResult{Result{TypeOf: types}}, Result{}
	if n := testing.AllocsPerRun(100, func() {
		body[len(body)-13]++ // of the second value
		if err := numbers.Decode(body); err != nil {
			t.Fatal(err)
		}
		if err := strings.Decode(text); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if got := show(&strings.Values.Sets[0]); got != `STRING -1="hullo world!"` {
		t.Error(got)
	}
}

// TestResultAmplification decodes many values that all stand in one large block.
func TestResultAmplification(t *testing.T) {
	const n, size = 1 << 12, 1 << 20
	body := unhex(t, "00000000 00000000 00000001 07400001")
	body = wire.AppendUint32(body, n)
	body = wire.AppendUint32(body, wire.DPtr)
	for i := range uint32(n) {
		body = wire.AppendUint32(body, i)
		body = wire.AppendUint32(body, (HeaderSize+24+8*n)/4)
	}
	body = wire.AppendUint32(body, 0x07000000|size)
	body = append(body, make([]byte, size-4)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := new(Result).Decode(body)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrFormat) {
		t.Errorf("error %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

// FuzzResult: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzResult(f *testing.F) {
	for _, d := range resultDumps(f) {
		if d.want.Type() == TypeResult {
			f.Add(unhex(f, d.hex)[HeaderSize:])
		}
	}
	fuzzMessage(f, TypeResult)
}

// FuzzHighResResult: a body that is decoded and encoded decodes to the same; an error is one of the format.
func FuzzHighResResult(f *testing.F) {
	for _, d := range resultDumps(f) {
		if d.want.Type() == TypeHighResResult {
			f.Add(unhex(f, d.hex)[HeaderSize:])
		}
	}
	fuzzMessage(f, TypeHighResResult)
}

func BenchmarkDecodeResult(b *testing.B) {
	const metrics, insts = 10, 100
	want := &pcp.Result{}
	for m := range metrics {
		v := pcp.Values{ID: pcp.ID(m), Type: pcp.Uint64}
		for i := range insts {
			v.Insts, v.Words = append(v.Insts, int32(i)), append(v.Words, uint64(i))
		}
		want.Sets = append(want.Sets, v)
	}
	msg, err := (&HighResResult{Result{Values: want}}).Encode(nil)
	if err != nil {
		b.Fatal(err)
	}
	m := HighResResult{Result{TypeOf: func(pcp.ID) pcp.Type { return pcp.Uint64 }}}
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Decode(msg[HeaderSize:]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(metrics*insts*b.N)/b.Elapsed().Seconds(), "values/s")
}
