package archivetest

import (
	"encoding/binary"
	"math"

	"pmtools/lib/pcp"
)

type event struct {
	sec, nsec int64
	flags     pcp.EventFlags
	missed    uint32 // instead of parameters
	params    []param
}

type param struct {
	id  pcp.ID
	typ pcp.Type
	raw []byte // of its value block, in network byte order
}

func eventArray(highRes bool, events ...event) []byte {
	be := binary.BigEndian
	b := be.AppendUint32(nil, uint32(len(events)))
	for _, e := range events {
		if highRes {
			b = be.AppendUint64(b, uint64(e.sec))
			b = be.AppendUint64(b, uint64(e.nsec))
		} else {
			b = be.AppendUint32(b, uint32(e.sec))
			b = be.AppendUint32(b, uint32(e.nsec/1000))
		}
		b = be.AppendUint32(b, uint32(e.flags))
		if e.flags == pcp.EventMissed {
			b = be.AppendUint32(b, e.missed)
			continue
		}
		b = be.AppendUint32(b, uint32(len(e.params)))
		for _, p := range e.params {
			b = be.AppendUint32(b, uint32(p.id))
			b = be.AppendUint32(b, uint32(p.typ)<<24|uint32(len(p.raw)+4))
			b = append(b, p.raw...)
			b = append(b, make([]byte, -len(p.raw)&3)...)
		}
	}
	return b
}

// fillEvents writes event arrays in both resolutions, with each flag, a parameter of each type, missed
// records, and no records.
func fillEvents(k *kit) {
	be := binary.BigEndian
	event1, event2 := id245(1), id245(2)
	params := []param{
		{id245(11), pcp.Int32, be.AppendUint32(nil, math.MaxUint32)},
		{id245(12), pcp.Uint32, be.AppendUint32(nil, math.MaxUint32)},
		{id245(13), pcp.Int64, be.AppendUint64(nil, math.MaxUint64)},
		{id245(14), pcp.Uint64, be.AppendUint64(nil, math.MaxUint64)},
		{id245(15), pcp.Float, be.AppendUint32(nil, math.Float32bits(-1.5))},
		{id245(16), pcp.Double, be.AppendUint64(nil, math.Float64bits(2.25))},
		{id245(17), pcp.String, []byte("hullo world!\x00")},
		{id245(18), pcp.Aggregate, []byte("\x01\x02\x03\x04\x05")},
		{id245(19), pcp.AggregateStatic, []byte("\xde\xad\xbe\xef")},
	}
	names := []string{"l", "ul", "ll", "ull", "f", "d", "s", "a", "as"}
	k.metric(event1, pcp.Event, testInDom, pcp.Discrete, noUnits, "e.records")
	k.metric(event2, pcp.HighResEvent, pcp.NullInDom, pcp.Discrete, noUnits, "e.highres")
	for i, p := range params {
		k.metric(p.id, p.typ, pcp.NullInDom, pcp.Discrete, noUnits, "e.param."+names[i])
	}
	insts := []int32{0, 1}
	k.indom(0, testInDom, named(insts, "fungus", "bogus")...)
	many := []event{
		{sec: Start, nsec: 45449000, flags: pcp.EventPoint, params: params},
		{sec: Start + 1, nsec: 45449348, flags: pcp.EventStart | pcp.EventHasID, params: params[6:7]},
		{sec: Start + 2, flags: pcp.EventEnd | pcp.EventHasID | pcp.EventParent, params: []param{params[6], params[6], params[0]}},
		{sec: Start + 3, nsec: 999999999, flags: pcp.EventMissed, missed: 7},
		{sec: Start + 4, params: params[:1]}, // no flags
		{sec: Start + 5, nsec: 5, flags: pcp.EventPoint},
	}
	one := many[1:2]
	for i, set := range [][3][]event{{many, one, many}, {nil, many, nil}, {one, nil, one}} {
		k.put(float64(10*i), k.col(event1, insts, eventArray(false, set[0]...), eventArray(false, set[1]...)),
			k.col(event2, nil, eventArray(true, set[2]...)))
	}
	k.put(30, empty(event1), empty(event2))
}
