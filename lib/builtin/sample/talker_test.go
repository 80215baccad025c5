package sample

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

func TestRequests(t *testing.T) {
	d := dialogue{"x", "fetch 1\n\n3* fetch 2\n  desc 3  \n"}
	want := []string{"fetch 1", "fetch 2", "fetch 2", "fetch 2", "desc 3"}
	if got := slices.Collect(d.requests()); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for range d.requests() {
		break
	}
}

// TestLines wants each line to be one that can be carried out, and names that can be names of
// files.
func TestLines(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range dialogues() {
		if seen[d.name] || d.name == "" || strings.ContainsAny(d.name, "/.") {
			t.Errorf("dialogue %q", d.name)
		}
		seen[d.name] = true
		n := 0
		for line := range d.requests() {
			if _, err := message(strings.Fields(line)); err != nil && !strings.HasPrefix(line, "client ") {
				t.Errorf("%s: %s: %v", d.name, line, err)
			}
			n++
		}
		if n == 0 {
			t.Errorf("%s is empty", d.name)
		}
	}
	if len(seen) < 40 {
		t.Errorf("%d dialogues", len(seen))
	}
}

func TestBadLines(t *testing.T) {
	for _, line := range []string{"what 1", "fetch x", "desc", "insts 99999999999999999999", "label 1", "store 1 17 3", "store 1 32 x", "store 1 32 x=3"} {
		if m, err := message(strings.Fields(line)); err == nil {
			t.Errorf("%q is %+v", line, m)
		}
	}
}

// answering is an agent that gives the same answer to everything.
type answering struct {
	asked  bytes.Buffer
	answer []byte
}

func (a *answering) Write(b []byte) (int, error) { return a.asked.Write(b) }
func (a *answering) Read(b []byte) (int, error)  { return copy(b, a.answer), nil }

func TestDo(t *testing.T) {
	event := []byte{0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}
	for _, c := range []struct {
		name   string
		answer pdu.Message
		want   string
	}{
		{"error", &pdu.Error{Code: -12345}, "ERROR ffffcfc7 ...."},
		{"numbers", &pdu.Result{Values: &pcp.Result{Sets: []pcp.Values{
			{ID: pcp.NewID(29, 0, 5), Insts: []int32{0, 7}, Words: []uint64{1, 1<<64 - 2}}, {ID: pcp.NewID(29, 0, 6), Err: pmerr.AppVersion},
			{ID: pcp.NewID(29, 0, 7), Type: pcp.Double, Insts: []int32{-1}, Words: []uint64{0x3ff0000000000000}}, {ID: pcp.NewID(29, 0, 8), Type: pcp.Uint64, Insts: []int32{-1}, Words: []uint64{1<<64 - 1}},
		}}}, "29.0.5 0=1 7=-2 | 29.0.6 error -12350 | 29.0.7 DOUBLE -1=3ff0000000000000 | 29.0.8 U64 -1=18446744073709551615"},
		{"strings and clocks", &pdu.Result{Values: &pcp.Result{Time: pcp.Timestamp{Sec: 16}, Sets: []pcp.Values{
			{ID: pcp.NewID(29, 0, 31), Type: pcp.String, Insts: []int32{-1}, Blobs: [][]byte{[]byte("x\n")}}, {ID: pcp.NewID(29, 0, 3), Insts: []int32{-1}, Words: []uint64{1}},
			{ID: pcp.NewID(29, 0, 136), Type: pcp.Event, Insts: []int32{0}, Blobs: [][]byte{event}},
		}}}, `changes 16 29.0.31 STRING -1="x\n" | 29.0.3 -1 | 29.0.136 EVENT 0=[0 point 0]`},
	} {
		b, err := c.answer.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		a := &answering{answer: b}
		k, err := open(a, a)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := k.do("fetch 5"); err != nil || got != c.want {
			t.Errorf("%s: %q, error %v; want %q", c.name, got, err, c.want)
		}
		if got, err := k.do("profile 1 2"); err != nil || got != "" {
			t.Errorf("%s: a profile is answered: %q, error %v", c.name, got, err)
		}
	}
	if _, err := open(io.Discard, strings.NewReader("")); err == nil {
		t.Error("an agent that says nothing")
	}
}
