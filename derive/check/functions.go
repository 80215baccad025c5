package check

import (
	"slices"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A Function describes a function of the language, for its users.
type Function struct {
	Name      string // the text of its syntax.Token
	Signature string // such as "rescale(EXPR, UNITS)"
	Summary   string // one sentence
	Metadata  string // how the metadata of the result follows from that of the operand
	Example   string // an expression over the metrics hinv.ncpu, kernel.all.load, network.interface.in.bytes and disk.all.total
}

// Functions returns the functions of PCP's language by their names. The slice belongs to the caller.
func Functions() []Function { return PCP.Functions() }

func described(table []rule) []Function {
	list := make([]Function, 0, len(table))
	for _, f := range table {
		list = append(list, f.Function)
	}
	return list
}

// A rule is a function and its effect on the metadata of its operand. Functions with a syntax of
// their own have empty rules: the code of their nodes implements them.
type rule struct {
	Function
	numbers bool              // the operand must be numbers
	result  func(Type) Type   // nil for those that are checked elsewhere
	refuse  func(Type) string // what is wrong with an operand, or ""; may be nil
}

func ruleOf(fun syntax.Token) *rule {
	for _, table := range [...][]rule{functions, extensions} {
		if i := slices.IndexFunc(table, func(r rule) bool { return r.Name == fun.Symbol() }); i >= 0 {
			return &table[i]
		}
	}
	return nil
}

// functions has the functions of the language (derived.md D7.3, D7.7). It is only read.
var functions = []rule{
	{Function: Function{"anon", "anon(PM_TYPE)",
		"A metric that never has values, of the type that is named; meant for the metrics that event records use.",
		"type as named (PM_TYPE_32, _U32, _64, _U64, _FLOAT or _DOUBLE), discrete, one value, no units",
		"anon(PM_TYPE_U32)"}},
	{Function: Function{"avg", "avg(METRIC)",
		"The average of the values of all instances.",
		"numbers only; float, instant, one value, units of the operand",
		"avg(kernel.all.load)"},
		numbers: true, result: average},
	{Function: Function{"count", "count(METRIC)",
		"The number of instances that have a value; 0 if the metric has an error.",
		"any operand; u32, instant, one value, units count",
		"count(kernel.all.load)"},
		result: func(Type) Type {
			return Type{Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Instant, Units: pcp.Units{DimCount: 1}}
		}},
	{Function: Function{"defined", "defined(METRIC)",
		"1 if there is such a metric, else 0; as the guard of ?: it decides before there are values.",
		"u32, discrete, one value, no units",
		"defined(hinv.ncpu) ? hinv.ncpu : mkconst(1, type=u32)"}},
	{Function: Function{"delta", "delta(EXPR)",
		"The difference from the sample before.",
		"numbers only; u32 becomes 64, u64 becomes double, else the type stays; instant, instances and units of the operand",
		"delta(disk.all.total)"},
		numbers: true, result: deltaType},
	{Function: Function{"instant", "instant(EXPR)",
		"The same values, but a counter is no longer a counter.",
		"any operand; a counter becomes instant, everything else stays",
		"instant(disk.all.total)"},
		result: func(t Type) Type {
			if t.Sem == pcp.Counter {
				t.Sem = pcp.Instant
			}
			return t
		}},
	{Function: Function{"matchinst", "matchinst(/PATTERN/, EXPR) or matchinst(!/PATTERN/, EXPR)",
		"The values of the instances whose names, up to a blank, match an extended regular expression; with ! of all others.",
		"any operand; everything stays",
		"matchinst(/^eth/, network.interface.in.bytes)"}},
	{Function: Function{"max", "max(METRIC)",
		"The largest value of all instances.",
		"numbers only; type and units of the operand, instant, one value",
		"max(kernel.all.load)"},
		numbers: true, result: extreme},
	{Function: Function{"min", "min(METRIC)",
		"The smallest value of all instances.",
		"numbers only; type and units of the operand, instant, one value",
		"min(kernel.all.load)"},
		numbers: true, result: extreme},
	{Function: Function{"mkconst", "mkconst(NUMBER, TAG=VALUE, ...)",
		"A constant with metadata of its own; the tags are type, semantics, units, indom and meta.",
		"u32, or double for a number with a point; discrete, one value, no units; then that of the metric that meta= names, then the other tags",
		`mkconst(100, type=double, units="Kbyte / sec")`}},
	{Function: Function{"novalue", "novalue(TAG=VALUE, ...)",
		"No value; it may stand only as one arm of ?:, and takes its metadata from the other.",
		"that of the other arm; where the guard is decided before, 32, discrete, one value, no units, changed by the tags",
		"hinv.ncpu > 1 ? kernel.all.load : novalue()"}},
	{Function: Function{"rate", "rate(EXPR)",
		"The difference from the sample before, for each second; of a time in counters, the share of the time that passed. A counter that went down has no rate.",
		"numbers only, of time dimension 0 or 1; double, instant, instances of the operand, its units for each second",
		"rate(disk.all.total)"},
		numbers: true, result: rateType, refuse: refuseTime},
	{Function: Function{"rescale", "rescale(EXPR, UNITS)",
		"The same values in other units of the same dimensions; integers are rounded.",
		"numbers only; the units that are named, everything else stays",
		`rescale(network.interface.in.bytes, "Mbyte")`}},
	{Function: Function{"scalar", "scalar(EXPR)",
		"The first value, without its instance.",
		"any operand; one value, everything else stays",
		"scalar(kernel.all.load[1 minute])"},
		result: func(t Type) Type { t.InDom = pcp.NullInDom; return t }},
	{Function: Function{"sum", "sum(METRIC)",
		"The sum of the values of all instances.",
		"numbers only; type, semantics and units of the operand, one value",
		"sum(network.interface.in.bytes)"},
		numbers: true, result: func(t Type) Type { t.InDom = pcp.NullInDom; return t }},
}

func average(t Type) Type {
	t.Type, t.Sem, t.InDom = pcp.Float, pcp.Instant, pcp.NullInDom
	return t
}

func extreme(t Type) Type {
	t.Sem, t.InDom = pcp.Instant, pcp.NullInDom
	return t
}

func refuseTime(t Type) string {
	if t.Units.DimTime != 0 && t.Units.DimTime != 1 {
		return msgTime
	}
	return ""
}
