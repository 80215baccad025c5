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
	Used      Cause = iota // it is listed or fetched
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

// Observe makes o the Observer of the Registry and of the Sources over its Sets, and shows it the
// definitions so far. Nil ends that. It is called before there are Sources.
func (r *Registry) Observe(o Observer) {
	r.observer = o
	if o := r.Observer(); o != nil {
		for i, d := range r.list {
			o.Defined(&Parsed{Name: d.name, Expr: d.text, Metric: r.view(i)})
		}
	}
}

// Observer returns the Observer, or nil if no events are wanted.
func (r *Registry) Observer() Observer {
	if r.observer != nil && r.observer.Enabled(0) {
		return r.observer
	}
	return nil
}

func (r *Registry) view(i int) *Metric {
	return &Metric{Definition: r.list[i], ID: globalID(i), Number: i}
}

func (m *metric) view() *Metric {
	if m == nil {
		return nil
	}
	p := m.Definition
	if m.tree != nil && m.tree != m.Expr() { // there are definitions in it
		p = &Definition{name: m.name, text: m.text, expr: m.tree}
	}
	return &Metric{Definition: p, ID: m.id, Number: m.number, Local: m.local,
		Masked: m.state == masked, Err: m.err, Valid: m.state == valid}
}

func (s *Source) state() *State {
	novalue, _ := s.set.reg.Control(NoValueOption)
	metrics := 0
	for range s.all() {
		metrics++
	}
	return &State{Number: s.handle, Recorded: s.recorded, NamesOnly: s.alone, NoValue: novalue != 0, Metrics: metrics}
}

func (s *Source) resolution(name string, id pcp.ID, err error) *Resolution {
	return &Resolution{Source: s.state(), Name: name, ID: id, Err: err, Visible: s.named(name).view(), Global: s.globalNamed(name).view()}
}

// listing begins a Listing, nil if there is no Observer.
func (s *Source) listing(name string, walk bool) *Listing {
	o := s.set.reg.Observer()
	if o == nil {
		return nil
	}
	l := &Listing{Source: s.state(), Name: name, Walk: walk, observer: o}
	o.Listed(l)
	return l
}

func (l *Listing) add(m *metric) {
	if l != nil {
		l.Metrics = append(l.Metrics, m.view())
		l.observer.Listed(l)
	}
}

func (l *Listing) done(children int, err error) {
	if l != nil {
		l.Done, l.Children, l.Err = true, children, err
		l.observer.Listed(l)
	}
}

func (e *env) observe(m *metric, stage Stage) {
	o := e.s.set.reg.Observer()
	if o == nil {
		return
	}
	o.Bound(&Binding{Source: e.s.state(), Metric: m.view(), Cause: e.cause, Stage: stage, Info: m.info,
		Resolve: func(name string) *Resolution {
			r := e.names[name]
			return e.s.resolution(name, r.Value, r.Err)
		}})
}
