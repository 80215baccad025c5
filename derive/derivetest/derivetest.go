// Package derivetest tests definitions of derived metrics. A file of cases names the definitions, says
// what the metrics they are made of are and which values these have, and what has to come out:
//
//	definitions disk.conf
//	step 10s
//
//	metric disk.dev.read u64 counter count indom 60.1
//	  sda  0+100x3
//	  sdb  0x3
//
//	case an idle disk
//	  eval rate(disk.dev.read)
//	    is double instant "count / sec"
//	    sda  _ 10x2
//	    sdb  _ 0x2
//
// Values are written as promtool writes them: 0+100x3 is 0 100 200 300, 5x2 is 5 5 5, _ is no value.
// [Run] runs files of cases by go test, and [Parse] with [File.Run] by a program.
//
// The metrics are written into an archive, so that the same case can be put to every tool of PCP. docs/testing-definitions.md has the whole notation.
package derivetest

import (
	"fmt"
	"time"

	"pmtools/derive/diagnose"
	"pmtools/lib/pcp"
)

// Suffix is the end of the names of files of cases.
const Suffix = ".cases"

// A File is a file of cases. [Parse] makes one; the zero File, which has no metrics, cannot be run.
type File struct {
	Name        string
	Definitions []string // files under test, as they are written
	Start       pcp.Timestamp
	Step        time.Duration
	Expand      bool // definitions may stand inside others
	Cases       []*Case

	lines   []string
	metrics []*metric
}

// A Case is expressions with what has to come out.
type Case struct {
	Name     string
	Line     int
	Recorded bool // the expectations were written by Record, and nobody has confirmed them

	checks []*expectation
}

type expectation struct {
	expr      string
	line, end int // of the eval, and of the last line that belongs to it
	at        span
	desc      *description
	err       string
	rows      []*row
	empty     bool // nothing is expected yet
}

// A span is a part of the time: from and to are offsets from the start.
type span struct {
	set      bool
	from, to time.Duration
}

// A description is the metadata that is written for a metric. A nil field is not written.
type description struct {
	typ   *pcp.Type
	sem   *pcp.Sem
	units *pcp.Units
	indom *pcp.InDom
	line  int
}

type metric struct {
	name string
	line int
	desc description
	rows []*row
}

type row struct {
	instance string // "" for the only value of a singular metric
	line     int
	points   []point
}

// mistake returns the problem of a line in a file of cases.
func mistake(file string, line int, text string) *diagnose.Problem {
	return &diagnose.Problem{Msg: fmt.Sprintf("%s:%d: %s", file, line, text)}
}
