package pcp

import "encoding/binary"

// Column returns the parameter as a column with one value of a metric whose type is t. The types
// need not agree: a value that does not fit becomes an Odd, as in any other column.
func (p *Param) Column(t Type) Values {
	v := Values{ID: p.ID, Type: t, Insts: []int32{NullInst}}
	from, w := p.Value.typ, p.Value.word
	inSitu := p.Value.set && (from == Int32 || from == Uint32)
	switch {
	case p.Value.set && from == t && t.Arithmetic():
		v.Words = []uint64{w}
	case p.Value.set && from == t:
		v.Blobs = [][]byte{p.Value.blob}
	case inSitu && t == Int32:
		v.Words = []uint64{uint64(int64(int32(w)))}
	case inSitu && (t == Uint32 || t == Float):
		v.Words = []uint64{uint64(uint32(w))} // the same 32 bits, read as unsigned
	default:
		v.Odd = []Odd{p.odd()}
		if t.Arithmetic() {
			v.Words = []uint64{0}
		} else {
			v.Blobs = [][]byte{nil}
		}
	}
	return v
}

func (p *Param) odd() Odd {
	switch v := p.Value; {
	case !v.set:
		return p.Odd
	case v.typ == Int32 || v.typ == Uint32:
		return Odd{Bad: true, InSitu: true, Type: v.typ, Word: uint32(v.word)}
	case v.typ == Float:
		return Odd{Bad: true, Type: v.typ, Blob: binary.BigEndian.AppendUint32(nil, uint32(v.word))}
	case v.typ.Arithmetic():
		return Odd{Bad: true, Type: v.typ, Blob: binary.BigEndian.AppendUint64(nil, v.word)}
	}
	return Odd{Bad: true, Type: p.Value.typ, Blob: p.Value.blob}
}
