package archive

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Records of archive.md A7.
const (
	descRec  = `0000003a 00000001 00800c03 00000006 00800001 00000004 00000000 00000001 00000012 "pmcd.pmlogger.host" 0000003a `
	aliasRec = `00000036 00000001 3d400001 00000000 3d400001 00000003 00000000 00000002 00000003 "t.i" 00000007 "t.alias" 00000036 `
	indomRec = `00000052 00000005 6553f100 00000000 00000000 3d400001 00000003 0000001e 0000000a 00000014 ` +
		`00000000 0000000c 00000010 "three_three" 00 "one" 00 "two_alpha" 00 00000052 `
	indom2Rec = `00000029 00000002 35c9f738 0003ede0 00800001 00000001 0000151b 00000000 "5403" 00 00000029 `
	deltaRec  = `00000039 00000006 6553f10a 00000000 00000000 3d400001 00000002 00000014 00000019 ffffffff 00000000 "two_beta" 00 00000039 `
	labelsRec = `00000043 00000007 6553f10a 00000000 00000000 00000010 3d400002 00000001 ` +
		`ffffffff 0000000b 7b226974656d223a34327d 00000001 0002 04 10 0008 0002 00000043 `
	textRec = `0000001f 00000004 00000005 3d400002 "one_line_x" 00 0000001f `
)

// summary prints the content of metadata.
func summary(m *metadata) string {
	var parts []string
	for _, d := range m.descs {
		var names []string
		d.each(func(name []byte) { names = append(names, string(name)) })
		parts = append(parts, fmt.Sprintf("desc %v %v %v %v %#x %q", d.desc.ID, d.desc.Type, d.desc.InDom, d.desc.Sem, d.desc.Units.Word(), names))
	}
	for _, d := range m.indoms {
		list, gone := decodeChanges(d.body)
		s := fmt.Sprintf("indom %v %v", d.indom, list)
		if d.delta {
			s += fmt.Sprintf(" gone %v", gone)
		}
		parts = append(parts, s)
	}
	for _, l := range m.labels {
		parts = append(parts, fmt.Sprintf("labels %d %#x %v", l.kind, l.ident, decodeLabels(l.body)))
	}
	for _, x := range m.texts {
		parts = append(parts, fmt.Sprintf("text %d %#x %q", x.kind, x.ident, x.text))
	}
	return strings.Join(parts, "; ")
}

func TestDecodeMeta(t *testing.T) {
	tests := []struct {
		name string
		src  string
		want string
	}{
		{"nothing", "", ""},
		{"desc", descRec, `desc 2.3.3 STRING 2.1 discrete 0x0 ["pmcd.pmlogger.host"]`},
		{"two names", aliasRec, `desc 245.0.1 32 245.1 instant 0x0 ["t.i" "t.alias"]`},
		{"name with NUL", `0000002c 00000001 3d400001 00000000 ffffffff 00000003 00000000 00000001 00000004 "t.i" 00 0000002c`,
			`desc 245.0.1 32 PM_INDOM_NULL instant 0x0 ["t.i"]`},
		{"no name", `00000024 00000001 3d400001 00000000 ffffffff 00000003 00000000 00000000 00000024`,
			`desc 245.0.1 32 PM_INDOM_NULL instant 0x0 []`},
		{"indom v3", indomRec, "indom 245.1 [{10 one} {20 two alpha} {30 three three}]"},
		{"indom v2", indom2Rec, "indom 2.1 [{5403 5403}]"},
		{"empty indom", "00000020 00000005 6553f100 00000000 00000000 3d400001 00000000 00000020", ""},
		{"delta", deltaRec, "indom 245.1 [{20 } {25 two beta}] gone map[20:true]"},
		{"labels", labelsRec, `labels 16 0x3d400002 [{-1 <nil> [{item 42 16}]}]`},
		{"text", textRec, `text 5 0x3d400002 "one line x"`},
		{"text of both levels and both objects", strings.Replace(textRec, "00000005", "0000000f", 1), `text 15 0x3d400002 "one line x"`},
		{"indom with a string at the end", strings.Replace(indomRec, "0000000c", "0000001a", 1), "indom 245.1 [{10 } {20 two alpha} {30 three three}]"},
		{"rest of a header", descRec + "00000012 000000", `desc 2.3.3 STRING 2.1 discrete 0x0 ["pmcd.pmlogger.host"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, _, err := decodeMeta(context.Background(), unhex(t, tt.src), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := summary(m); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestDecodeMetaErrors(t *testing.T) {
	// edit changes the n-th word of a record.
	edit := func(rec string, n int, word string) string {
		w := strings.Fields(rec)
		w[n] = word
		return strings.Join(w, " ")
	}
	tests := []struct {
		name string
		src  string
		want error
	}{
		{"length zero", "00000000 00000001", pmerr.LogRec},
		{"length negative", "ffffffff 00000001", pmerr.LogRec},
		{"length too short", "00000008 00000001", pmerr.LogRec},
		{"record cut", descRec[:len(descRec)-10], pmerr.LogRec},
		{"bad trailer", edit(descRec, 10, "0000003b"), pmerr.LogRec},
		{"unknown type", edit(descRec, 1, "00000009"), pmerr.RecType},
		{"type zero", edit(descRec, 1, "00000000"), pmerr.RecType},
		{"desc with too many names", edit(descRec, 7, "7fffffff"), pmerr.LogRec},
		{"desc with name too long", edit(descRec, 8, "00000013"), pmerr.LogRec},
		{"desc with name of negative length", edit(descRec, 8, "ffffffff"), pmerr.LogRec},
		{"desc with too few names", edit(aliasRec, 7, "00000001"), pmerr.LogRec},
		{"desc without its name", edit(descRec, 7, "00000000"), pmerr.LogRec},
		{"desc with name too short", edit(descRec, 8, "00000011"), pmerr.LogRec},
		{"desc too short", "0000000c 00000001 0000000c", pmerr.LogRec},
		{"indom with negative count", edit(indomRec, 6, "ffffffff"), pmerr.LogRec},
		{"indom with huge count", edit(indomRec, 6, "10000000"), pmerr.LogRec},
		{"indom with negative instance", edit(indomRec, 8, "ffffffff"), pmerr.LogRec},
		{"indom with negative offset", edit(indomRec, 10, "ffffffff"), pmerr.LogRec},
		{"indom with offset after the strings", edit(indomRec, 10, "0000001b"), pmerr.LogRec},
		{"delta with other negative offset", edit(deltaRec, 9, "fffffffe"), pmerr.LogRec},
		{"labels with negative count", edit(labelsRec, 7, "ffffffff"), pmerr.LogRec},
		{"labels with JSON too long", edit(labelsRec, 9, "00010000"), pmerr.LogRec},
		{"labels with JSON of negative length", edit(labelsRec, 9, "ffffffff"), pmerr.LogRec},
		{"labels with too many", edit(labelsRec, 11, "00000100"), pmerr.LogRec},
		{"labels after the end", edit(labelsRec, 11, "00000002"), pmerr.LogRec},
		{"text of no object", edit(textRec, 2, "00000001"), pmerr.RecType},
		{"text of no level", edit(textRec, 2, "00000004"), pmerr.RecType},
		{"text of a domain and no level", edit(textRec, 2, "00000008"), pmerr.RecType},
		{"text of no kind", edit(textRec, 2, "00000000"), pmerr.RecType},
		{"text of unknown kind", edit(textRec, 2, "00000010"), pmerr.RecType},
		{"text without identifier", "00000010 00000004 00000005 00000010", pmerr.LogRec},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, off, err := decodeMeta(context.Background(), unhex(t, descRec+tt.src), nil)
			if !errors.Is(err, tt.want) || off != 0x3a {
				t.Errorf("got %v at %d, want %v at 58", err, off, tt.want)
			}
		})
	}
}

func TestLabelsWithError(t *testing.T) {
	// A negative number of labels is an error code; the set is skipped.
	body := unhex(t, "00000002 00000001 00000000 ffffcfc2 00000007 0000000b 7b226974656d223a34327d 00000001 0002 04 10 0008 0002")
	if !checkLabels(body) {
		t.Fatal("refused")
	}
	got := decodeLabels(body)
	if len(got) != 1 || got[0].Inst != 7 || got[0].Labels[0] != (pcp.Label{Name: "item", Value: "42", Flags: 16}) {
		t.Errorf("got %v", got)
	}
	// A label that is not in the JSON text is left out.
	bad := unhex(t, "00000001 00000007 00000002 7b7d 00000001 0002 04 10 0008 0002")
	if got := decodeLabels(bad); len(got) != 1 || len(got[0].Labels) != 0 {
		t.Errorf("got %v", got)
	}
}

// checkTree checks that the name space is a tree: each name is there once, below the node that its
// beginning names.
func checkTree(t testing.TB, s *Set) {
	t.Helper()
	seen := map[string]bool{}
	if err := s.Walk("", func(name string, id pcp.ID) bool {
		if seen[name] || name == "" || id == pcp.NullID {
			t.Errorf("%q, %v: seen %v", name, id, seen[name])
		}
		seen[name] = true
		return true
	}); err != nil {
		t.Error(err)
	}
	leaves, nodes := 0, map[string]bool{}
	for prefixes := []string{""}; len(prefixes) > 0; {
		prefix := prefixes[0]
		prefixes = prefixes[1:]
		list, err := s.Children(prefix)
		if err != nil {
			t.Errorf("%q: %v", prefix, err)
		}
		for _, c := range list {
			name := c.Name
			if prefix != "" {
				name = prefix + "." + c.Name
			}
			if c.Leaf != seen[name] || nodes[name] {
				t.Errorf("%q below %q: leaf %v, seen %v, twice %v", c.Name, prefix, c.Leaf, seen[name], nodes[name])
			}
			nodes[name] = true
			prefixes = append(prefixes, name)
			if c.Leaf {
				leaves++
			}
		}
	}
	if leaves != len(seen) {
		t.Errorf("%d leaves, %d names", leaves, len(seen))
	}
}

// FuzzMeta: each name of accepted metadata leads to its metric and back, and instances can be asked for.
func FuzzMeta(f *testing.F) {
	for _, s := range []string{descRec, aliasRec, indomRec, indom2Rec, deltaRec, labelsRec, textRec, indomRec + deltaRec + descRec} {
		f.Add(unhex(f, s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, _, err := decodeMeta(context.Background(), src, nil)
		if err != nil {
			return
		}
		s := newSet(nil)
		s.members = []*member{{}}
		if s.merge(m) != nil {
			return
		}
		at := pcp.Timestamp{Sec: 1700000010}
		for id := range s.descs {
			names, _ := s.Names(id)
			for _, name := range names {
				if got, err := s.Lookup(name); err != nil || got != id {
					t.Errorf("%q is %v, %v, want %v", name, got, err, id)
				}
			}
		}
		checkTree(t, s)
		for d := range s.indoms {
			list, err := s.Instances(d, at)
			for i := range list {
				if i > 0 && list[i-1].ID > list[i].ID {
					t.Errorf("instances out of order: %v", list)
				}
			}
			all, allErr := s.AllInstances(d)
			if err == nil && d != pcp.NullInDom && (allErr != nil || len(all) > 1<<20) {
				t.Errorf("all instances: %v", allErr)
			}
		}
		for l := range s.labels {
			s.Labels(l.kind, l.ident, at)
		}
	})
}
