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
// metric of the Set that cannot be bound is reported once, by Options.Warn, and is then invalid for this
// Source: its name resolves, but its description is pmerr.BadDerive and walks omit it. One of the
// Source's own is refused when it is added.
//
// Without a Source, [Compile] makes a [Definition] of an expression.
//
// The files have one order, in which each uses only those before it:
//
//	id, error, definition                       a definition
//	control, observer, settings, set, registry  many of them
//	metric, view, bind                          metrics of a Source, checked against those below
//	plan, source, define                        the Source, and how metrics are added to it
//	overlay, names, meta, fetch                 its answers: names, metadata, values
//
// A fetch goes the other way: Source.Fetch prepares its plan, which binds the metrics that it asks for and
// makes the programs of package eval, and Source.derive runs these.
//
// An [Observer] follows all of this; package debug has one that prints it.
//
// Nothing here reads the environment. The parts are the packages syntax (text to tree), check (tree
// to types) and eval (types to values).
package derive
