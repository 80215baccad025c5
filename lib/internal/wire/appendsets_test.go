package wire

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// one returns a column with one value, a number or bytes.
func one(t pcp.Type, word uint64, blob []byte) pcp.Values {
	v := pcp.Values{ID: 0x3d400002, Type: t, Insts: []int32{-1}}
	if t.Arithmetic() {
		v.Words = []uint64{word}
	} else {
		v.Blobs = [][]byte{blob}
	}
	return v
}

// odd returns a column with one value that does not fit.
func odd(t pcp.Type, o pcp.Odd) pcp.Values {
	o.Bad = true
	v := one(t, 0, nil)
	v.Odd = []pcp.Odd{o}
	return v
}

// TestAppendSets writes one value set and its blocks.
func TestAppendSets(t *testing.T) {
	f := uint64(math.Float32bits(1.5))
	for _, row := range []struct {
		name string
		w    SetWriter
		v    pcp.Values
		want string
	}{
		{"no values", SetWriter{}, pcp.Values{ID: 0x3d400002}, "3d400002 00000000"},
		{"error", SetWriter{}, pcp.Values{ID: 0x3d400002, Err: pmerr.PMID}, "3d400002 ffffcfba"},
		{"32", SetWriter{}, one(pcp.Int32, math.MaxUint64, nil), "3d400002 00000001 00000000 ffffffff ffffffff"},
		{"U32", SetWriter{}, one(pcp.Uint32, 7, nil), "3d400002 00000001 00000000 ffffffff 00000007"},
		{"64", SetWriter{}, one(pcp.Int64, math.MaxUint64-1, nil), "3d400002 00000001 00000001 ffffffff 00000005 0200000c ffffffff fffffffe"},
		{"U64", SetWriter{}, one(pcp.Uint64, 7, nil), "3d400002 00000001 00000001 ffffffff 00000005 0300000c 00000000 00000007"},
		{"double", SetWriter{}, one(pcp.Double, math.Float64bits(1), nil), "3d400002 00000001 00000001 ffffffff 00000005 0500000c 3ff00000 00000000"},
		{"float", SetWriter{}, one(pcp.Float, f, nil), "3d400002 00000001 00000001 ffffffff 00000005 04000008 3fc00000"},
		{"float in place", SetWriter{FloatInSitu: true}, one(pcp.Float, f, nil), "3d400002 00000001 00000000 ffffffff 3fc00000"},
		{"empty string", SetWriter{}, one(pcp.String, 0, nil), "3d400002 00000001 00000001 ffffffff 00000005 06000005 007e7e7e"},
		{"string", SetWriter{}, one(pcp.String, 0, []byte("abc")), `3d400002 00000001 00000001 ffffffff 00000005 06000008 "abc" 00`},
		{"empty aggregate", SetWriter{}, one(pcp.Aggregate, 0, []byte{}), "3d400002 00000001 00000001 ffffffff 00000005 07000004"},
		{"aggregate", SetWriter{}, one(pcp.Aggregate, 0, []byte("ab")), `3d400002 00000001 00000001 ffffffff 00000005 07000006 "ab" 7e7e`},
		{"bias", SetWriter{Bias: 3}, one(pcp.Float, f, nil), "3d400002 00000001 00000001 ffffffff 00000008 04000008 3fc00000"},
		{"other identifier", SetWriter{ID: func(id pcp.ID) pcp.ID { return id + 1 }}, one(pcp.Int32, 7, nil), "3d400003 00000001 00000000 ffffffff 00000007"},
		{"two values", SetWriter{}, pcp.Values{ID: 0x3d400002, Type: pcp.String, Insts: []int32{1, 2}, Blobs: [][]byte{[]byte("abcd"), []byte("e")}},
			`3d400002 00000002 00000001 00000001 00000007 00000002 0000000a 06000009 "abcd" 007e7e7e 06000006 "e" 007e7e`},
		{"odd in place", SetWriter{}, odd(pcp.String, pcp.Odd{InSitu: true, Word: 7}), "3d400002 00000001 00000000 ffffffff 00000007"},
		{"odd in a block", SetWriter{}, odd(pcp.Int32, pcp.Odd{Type: pcp.AggregateStatic, Blob: []byte("abcde")}),
			`3d400002 00000001 00000001 ffffffff 00000005 08000009 "abcde" 7e7e7e`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := row.w.Append([]byte("in front"), 8, []pcp.Values{row.v})
			got, found := bytes.CutPrefix(got, []byte("in front"))
			if want := unhex(t, row.want); err != nil || !found || !bytes.Equal(got, want) {
				t.Errorf("got %x, error %v, want %x", got, err, want)
			}
		})
	}
}

// TestAppendSetsPlace writes several sets after a header: blocks are after all sets, in order.
func TestAppendSetsPlace(t *testing.T) {
	var w SetWriter
	got, err := w.Append([]byte("xxHEADHEAD"), 2, []pcp.Values{
		one(pcp.Float, 1, nil), {ID: 5, Err: pmerr.Again}, one(pcp.Int32, 9, nil), one(pcp.Int64, 2, nil),
	})
	want := unhex(t, `"xxHEADHEAD" 3d400002 00000001 00000001 ffffffff 00000013 00000005 ffffcf9b 3d400002 00000001 00000000 ffffffff 00000009`+
		" 3d400002 00000001 00000001 ffffffff 00000015 04000008 00000001 0200000c 00000000 00000002")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %x, error %v, want %x", got, err, want)
	}
}

func TestAppendSetsErrors(t *testing.T) {
	for _, row := range []struct {
		name string
		v    pcp.Values
		want pmerr.Code
	}{
		{"positive error", pcp.Values{Err: pmerr.Code(5)}, pmerr.EINVAL},
		{"values beside an error", pcp.Values{Err: pmerr.PMID, Type: pcp.Int32, Insts: []int32{-1}, Words: []uint64{1}}, pmerr.EINVAL},
		{"no words", pcp.Values{Type: pcp.Int32, Insts: []int32{-1}}, pmerr.EINVAL},
		{"too many words", pcp.Values{Type: pcp.Int32, Insts: []int32{-1}, Words: []uint64{1, 2}}, pmerr.EINVAL},
		{"no blobs", pcp.Values{Type: pcp.String, Insts: []int32{-1}}, pmerr.EINVAL},
		{"words for a string", pcp.Values{Type: pcp.String, Insts: []int32{-1}, Words: []uint64{1}}, pmerr.EINVAL},
		{"too few odd ones", pcp.Values{Type: pcp.Int32, Insts: []int32{1, 2}, Words: []uint64{1, 2}, Odd: make([]pcp.Odd, 1)}, pmerr.EINVAL},
		{"both formats", pcp.Values{Type: pcp.Int32, Insts: []int32{1, 2}, Words: []uint64{1, 2}, Odd: []pcp.Odd{{}, {Bad: true}}}, pmerr.EINVAL},
		{"no type", one(pcp.NoSupport, 0, []byte{}), pmerr.Type},
		{"type of more than a byte", one(256, 0, []byte{}), pmerr.Type},
		{"longer than a block", one(pcp.Aggregate, 0, make([]byte, maxBlob+1)), pmerr.TooBig},
		{"string longer than a block", one(pcp.String, 0, make([]byte, maxBlob)), pmerr.TooBig},
		{"events outside the value", one(pcp.Event, 0, []byte{0, 0, 0, 1}), pmerr.EINVAL},
	} {
		t.Run(row.name, func(t *testing.T) {
			var w SetWriter
			got, err := w.Append([]byte("x"), 1, []pcp.Values{one(pcp.Int32, 1, nil), row.v})
			if !errors.Is(err, row.want) || string(got) != "x" {
				t.Errorf("%d bytes, error %v, want %v", len(got), err, row.want)
			}
		})
	}
	var w SetWriter
	if got, err := w.Append(nil, 0, []pcp.Values{one(pcp.Aggregate, 0, make([]byte, maxBlob))}); err != nil || len(got) != 20+4+maxBlob+1 {
		t.Errorf("the largest block: %d bytes, error %v", len(got), err)
	}
}

// FuzzAppendSets decodes value sets, writes them, and decodes them again.
func FuzzAppendSets(f *testing.F) {
	for _, s := range []string{
		"3d400002 00000001 00000000 ffffffff fffffffe",
		`3d400002 00000001 00000001 ffffffff 00000005 06000007 "abc" 00`,
		"3d400002 ffffcfc2 3d400002 00000001 00000001 00000005 00000007 02000008 00000001",
	} {
		f.Add(unhex(f, s), 1, int32(6))
	}
	decode := func(src []byte, n int, d *pcp.Desc) ([]pcp.Values, error) {
		var a Arena
		var out []pcp.Values
		s := NewSets(src, 0, len(src), n, 0)
		for s.Next() {
			var v pcp.Values
			s.Decode(&v, d, nil, &a)
			out = append(out, v)
		}
		return out, s.Err()
	}
	f.Fuzz(func(t *testing.T, src []byte, n int, typ int32) {
		d := &pcp.Desc{Type: pcp.Type(typ)}
		sets, err := decode(src, n, d)
		if err != nil {
			return
		}
		var w SetWriter
		msg, err := w.Append(nil, 0, sets)
		if err != nil {
			return
		}
		again, err := decode(msg, n, d)
		if err != nil {
			t.Fatalf("decoding what was written, %x: %v", msg, err)
		}
		if diff := cmp.Diff(sets, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("written and read (-first +second):\n%s", diff)
		}
	})
}
