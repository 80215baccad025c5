package archive_test

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// record turns text like `0000003a "name\0"` into bytes: hexadecimal words and
// quoted strings.
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

// equalRecord compares a record with what it should be, and makes sure that it
// was appended.
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
