package storetest

import (
	"math"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Metric is a metric of a Daemon, and what goes wrong with it.
type Metric struct {
	Name   string
	Desc   pcp.Desc
	Answer Answer   // to the first fetch of a connection, and to all if Later is empty
	Later  []Answer // to the second fetch, the third, and so on; the last to all that follow

	LookupErr, DescErr, StoreErr pmerr.Code
	Forgets                      bool // what is stored is accepted and not kept
}

// An Answer is what a fetch finds.
type Answer struct {
	Values  pcp.Values // a store changes those of the first answer
	Refused pmerr.Code // the fetch as a whole fails; with pmerr.IPC the connection is lost
}

// selected returns the values for the instances that a profile selects.
func (a *Answer) selected(d pcp.InDom, p *pcp.Profile) pcp.Values {
	v := pcp.Values{Type: a.Values.Type, Err: a.Values.Err}
	for i, inst := range a.Values.Insts {
		if !p.Selects(d, inst) {
			continue
		}
		v.Insts = append(v.Insts, inst)
		if v.Type.Arithmetic() {
			v.Words = append(v.Words, a.Values.Words[i])
		} else {
			v.Blobs = append(v.Blobs, a.Values.Blobs[i])
		}
		if a.Values.Odd != nil {
			v.Odd = append(v.Odd, a.Values.Odd[i])
		}
	}
	return v
}

// set stores value i of v for an instance.
func (m *Metric) set(inst int32, v *pcp.Values, i int) {
	old := &m.Answer.Values
	at := old.Find(inst)
	if at < 0 {
		at = old.Len()
		old.Insts = append(old.Insts, inst)
		if old.Type.Arithmetic() {
			old.Words = append(old.Words, 0)
		} else {
			old.Blobs = append(old.Blobs, nil)
		}
	}
	if old.Type.Arithmetic() {
		old.Words[at] = v.Words[i]
	} else {
		old.Blobs[at] = slices.Clone(v.Blobs[i])
	}
}

// The instance domains: a small one, one without instances, and one with an
// instance 0.
var (
	indom  = pcp.NewInDom(245, 1)
	empty  = pcp.NewInDom(245, 2)
	zeroth = pcp.NewInDom(245, 3)
)

// indoms are the instances of each domain. Values have one more, 9, without a name.
var indoms = map[pcp.InDom][]pcp.Instance{
	indom:  {{ID: 1, Name: "one"}, {ID: 2, Name: "two"}, {ID: 3, Name: "three blind mice"}, {ID: 100, Name: "a,b"}},
	empty:  nil,
	zeroth: {{ID: 0, Name: "zero"}, {ID: 1, Name: "one"}},
}

// Metrics returns the metrics of a new Daemon: one of each type that takes a value
// (w), with several instances (bin), without any value (none), of other types (t),
// with values that do not fit the type (odd), with errors (bad), and with another
// answer to the second fetch (late).
func Metrics() []*Metric {
	var ms []*Metric
	add := func(name string, t pcp.Type, d pcp.InDom, a Answer) *Metric {
		item := uint32(len(ms))
		m := &Metric{Name: name, Answer: a, Desc: pcp.Desc{ID: pcp.NewID(245, 1, item), Type: t, InDom: d, Sem: pcp.Instant}}
		ms = append(ms, m)
		return m
	}
	for _, t := range types {
		add("w."+t.name, t.t, pcp.NullInDom, Answer{Values: column(t.t, pcp.NullInst)})
		add("bin."+t.name, t.t, indom, Answer{Values: column(t.t, 1, 3, 2, 100)})
		add("none."+t.name, t.t, pcp.NullInDom, Answer{Values: column(t.t)})
		add("none.bin."+t.name, t.t, indom, Answer{Values: column(t.t)})
	}
	for _, t := range []struct {
		name string
		t    pcp.Type
	}{{"aggregate", pcp.Aggregate}, {"static", pcp.AggregateStatic}, {"event", pcp.Event}, {"highres", pcp.HighResEvent},
		{"nosupport", pcp.NoSupport}, {"unknown", pcp.Unknown}, {"eleven", 11}} {
		add("t."+t.name, t.t, pcp.NullInDom, Answer{Values: column(pcp.String, pcp.NullInst)})
		add("t.none."+t.name, t.t, pcp.NullInDom, Answer{Values: column(pcp.String)})
	}
	addOdd(add)
	addBad(add)
	addLate(add)
	return ms
}

// adder adds a metric.
type adder = func(name string, t pcp.Type, d pcp.InDom, a Answer) *Metric

// types are the types that take values.
var types = []struct {
	name string
	t    pcp.Type
}{
	{"long", pcp.Int32}, {"ulong", pcp.Uint32}, {"longlong", pcp.Int64}, {"ulonglong", pcp.Uint64},
	{"float", pcp.Float}, {"double", pcp.Double}, {"string", pcp.String},
}

// column returns the values 13 or "thirteen" for instances.
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

// numbers returns a column of integers.
func numbers(insts []int32, words ...uint64) Answer {
	return Answer{Values: pcp.Values{Type: pcp.Int32, Insts: insts, Words: words}}
}

// addOdd adds metrics whose values do not fit their type, or have no name.
func addOdd(add adder) {
	single := []int32{pcp.NullInst}
	text := Answer{Values: pcp.Values{Type: pcp.String, Insts: single, Blobs: [][]byte{[]byte("12345678")}}}
	add("odd.text", pcp.Int32, pcp.NullInDom, text)
	add("odd.double", pcp.Double, pcp.NullInDom, numbers(single, 1234567))
	add("odd.string", pcp.String, pcp.NullInDom, numbers(single, 1234567))
	add("odd.longlong", pcp.Int64, pcp.NullInDom, text)
	add("odd.unnamed", pcp.Int32, indom, numbers([]int32{9, 1, 10}, 90, 10, 100))
	add("odd.one", pcp.Int32, indom, numbers([]int32{9}, 90))
	add("odd.many", pcp.Int32, pcp.NullInDom, numbers([]int32{1, 2}, 7, 8))
	add("odd.empty", pcp.Int32, empty, numbers([]int32{1}, 7))
	add("odd.indom", pcp.Int32, pcp.NewInDom(245, 99), numbers([]int32{1, 2}, 7, 8))
}

// addBad adds metrics that fail at one step.
func addBad(add adder) {
	one := func(name string) *Metric {
		return add("bad."+name, pcp.Int32, pcp.NullInDom, numbers([]int32{pcp.NullInst}, 7))
	}
	one("again").LookupErr = pmerr.Again
	one("nonleaf").LookupErr = pmerr.NonLeaf
	one("desc").DescErr = pmerr.NoAgent
	one("nodesc").DescErr = pmerr.PMID
	one("value").Answer.Values = pcp.Values{Err: pmerr.AppVersion}
	one("fetch").Answer.Refused = pmerr.NoAgent
	one("lost").Answer.Refused = pmerr.IPC
	one("store").StoreErr = pmerr.Permission
	one("type").StoreErr = pmerr.BadStore
	one("errno").StoreErr = -22
	one("gone").StoreErr = pmerr.IPC
}

// addLate adds metrics whose second fetch is different.
func addLate(add adder) {
	late := func(name string, second Answer) {
		add("late."+name, pcp.Int32, indom, numbers([]int32{1, 2, 3}, 10, 20, 30)).Later = []Answer{second}
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
		m := add("late.seen."+t.name, t.t, zeroth, Answer{Values: column(t.t)})
		m.Forgets, m.Later = true, []Answer{{Values: column(t.t, 1)}}
	}
	add("late.zeroth", pcp.Int32, zeroth, numbers(nil)).Later = []Answer{numbers([]int32{0, 1}, 1, 11)}
	add("late.single", pcp.Int32, pcp.NullInDom, numbers(nil)).Later = []Answer{numbers([]int32{pcp.NullInst}, 5)}
	add("late.filled", pcp.Int32, indom, numbers(nil)).Later = []Answer{numbers([]int32{2, 1}, 21, 11)}
	add("late.empty", pcp.Int32, pcp.NullInDom, numbers([]int32{pcp.NullInst}, 5)).Later = []Answer{numbers(nil)}
}
