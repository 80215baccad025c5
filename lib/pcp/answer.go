package pcp

// An Answer is the reply for one item of a list: the ID of a name, the Desc of a metric, the
// instances of a domain, a help text.
type Answer[T any] struct {
	Value T // NullID for a name that was not found
	Err   error
}

// A Child is a node directly below another one of the name space.
type Child struct {
	Name string // the last component
	Leaf bool   // false for a dynamic subtree
}

// A Mode is the direction in which an archive is read, with the protocol's numbers.
type Mode int

// The modes.
const (
	Live    Mode = 0
	Interp  Mode = 1 // values between the records
	Forward Mode = 2 // records as they were written
	Back    Mode = 3 // the same, last one first
)
