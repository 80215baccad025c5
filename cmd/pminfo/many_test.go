package main

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/pdu"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// encoded is a message that is encoded already.
type encoded []byte

func (encoded) Type() pdu.Type                      { return pdu.TypeNames }
func (e encoded) Encode(dst []byte) ([]byte, error) { return append(dst, e...), nil }
func (encoded) Decode([]byte) error                 { return pdu.ErrFormat }

// site answers each Traverse with the same names.
type site struct{ names encoded }

// Handle implements pmcdtest.Handler.
func (s site) Handle(_ *pmcdtest.Session, f pdu.Frame) []pdu.Message {
	switch f.Type {
	case pdu.TypeCreds:
		return nil
	case pdu.TypeTraverse:
		return []pdu.Message{s.names}
	}
	return []pdu.Message{&pdu.Error{Code: pmerr.Name}}
}

// TestManyNames lists the names of a big site. The memory for each name includes what the scripted
// daemon and the harness need.
func TestManyNames(t *testing.T) {
	const n, most = 200_000, 250
	list := &pdu.Names{Names: make([]string, n)}
	for i := range list.Names {
		list.Names[i] = fmt.Sprintf("site.g%03d.m%06d", i/1000, i)
	}
	msg, err := list.Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := pmcdtest.NewServer(site{msg})
	defer s.Close()
	socket := clitest.Socket(t)
	if _, err := s.Listen("unix", socket); err != nil {
		t.Skip("no Unix sockets here: ", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := run(nil, map[string]string{"PMCD_SOCKET": socket, "PMCD_PORT": "1"})
	runtime.ReadMemStats(&after)
	if want := strings.Join(list.Names, "\n") + "\n"; !strings.HasPrefix(e.Stdout, want) || e.Status != 0 {
		t.Fatalf("%d bytes printed, not the %d of the names; status %d, %.200s", len(e.Stdout), len(want), e.Status, e.Stderr)
	}
	if each := float64(after.TotalAlloc-before.TotalAlloc) / n; each > most {
		t.Errorf("%.0f bytes for each name, at most %d expected", each, most)
	}
}
