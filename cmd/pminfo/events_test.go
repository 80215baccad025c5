package main

import (
	"encoding/binary"
	"path/filepath"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// TestEventParameters has a parameter whose metric has an instance domain: as in the reference it
// is shown as an instance that is not there.
func TestEventParameters(t *testing.T) {
	base := filepath.Join(t.TempDir(), "a")
	w, err := archive.Create(base, nil)
	if err != nil {
		t.Fatal(err)
	}
	event := pcp.Desc{ID: pcp.NewID(245, 0, 1), Type: pcp.Event, InDom: pcp.NullInDom, Sem: pcp.Instant}
	param := pcp.Desc{ID: pcp.NewID(245, 0, 2), Type: pcp.Uint32, InDom: pcp.NewInDom(245, 1), Sem: pcp.Instant}
	at := pcp.Timestamp{Sec: 1700000000}
	var records []byte
	for _, word := range []uint32{1, uint32(at.Sec), 5, uint32(pcp.EventPoint), 1, uint32(param.ID), 1<<24 | 8, 42} {
		records = binary.BigEndian.AppendUint32(records, word)
	}
	for _, err := range []error{
		w.AddMetric(event, "my.event"), w.AddMetric(param, "my.param"), w.SetInDom(at, param.InDom, []pcp.Instance{{ID: 1, Name: "one"}}),
		w.Put(&pcp.Result{Time: at, Sets: []pcp.Values{{ID: event.ID, Type: pcp.Event, Insts: []int32{pcp.NullInst}, Blobs: [][]byte{records}}}}),
		w.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	head := "\nmy.event\n    value [1 event record timestamp 22:13:20.000]\n    --- event record [0] timestamp 22:13:20.000 flags 0x1 (point) ---\n    my.param (245.0.2)\n"
	for _, tt := range []struct{ option, want string }{
		{"-x", head + "    pmNameIndom: indom=245.1 inst=-1: Unknown or illegal instance identifier\n    inst [-1] value 42\n"},
		{"-Fx", head + "        inst [-1 \"DISAPPEARED\"]\n"},
	} {
		if got := run([]string{tt.option, "-a", base, "my.event"}, nil); got.Stdout != tt.want || got.Stderr != "" || got.Status != 0 {
			t.Errorf("%s: %q, want %q; %q", tt.option, got.Stdout, tt.want, got.Stderr)
		}
	}
}
