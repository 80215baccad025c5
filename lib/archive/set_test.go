package archive_test

import (
	"path/filepath"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// setPath builds archives in one directory and returns their list.
func setPath(t testing.TB, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	list := ""
	for _, name := range names {
		must(t, archivetest.Build(dir, name))
		list += "," + filepath.Join(dir, name)
	}
	return list[1:]
}

func TestSetConflicts(t *testing.T) {
	tests := []struct {
		with string
		want pmerr.Code
	}{
		{"setB", 0},
		{"setB_v2", 0},
		{"overlap", 0},
		{"samestart", pmerr.LogOverlap},
		{"otherhost", pmerr.LogHost},
		{"othertype", pmerr.LogChangeType},
		{"othersem", pmerr.LogChangeSem},
		{"otherindom", pmerr.LogChangeInDom},
		{"otherunits", pmerr.LogChangeUnits},
	}
	for _, tt := range tests {
		t.Run(tt.with, func(t *testing.T) {
			s, err := archive.Open(bg, setPath(t, "setA", tt.with), nil)
			wantCode(t, err, tt.want)
			if err == nil {
				s.Close()
			}
		})
	}
}

// TestSetConflictFirst: of two conflicts the one in the metadata counts.
func TestSetConflictFirst(t *testing.T) {
	_, err := archive.Open(bg, setPath(t, "othersem", "othertype"), nil) // they begin at the same time
	wantCode(t, err, pmerr.LogChangeType)
}

func TestSetMetadata(t *testing.T) {
	s := open(t, setPath(t, "setB", "setA"))
	end, err := s.End(bg)
	if got := after(s.Label().Start) + " " + after(end); err != nil || got != "0 12" {
		t.Errorf("bounds: got %s, %v", got, err)
	}
	id, err := s.Lookup("t.i")
	must(t, err)
	d, err := s.Desc(id)
	must(t, err)
	list, err := s.AllInstances(d.InDom)
	if err != nil {
		t.Errorf("all instances: got %v, %v", list, err)
	} else if len(list) != 2 || list[0].ID != 10 || list[1].ID != 0 {
		t.Errorf("all instances: got %v, %v", list, err)
	}
	if _, err := s.Desc(99); pmerr.Of(err) != pmerr.PMIDLog {
		t.Errorf("unknown metric: got %v", err)
	}
}

func TestEnd(t *testing.T) {
	tests := []struct {
		name   string
		change func(r *raw)
		want   string
	}{
		{"whole", func(r *raw) {}, "40"},
		{"without index", func(r *raw) { r.index = nil }, "40"},
		{"mark is last", func(r *raw) { r.data = archive.AppendMark(r.data, 3, seconds(41)) }, "41"},
		{"last record cut", func(r *raw) { r.data = r.data[:len(r.data)-7] }, "30"},
		{"bytes after", func(r *raw) { r.data = append(r.data, 1, 2, 3) }, "40"},
		{"cut without index", func(r *raw) { r.data, r.index = r.data[:len(r.data)-7], nil }, "LOGREC"},
		{"cut with index at the label", func(r *raw) { r.data, r.index = r.data[:len(r.data)-7], r.index[:808+32] }, "30"},
		{"cut with entry before the label", func(r *raw) {
			r.data = r.data[:len(r.data)-7]
			r.index = archive.AppendIndexEntry(r.index, 3, pcp.Timestamp{}, 0, 0, 0)
		}, "LOGREC"},
		{"trailer of the last and of what the index names", func(r *raw) {
			r.data[len(r.data)-1]++
			r.data[808+2*44-1]++
			r.index = r.index[:808+2*32]
		}, "LOGREC"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRaw(3)
			tt.change(r)
			end, err := open(t, r.write(t)).End(bg)
			got := after(end)
			if err != nil {
				got = pmerr.Of(err).Name()[len("PM_ERR_"):]
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
