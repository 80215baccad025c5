package archive_test

import (
	"encoding/binary"
	"os"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmerr"
)

// TestLogicalEnd looks for the end of damaged archives (archive.md A9).
func TestLogicalEnd(t *testing.T) {
	tests := []struct {
		name   string
		change func(r *raw)
		want   string
	}{
		{"whole", func(*raw) {}, "40"},
		{"no index", func(r *raw) { r.index = nil }, "40"},
		{"last record cut", func(r *raw) { r.data = r.data[:len(r.data)-1] }, "30"},
		{"last record cut to its length", func(r *raw) { r.data = r.data[:rawRecord(4)+4] }, "30"},
		{"last two cut", func(r *raw) { r.data = r.data[:rawRecord(3)+5] }, "20"},
		{"all but the first cut", func(r *raw) { r.data = r.data[:rawRecord(1)+9] }, "0"},
		{"first cut", func(r *raw) { r.data = r.data[:rawRecord(0)+9] }, "LOGREC"},
		{"last cut and no index", func(r *raw) { r.data, r.index = r.data[:len(r.data)-1], nil }, "LOGREC"},
		{"last cut and index of the start", func(r *raw) { r.data, r.index = r.data[:len(r.data)-1], r.index[:808+32] }, "30"},
		{"last cut and empty index", func(r *raw) { r.data, r.index = r.data[:len(r.data)-1], append(r.index[:808], 0) }, "LOGREC"},
		{"bytes after the last", func(r *raw) { r.data = append(r.data, 1, 2, 3, 4, 5) }, "40"},
		{"bytes after the last and no index", func(r *raw) { r.data, r.index = append(r.data, 1, 2, 3, 4, 5), nil }, "LOGREC"},
		{"zeros after the last", func(r *raw) { r.data = append(r.data, make([]byte, 40)...) }, "40"},
		{"sets of the last", func(r *raw) { r.data[rawRecord(4)+19]++ }, "30"},
		{"sets of the last and no index", func(r *raw) { r.data[rawRecord(4)+19]++; r.index = nil }, "LOGREC"},
		{"trailer of the last", func(r *raw) { r.data[len(r.data)-1]++ }, "30"},
		{"length of the last", func(r *raw) { r.data[rawRecord(4)+3]++ }, "30"},
		{"trailer of the last too long", func(r *raw) { binary.BigEndian.PutUint32(r.data[len(r.data)-4:], 1<<31) }, "30"},
		// The step back from the last entry meets the damage.
		{"the last two", func(r *raw) { r.data[len(r.data)-1]++; r.data[rawRecord(3)+19]++ }, "LOGREC"},
		{"mark at the end", func(r *raw) { r.data = archive.AppendMark(r.data, 3, seconds(45)) }, "45"},
		{"earlier than the others", func(r *raw) { binary.BigEndian.PutUint32(r.data[rawRecord(4)+4:], uint32(seconds(7).Sec)) }, "7"},
		{"last entry of another volume", func(r *raw) {
			r.data = r.data[:len(r.data)-1]
			r.index[len(r.index)-32+15] = 5
		}, "30"},
		{"last entry after the end", func(r *raw) {
			r.data = r.data[:len(r.data)-1]
			binary.BigEndian.PutUint64(r.index[len(r.index)-8:], 1<<40)
		}, "30"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRaw(3)
			tt.change(r)
			s := open(t, r.write(t))
			for range 2 { // the second time from memory
				got := ""
				if end, err := s.End(bg); err != nil {
					got = pmerr.Of(err).Name()[len("PM_ERR_"):]
				} else {
					got = after(end)
				}
				if got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
			}
		})
	}
}

// TestEndOfVolumes: a volume without records, or one that cannot be read, leaves the end to the one
// before it.
func TestEndOfVolumes(t *testing.T) {
	for _, name := range []string{"volumes", "volumes_v2"} {
		base := archivetest.Path(t, name)
		last, err := open(t, base).End(bg)
		must(t, err)
		var ends []string
		for _, size := range []int64{-1, 200, 10, 0} {
			if size >= 0 {
				must(t, os.Truncate(base+".2", size))
			}
			end, err := open(t, base).End(bg)
			must(t, err)
			ends = append(ends, after(end))
		}
		must(t, os.Remove(base+".2"))
		end, err := open(t, base).End(bg)
		must(t, err)
		if ends[0] != after(last) || ends[2] != after(end) {
			t.Errorf("%s: ends %v, without the volume %s", name, ends, after(end))
		} else if ends[3] != after(end) || end.Compare(last) >= 0 {
			t.Errorf("%s: ends %v, without the volume %s", name, ends, after(end))
		}
	}
}
