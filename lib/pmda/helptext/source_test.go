package helptext

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// lookup knows one metric and a node.
func lookup(name string) (pcp.ID, error) {
	switch name {
	case "a.b":
		return pcp.NewID(7, 0, 1), nil
	case "a":
		return 0, pmerr.NonLeaf
	}
	return 0, pmerr.Name
}

// TestParse checks entries and problems of sources (collector.md C7.1, C7.2).
func TestParse(t *testing.T) {
	const source = `ignored
@ a.b  one  line 
# comment
text

 more

@
@ 7.2	indom
@7.0.3
@ 7.0.3 again
x
@ 7.0.3 and again
x
@ a node
@ nosuch
@ 7
`
	entries, problems := Parse("f", source, lookup)
	want := []Entry{
		{What: "a.b", OneLine: "one  line ", Text: "text\n\n more", key: uint32(pcp.NewID(7, 0, 1))},
		{What: "7.2", OneLine: "indom", key: uint32(pcp.NewInDom(7, 2)) | isInDom},
		{What: "7.0.3", key: uint32(pcp.NewID(7, 0, 3))},
	}
	if !reflect.DeepEqual(entries, want) {
		t.Errorf("entries %+v\nwant    %+v", entries, want)
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, fmt.Sprint(p, " ", p.Warning))
	}
	wantLines := []string{
		"newhelp: [f:8] null entry? true",
		"newhelp: [f:10] 7.2	indom: warning, null help true",
		"newhelp: [f:11] 7.0.3: warning, null oneline true", "newhelp: [f:11] 7.0.3: warning, null help true",
		"newhelp: [f:13] duplicate key (7.0.3) entry abandoned false", "newhelp: [f:15] duplicate key (7.0.3) entry abandoned false",
		"newhelp: [f:16] a: Metric name is not a leaf in PMNS, entry abandoned false",
		"newhelp: [f:17] nosuch: Unknown metric name, entry abandoned false", "newhelp: [f:18] 7: Unknown metric name, entry abandoned false",
	}
	if !reflect.DeepEqual(lines, wantLines) {
		t.Errorf("problems\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(wantLines, "\n"))
	}
	for _, bad := range []string{"@ 1.2.3 x\n" + strings.Repeat("long\n", 500), "@ 1.2.3 x\x00y\n"} {
		if e, p := Parse("f", bad, nil); len(e) != 0 || Status(p, false) != 2 {
			t.Errorf("%.20q: %d entries, %v", bad, len(e), p)
		}
	}
	if _, p := Parse("f", "@\n@ 1.2.3 x\ny\n", nil); Status(p, false) != 1 {
		t.Errorf("a line that begins no entry: %v", p)
	}
}

// FuzzParse compiles sources and finds every entry in the result.
func FuzzParse(f *testing.F) {
	f.Add("@ a.b one\ntext\n@ 1.2 x\n\n@ 1.2.3\n# c\n")
	f.Add("@\n@ 4294967295.1.1.1 \n")
	f.Fuzz(func(t *testing.T, source string) {
		entries, _ := Parse("f", source, lookup)
		dir, pag, err := Compile(entries, binary.LittleEndian)
		if err != nil {
			t.Fatal(err)
		}
		file, err := decode(dir, pag)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[uint32]bool{}
		for _, e := range entries {
			if seen[e.key] {
				continue
			}
			seen[e.key] = true
			line, err := file.find(e.key, pcp.OneLine, ^uint32(0))
			text, err2 := file.find(e.key, pcp.Help, ^uint32(0))
			if err != nil {
				t.Errorf("%+v: %q, %q, %v, %v", e, line, text, err, err2)
			} else if err2 != nil || line != e.OneLine || text != e.Text {
				t.Errorf("%+v: %q, %q, %v, %v", e, line, text, err, err2)
			}
		}
	})
}
