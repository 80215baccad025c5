package pmcdtest

import (
	"math"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

const (
	bins   pcp.InDom = 245<<22 | 1
	empty  pcp.InDom = 245<<22 | 2
	zeroth pcp.InDom = 245<<22 | 3
)

// Faulty returns a World to store to, with metrics of each type that takes a value (w), with
// several instances (bin), without any value (none), of other types (t), with values that do not
// fit the type (odd), with errors (bad), and with another answer to the second fetch (late). Some
// values are of instance 9, which has no name.
func Faulty() *World {
	w := &World{InDoms: []InDom{
		{ID: bins, WholeNames: true, Instances: []pcp.Instance{{ID: 1, Name: "one"}, {ID: 2, Name: "two"}, {ID: 3, Name: "three blind mice"}, {ID: 100, Name: "a,b"}}},
		{ID: empty},
		{ID: zeroth, Instances: []pcp.Instance{{ID: 0, Name: "zero"}, {ID: 1, Name: "one"}}},
	}}
	add := func(name string, t pcp.Type, d pcp.InDom, answers ...Answer) *Metric {
		item := uint32(len(w.Metrics))
		w.Metrics = append(w.Metrics, Metric{Name: name, Answers: answers, Desc: pcp.Desc{ID: pcp.NewID(245, 1, item), Type: t, InDom: d, Sem: pcp.Instant}})
		return &w.Metrics[item]
	}
	for _, t := range types {
		add("w."+t.name, t.t, pcp.NullInDom, Answer{Values: column(t.t, pcp.NullInst)})
		add("bin."+t.name, t.t, bins, Answer{Values: column(t.t, 1, 3, 2, 100)})
		add("none."+t.name, t.t, pcp.NullInDom, Answer{Values: column(t.t)})
		add("none.bin."+t.name, t.t, bins, Answer{Values: column(t.t)})
	}
	for _, t := range []named{{"aggregate", pcp.Aggregate}, {"static", pcp.AggregateStatic}, {"event", pcp.Event}, {"highres", pcp.HighResEvent},
		{"nosupport", pcp.NoSupport}, {"unknown", pcp.Unknown}, {"eleven", 11}} {
		add("t."+t.name, t.t, pcp.NullInDom, Answer{Values: column(pcp.String, pcp.NullInst)})
		add("t.none."+t.name, t.t, pcp.NullInDom, Answer{Values: column(pcp.String)})
	}
	addOdd(add)
	addBad(add)
	addLate(add)
	return w
}

type adder = func(name string, t pcp.Type, d pcp.InDom, answers ...Answer) *Metric

type named struct {
	name string
	t    pcp.Type
}

var types = []named{
	{"long", pcp.Int32}, {"ulong", pcp.Uint32}, {"longlong", pcp.Int64}, {"ulonglong", pcp.Uint64},
	{"float", pcp.Float}, {"double", pcp.Double}, {"string", pcp.String},
}

func column(t pcp.Type, insts ...int32) pcp.Values {
	v := pcp.Values{Type: t, Insts: insts}
	for range insts {
		switch t {
		case pcp.Float:
			v.Words = append(v.Words, uint64(math.Float32bits(13)))
		case pcp.Double:
			v.Words = append(v.Words, math.Float64bits(13))
		case pcp.String:
			v.Blobs = append(v.Blobs, []byte("thirteen"))
		default:
			v.Words = append(v.Words, 13)
		}
	}
	return v
}

func numbers(insts []int32, words ...uint64) Answer {
	return Answer{Values: pcp.Values{Type: pcp.Int32, Insts: insts, Words: words}}
}

func addOdd(add adder) {
	single := []int32{pcp.NullInst}
	text := Answer{Values: pcp.Values{Type: pcp.String, Insts: single, Blobs: [][]byte{[]byte("12345678")}}}
	add("odd.text", pcp.Int32, pcp.NullInDom, text)
	add("odd.double", pcp.Double, pcp.NullInDom, numbers(single, 1234567))
	add("odd.string", pcp.String, pcp.NullInDom, numbers(single, 1234567))
	add("odd.longlong", pcp.Int64, pcp.NullInDom, text)
	add("odd.unnamed", pcp.Int32, bins, numbers([]int32{9, 1, 10}, 90, 10, 100))
	add("odd.one", pcp.Int32, bins, numbers([]int32{9}, 90))
	add("odd.many", pcp.Int32, pcp.NullInDom, numbers([]int32{1, 2}, 7, 8))
	add("odd.empty", pcp.Int32, empty, numbers([]int32{1}, 7))
	add("odd.indom", pcp.Int32, pcp.NewInDom(245, 99), numbers([]int32{1, 2}, 7, 8))
}

func addBad(add adder) {
	one := func(name string) *Metric {
		return add("bad."+name, pcp.Int32, pcp.NullInDom, numbers([]int32{pcp.NullInst}, 7))
	}
	one("again").LookupErr = pmerr.Again
	one("nonleaf").LookupErr = pmerr.NonLeaf
	one("desc").DescErr = pmerr.NoAgent
	one("nodesc").DescErr = pmerr.PMID
	one("value").Answers[0].Values = pcp.Values{Err: pmerr.AppVersion}
	one("fetch").Answers[0].Refused = pmerr.NoAgent
	one("lost").Answers[0].Refused = pmerr.IPC
	one("store").StoreErr = pmerr.Permission
	one("type").StoreErr = pmerr.BadStore
	one("errno").StoreErr = -22
	one("gone").StoreErr = pmerr.IPC
}

func addLate(add adder) {
	late := func(name string, second Answer) {
		add("late."+name, pcp.Int32, bins, numbers([]int32{1, 2, 3}, 10, 20, 30), second)
	}
	late("fetch", Answer{Refused: pmerr.NoAgent})
	late("lost", Answer{Refused: pmerr.IPC})
	late("value", Answer{Values: pcp.Values{Err: pmerr.Again}})
	late("none", numbers(nil))
	late("fewer", numbers([]int32{1, 3}, 11, 31))
	late("more", numbers([]int32{1, 2, 3, 100}, 11, 21, 31, 41))
	late("order", numbers([]int32{3, 2, 1}, 31, 21, 11))
	late("others", numbers([]int32{100, 9, 3}, 101, 91, 31))
	late("text", Answer{Values: pcp.Values{Type: pcp.String, Insts: []int32{1, 2, 3},
		Blobs: [][]byte{[]byte("a"), []byte("bc"), []byte("")}}})
	for _, t := range types {
		add("late.void."+t.name, t.t, pcp.NullInDom, Answer{Values: column(t.t)}).Forgets = true
		add("late.seen."+t.name, t.t, zeroth, Answer{Values: column(t.t)}, Answer{Values: column(t.t, 1)}).Forgets = true
	}
	add("late.zeroth", pcp.Int32, zeroth, numbers(nil), numbers([]int32{0, 1}, 1, 11))
	add("late.single", pcp.Int32, pcp.NullInDom, numbers(nil), numbers([]int32{pcp.NullInst}, 5))
	add("late.filled", pcp.Int32, bins, numbers(nil), numbers([]int32{2, 1}, 21, 11))
	add("late.empty", pcp.Int32, pcp.NullInDom, numbers([]int32{pcp.NullInst}, 5), numbers(nil))
}
