package archive_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

func TestAppendLabel(t *testing.T) {
	zeros := func(n int) string { return fmt.Sprintf("%q", strings.Repeat("\x00", n)) }
	long := strings.Repeat("h", 300)
	tests := []struct {
		name  string
		label archive.Label
		want  string
	}{
		{"version 2", archive.Label{Version: 2, PID: 0x151b, Start: pcp.Timestamp{Sec: 0x35c9f738, Nsec: 0x3ede0*1000 + 999},
			Host: "gonzo", Zone: "EST-11EST-10,87/2:00,297/2:00", ZoneInfo: "lost"},
			`00000084 50052602 0000151b 35c9f738 0003ede0 00000000 "gonzo" ` + zeros(59) +
				` "EST-11EST-10,87/2:00,297/2:00" ` + zeros(11) + " 00000084"},
		{"version 3", archive.Label{Version: 3, PID: 4242, Start: pcp.Timestamp{Sec: 1<<33 + 1, Nsec: 5}, Volume: -1, Features: 1 << 31,
			Host: "specbox", Zone: "UTC", ZoneInfo: ":UTC"},
			`00000328 50052603 00001092 00000001 00000002 00000005 ffffffff 80000000 00000000 "specbox" ` + zeros(249) +
				` "UTC" ` + zeros(253) + ` ":UTC" ` + zeros(252) + " 00000328"},
		{"too long", archive.Label{Version: 3, Volume: 7, Host: long},
			`00000328 50052603 00000000 00000000 00000000 00000000 00000007 00000000 00000000 "` + long[:255] + `" ` + zeros(513) + " 00000328"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			equalRecord(t, func(dst []byte) []byte { return archive.AppendLabel(dst, &tt.label) }, tt.want)
		})
	}
}

func TestAppendIndexEntry(t *testing.T) {
	at := pcp.Timestamp{Sec: 0x35c9f739, Nsec: 0x3cb6f * 1000}
	tests := []struct {
		name    string
		version int
		meta    int64
		data    int64
		want    string
	}{
		{"version 2", 2, 0x15e, 0x11c, "35c9f739 0003cb6f 00000002 0000015e 0000011c"},
		{"version 3", 3, 1 << 32, 1<<40 + 1, "35c9f739 00000000 0ed2a998 00000002 0000000100000000 0000010000000001"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := archive.AppendIndexEntry(nil, tt.version, at, 2, tt.meta, tt.data)
			if want := record(t, tt.want); !bytes.Equal(got, want) {
				t.Errorf("got  %x\nwant %x", got, want)
			}
		})
	}
}
