package pcp

import "fmt"

// A Type is the type of a metric's values, with the protocol's own numbers.
type Type int32

// The types.
const (
	NoSupport       Type = -1 // known, but not supported by this version of the measured system
	Int32           Type = 0
	Uint32          Type = 1
	Int64           Type = 2
	Uint64          Type = 3
	Float           Type = 4
	Double          Type = 5
	String          Type = 6
	Aggregate       Type = 7
	AggregateStatic Type = 8
	Event           Type = 9
	HighResEvent    Type = 10
	Unknown         Type = 255 // only in value blocks
)

// typeNames are the short names (pmTypeStr) of the types from Int32 on.
var typeNames = [...]string{
	"32", "U32", "64", "U64", "FLOAT", "DOUBLE", "STRING", "AGGREGATE", "AGGREGATE_STATIC", "EVENT", "HIGHRES_EVENT",
}

var typeTexts = [...]string{
	"32-bit int", "32-bit unsigned int", "64-bit int", "64-bit unsigned int", "float", "double", "string",
	"aggregate", "static aggregate", "event record array", "highres event record array",
}

// String returns the short name of t as pmTypeStr gives it, "???" for an unknown type.
func (t Type) String() string {
	switch {
	case t >= 0 && int(t) < len(typeNames):
		return typeNames[t]
	case t == NoSupport:
		return "NO_SUPPORT"
	case t == Unknown:
		return "UNKNOWN"
	}
	return "???"
}

// Text returns the long name of t as descriptions show it, "??? (n)" for an unknown type.
func (t Type) Text() string {
	switch {
	case t >= 0 && int(t) < len(typeTexts):
		return typeTexts[t]
	case t == NoSupport:
		return "Not Supported"
	}
	return fmt.Sprintf("??? (%d)", int32(t))
}

// Arithmetic reports whether values of type t are numbers.
func (t Type) Arithmetic() bool { return t >= Int32 && t <= Double }

// A Sem is the semantics of a metric's values.
type Sem int32

// The semantics.
const (
	Counter  Sem = 1 // grows, until it wraps or restarts
	Instant  Sem = 3 // any value at any time
	Discrete Sem = 4 // keeps its value until it changes
)

// String returns the name of s, "???" if it is unknown.
func (s Sem) String() string {
	switch s {
	case Counter:
		return "counter"
	case Instant:
		return "instant"
	case Discrete:
		return "discrete"
	}
	return "???"
}

// Text returns the name of s as descriptions show it, "??? (n)" if it is unknown.
func (s Sem) Text() string {
	if t := s.String(); t != "???" {
		return t
	}
	return fmt.Sprintf("??? (%d)", int32(s))
}
