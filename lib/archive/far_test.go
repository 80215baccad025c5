package archive_test

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
)

// TestFarEnd damages the times of the last records: the archive ends before them, and says so.
func TestFarEnd(t *testing.T) {
	const far = 5617092480000000000 // 178 billion years
	for _, tt := range []struct {
		name     string
		damaged  int // how many of the last records
		sec, end int64
		warns    int
	}{
		{"none", 0, 0, archivetest.Start + 590, 0},
		{"the last", 1, far, archivetest.Start + 580, 1},
		{"three", 3, far, archivetest.Start + 560, 1},
		{"a pause of a year", 1, archivetest.Start + 366*86400, archivetest.Start + 366*86400, 0},
		{"all but the first", 59, far, archivetest.Start, 1},
		{"all: the damage may be in the label", 60, archivetest.Start + 200*366*86400, archivetest.Start + 200*366*86400, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := archivetest.Path(t, "demo")
			file := base + ".0"
			b, err := os.ReadFile(file)
			must(t, err)
			var at []int
			for off := 0; off < len(b); off += int(binary.BigEndian.Uint32(b[off:])) {
				at = append(at, off)
			}
			for _, off := range at[len(at)-tt.damaged:] {
				binary.BigEndian.PutUint32(b[off+4:], uint32(tt.sec))
				binary.BigEndian.PutUint32(b[off+8:], uint32(tt.sec>>32))
			}
			must(t, os.WriteFile(file, b, 0o666))
			var warns []string
			s, err := archive.Open(bg, base, &archive.Options{Warn: func(m string) { warns = append(warns, m) }})
			must(t, err)
			defer s.Close()
			for range 2 { // it is said once
				end, err := s.End(bg)
				if err != nil || end.Sec != tt.end {
					t.Errorf("the end is %v, %v, want %d", end, err, tt.end)
				}
			}
			if len(warns) != tt.warns || tt.warns > 0 && !strings.Contains(warns[0], "is damaged") {
				t.Errorf("warnings: %q", warns)
			}
		})
	}
}
