// Package derive adds derived metrics, computed by expressions from other metrics, to a source of
// metrics.
//
// A [Definition] is a name and an expression that has been parsed, and a [Set] is those that hold
// together; neither changes. A [Registry] makes a Set by PCP's rules: [Registry.Register] takes one
// definition, package load reads files of them. A [Source] wraps a [pmapi.Source] and is one: its names,
// descriptions, help texts and values are those below plus those of the derived metrics of a Set.
// [Source.Add] defines a metric for one Source alone.
//
//	reg := derive.NewRegistry(warn)
//	if err := reg.Register("disk.dev.load", "rate(disk.dev.avactive)"); err != nil { ... }
//	src := derive.NewSource(base, reg.Set(), nil)
//
// An expression is parsed when it is defined, and bound, that is checked against the metrics below,
// when a Source first needs it. Its history, for delta() and rate(), belongs to the Source. A
// metric that cannot be bound is reported once, by Options.Warn, and is then invalid for this
// Source: its name resolves, but its description is pmerr.BadDerive and walks omit it.
//
// Without a Source, [Compile] makes a [Definition] of an expression.
//
// To read the code, follow the data: definition.go and set.go are what is defined, registry.go and
// control.go how it is read; source.go is the metrics of a Source, bind.go and nested.go how they are
// checked when they are first needed; names.go, meta.go and domain.go answer questions about them, and
// fetch.go computes their values.
//
// An [Observer] follows all of this; package debug has one that prints it.
//
// Nothing here reads the environment. The parts are the packages syntax (text to tree), check (tree
// to types) and eval (types to values).
package derive

import (
	"strings"

	"pmtools/lib/pcp"
)

// The space of identifiers for derived metrics (derived.md D6.1): items run from 1 to maxItem,
// clusters from 0 to maxCluster.
const (
	maxItem    = 1023
	maxCluster = 2047
	maxMetrics = (maxCluster + 1) * maxItem
)

// globalID returns the identifier of global definition number i, counted from 0.
func globalID(i int) pcp.ID {
	return pcp.NewID(pcp.DynamicDomain, uint32(i/maxItem), uint32(i%maxItem)+1)
}

func localID(i int) pcp.ID {
	return pcp.NewID(pcp.DynamicDomain, uint32(maxCluster-i/maxItem), uint32(maxItem-i%maxItem))
}

// number returns the position of id in the order of globalID.
func number(id pcp.ID) int { return int(id.Cluster())*maxItem + int(id.Item()) - 1 }

// localNumber returns the position of id in the order of localID.
func localNumber(id pcp.ID) int {
	return int(maxCluster-id.Cluster())*maxItem + int(maxItem-id.Item())
}

// below reports whether name is prefix or stands below it in the name space; everything stands
// below "".
func below(name, prefix string) bool {
	if prefix == "" || name == prefix {
		return true
	}
	return len(name) > len(prefix) && name[len(prefix)] == '.' && strings.HasPrefix(name, prefix)
}
