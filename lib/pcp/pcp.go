// Package pcp is the vocabulary of the Performance Co-Pilot: identifiers, descriptors, units,
// values and results, and the conversions between them. It does no I/O.
//
// A metric has a name, an [ID] and a [Desc]; its values belong to instances of an [InDom]. A fetch
// fills a [Result]: one column of values ([Values]) for each metric of the request. A single
// value of a column is a [Value], which converts to other types and scales.
//
// Everything here but [Result], [Values] and [Profile] is immutable and may be shared by
// goroutines.
package pcp

import (
	"fmt"
	"strconv"
)

// An ID identifies a metric (PMID): bit 31 is a flag that is ignored, then the domain in 9 bits,
// the cluster in 12 and the item in 10.
type ID uint32

// NullID is the ID of no metric.
const NullID ID = 0xffffffff

// DynamicDomain is the domain number of dynamic name space roots and derived metrics.
const DynamicDomain = 511

// NewID builds an ID. Each part is cut to its width, without error.
func NewID(domain, cluster, item uint32) ID {
	return ID(domain&0x1ff<<22 | cluster&0xfff<<10 | item&0x3ff)
}

// Domain returns the number of the agent that owns the metric.
func (id ID) Domain() uint32 { return uint32(id) >> 22 & 0x1ff }

// Cluster returns the cluster number.
func (id ID) Cluster() uint32 { return uint32(id) >> 10 & 0xfff }

// Item returns the item number.
func (id ID) Item() uint32 { return uint32(id) & 0x3ff }

// IsDerived reports whether id belongs to a metric that the client computes. A derived metric that
// was recorded in an archive is an ordinary metric there.
func (id ID) IsDerived() bool {
	return id != NullID && id.Domain() == DynamicDomain && id.Cluster()&2048 == 0 && id.Item() != 0
}

// String returns id in the form domain.cluster.item, domain.*.* for the root of a dynamic subtree,
// or PM_ID_NULL.
func (id ID) String() string {
	switch {
	case id == NullID:
		return "PM_ID_NULL"
	case id.Domain() == DynamicDomain && id.Item() == 0:
		return fmt.Sprintf("%d.*.*", id.Cluster())
	}
	return fmt.Sprintf("%d.%d.%d", id.Domain(), id.Cluster(), id.Item())
}

// An InDom identifies an instance domain: bit 31 is a flag that is ignored, then the domain in 9
// bits and the serial number in 22.
type InDom uint32

// NullInDom is the instance domain of a metric with a single value.
const NullInDom InDom = 0xffffffff

// NewInDom builds an InDom. Each part is cut to its width, without error.
func NewInDom(domain, serial uint32) InDom {
	return InDom(domain&0x1ff<<22 | serial&0x3fffff)
}

// Domain returns the number of the agent that owns the instance domain.
func (d InDom) Domain() uint32 { return uint32(d) >> 22 & 0x1ff }

// Serial returns the serial number of the instance domain within its agent.
func (d InDom) Serial() uint32 { return uint32(d) & 0x3fffff }

// String returns d in the form domain.serial, or PM_INDOM_NULL.
func (d InDom) String() string { return string(d.Append(nil)) }

// Append appends the text of String.
func (d InDom) Append(dst []byte) []byte {
	if d == NullInDom {
		return append(dst, "PM_INDOM_NULL"...)
	}
	dst = append(strconv.AppendUint(dst, uint64(d.Domain()), 10), '.')
	return strconv.AppendUint(dst, uint64(d.Serial()), 10)
}

// NullInst is the instance identifier of the only value of a singular metric.
const NullInst int32 = -1

// A Desc is the description of a metric's values (pmDesc).
type Desc struct {
	ID    ID
	Type  Type
	InDom InDom
	Sem   Sem
	Units Units
}

// Idents returns identifiers as numbers, as questions about objects of several kinds take them.
func Idents[T ID | InDom](list []T) []uint32 {
	out := make([]uint32, len(list))
	for i, x := range list {
		out[i] = uint32(x)
	}
	return out
}
