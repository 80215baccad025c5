package archivetest

import (
	"fmt"
	"math"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

var semantics = [...]pcp.Sem{pcp.Counter, pcp.Instant, pcp.Discrete}

type typed struct {
	name   string
	typ    pcp.Type
	values []any
}

// types returns each type with extreme values, which rise as those of a counter do.
func types() []typed {
	nan, inf := math.NaN(), math.Inf(1)
	return []typed{
		{"l", pcp.Int32, ints(math.MinInt32, -1, 0, 1, math.MaxInt32)},
		{"ul", pcp.Uint32, ints(0, 1, math.MaxInt32, math.MaxInt32+1, math.MaxUint32)},
		{"ll", pcp.Int64, ints(math.MinInt64, -1, 0, 1<<53+1, math.MaxInt64)},
		{"ull", pcp.Uint64, []any{uint64(0), uint64(1), uint64(math.MaxInt64), uint64(1 << 63), uint64(math.MaxUint64)}},
		{"f", pcp.Float, []any{-math.MaxFloat32, -0.1, math.SmallestNonzeroFloat32, 16777216.0, math.MaxFloat32}},
		{"d", pcp.Double, []any{-math.MaxFloat64, -0.1, math.SmallestNonzeroFloat64, 1e15, math.MaxFloat64}},
		{"nan", pcp.Double, []any{-inf, math.Copysign(0, -1), 0.0, inf, nan}},
		{"fnan", pcp.Float, []any{-inf, math.Copysign(0, -1), 0.0, inf, nan}},
		{"s", pcp.String, []any{"", "plain", "na\u00efve \u65e5\u672c", "two\nlines\tand a tab", "quote \" and \\ back\x01\xff"}},
		{"a", pcp.Aggregate, []any{"", "\x01", "\x01\x02", "\x01\x02\x03", "\x01\x02\x03\x04"}},
		{"ab", pcp.Aggregate, []any{"\x01\x02\x03\x04\x05", "abcdef", "abcdefg", "\x00\x00\x00\x00\x00\x00\x00\x01", "\xfe\xdc\xba\x98\x76\x54\x32\x10"}},
		{"as", pcp.AggregateStatic, []any{"", "x", "xyz", "wxyz", "uvwxyz12"}},
	}
}

// fillAllTypes writes each type with each semantics, singular (t.c.l) and with four instances (t.cs.l),
// then a record without values and one of errors.
func fillAllTypes(k *kit) {
	insts := []int32{3, 0, 2, 1}
	k.indom(0, testInDom, named(insts, "three", "zero", "two two", "one")...)
	var ids []pcp.ID
	all := types()
	for si, sem := range semantics {
		for ti, t := range all {
			for set := range 2 {
				id := id245(uint32(100*si + 2*ti + set + 1))
				name, d := "t."+sem.String()[:1], pcp.NullInDom
				if set == 1 {
					name, d = name+"s", testInDom
				}
				k.metric(id, t.typ, d, sem, noUnits, name+"."+t.name)
				ids = append(ids, id)
			}
		}
	}
	for step := range 5 {
		var cols []pcp.Values
		for i, id := range ids {
			values := all[i/2%len(all)].values
			if i%2 == 0 {
				cols = append(cols, k.col(id, nil, values[step]))
				continue
			}
			// Each instance lags behind the previous one but never falls.
			var set []any
			for j := range insts {
				set = append(set, values[max(0, step-j)])
			}
			cols = append(cols, k.col(id, insts, set...))
		}
		k.put(float64(step), cols...)
	}
	var none, errs []pcp.Values
	codes := []pmerr.Code{pmerr.AppVersion, pmerr.Again, pmerr.NoAgent, pmerr.Permission, pmerr.PMID, pmerr.EINVAL}
	for i, id := range ids {
		none = append(none, empty(id))
		errs = append(errs, failed(id, codes[i%len(codes)]))
	}
	k.put(5, none...)
	k.put(6, errs...)
	k.metric(id245(900), pcp.NoSupport, pcp.NullInDom, pcp.Instant, noUnits, "t.unsupported")
	k.put(7, failed(id245(900), pmerr.AppVersion))
}

// fillOldFloat writes Float values in place, as in very old archives.
func fillOldFloat(k *kit) {
	k.metric(id245(1), pcp.Float, pcp.NullInDom, pcp.Instant, noUnits, "t.f")
	k.metric(id245(2), pcp.Float, pcp.NullInDom, pcp.Counter, noUnits, "t.c")
	for i := range 4 {
		k.put(10*float64(i), k.col(id245(1), nil, 0.25*float64(i)), k.col(id245(2), nil, 1.5*float64(i)))
	}
}

// fillUnits writes a metric for each combination of dimension and scale that shows: u.space.*, u.time.*,
// u.count.*, u.mix.* and u.extra.*.
func fillUnits(k *kit) {
	var cols []pcp.Values
	item := uint32(0)
	add := func(name string, u pcp.Units) {
		item++
		id := id245(item)
		k.metric(id, pcp.Double, pcp.NullInDom, pcp.Instant, u, "u."+name)
		cols = append(cols, k.col(id, nil, float64(item)))
	}
	dims := map[int8]string{-2: "m2", -1: "m1", 1: "p1", 2: "p2"}
	add("none", noUnits)
	for _, dim := range []int8{-2, -1, 1, 2} {
		for scale := pcp.Byte; scale <= pcp.Ebyte; scale++ {
			add(fmt.Sprintf("space.%s.s%d", dims[dim], scale), pcp.Units{DimSpace: dim, ScaleSpace: scale})
		}
		for scale := pcp.Nsec; scale <= pcp.Hour; scale++ {
			add(fmt.Sprintf("time.%s.s%d", dims[dim], scale), pcp.Units{DimTime: dim, ScaleTime: scale})
		}
		for scale := int8(-8); scale <= 7; scale++ {
			add(fmt.Sprintf("count.%s.s%d", dims[dim], scale+8), pcp.Units{DimCount: dim, ScaleCount: scale})
		}
	}
	for s := int8(-1); s <= 1; s++ {
		for t := int8(-1); t <= 1; t++ {
			for c := int8(-1); c <= 1; c++ {
				u := pcp.Units{DimSpace: s, DimTime: t, DimCount: c}
				if s != 0 {
					u.ScaleSpace = pcp.Mbyte
				}
				if t != 0 {
					u.ScaleTime = pcp.Sec
				}
				if c != 0 {
					u.ScaleCount = 3
				}
				add(fmt.Sprintf("mix.x%d%d%d", s+1, t+1, c+1), u)
			}
		}
	}
	for kind, scales := range []uint8{3, 3, 3, 4} {
		for scale := uint8(1); scale <= scales; scale++ {
			u := pcp.Units{Extra: int8(kind + 1), ExtraScale: scale}
			add(fmt.Sprintf("extra.k%d.s%d", kind+1, scale), u)
			u.DimTime, u.ScaleTime = -1, pcp.Sec
			add(fmt.Sprintf("extra.rate.k%d.s%d", kind+1, scale), u)
			u.Extra = -u.Extra
			add(fmt.Sprintf("extra.per.k%d.s%d", kind+1, scale), u)
		}
	}
	k.put(0, cols...)
	k.put(1, cols...)
}
