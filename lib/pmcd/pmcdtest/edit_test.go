package pmcdtest

import (
	"bytes"
	"testing"
	"time"

	"pmtools/lib/pdu"
	_ "pmtools/test/env"
)

// The messages of these tests: a reply, and another one.
var (
	eight = []byte("\x00\x00\x00\x10\x00\x00\x70\x00\x00\x00\x00\x00\x00\x00\x00\x08")
	nine  = []byte("\x00\x00\x00\x10\x00\x00\x70\x00\x00\x00\x00\x00\x00\x00\x00\x09")
)

func TestEdits(t *testing.T) {
	other := &pdu.Error{Code: 9}
	for _, row := range []struct {
		name string
		edit Edit
		want Reply
	}{
		{"cut", Cut(3), Reply{Bytes: eight[:3], Close: true}},
		{"cut behind the end", Cut(99), Reply{Bytes: eight, Close: true}},
		{"delay", Delay(time.Second), Reply{Bytes: eight, Delay: time.Second}},
		{"drop", Drop(), Reply{}},
		{"put", Put(other), Reply{Bytes: nine}},
		{"put nothing", Put(), Reply{}},
		{"after", After(other), Reply{Bytes: append(bytes.Clone(eight), nine...)}},
		{"type", Type(pdu.TypeText), Reply{Bytes: []byte("\x00\x00\x00\x10\x00\x00\x70\x09\x00\x00\x00\x00\x00\x00\x00\x08")}},
		{"length", Length(-2), Reply{Bytes: []byte("\x00\x00\x00\x0e\x00\x00\x70\x00\x00\x00\x00\x00\x00\x00\x00\x08")}},
		{"word", Word(12, 9), Reply{Bytes: nine}},
		{"garbage", Garbage([]byte("x")), Reply{Bytes: []byte("x")}},
	} {
		r := Reply{Bytes: bytes.Clone(eight)}
		row.edit(&r)
		if !bytes.Equal(r.Bytes, row.want.Bytes) || r.Close != row.want.Close || r.Delay != row.want.Delay {
			t.Errorf("%s: %+v, want %+v", row.name, r, row.want)
		}
	}
}

func TestOn(t *testing.T) {
	e := On(pdu.TypeFetch, 1, Drop())
	for i, row := range []struct {
		request pdu.Type
		kept    bool
	}{
		{pdu.TypeFetch, true}, {pdu.TypeChild, true}, {pdu.TypeFetch, false}, {pdu.TypeFetch, true},
	} {
		r := Reply{Request: row.request, Bytes: eight}
		if e(&r); (r.Bytes != nil) != row.kept {
			t.Errorf("reply %d: %+v", i, r)
		}
	}
}

// TestDelayEnds closes a server that delays a reply for an hour.
func TestDelayEnds(t *testing.T) {
	s := NewServer(Sample())
	c := greeted(t, s)
	s.SetEdit(Delay(time.Hour))
	c.send(&pdu.Child{})
	start := time.Now()
	s.Close()
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("closed after %v", d)
	}
}
