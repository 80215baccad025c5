package main

import (
	"slices"
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/pdu"
	"pmtools/lib/pmcd/pmcdtest"
)

// TestFetchAfterStore: after the store of -x nothing is asked before the first fetch of the metric.
// An agent that begins to record on request, and only for clients that have fetched, would lose the
// events in between.
func TestFetchAfterStore(t *testing.T) {
	socket, s := clitest.Socket(t), pmcdtest.NewServer(pmcdtest.Sample())
	if _, err := s.Listen("unix", socket); err != nil {
		t.Skip("no Unix sockets here: ", err)
	}
	defer s.Close()
	got := run(strings.Fields("-h unix:"+socket+" -x 3 -s 1 sample.long.write_me"), nil)
	if got.Status != 0 || got.Stderr != "" {
		t.Fatalf("status %d, %q", got.Status, got.Stderr)
	}
	var types []pdu.Type
	for _, r := range s.Requests() {
		types = append(types, r.Type)
	}
	if want := []pdu.Type{pdu.TypeResult, pdu.TypeProfile, pdu.TypeHighResFetch}; len(types) < 3 || !slices.Equal(types[len(types)-3:], want) {
		t.Errorf("requests %v, want %v at the end", types, want)
	}
}
