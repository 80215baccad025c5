package archive

import (
	"context"
	"encoding/binary"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

const maxName = 4096

// The bits of the type of a help text (archive.md A7.6): each text has one of both.
const (
	textLevels  = 1 | 2 // one-line, full
	textObjects = 4 | 8 // metric, instance domain
)

// metadata is the content of the .meta file of one archive: checked, and decoded only as far as the merge
// needs.
type metadata struct {
	descs  []descRecord
	indoms []indomRecord
	labels []labelsRecord
	texts  []textRecord
}

type descRecord struct {
	desc  pcp.Desc
	names []byte // each name after its length
}

func (d *descRecord) each(f func(name []byte)) {
	for r := wire.NewReader(d.names); r.Len() > 0; {
		f(cutNUL(r.Bytes(int(r.Int32()))))
	}
}

type textRecord struct {
	textIdent
	text []byte
}

// textIdent identifies a help text: kind has a bit of textLevels and a bit of textObjects.
type textIdent struct {
	kind  uint32
	ident uint32
}

// decodeMeta reads the records after the label of a metadata file, and calls seen now and then. An error
// comes with the offset of its record in src. A truncated last header ends the file.
func decodeMeta(ctx context.Context, src []byte, seen func()) (dst *metadata, off int, err error) {
	dst = &metadata{}
	for next := releaseStep; len(src)-off >= 8; {
		if off >= next {
			if err := ctx.Err(); err != nil {
				return nil, off, err
			}
			if seen != nil {
				seen()
			}
			next = off + releaseStep
		}
		head := wire.NewReader(src[off : off+8])
		size, kind := int64(head.Int32()), head.Uint32()
		if size <= 0 {
			return nil, off, pmerr.LogRec
		}
		if kind < recDesc || kind > recLabels {
			return nil, off, pmerr.RecType
		}
		if size < 12 || size > int64(len(src)-off) {
			return nil, off, pmerr.LogRec
		}
		end := off + int(size)
		tail := wire.NewReader(src[end-4 : end])
		if int64(tail.Int32()) != size {
			return nil, off, pmerr.LogRec
		}
		if err := dst.add(kind, src[off+8:end-4]); err != nil {
			return nil, off, err
		}
		off = end
	}
	return dst, off, nil
}

func (dst *metadata) add(kind uint32, body []byte) error {
	r := wire.NewReader(body)
	ok := false
	switch kind {
	case recDesc:
		ok = dst.addDesc(&r)
	case recInDomV2:
		ok = dst.addInDom(&r, 2, false)
	case recInDom, recInDomDelta:
		ok = dst.addInDom(&r, 3, kind == recInDomDelta)
	case recLabelsV2:
		ok = dst.addLabels(&r, 2)
	case recLabels:
		ok = dst.addLabels(&r, 3)
	case recText:
		t := textRecord{textIdent: textIdent{kind: r.Uint32(), ident: r.Uint32()}}
		t.text = cutNUL(r.Bytes(r.Len()))
		if ok = r.Err() == nil; ok && (t.kind&textLevels == 0 || t.kind&textObjects == 0) {
			return pmerr.RecType
		}
		dst.texts = append(dst.texts, t)
	}
	if !ok {
		return pmerr.LogRec
	}
	return nil
}

// addDesc adds the description of a metric (archive.md A7.2).
func (dst *metadata) addDesc(r *wire.Reader) bool {
	var d descRecord
	d.desc.ID = pcp.ID(r.Uint32())
	d.desc.Type = pcp.Type(r.Int32())
	d.desc.InDom = pcp.InDom(r.Uint32())
	d.desc.Sem = pcp.Sem(r.Int32())
	d.desc.Units = pcp.UnitsOf(r.Uint32())
	names := *r
	for range r.Count(4) {
		n := r.Int32()
		if n > maxName {
			return false
		}
		r.Skip(int(n))
	}
	names.Skip(4)
	d.names = names.Bytes(names.Len())
	dst.descs = append(dst.descs, d)
	return r.Finish() == nil
}

// addInDom adds an observation of an instance domain (archive.md A7.3, A7.4). Like the reference it ignores
// an empty one.
func (dst *metadata) addInDom(r *wire.Reader, version int, delta bool) bool {
	var d indomRecord
	d.delta = delta
	d.at = readStamp(r, version)
	d.indom = pcp.InDom(r.Uint32())
	d.body = r.Bytes(r.Len())
	if r.Err() != nil || !checkInDom(d.body, delta) {
		return false
	}
	n := wire.NewReader(d.body)
	if n.Int32() > 0 {
		dst.indoms = append(dst.indoms, d)
	}
	return true
}

// addLabels adds an observation of labels (archive.md A7.5).
func (dst *metadata) addLabels(r *wire.Reader, version int) bool {
	var l labelsRecord
	l.at = readStamp(r, version)
	l.kind, l.ident = pcp.LabelKind(r.Uint32()), r.Uint32()
	l.body = r.Bytes(r.Len())
	if r.Err() != nil || !checkLabels(l.body) {
		return false
	}
	dst.labels = append(dst.labels, l)
	return true
}

// appendDesc appends the description of a metric, whose identifier is written as it is.
func appendDesc(dst []byte, d pcp.Desc, names ...string) []byte {
	start := len(dst)
	dst = beginRecord(dst)
	for _, word := range [...]uint32{
		recDesc, uint32(d.ID), uint32(d.Type), uint32(d.InDom), uint32(d.Sem), d.Units.Word(), uint32(len(names)),
	} {
		dst = binary.BigEndian.AppendUint32(dst, word)
	}
	for _, n := range names {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(n)))
		dst = append(dst, n...)
	}
	return endRecord(dst, start)
}

func textType(isInDom bool, kind pcp.TextKind) uint32 {
	if isInDom {
		return uint32(kind) | 8
	}
	return uint32(kind) | 4
}

func appendText(dst []byte, ident uint32, isInDom bool, kind pcp.TextKind, text string) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint32(beginRecord(dst), recText)
	dst = binary.BigEndian.AppendUint32(dst, textType(isInDom, kind))
	dst = binary.BigEndian.AppendUint32(dst, ident)
	dst = append(dst, text...)
	return endRecord(append(dst, 0), start)
}
