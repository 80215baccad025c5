package pmcdtest

import (
	"encoding/binary"
	"sync/atomic"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// A Fault is a way in which a daemon fails to answer a request.
type Fault struct {
	Name   string
	Edit   Edit
	Listed bool // the reply is an answer with a list of the wrong length
}

// Faults returns all Faults: hanging up before or within the reply, a refusal, silence, or a list
// of the wrong length.
func Faults() []Fault {
	return []Fault{
		{Name: "hang up", Edit: Cut(0)},
		{Name: "hang up amid", Edit: Cut(14)},
		{Name: "refuse", Edit: Put(&pdu.Error{Code: pmerr.NoAgent})},
		{Name: "silence", Edit: Drop()},
		{"nothing listed", listed(0), true},
		{"too much listed", listed(99), true},
	}
}

// listed returns an Edit that sends a reply of the same type with n value sets, or none if the type has no
// value sets.
func listed(n int) Edit {
	return func(r *Reply) {
		if len(r.Bytes) < 8 {
			return
		}
		sets := pdu.Result{Values: &pcp.Result{Sets: make([]pcp.Values, n)}}
		m := pdu.New(pdu.Type(binary.BigEndian.Uint32(r.Bytes[4:])))
		switch m := m.(type) {
		case *pdu.Result:
			*m = sets
		case *pdu.HighResResult:
			m.Result = sets
		case *pdu.Descs:
			m.Descs = make([]pcp.Desc, n)
		case *pdu.IDs:
			m.IDs = make([]pcp.ID, n)
		}
		Put(m)(r)
	}
}

// Nth returns an Edit that applies e to the nth reply, counted from 0 over all connections.
func Nth(n int, e Edit) Edit {
	var replies atomic.Int64
	return func(r *Reply) {
		if replies.Add(1) == int64(n)+1 {
			e(r)
		}
	}
}
