package wire

import "pmtools/lib/pcp"

// fitEvents reports whether the event records in a value block of type t lie in it (values.md
// V11.1). A negative number of records or parameters counts as 0, and bytes after the last record
// are ignored.
func fitEvents(t pcp.Type, body []byte) bool {
	stamp := 8
	if t == pcp.HighResEvent {
		stamp = 16
	}
	r := NewReader(body)
	for n := r.Int32(); n > 0 && r.Err() == nil; n-- {
		r.Skip(stamp)
		flags, params := pcp.EventFlags(r.Uint32()), r.Int32()
		if flags&pcp.EventMissed != 0 {
			continue // this many records were lost
		}
		for ; params > 0 && r.Err() == nil; params-- {
			r.Skip(4)
			size := max(int(r.Uint32()&0xffffff), 4) // counts its own word
			r.Skip(size - 4)
			r.Skip(min(-size&3, r.Len())) // the last one need not be padded
		}
	}
	return r.Err() == nil
}
