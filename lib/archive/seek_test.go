package archive_test

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

// miniSize is the size of a record of newRaw(3), and rawRecord the offset of one.
const miniSize = 44

func rawRecord(i int) int { return 808 + miniSize*i }

// sought returns an archive of six records that hold 0 to 5, ten seconds apart, with an index of
// the listed records. damage damages the record with the number bad.
func sought(t testing.TB, index []int, bad int, damage func(rec []byte)) *archive.Set {
	t.Helper()
	r := newRaw(3)
	rec, err := archive.AppendRecord(nil, 3, mini(seconds(50), 5))
	must(t, err)
	r.data = append(r.data, rec...)
	r.index = rawLabel(3, -2)
	for _, i := range index {
		r.index = archive.AppendIndexEntry(r.index, 3, seconds(int64(10*i)), 0, int64(len(r.meta)), int64(rawRecord(i)))
	}
	if index == nil {
		r.index = nil
	}
	damage(r.data[rawRecord(bad):rawRecord(bad+1)])
	return open(t, r.write(t))
}

// firstAt returns the result of the first fetch from a time: a value, or the code of the error.
func firstAt(t testing.TB, s *archive.Set, sec int64) string {
	t.Helper()
	word, _, _ := strings.Cut(follow(at(t, s, pcp.Forward, sec), miniDesc.ID), " ")
	_, value, ok := strings.Cut(word, "=")
	if !ok {
		return word
	}
	return value
}

// Ways to damage a record.
func noDamage([]byte)     {}
func trailer(rec []byte)  { rec[miniSize-1]++ }
func length(rec []byte)   { rec[3]-- }
func noLength(rec []byte) { binary.BigEndian.PutUint32(rec[miniSize-4:], 0) }
func tooLong(rec []byte)  { binary.BigEndian.PutUint32(rec[miniSize-4:], 1<<31-1) }
func moreSets(rec []byte) { rec[19]++ }
func format(rec []byte)   { rec[31] = 5 }
func minusOne(rec []byte) { binary.BigEndian.PutUint32(rec[16:], 1<<32-1) }
func manySets(rec []byte) { binary.BigEndian.PutUint32(rec[16:], 1000) }

// TestSeekDamage looks for times near a damaged record. All answers are those of the reference.
func TestSeekDamage(t *testing.T) {
	ends := []int{0, 5}
	tests := []struct {
		name   string
		index  []int
		bad    int
		damage func(rec []byte)
		want   string // at 0, 5, 10, 15, 20, 24, 26, 30, 35, 40, 45, 50
	}{
		{"none", ends, 0, noDamage, "0 1 1 2 2 3 3 3 4 4 5 5"},
		{"none but many entries", []int{0, 1, 2, 3, 4, 5}, 0, noDamage, "0 1 1 2 2 3 3 3 4 4 5 5"},
		// On the way back from the later entry a damaged frame stops the search, unless its length
		// cannot be.
		{"trailer of 0", ends, 0, trailer, "LOGREC LOGREC LOGREC LOGREC LOGREC LOGREC 3 3 4 4 5 5"},
		{"trailer of 20", ends, 2, trailer, "0 1 1 LOGREC LOGREC LOGREC LOGREC 3 4 4 5 5"},
		{"trailer of 40", ends, 4, trailer, "0 1 1 2 2 3 LOGREC LOGREC LOGREC LOGREC LOGREC 5"},
		{"length of 20", ends, 2, length, "0 1 1 LOGREC LOGREC LOGREC LOGREC 3 4 4 5 5"},
		{"no length at 30", ends, 3, noLength, "0 1 1 2 2 LOGREC 4 4 4 4 5 5"},
		{"no length at 40", ends, 4, noLength, "0 1 1 2 2 3 5 5 5 5 5 5"},
		{"length too long at 30", ends, 3, tooLong, "0 1 1 2 2 LOGREC 4 4 4 4 5 5"},
		// A damaged record is skipped unless it is the first one.
		{"sets of 20", ends, 2, moreSets, "0 1 1 LOGREC LOGREC LOGREC 3 3 4 4 5 5"},
		{"sets of 30", ends, 3, moreSets, "0 1 1 2 2 LOGREC 4 4 4 4 5 5"},
		{"sets of 40", ends, 4, moreSets, "0 1 1 2 2 3 LOGREC LOGREC LOGREC LOGREC LOGREC 5"},
		{"format of 30", ends, 3, format, "0 1 1 2 2 LOGREC 4 4 4 4 5 5"},
		{"negative sets of 30", ends, 3, minusOne, "0 1 1 2 2 LOGREC LOGREC LOGREC LOGREC 4 5 5"},
		{"too many sets of 30", ends, 3, manySets, "0 1 1 2 2 LOGREC LOGREC LOGREC LOGREC 4 5 5"},
		// The later one of two entries that are equally near; one step back from the earlier one.
		{"between two", []int{0, 2}, 0, trailer, "LOGREC LOGREC 1 2 2 3 3 3 4 4 5 5"},
		{"before the nearer one", []int{0, 3, 5}, 2, trailer, "0 1 1 LOGREC LOGREC LOGREC LOGREC 3 LOGREC 4 5 5"},
		{"before the last one", []int{0, 3}, 2, trailer, "0 1 1 LOGREC LOGREC LOGREC LOGREC 3 4 4 5 5"},
		{"no index", nil, 2, trailer, "0 1 1 LOGREC LOGREC LOGREC LOGREC LOGREC LOGREC LOGREC LOGREC LOGREC"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sought(t, tt.index, tt.bad, tt.damage)
			var got []string
			for _, sec := range []int64{0, 5, 10, 15, 20, 24, 26, 30, 35, 40, 45, 50} {
				got = append(got, firstAt(t, s, sec))
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestSeekUnusable has entries of the index that point noPosition: they do no harm.
func TestSeekUnusable(t *testing.T) {
	for _, off := range []int64{-1, 0, 1, 807, int64(rawRecord(2)) + 1, int64(rawRecord(6)) + 1, 1 << 40, -1 << 63, 1<<63 - 1, 1<<63 - 4} {
		for _, vol := range []int32{0, 1, -1, 1 << 30} {
			r := newRaw(3)
			r.index = rawLabel(3, -2)
			for _, at := range []int64{0, 20, 40} {
				r.index = archive.AppendIndexEntry(r.index, 3, seconds(at), vol, 0, off)
			}
			s := open(t, r.write(t))
			for when, want := range map[int64]string{0: "0", 5: "1", 20: "2", 39: "4", 40: "4", 41: "EOL"} {
				if got := firstAt(t, s, when); got != want {
					t.Errorf("volume %d, offset %d, from %d: got %s, want %s", vol, off, when, got, want)
				}
			}
		}
	}
}

// TestVolumeSkipped has a volume that cannot be read between two others: it counts as missing.
func TestVolumeSkipped(t *testing.T) {
	whole := open(t, archivetest.Path(t, "volumes"))
	all := strings.Fields(replay(whole.Cursor()))
	tests := []struct {
		name   string
		change func(b []byte) []byte
	}{
		{"empty", func([]byte) []byte { return nil }},
		{"seven bytes", func(b []byte) []byte { return b[:7] }},
		{"label cut", func(b []byte) []byte { return b[:100] }},
		{"label only", func(b []byte) []byte { return b[:808] }},
		{"length of the label", func(b []byte) []byte { b[3]++; return b }},
		{"magic", func(b []byte) []byte { b[4]++; return b }},
		{"version 1", func(b []byte) []byte { b[7] = 1; return b }},
		{"volume number", func(b []byte) []byte { b[27] = 9; return b }},
		{"trailer of the label", func(b []byte) []byte { b[807]++; return b }},
	}
	for _, tt := range tests {
		for _, suffix := range []string{".1", ".2"} {
			t.Run(tt.name+suffix, func(t *testing.T) {
				base := archivetest.Path(t, "volumes")
				b, err := os.ReadFile(base + suffix)
				must(t, err, os.WriteFile(base+suffix, tt.change(b), 0o666))
				s := open(t, base)
				c := s.Cursor()
				got := strings.Fields(replay(c))
				if len(got) < 100 || len(got) >= len(all) || !strings.HasSuffix(strings.Join(got, " "), "EOL EOL") {
					t.Errorf("forward: %d records of %d, %v at the end", len(got)-2, len(all)-2, got[len(got)-2:])
				}
				end, err := s.End(bg)
				must(t, err)
				if suffix == ".1" && after(end) != all[len(all)-3] || after(end) != got[len(got)-3] {
					t.Errorf("end %s", after(end))
				}
				// Again with the same Cursor, and the other way.
				start := pcp.Timestamp{}
				must(t, c.SetMode(pcp.Forward, &start, 0))
				if again := strings.Fields(replay(c)); !slices.Equal(again, got) {
					t.Errorf("again: %d records, %d before", len(again)-2, len(got)-2)
				}
				back := strings.Fields(replay(at(t, s, pcp.Back, 1e9)))
				records := slices.Clone(got[:len(got)-2])
				slices.Reverse(records)
				if !slices.Equal(back[:len(back)-2], records) {
					t.Errorf("back: %d records of %d", len(back)-2, len(records))
				}
			})
		}
	}
}
