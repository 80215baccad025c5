package pcp

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"
)

// A Timestamp is a point in time in seconds and nanoseconds since 1970 in UTC. Nsec may be any
// number that a file or a daemon held; a normalised one lies in [0, 1e9).
type Timestamp struct {
	Sec  int64
	Nsec int32
}

// Compare returns -1, 0 or 1 as t is before, at or after u.
func (t Timestamp) Compare(u Timestamp) int {
	if c := cmp.Compare(t.Sec, u.Sec); c != 0 {
		return c
	}
	return cmp.Compare(t.Nsec, u.Nsec)
}

// Sub returns t-u in seconds.
func (t Timestamp) Sub(u Timestamp) float64 {
	return float64(t.Sec-u.Sec) + float64(int64(t.Nsec)-int64(u.Nsec))/1e9
}

// Add returns t+d, normalised.
func (t Timestamp) Add(d time.Duration) Timestamp {
	return normalised(t.Sec+int64(d/time.Second), int64(t.Nsec)+int64(d%time.Second))
}

// Time returns t as a time.Time in UTC.
func (t Timestamp) Time() time.Time { return time.Unix(t.Sec, int64(t.Nsec)).UTC() }

// TimestampOf returns the Timestamp of t.
func TimestampOf(t time.Time) Timestamp { return Timestamp{t.Unix(), int32(t.Nanosecond())} }

// A Result is the answer to a fetch: one column for each metric asked for, in the order of the
// request. A Result is handed back to the next fetch, which reuses its memory; it may not be shared
// by goroutines.
type Result struct {
	Time    Timestamp
	Changes Changes // events that a daemon has noticed since the last fetch
	Gap     bool    // recording was interrupted before it, if the request asks for that
	Sets    []Values
}

// Changes are events that a daemon reports together with a fetch result, as bits.
type Changes uint32

// The changes.
const (
	AgentAdded     Changes = 1
	AgentRestarted Changes = 2
	AgentDropped   Changes = 4
	LabelsChanged  Changes = 8
	NamesChanged   Changes = 16
	HostChanged    Changes = 32 // the name of the daemon's host has changed
)

// Reset makes r hold n empty columns, keeping the memory of those it had.
func (r *Result) Reset(n int) {
	r.Changes, r.Gap = 0, false
	if cap(r.Sets) < n {
		r.Sets = append(r.Sets[:cap(r.Sets)], make([]Values, n-cap(r.Sets))...)
	}
	r.Sets = r.Sets[:n]
	for i := range r.Sets {
		r.Sets[i].Reset(NullID, Unknown)
	}
}

// Values is a column: the values of one metric for some of its instances.
//
// Insts[i] is the instance of value i (NullInst for a singular metric). For the arithmetic types
// Words[i] holds the value: signed integers sign-extended, unsigned ones zero-extended, a Float as
// its IEEE 754 single precision bits in the low half, a Double as its double precision bits. For
// all other types Blobs[i] holds the bytes (a String without its terminating NUL) and Words is
// empty.
type Values struct {
	ID    ID
	Type  Type
	Err   error // the metric's error, a pmerr.Code, or nil. With an error there are no values.
	Empty bool  // the record of an archive has the metric, without values and without an error
	Insts []int32
	Words []uint64
	Blobs [][]byte
	Odd   []Odd // nil if each value fits Type, else one entry per value, the zero Odd for a value that fits
}

// An Odd is a value that does not fit its metric's type: in the wrong encoding, of the wrong size,
// or of a type that has no values. It is kept unchanged, so that it can be shown,
// and has no conversions.
type Odd struct {
	Bad    bool   // the value does not fit; the other fields are valid
	InSitu bool   // the value is the 32-bit Word, else Blob
	Type   Type   // the type that the value block named
	Word   uint32 // the value in situ
	Blob   []byte // the value block's content in the byte order of the wire (big-endian)
}

// Reset makes v an empty column for a metric, keeping its memory.
func (v *Values) Reset(id ID, t Type) {
	v.ID, v.Type, v.Err, v.Empty = id, t, nil, false
	v.Insts, v.Words, v.Blobs, v.Odd = v.Insts[:0], v.Words[:0], v.Blobs[:0], nil
}

// Grow makes room for n more values of the type.
func (v *Values) Grow(n int) {
	v.Insts = slices.Grow(v.Insts, n)
	if v.Type.Arithmetic() {
		v.Words = slices.Grow(v.Words, n)
	} else {
		v.Blobs = slices.Grow(v.Blobs, n)
	}
}

// Append adds the value of an instance, which has the type of v.
func (v *Values) Append(inst int32, value Value) {
	v.Insts = append(v.Insts, inst)
	if v.Type.Arithmetic() {
		v.Words = append(v.Words, value.Word())
	} else {
		v.Blobs = append(v.Blobs, value.Bytes())
	}
}

// Len returns the number of values.
func (v *Values) Len() int { return len(v.Insts) }

// Value returns value i. A value that does not fit the metric's type (see Odd) is the zero Value.
func (v *Values) Value(i int) Value {
	switch {
	case v.Odd != nil && v.Odd[i].Bad:
		return Value{}
	case v.Type.Arithmetic():
		return Value{typ: v.Type, set: true, word: v.Words[i]}
	}
	return Value{typ: v.Type, set: true, blob: v.Blobs[i]}
}

// Find returns the position of instance inst, or -1.
func (v *Values) Find(inst int32) int { return slices.Index(v.Insts, inst) }

// A Value is one value: a type and a 64-bit word, or a type and bytes. The zero Value is not a
// value. Values are copied freely; the bytes are shared and must not be changed.
type Value struct {
	typ  Type
	set  bool
	word uint64
	blob []byte
}

// IsSet reports whether v has a type and content: the zero Value has none.
func (v Value) IsSet() bool { return v.set }

// Type returns the type of v.
func (v Value) Type() Type { return v.typ }

// Word returns the 64-bit word of an arithmetic value, as in Values.Words.
func (v Value) Word() uint64 { return v.word }

// Bytes returns the bytes of a value that is not arithmetic.
func (v Value) Bytes() []byte { return v.blob }

// WordValue returns the arithmetic value of type t whose word is w.
func WordValue(t Type, w uint64) Value { return Value{typ: t, set: true, word: w} }

// BlobValue returns the value of type t whose bytes are b.
func BlobValue(t Type, b []byte) Value { return Value{typ: t, set: true, blob: b} }

// DoubleValue returns f as a Double.
func DoubleValue(f float64) Value { return WordValue(Double, math.Float64bits(f)) }

// FloatValue returns f as a Float.
func FloatValue(f float32) Value { return WordValue(Float, uint64(math.Float32bits(f))) }

// SortInstances puts the values of each column in ascending order of their instances, as
// pmSortInstances does. Values of the same instance keep their order.
func (r *Result) SortInstances() {
	for i := range r.Sets {
		if s := (*byInstance)(&r.Sets[i]); !sort.IsSorted(s) {
			sort.Stable(s)
		}
	}
}

type byInstance Values

func (v *byInstance) Len() int { return len(v.Insts) }

func (v *byInstance) Less(i, j int) bool { return v.Insts[i] < v.Insts[j] }

func (v *byInstance) Swap(i, j int) {
	v.Insts[i], v.Insts[j] = v.Insts[j], v.Insts[i]
	if len(v.Words) > 0 {
		v.Words[i], v.Words[j] = v.Words[j], v.Words[i]
	}
	if len(v.Blobs) > 0 {
		v.Blobs[i], v.Blobs[j] = v.Blobs[j], v.Blobs[i]
	}
	if v.Odd != nil {
		v.Odd[i], v.Odd[j] = v.Odd[j], v.Odd[i]
	}
}
