package archive

import (
	"slices"
	"testing"

	"pmtools/lib/pcp"
)

func TestDecodeIndex(t *testing.T) {
	okFoo := "35c9f738 0003ede0 00000000 00000084 00000084 35c9f739 0003cb6f 00000000 0000015e 0000011c "
	first := indexEntry{pcp.Timestamp{Sec: 0x35c9f738, Nsec: 257504000}, 0, 132}
	second := indexEntry{pcp.Timestamp{Sec: 0x35c9f739, Nsec: 248687000}, 0, 284}
	tests := []struct {
		name    string
		version int
		src     string
		want    []indexEntry
	}{
		{"none", 2, "", nil},
		{"v2", 2, okFoo, []indexEntry{first, second}},
		{"v2 partial", 2, okFoo + "35c9f740 0003f1ad 00000000 00000353 0006e8", []indexEntry{first, second}},
		{"v3", 3, "6553f100 00000000 00000007 00000002 00000000 00000328 00000001 00000328",
			[]indexEntry{{pcp.Timestamp{Sec: 1700000000, Nsec: 7}, 2, 1<<32 + 808}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := decodeIndex(unhex(t, tt.src), tt.version); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// FuzzIndex: an index has as many entries as its length allows.
func FuzzIndex(f *testing.F) {
	f.Add(unhex(f, "35c9f738 0003ede0 00000000 00000084 00000084"), true)
	f.Add(unhex(f, "6553f100 00000000 00000007 00000002 00000000 00000328 00000001 00000328"), false)
	f.Fuzz(func(t *testing.T, src []byte, v2 bool) {
		version, size := 3, 32
		if v2 {
			version, size = 2, 20
		}
		if got := decodeIndex(src, version); len(got) != len(src)/size {
			t.Errorf("%d entries in %d bytes", len(got), len(src))
		}
	})
}
