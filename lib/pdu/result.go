package pdu

import (
	"fmt"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// A Result holds the values of metrics: the answer to a Fetch, or the values of a store. Its time has microseconds.
type Result struct {
	// Values is encoded, and filled by Decode, which reuses its memory. Nil is encoded as an empty
	// Result; Decode replaces nil by a new Result.
	Values *pcp.Result
	// TypeOf returns the type of a metric, as its description has it, or Unknown. Values that do
	// not fit it are odd (see pcp.Odd). With nil the encoding of a value decides: 32 bits are
	// signed.
	TypeOf func(id pcp.ID) pcp.Type
	// Most is the largest number of value sets that Decode accepts; 0 is any number. A decoded set
	// takes many times its size in the message.
	Most int
	// Format is called by Decode with the format of each value set that has values, as it stands in
	// the message; nil drops it.
	Format func(set int, format uint32)

	arena wire.Arena
}

// A HighResResult is the answer to a HighResFetch: a Result whose time has nanoseconds.
type HighResResult struct{ Result }

// Type implements Message.
func (*Result) Type() Type { return TypeResult }

// Type implements Message.
func (*HighResResult) Type() Type { return TypeHighResResult }

// Encode implements Message.
func (src *Result) Encode(dst []byte) ([]byte, error) {
	start, v := len(dst), src.values()
	out := wire.AppendInt32(begin(dst, TypeResult), int32(v.Time.Sec))
	out = wire.AppendInt32(out, v.Time.Nsec/1000)
	out = wire.AppendUint32(out, uint32(len(v.Sets)))
	return encodeSets(dst, out, start, v.Sets)
}

// Encode implements Message.
func (src *HighResResult) Encode(dst []byte) ([]byte, error) {
	start, v := len(dst), src.values()
	out := wire.AppendUint32(begin(dst, TypeHighResResult), uint32(len(v.Sets)))
	out = wire.AppendUint64(out, uint64(v.Time.Sec))
	out = wire.AppendUint64(out, uint64(int64(v.Time.Nsec)))
	return encodeSets(dst, out, start, v.Sets)
}

func (src *Result) values() *pcp.Result {
	if src.Values == nil {
		return new(pcp.Result)
	}
	return src.Values
}

// encodeSets appends value sets to out, which begins with dst.
func encodeSets(dst, out []byte, start int, sets []pcp.Values) ([]byte, error) {
	var w wire.SetWriter
	out, err := w.Append(out, start, sets)
	if err != nil {
		return dst, err
	}
	return end(out, start), nil
}

// Decode implements Message.
func (dst *Result) Decode(body []byte) error {
	r := wire.NewReader(body)
	at := pcp.Timestamp{Sec: int64(r.Int32())}
	// The daemon passes stores on to agents with an arbitrary time (wire.md W9.3).
	if usec := r.Int32(); usec >= 0 && usec < 1e6 {
		at.Nsec = usec * 1000
	}
	return dst.decode(&r, body, at, r.Int32())
}

// Decode implements Message.
func (dst *HighResResult) Decode(body []byte) error {
	r := wire.NewReader(body)
	n := r.Int32()
	at := pcp.Timestamp{Sec: r.Int64()}
	nsec := r.Int64()
	at.Nsec = int32(nsec)
	if r.Err() == nil && (nsec < 0 || nsec >= 1e9) {
		return fmt.Errorf("%w: %d nanoseconds", ErrFormat, nsec)
	}
	return dst.decode(&r, body, at, n)
}

func (dst *Result) decode(r *wire.Reader, body []byte, at pcp.Timestamp, n int32) error {
	if dst.Values == nil {
		dst.Values = new(pcp.Result)
	}
	dst.Values.Reset(0)
	dst.Values.Time = at
	if err := r.Err(); err != nil {
		return err
	}
	// Value blocks are counted in words from the message's header.
	sets := wire.NewSets(body, r.Offset(), len(body), int(n), HeaderSize/4)
	if n < 0 || int(n) > r.Len()/8 {
		return fmt.Errorf("%w: %d value sets in %d bytes", ErrFormat, n, r.Len())
	}
	if dst.Most > 0 && int(n) > dst.Most {
		return fmt.Errorf("%w: %d value sets where %d were asked for", ErrFormat, n, dst.Most)
	}
	dst.Values.Reset(int(n))
	for i := 0; sets.Next(); i++ {
		d := pcp.Desc{InDom: pcp.NullInDom}
		if dst.TypeOf == nil {
			d.Type = sets.Type()
		} else {
			d.Type = dst.TypeOf(sets.ID)
		}
		if dst.Format != nil && sets.Count > 0 {
			dst.Format(i, sets.Format)
		}
		sets.Decode(&dst.Values.Sets[i], &d, nil, &dst.arena)
	}
	return sets.Err()
}
