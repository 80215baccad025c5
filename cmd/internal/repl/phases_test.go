package repl

import (
	"strings"
	"testing"

	"pmtools/lib/pcp"
)

// TestPhases: a value holds until the next sample, or since the one before.
func TestPhases(t *testing.T) {
	samples := []phase{{pcp.Timestamp{Sec: 10}, off}, {pcp.Timestamp{Sec: 20}, on}, {pcp.Timestamp{Sec: 30}, on}, {pcp.Timestamp{Sec: 40}, unknown}, {pcp.Timestamp{Sec: 50}, off}}
	for _, tt := range []struct {
		between bool
		want    string // at 5, 10, 15 ...
	}{
		{false, "?001111??0000"},
		{true, "001111??00???"},
	} {
		p := &phases{between: tt.between}
		for _, x := range samples {
			p.add(x.at, x.state)
		}
		var got strings.Builder
		for sec := int64(5); sec <= 65; sec += 5 {
			at := pcp.Timestamp{Sec: sec}
			switch {
			case p.during(on)(at) && !p.during(off)(at):
				got.WriteByte('1')
			case p.during(off)(at) && !p.during(on)(at):
				got.WriteByte('0')
			default:
				got.WriteByte('?')
			}
		}
		if got.String() != tt.want {
			t.Errorf("between %v: %s, want %s", tt.between, got.String(), tt.want)
		}
	}
}
