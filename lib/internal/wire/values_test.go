package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// unhex returns the bytes of hexadecimal words; text in quotes stands for itself.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	var out []byte
	for _, word := range strings.Fields(s) {
		if text, ok := strings.CutPrefix(word, `"`); ok {
			out = append(out, strings.TrimSuffix(text, `"`)...)
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

// column decodes the only value set of a message without any header.
func column(t testing.TB, src []byte, d *pcp.Desc, p *pcp.Profile) (pcp.Values, error) {
	t.Helper()
	var v pcp.Values
	var a Arena
	s := NewSets(src, 0, len(src), 1, 0)
	for s.Next() {
		s.Decode(&v, d, p, &a)
	}
	return v, s.Err()
}

// show prints a column: the error, or instance=value for each value.
func show(v *pcp.Values) string {
	if v.Err != nil {
		return fmt.Sprintf("error %d", v.Err)
	}
	var parts []string
	for i, inst := range v.Insts {
		var s string
		switch val := v.Value(i); {
		case v.Odd != nil && v.Odd[i].Bad && v.Odd[i].InSitu:
			s = fmt.Sprintf("odd(%#x)", v.Odd[i].Word)
		case v.Odd != nil && v.Odd[i].Bad:
			s = fmt.Sprintf("odd(%v %x)", v.Odd[i].Type, v.Odd[i].Blob)
		case v.Type == pcp.Int32, v.Type == pcp.Int64:
			s = fmt.Sprint(int64(val.Word()))
		case v.Type == pcp.Float:
			s = fmt.Sprint(math.Float32frombits(uint32(val.Word())))
		case v.Type == pcp.Double:
			s = fmt.Sprint(math.Float64frombits(val.Word()))
		case v.Type.Arithmetic():
			s = fmt.Sprint(val.Word())
		default:
			s = fmt.Sprintf("%q", val.Bytes())
		}
		parts = append(parts, fmt.Sprintf("%d=%s", inst, s))
	}
	return strings.Join(parts, " ")
}

func TestDecode(t *testing.T) {
	const id, one, ptr = "3d400002 ", "00000001 ", "00000001 00000000 00000005 "
	tests := []struct {
		name string
		typ  pcp.Type
		src  string
		want string
	}{
		{"no values", pcp.Int32, id + "00000000", ""},
		{"error", pcp.Int32, id + "ffffcfc2", "error -12350"},
		{"negative int", pcp.Int32, id + one + "00000000 ffffffff fffffffe", "-1=-2"},
		{"large unsigned", pcp.Uint32, id + one + "00000000 ffffffff fffffffe", "-1=4294967294"},
		{"two instances", pcp.Uint32, id + "00000002 00000000 00000007 00000001 00000003 00000002", "7=1 3=2"},
		{"old float in situ", pcp.Float, id + one + "00000000 ffffffff 3fc00000", "-1=1.5"},
		{"float block", pcp.Float, id + one + ptr + "04000008 3fc00000", "0=1.5"},
		{"64", pcp.Int64, id + one + ptr + "0200000c ffffffff ffffffff", "0=-1"},
		{"u64", pcp.Uint64, id + one + ptr + "0300000c 80000000 00000000", "0=9223372036854775808"},
		{"double", pcp.Double, id + one + ptr + "0500000c 3ff80000 00000000", "0=1.5"},
		{"u64 without type", pcp.Uint64, id + one + ptr + "0000000c 00000000 00000009", "0=9"},
		{"format 2", pcp.Uint64, id + one + "00000002 00000000 00000005 0300000c 00000000 00000009", "0=9"},
		{"string", pcp.String, id + one + ptr + `0600000b "yellow" 00 7e`, `0="yellow"`},
		{"string without end", pcp.String, id + one + ptr + `06000007 "xyz" 7e`, `0="xyz"`},
		{"empty string", pcp.String, id + one + ptr + `06000004`, `0=""`},
		{"aggregate", pcp.Aggregate, id + one + ptr + `07000006 0102 7e7e`, `0="\x01\x02"`},
		{"event", pcp.Event, id + one + ptr + `09000008 00000000`, `0="\x00\x00\x00\x00"`},
		{"int in block", pcp.Int32, id + one + ptr + `00000008 00000007`, "0=odd(32 00000007)"},
		{"double in situ", pcp.Double, id + one + "00000000 ffffffff 00000007", "-1=odd(0x7)"},
		{"string in situ", pcp.String, id + one + "00000000 ffffffff 00000007", "-1=odd(0x7)"},
		{"other type in block", pcp.Int64, id + one + ptr + "0300000c 00000000 00000009", "0=odd(U64 0000000000000009)"},
		{"wrong size", pcp.Int64, id + one + ptr + "02000008 00000009", "0=odd(64 00000009)"},
		{"static aggregate", pcp.AggregateStatic, id + one + ptr + "08000008 00000009", "0=odd(AGGREGATE_STATIC 00000009)"},
		{"event of other kind", pcp.Event, id + one + ptr + "0a000008 00000000", "0=odd(HIGHRES_EVENT 00000000)"},
		{"not supported", pcp.NoSupport, id + one + ptr + "06000008 00000000", "0=odd(STRING 00000000)"},
		{"second one odd", pcp.Int64, id + "00000002 00000001 00000000 00000007 00000001 0000000a 0200000c 00000000 00000001 02000008 00000001",
			"0=1 1=odd(64 00000001)"},
		{"first one odd", pcp.Int64, id + "00000002 00000001 00000000 0000000a 00000001 00000007 0200000c 00000000 00000001 02000008 00000001",
			"0=odd(64 00000001) 1=1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := column(t, unhex(t, tt.src), &pcp.Desc{Type: tt.typ, InDom: 5}, nil)
			if err != nil || show(&v) != tt.want {
				t.Errorf("got %s, %v, want %s", show(&v), err, tt.want)
			}
			if n := max(len(v.Words), len(v.Blobs)); n != len(v.Insts) || v.Odd != nil && len(v.Odd) != n {
				t.Errorf("%d instances, %d words, %d blobs, %d odd", len(v.Insts), len(v.Words), len(v.Blobs), len(v.Odd))
			}
			if v.ID != pcp.NewID(245, 0, 2) {
				t.Errorf("ID: got %v", v.ID)
			}
		})
	}
}

func TestSetsErrors(t *testing.T) {
	const id, one = "3d400002 ", "00000001 "
	tests := []struct {
		name string
		n    int
		src  string
	}{
		{"no set", 1, ""},
		{"set cut", 1, "3d400002"},
		{"second set missing", 2, id + "00000000"},
		{"negative number of sets", -1, ""},
		{"huge number of sets", math.MaxInt32, id + "00000000"},
		{"pairs missing", 1, id + one + "00000000 ffffffff"},
		{"huge count", 1, id + "7fffffff 00000000 ffffffff 00000001"},
		{"bad format", 1, id + one + "00000003 ffffffff 00000001"},
		{"negative format", 1, id + one + "ffffffff ffffffff 00000001"},
		{"bytes left", 1, id + one + "00000000 ffffffff 00000001 00000000"},
		{"block behind the end", 1, id + one + "00000001 ffffffff 00000006 0200000c 00000000 00000001"},
		{"block at a huge index", 1, id + one + "00000001 ffffffff ffffffff 0200000c 00000000 00000001"},
		{"block inside the sets", 1, id + one + "00000001 0300000c 00000003 00000000 00000000 00000000"},
		{"block too long", 1, id + one + "00000001 ffffffff 00000005 02000010 00000000 00000001"},
		{"block too short", 1, id + one + "00000001 ffffffff 00000005 02000003 00000000 00000001"},
		{"block smaller than the rest", 1, id + one + "00000001 ffffffff 00000005 02000008 00000000 00000001"},
		{"block among the sets", 1, id + "00000001 00000001 ffffffff 00000004 02000004"},
		{"block is the next set", 2, id + "00000001 00000001 ffffffff 00000005 02000008 00000000 02000008 00000000"},
		{"block with events behind its end", 1, id + "00000001 00000001 ffffffff 00000005 09000008 00000001"},
		{"block used twice", 1, id + "00000002 00000001 00000000 00000007 00000001 00000007 04000008 00000001"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := unhex(t, tt.src)
			s := NewSets(src, 0, len(src), tt.n, 0)
			for s.Next() {
			}
			if err := s.Err(); !errors.Is(err, ErrFormat) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestSetsBias(t *testing.T) {
	// As in a record: the index counts two words that are not there.
	src := unhex(t, "ffffffff 3d400002 00000001 00000001 ffffffff 00000008 04000008 3fc00000 ffffffff")
	var v pcp.Values
	var a Arena
	s := NewSets(src, 4, len(src)-4, 1, 2)
	for s.Next() {
		s.Decode(&v, &pcp.Desc{Type: pcp.Float, InDom: pcp.NullInDom}, nil, &a)
	}
	if got := show(&v); got != "-1=1.5" || s.Err() != nil {
		t.Errorf("got %s, %v", got, s.Err())
	}
	for _, s := range []Sets{NewSets(src, -1, 4, 0, 2), NewSets(src, 0, 99, 0, 2), NewSets(src, 8, 4, 0, 2)} {
		if s.Next() || s.Err() == nil {
			t.Error("bad bounds were accepted")
		}
	}
}

func TestDecodeProfile(t *testing.T) {
	src := unhex(t, "3d400002 00000003 00000000 00000001 0000000a 00000002 0000000b 00000003 0000000c")
	const dom = pcp.InDom(5)
	var some, none pcp.Profile
	some.Add(dom, 3, 1)
	none.DelAll()
	tests := []struct {
		name string
		p    *pcp.Profile
		d    pcp.InDom
		want string
	}{
		{"nil", nil, dom, "1=10 2=11 3=12"},
		{"some", &some, dom, "1=10 3=12"},
		{"none", &none, dom, ""},
		{"no domain", &none, pcp.NullInDom, "1=10 2=11 3=12"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := column(t, src, &pcp.Desc{Type: pcp.Uint32, InDom: tt.d}, tt.p)
			if err != nil || show(&v) != tt.want {
				t.Errorf("got %s, %v, want %s", show(&v), err, tt.want)
			}
		})
	}
}

func TestDecodeOwnsMemory(t *testing.T) {
	src := unhex(t, `3d400002 00000001 00000001 ffffffff 00000005 06000007 "abc" 00`)
	d := &pcp.Desc{Type: pcp.String, InDom: pcp.NullInDom}
	var v pcp.Values
	var a Arena
	decode := func() []byte {
		s := NewSets(src, 0, len(src), 1, 0)
		for s.Next() {
			s.Decode(&v, d, nil, &a)
		}
		return v.Blobs[0]
	}
	first := decode()
	if again := decode(); &again[0] != &first[0] {
		t.Error("a value that did not change was copied")
	}
	copy(src[len(src)-4:], "xyz")
	if second := decode(); string(first) != "abc" || string(second) != "xyz" {
		t.Errorf("got %q and %q", first, second)
	}
}

func TestDecodeAllocs(t *testing.T) {
	src := unhex(t, "3d400002 00000002 00000001 00000000 00000007 00000001 0000000a 0200000c 00000000 00000001 0200000c 00000000 00000001")
	d := &pcp.Desc{Type: pcp.Int64, InDom: 5}
	var v pcp.Values
	var a Arena
	allocs := testing.AllocsPerRun(100, func() {
		for s := NewSets(src, 0, len(src), 1, 0); s.Next(); {
			s.Decode(&v, d, nil, &a)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a column", allocs)
	}
}

func TestArena(t *testing.T) {
	var a Arena
	var all [][]byte
	for i := range 200 {
		all = append(all, a.copy([]byte(strings.Repeat(string(rune('a'+i%26)), i*i%5000))))
	}
	all = append(all, a.copy(make([]byte, 1<<20)), a.copy(nil))
	for i, b := range all[:200] {
		if string(b) != strings.Repeat(string(rune('a'+i%26)), i*i%5000) || b == nil {
			t.Fatalf("copy %d was overwritten", i)
		}
	}
	if len(all[200]) != 1<<20 || all[201] == nil {
		t.Error("a large or an empty copy is wrong")
	}
}

// FuzzSets: value sets are as many as said, and no byte of a good message has two meanings.
func FuzzSets(f *testing.F) {
	for _, s := range []string{
		"3d400002 00000001 00000000 ffffffff fffffffe",
		`3d400002 00000001 00000001 ffffffff 00000005 06000007 "abc" 00`,
		"3d400002 ffffcfc2",
	} {
		f.Add(unhex(f, s), 1, int32(6))
	}
	f.Fuzz(func(t *testing.T, src []byte, n int, typ int32) {
		s := NewSets(src, 0, len(src), n, 0)
		var v pcp.Values
		var a Arena
		d := pcp.Desc{Type: pcp.Type(typ)}
		sets, low := 0, len(src)
		for ; s.Next(); sets++ {
			s.Decode(&v, &d, nil, &a)
			for i := range v.Len() {
				v.Value(i)
			}
			if s.Count < 0 && v.Err != pmerr.Code(s.Count) {
				t.Fatalf("error %v for count %d", v.Err, s.Count)
			}
			for i := 4; s.Format != InSitu && i < len(s.pairs); i += 8 {
				low = min(low, 4*int(binary.BigEndian.Uint32(s.pairs[i:])))
			}
		}
		// Nothing in a good message has two meanings.
		if s.Err() == nil && (sets != n || low < s.pos) {
			t.Fatalf("%d sets of %d up to byte %d, blocks from %d", sets, n, s.pos, low)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	const n = 100
	var src []byte
	src = binary.BigEndian.AppendUint32(src, 0x3d400002)
	src = binary.BigEndian.AppendUint32(src, n)
	src = binary.BigEndian.AppendUint32(src, DPtr)
	for i := range n {
		src = AppendUint32(src, uint32(i))
		src = AppendUint32(src, uint32(3+2*n+3*i))
	}
	for i := range n {
		src = AppendUint32(src, 0x0300000c)
		src = AppendUint64(src, uint64(i))
	}
	var v pcp.Values
	var a Arena
	d := &pcp.Desc{Type: pcp.Uint64, InDom: 5}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewSets(src, 0, len(src), 1, 0)
		for s.Next() {
			s.Decode(&v, d, nil, &a)
		}
		if s.Err() != nil || v.Len() != n {
			b.Fatal(s.Err(), v.Len())
		}
	}
}

// TestRun changes each byte of a message whose blocks follow each other, and of one with a block of
// another kind among them: the fast path finds the same errors as a check of block by block.
func TestRun(t *testing.T) {
	good := func(src []byte) bool { // of one set with blocks
		n, low, sum := int(int32(binary.BigEndian.Uint32(src[4:]))), len(src), 0
		if n < 1 || n > (len(src)-12)/8 || binary.BigEndian.Uint32(src[8:])-1 > 1 {
			return false
		}
		for i := range n {
			word := binary.BigEndian.Uint32(src[12+8*i+4:])
			if word > uint32(len(src)-4)/4 {
				return false
			}
			off := 4 * int(word)
			size := int(binary.BigEndian.Uint32(src[off:]) & 0xffffff)
			if size < 4 || off+size > len(src) {
				return false
			}
			if typ := pcp.Type(src[off]); (typ == pcp.Event || typ == pcp.HighResEvent) && !fitEvents(typ, src[off+4:off+size]) {
				return false
			}
			low, sum = min(low, off), sum+(size+3)&^3
		}
		return 12+8*n <= low && 12+8*n+sum == len(src)
	}
	const head = "3d400002 00000004 00000001 00000000 0000000b 00000001 0000000e "
	const block = "0300000c 00000000 00000009 "
	for _, text := range []string{
		head + "00000002 00000011 00000003 00000014 " + block + block + block + block,
		head + "00000002 00000011 00000003 00000013 " + block + block + "06000008 7e7e7e7e " + block,
		head + "00000002 00000014 00000003 00000011 " + block + block + block + block,
	} {
		src := unhex(t, text)
		if !good(src) {
			t.Fatalf("the message is not good: %x", src)
		}
		for i := range src {
			for _, b := range []byte{0, 1, 2, 4, 8, 9, 11, 12, 13, 16, 17, 20, 0x80, 0xff} {
				changed := bytes.Clone(src)
				changed[i] = b
				if n := binary.BigEndian.Uint32(changed[4:]); int32(n) < 0 || binary.BigEndian.Uint32(changed[8:]) == InSitu {
					continue
				}
				_, err := column(t, changed, &pcp.Desc{Type: pcp.Uint64, InDom: 5}, nil)
				if want := good(changed); (err == nil) != want {
					t.Errorf("byte %d is %#x: %v, want good %v", i, b, err, want)
				}
			}
		}
	}
}
