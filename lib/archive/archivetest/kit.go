package archivetest

import (
	"cmp"
	"math"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A kit fills an archive. After the first error it does nothing.
type kit struct {
	w       *archive.Writer
	version int
	t0      pcp.Timestamp
	types   map[pcp.ID]pcp.Type
	err     error
}

var (
	noUnits = pcp.Units{}
	count   = pcp.Units{DimCount: 1}
	byteU   = pcp.Units{DimSpace: 1}
	kbyte   = pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}
	msec    = pcp.Units{DimTime: 1, ScaleTime: pcp.Msec}
)

func (k *kit) at(sec float64) pcp.Timestamp {
	return k.t0.Add(time.Duration(math.Round(sec * 1e9)))
}

func (k *kit) do(err error) {
	k.err = cmp.Or(k.err, err)
}

func (k *kit) metric(id pcp.ID, t pcp.Type, d pcp.InDom, sem pcp.Sem, u pcp.Units, names ...string) {
	if k.types == nil {
		k.types = make(map[pcp.ID]pcp.Type)
	}
	k.types[id] = t
	k.do(k.w.AddMetric(pcp.Desc{ID: id, Type: t, InDom: d, Sem: sem, Units: u}, names...))
}

func (k *kit) indom(sec float64, d pcp.InDom, insts ...pcp.Instance) {
	k.do(k.w.SetInDom(k.at(sec), d, insts))
}

func (k *kit) put(sec float64, cols ...pcp.Values) { k.putAt(k.at(sec), cols...) }

func (k *kit) putAt(t pcp.Timestamp, cols ...pcp.Values) {
	if k.err == nil {
		k.err = k.w.Put(&pcp.Result{Time: t, Sets: cols})
	}
}

func (k *kit) mark(sec float64) { k.do(k.w.Mark(k.at(sec))) }

// col returns a column of values for insts, nil for a singular metric. Numbers are converted to the type of
// the metric.
func (k *kit) col(id pcp.ID, insts []int32, values ...any) pcp.Values {
	v := pcp.Values{ID: id, Type: k.types[id], Insts: insts}
	if insts == nil {
		v.Insts = []int32{pcp.NullInst}
	}
	for _, x := range values {
		switch x := x.(type) {
		case string:
			v.Blobs = append(v.Blobs, []byte(x))
		case []byte:
			v.Blobs = append(v.Blobs, x)
		default:
			v.Words = append(v.Words, word(v.Type, x))
		}
	}
	return v
}

func word(t pcp.Type, x any) uint64 {
	f, u := 0.0, uint64(0)
	switch x := x.(type) {
	case int:
		f, u = float64(x), uint64(int64(x))
	case int64:
		f, u = float64(x), uint64(x)
	case uint64:
		f, u = float64(x), x
	case float64:
		f, u = x, uint64(int64(x))
	}
	switch t {
	case pcp.Float:
		return uint64(math.Float32bits(float32(f)))
	case pcp.Double:
		return math.Float64bits(f)
	case pcp.Int32:
		return uint64(int64(int32(u)))
	case pcp.Uint32:
		return uint64(uint32(u))
	}
	return u
}

func failed(id pcp.ID, code pmerr.Code) pcp.Values { return pcp.Values{ID: id, Err: code} }

func empty(id pcp.ID) pcp.Values { return pcp.Values{ID: id} }

func ints(values ...int64) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

func id245(item uint32) pcp.ID { return pcp.NewID(245, 0, item) }
