package archive_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// instances makes instances of words such as "3=three".
func instances(words ...string) []pcp.Instance {
	var out []pcp.Instance
	for _, w := range words {
		id, name, _ := strings.Cut(w, "=")
		var n int32
		if _, err := fmt.Sscan(id, &n); err != nil {
			panic(err)
		}
		out = append(out, pcp.Instance{ID: n, Name: name})
	}
	return out
}

func TestSetInDom(t *testing.T) {
	abc := instances("1=a", "2=b", "3=c")
	tests := []struct {
		name  string
		steps [][]pcp.Instance
		v3    string
		v2    string
	}{
		{"same", [][]pcp.Instance{abc, abc}, "5:62", "2:58"},
		{"same in other order", [][]pcp.Instance{abc, instances("3=c", "1=a", "2=b")}, "5:62", "2:58"},
		{"one more", [][]pcp.Instance{abc, instances("1=a", "2=b", "3=c", "4=d")}, "5:62 6:42", "2:58 2:68"},
		{"one less", [][]pcp.Instance{abc, instances("1=a", "3=c")}, "5:62 6:40", "2:58 2:48"},
		{"one for another", [][]pcp.Instance{abc, instances("1=a", "3=c", "4=d")}, "5:62 6:50", "2:58 2:58"},
		{"most changed", [][]pcp.Instance{abc, instances("1=a", "5=e", "6=f")}, "5:62 5:62", "2:58 2:58"},
		{"name changed", [][]pcp.Instance{abc, instances("1=a", "2=b", "3=d")}, "5:62 5:62", "2:58 2:58"},
		{"emptied and back", [][]pcp.Instance{abc, nil, instances("1=a")}, "5:62 5:32 5:42", "2:58 2:28 2:38"},
		{"empty twice", [][]pcp.Instance{nil, nil}, "5:32", "2:28"},
	}
	for _, tt := range tests {
		for version, want := range map[int]string{2: tt.v2, 3: tt.v3} {
			t.Run(fmt.Sprint(tt.name, " version ", version), func(t *testing.T) {
				w, base := newWriter(t, &archive.WriterOptions{Version: version, Start: seconds(0)})
				for i, insts := range tt.steps {
					must(t, w.SetInDom(seconds(int64(i)), testDom, insts))
				}
				if got := finish(t, w, base); got != want+" 1:46" {
					t.Errorf("records %s, want %s", got, want)
				}
			})
		}
	}
}

// TestSetInDomSorts makes sure that the caller's slice stays as it is while the
// record ascends.
func TestSetInDomSorts(t *testing.T) {
	w, base := newWriter(t, &archive.WriterOptions{Start: seconds(0)})
	given := instances("3=c", "1=a")
	must(t, w.SetInDom(seconds(0), testDom, given))
	if given[0].ID != 3 {
		t.Errorf("slice changed: %v", given)
	}
	finish(t, w, base)
	want := record(t, `3d400001 00000002 00000001 00000003 00000000 00000002 "a\x00c\x00"`)
	if got := string(file(t, base+".meta")); !strings.Contains(got, string(want)) {
		t.Errorf("metadata %x", got)
	}
}

func TestSetInDomErrors(t *testing.T) {
	tests := []struct {
		name  string
		at    pcp.Timestamp
		indom pcp.InDom
		insts []pcp.Instance
		err   error
	}{
		{"no domain", seconds(0), pcp.NullInDom, nil, pmerr.InDom},
		{"negative", seconds(0), testDom, instances("-1=a"), pmerr.Inst},
		{"twice", seconds(0), testDom, instances("1=a", "2=b", "1=c"), pmerr.Inst},
		{"NUL", seconds(0), testDom, instances("1=a\x00b"), pmerr.Inst},
		{"time", pcp.Timestamp{Nsec: -1}, testDom, nil, pmerr.EINVAL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, base := newWriter(t, nil)
			if err := w.SetInDom(tt.at, tt.indom, tt.insts); !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if got := finish(t, w, base); got != "1:46" {
				t.Errorf("records %s", got)
			}
		})
	}
}
