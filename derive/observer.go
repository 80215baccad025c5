package derive

import (
	"io/fs"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// An Observer is called where a Registry, or a Source over it, does something; package debug has
// one that prints the lines of the reference's -Dderive. All goroutines that use the Registry call
// it. It must neither use the Registry and its Sources nor change what events point to, which is
// valid during the call. While it is not enabled, events are not even made.
type Observer interface {
	// Enabled reports whether one of the controls of debugging is on and, for 0, whether events
	// other than Controlled are wanted.
	Enabled(c Control) bool
	Controlled(c Control, value int)
	Loaded(f *File)         // definitions are read from a file
	Defined(d *Parsed)      // an expression was parsed or refused
	Opened(s *State)        // a Source was made
	Closed(s *State)        // a Source was closed
	LookedUp(l *Resolution) // a name was looked up
	Listed(l *Listing)      // names are listed: called at the beginning, for each metric, at the end
	Bound(b *Binding)       // a metric is bound: called at each Stage
	Prefetched(operands []pcp.ID)
	Evaluated(e *Evaluation)
}

// A File is something that package load comes across.
type File struct {
	Path      string
	Default   bool              // Path is the list of load.Default
	Mode      fs.FileMode       // only regular files are read; of a directory with an Err
	Err       error             // why it cannot be read
	Attribute *syntax.Attribute // a line that sets a help text, nil for the file itself
	Setting   *Setting          // a control that was set, by a line or by the environment
}

// A Setting is a control's new value as it was written.
type Setting struct {
	Name, Place string // the place is a variable, or "[file:line]"
	Value       int
}

// A Parsed is an expression that is to become a metric.
type Parsed struct {
	Source     *State // nil for the Registry
	Name, Expr string
	Err        error   // why it was refused
	Early      bool    // it was refused before the expression was looked at
	Metric     *Metric // nil if it was refused
	Hidden     *Metric // of the Registry, hidden by one of the Source's own
}

// A State describes a Source.
type State struct {
	Number    int  // Sources of a Registry are numbered from 0
	Recorded  bool // the Source below has a past
	NamesOnly bool // the Source below has names and nothing else
	NoValue   bool // control OPTION_NOVALUE
	Metrics   int
}

// A Metric describes a metric of a Source, or of the Registry.
type Metric struct {
	*Definition
	ID     pcp.ID
	Number int  // in the order in which the Source, or the Registry, came to know them
	Local  bool // it belongs to the Source
	Masked bool // the Source below has a metric of that name
	Err    error
	Valid  bool
}

// A Resolution says which metrics a name belongs to.
type Resolution struct {
	Source  *State
	Name    string
	ID      pcp.ID // in the Source below
	Err     error  // why the Source below does not have it
	Visible *Metric
	Global  *Metric // of the Registry; it is hidden unless it is Visible as well
}

// A Listing lists the derived metrics at or below a node of the name space.
type Listing struct {
	Source   *State
	Name     string
	Walk     bool      // a daemon's names at any depth, not those of children
	Metrics  []*Metric // so far, invalid ones included
	Done     bool
	Children int // of the Source below, when Done
	Err      error

	observer Observer
}

// A Binding is a metric that is checked against the metrics below.
type Binding struct {
	Source  *State
	Metric  *Metric
	Cause   Cause
	Stage   Stage
	Info    *check.Info // what is known of the expression, from Checked on
	Resolve func(name string) *Resolution
}

// A Cause is why a metric is bound.
type Cause int

// The causes.
const (
	used      Cause = iota // it is listed or fetched
	Described              // its description is asked for
	Added                  // it was defined by Source.Add
)

// A Stage is a part of binding.
type Stage int

// The stages. A metric that is masked by one below has no Checked.
const (
	Begun Stage = iota
	Checked
	Settled // behind the warning about a metric that does not fit
)

// An Evaluation is the result of a derived metric in a fetch.
type Evaluation struct {
	Source *State
	Metric *Metric
	Info   *check.Info
	Column int // of the result
	Input  *eval.Input
	Values *pcp.Values
}
