package main

import (
	"context"

	"pmtools/lib/pcp"
)

type reporter interface {
	// labels says which columns there are from now on.
	labels(columns []column)
	// sample shows a sample. An error ends the program.
	sample(ctx context.Context, s *sample) error
	// gap says that there is no sample, and why.
	gap(t pcp.Timestamp, why string)
	// end shows what has not been shown yet.
	end() error
}

const (
	unavailable = "No values available"
	suspended   = "Archive logging suspended"
)

type sample struct {
	time    pcp.Timestamp
	columns []column
	cells   []cell      // one for each column
	values  *pcp.Values // of all instances
	strange bool        // there are values of instances without a column
}

type cell struct {
	kind cellKind
	real float64 // for isReal: a rate, or a number that is printed like one
	at   int     // for isValue, and isReal unless it is a rate: which of the values it is
}

type cellKind uint8

const (
	isAbsent cellKind = iota // no value, or none before
	isValue
	isReal
	isWrapped // a counter that went down, or is negative
	isOdd     // a counter that is not a number
)
