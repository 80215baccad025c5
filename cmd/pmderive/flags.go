package main

import (
	"pmtools/cmd/internal/repl"
	"pmtools/derive/query"
)

type evalFlags struct {
	*repl.Flags
	fleetFlags
	targetFlags
	formFlags
	pick    query.Selection
	delay   bool
	several bool // samples, without an option about time too
}

// fleetFlags are the options about several hosts.
type fleetFlags struct {
	hosts    string // the file that lists them
	across   string
	machines *query.Recordings // of archives, nil for another source
	all      bool
}

// targetFlags are the options that say what becomes of samples.
type targetFlags struct {
	plot    string // the file, or terminalChart; "" for none
	file    string // for output
	archive string // the base name of the archive to write, "" for none

	failEmpty bool // no values are a failure
}

// formFlags are the options about the form of output, as they are typed.
type formFlags struct {
	units     string // to convert to, or unitsInNames; "" for neither
	header    string
	delimiter string
}

// unitsInNames is the value of --units without units.
const unitsInNames = "-"

// terminalChart is the value of --plot without a file.
const terminalChart = "-"
