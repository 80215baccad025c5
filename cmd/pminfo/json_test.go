package main

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"pmtools/lib/pcp"
)

// TestJSONAlways: values that do not fit their type, and labels that are not JSON, still end in a
// line.
func TestJSONAlways(t *testing.T) {
	var out strings.Builder
	r := &reporter{printer: printer{out: bufio.NewWriter(&out)}}
	v := &pcp.Values{Type: pcp.Int32, Insts: []int32{-1}, Words: []uint64{0}, Blobs: [][]byte{nil},
		Odd: []pcp.Odd{{Bad: true, Type: pcp.Int32, Blob: []byte{1, 2}}}}
	r.write(&record{Metric: "a.b", valueRecord: valueRecord{Value: r.valueJSON(v, 0)}})
	r.write(&record{Metric: "a.c", valueRecord: valueRecord{Labels: json.RawMessage(`{"x":y}`)}})
	r.out.Flush()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[1], "a.c") || !strings.Contains(lines[1], "error") {
		t.Fatalf("%q", lines)
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) || strings.HasPrefix(line, `{"error"`) {
			t.Errorf("%s", line)
		}
	}
	if strings.Contains(lines[0], "error") {
		t.Errorf("%s", lines[0])
	}
}
