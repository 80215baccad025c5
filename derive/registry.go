package derive

import (
	"iter"
	"sync"
	"sync/atomic"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Registry holds definitions of derived metrics that every Source over it has. It may be shared
// by goroutines.
type Registry struct {
	warn      func(line string)
	observing atomic.Pointer[Observer]

	mu       sync.RWMutex
	defs     []*definition // in the order of their identifiers
	byName   map[string]*definition
	controls [numControls]control
	removals []removal
	sources  int            // how many were made
	open     int            // how many of them are not closed
	locals   map[string]int // how many of these have a metric of their own of that name

	extended extended
}

// An extended is what a Registry has of the extended language.
type extended struct {
	files bool         // those that say so are read in it
	texts atomic.Int32 // the check.Language of Compile
}

// AllowExtended makes load accept the extended language in files that say so. It is called before the
// Registry is shared.
func (r *Registry) AllowExtended() { r.extended.files = true }

// SetLanguage sets the language of Compile. Definitions that are registered stay as they are.
func (r *Registry) SetLanguage(l check.Language) { r.extended.texts.Store(int32(l)) }

// Language returns the language of Compile; of a nil Registry that of PCP.
func (r *Registry) Language() check.Language {
	if r == nil {
		return check.PCP
	}
	return check.Language(r.extended.texts.Load())
}

// Compile is [CompileIn] for the language of the Registry, which may be nil.
func (r *Registry) Compile(name, expr string) (*Definition, error) {
	return CompileIn(r.Language(), name, expr)
}

// NewRegistry returns a Registry with the two metrics that describe event records, event.flags and
// event.missed. Warnings for the user go to warn, each without its final newline; nil discards
// them.
func NewRegistry(warn func(line string)) *Registry {
	if warn == nil {
		warn = func(string) {}
	}
	r := &Registry{warn: warn, byName: make(map[string]*definition), locals: make(map[string]int)}
	r.controls[GlobalLimit-1].value = -1
	r.controls[ContextLimit-1].value = -1
	for _, m := range [...]struct{ name, oneline, help string }{
		{"event.flags", "Flags for event records",
			"An anonymous derived metric that is used to encode the event flags\n" +
				"associated with event records.   See pmUnpackEventRecords(3)."},
		{"event.missed", "Count of missed event records",
			"An anonymous derived metric that is used to encode the number of\n" +
				"event records missed because either the PMDA could not keep up\n" +
				"or the PMAPI client did not collect the event records fast\n" +
				"enough.  See pmUnpackEventRecords(3)."},
	} {
		d := r.insert(&Definition{name: m.name, text: "anon(PM_TYPE_U32)", expr: anonymous()})
		d.oneline, d.help = &m.oneline, &m.help
	}
	return r
}

// builtin is how many definitions every Registry starts with.
const builtin = 2

// anonymous returns the expression of the metrics for event records, which never have values.
func anonymous() syntax.Expr {
	return &syntax.CallExpr{Fun: syntax.ANON, Lparen: 4, X: &syntax.MetricRef{NamePos: 5, Name: "PM_TYPE_U32"}, Rparen: 16}
}

// Register defines a metric (pmRegisterDerived). The error is a *diagnose.Problem for
// errors.As: the expression cannot be parsed, the name is no name or taken, or there are too many metrics.
func (r *Registry) Register(name, expr string) error { return r.register(check.PCP, name, expr) }

// RegisterLine registers a definition of a file, in the language of the file.
func (r *Registry) RegisterLine(d *syntax.Definition) error {
	l := check.PCP
	if d.Extended && r.extended.files {
		l = check.Extended
	}
	return r.register(l, d.Name, d.Expr())
}

func (r *Registry) register(l check.Language, name, expr string) error {
	d, err := r.define(l, name, expr)
	if o := r.Observer(); o != nil {
		event := &Parsed{Name: name, Expr: expr, Err: err, Early: early(err)}
		if err == nil {
			event.Metric = d.view()
		}
		o.Defined(event)
	}
	return err
}

func (r *Registry) define(l check.Language, name, expr string) (*definition, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var wrong string
	switch limit := r.controls[GlobalLimit-1].value; {
	case limit >= 0 && len(r.defs)-builtin >= limit:
		wrong = "Too many global derived metrics"
	case !syntax.LegalName(name):
		wrong = badName(name)
	case r.byName[name] != nil:
		wrong = "Duplicate global derived metric name"
	case len(r.defs) >= maxMetrics:
		wrong = "global PMID space exhausted"
	}
	if wrong != "" {
		return nil, &refusal{name: name, expr: expr, early: true, err: &syntax.Error{Msg: wrong}}
	}
	p, err := CompileIn(l, name, expr)
	if err != nil {
		return nil, err
	}
	return r.insert(p), nil
}

func badName(name string) string { return "'" + name + "' is not a name for a metric" }

// insert appends a definition. The lock is held, or the Registry is not shared yet.
func (r *Registry) insert(p *Definition) *definition {
	d := &definition{Definition: p, id: globalID(len(r.defs))}
	r.defs = append(r.defs, d)
	r.byName[p.name] = d
	return d
}

// Warn passes a line to the warn function of NewRegistry.
func (r *Registry) Warn(line string) { r.warn(line) }

// Lookup returns the identifier of a definition, or pmerr.Name.
func (r *Registry) Lookup(name string) (pcp.ID, error) {
	if d := r.find(name); d != nil {
		return d.id, nil
	}
	return pcp.NullID, pmerr.Name
}

// Definitions yields the current definitions as All does.
func (r *Registry) Definitions() iter.Seq[*Definition] {
	return func(yield func(*Definition) bool) {
		for _, d := range r.since(0) {
			if r.find(d.name) == d && !yield(d.Definition) {
				return
			}
		}
	}
}

// All yields the names and expressions of the current definitions in the order in which they were
// made, those for event records first.
func (r *Registry) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for p := range r.Definitions() {
			if !yield(p.name, p.text) {
				return
			}
		}
	}
}

func (r *Registry) find(name string) *definition {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byName[name]
}

// since returns the definitions from number n on. The slice must not be changed.
func (r *Registry) since(n int) []*definition {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.defs[n:len(r.defs):len(r.defs)]
}
