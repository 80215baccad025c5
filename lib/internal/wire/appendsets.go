package wire

import (
	"fmt"
	"math"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// maxBlob is the capacity of a value block, whose length has 24 bits and counts its own word.
const maxBlob = 0xffffff - 4

// A SetWriter appends value sets and their value blocks, the counterpart of Sets. The zero
// SetWriter writes those of the protocol.
type SetWriter struct {
	Bias        int                   // as in NewSets
	ID          func(v pcp.ID) pcp.ID // maps the identifiers; nil keeps them
	FloatInSitu bool                  // floats are written in the set, as in old archives
}

// Append appends columns to a message that begins at byte start of dst. If a value cannot be
// encoded, dst is returned unchanged with an error.
func (w *SetWriter) Append(dst []byte, start int, sets []pcp.Values) ([]byte, error) {
	before := len(dst)
	block := len(dst) - start // offset of the next value block in the message
	for i := range sets {
		v := &sets[i]
		if err := checkValues(v, w.FloatInSitu); err != nil {
			return dst, fmt.Errorf("metric %v: %w", v.ID, err)
		}
		block += 8
		if v.Len() > 0 {
			block += 4 + 8*v.Len()
		}
	}
	for i := range sets {
		dst, block = w.appendSet(dst, &sets[i], block)
	}
	if block > math.MaxInt32-4 {
		return dst[:before], fmt.Errorf("%w: message of %d bytes", pmerr.TooBig, block)
	}
	for i := range sets {
		if v := &sets[i]; v.Len() > 0 && !inSitu(v, 0, w.FloatInSitu) {
			for k := range v.Insts {
				dst = appendBlock(dst, v, k)
			}
		}
	}
	return dst, nil
}

func checkValues(v *pcp.Values, floatInSitu bool) error {
	n := v.Len()
	switch {
	case pmerr.Of(v.Err) > 0:
		return fmt.Errorf("%w: error code %d", pmerr.EINVAL, pmerr.Of(v.Err))
	case v.Err != nil && n > 0:
		return fmt.Errorf("%w: values beside an error", pmerr.EINVAL)
	case n == 0:
		return nil
	case v.Odd != nil && len(v.Odd) != n:
		return fmt.Errorf("%w: %d instances, %d odd values", pmerr.EINVAL, n, len(v.Odd))
	case v.Type.Arithmetic() && len(v.Words) != n:
		return fmt.Errorf("%w: %d instances, %d words", pmerr.EINVAL, n, len(v.Words))
	case !v.Type.Arithmetic() && len(v.Blobs) != n:
		return fmt.Errorf("%w: %d instances, %d blobs", pmerr.EINVAL, n, len(v.Blobs))
	}
	format := inSitu(v, 0, floatInSitu)
	for i := range v.Insts {
		t, size := blockType(v, i), blobSize(v, i)
		switch {
		case inSitu(v, i, floatInSitu) != format:
			return fmt.Errorf("%w: values both in place and in blocks", pmerr.EINVAL)
		case !format && (t < 0 || t > 255):
			return fmt.Errorf("%w: %v", pmerr.Type, t)
		case size > maxBlob:
			return fmt.Errorf("%w: value of %d bytes", pmerr.TooBig, size)
		case !format && (t == pcp.Event || t == pcp.HighResEvent) && !fitEvents(t, blob(v, i)):
			return fmt.Errorf("%w: event records longer than the value", pmerr.EINVAL)
		}
	}
	return nil
}

func misfit(v *pcp.Values, i int) *pcp.Odd {
	if v.Odd != nil && v.Odd[i].Bad {
		return &v.Odd[i]
	}
	return nil
}

func inSitu(v *pcp.Values, i int, floatInSitu bool) bool {
	if o := misfit(v, i); o != nil {
		return o.InSitu
	}
	return v.Type == pcp.Int32 || v.Type == pcp.Uint32 || floatInSitu && v.Type == pcp.Float
}

func blockType(v *pcp.Values, i int) pcp.Type {
	if o := misfit(v, i); o != nil {
		return o.Type
	}
	return v.Type
}

func blobSize(v *pcp.Values, i int) int {
	switch {
	case misfit(v, i) != nil || !v.Type.Arithmetic() && v.Type != pcp.String:
		return len(blob(v, i))
	case v.Type == pcp.String:
		return len(v.Blobs[i]) + 1
	case v.Type == pcp.Int32 || v.Type == pcp.Uint32 || v.Type == pcp.Float:
		return 4
	}
	return 8
}

func blob(v *pcp.Values, i int) []byte {
	if o := misfit(v, i); o != nil {
		return o.Blob
	}
	return v.Blobs[i]
}

// appendSet appends a value set whose first block begins at byte block of the message, and returns the end
// of its blocks.
func (w *SetWriter) appendSet(dst []byte, v *pcp.Values, block int) ([]byte, int) {
	id := v.ID
	if w.ID != nil {
		id = w.ID(id)
	}
	dst = AppendUint32(dst, uint32(id))
	if v.Len() == 0 {
		return AppendUint32(dst, uint32(pmerr.Of(v.Err))), block
	}
	dst = AppendUint32(dst, uint32(v.Len()))
	if inSitu(v, 0, w.FloatInSitu) {
		dst = AppendUint32(dst, InSitu)
		for i, inst := range v.Insts {
			var word uint32
			if o := misfit(v, i); o != nil {
				word = o.Word
			} else {
				word = uint32(v.Words[i])
			}
			dst = AppendUint32(dst, uint32(inst))
			dst = AppendUint32(dst, word)
		}
		return dst, block
	}
	dst = AppendUint32(dst, DPtr)
	for i, inst := range v.Insts {
		dst = AppendUint32(dst, uint32(inst))
		dst = AppendUint32(dst, uint32(block/4+w.Bias))
		block += 4 + (blobSize(v, i)+3)/4*4
	}
	return dst, block
}

// appendBlock appends the value block of value i: type and length in one word, the data, and padding to
// whole words.
func appendBlock(dst []byte, v *pcp.Values, i int) []byte {
	size, t := blobSize(v, i), blockType(v, i)
	dst = AppendUint32(dst, uint32(t)<<24|uint32(size+4))
	switch {
	case misfit(v, i) != nil:
		dst = append(dst, v.Odd[i].Blob...)
	case t == pcp.Float:
		dst = AppendUint32(dst, uint32(v.Words[i]))
	case t.Arithmetic():
		dst = AppendUint64(dst, v.Words[i])
	default:
		dst = append(dst, v.Blobs[i]...)
		if t == pcp.String {
			dst = append(dst, 0)
		}
	}
	for ; size%4 != 0; size++ {
		dst = append(dst, '~')
	}
	return dst
}
