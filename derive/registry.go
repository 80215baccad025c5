package derive

import (
	"maps"
	"slices"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pmerr"
)

// A Registry registers definitions of derived metrics by PCP's rules: it rejects duplicate names, enforces
// limits, and assigns identifiers in the order of the definitions. [Registry.Set] returns the registered
// definitions. Goroutines may not share a Registry, but its Sets. [NewRegistry] makes one: the zero Registry
// refuses definitions.
type Registry struct {
	settings
	layer
	shared bool // Sets have the layer: it is copied before it changes

	extended bool // files that say so are read in the extended language
	language check.Language
}

// NewRegistry returns a Registry with the two metrics that describe event records, event.flags and
// event.missed. Warnings for the user go to warn, each without its final newline; nil discards
// them.
func NewRegistry(warn func(line string)) *Registry {
	if warn == nil {
		warn = func(string) {}
	}
	r := &Registry{settings: settings{warn: warn}, layer: layerOf(nil)}
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
		r.insert(&Definition{Notes: Notes{OneLine: &m.oneline, Help: &m.help}, name: m.name, text: "anon(PM_TYPE_U32)"})
	}
	return r
}

// builtin is how many definitions every Registry starts with.
const builtin = 2

// NewSet returns the Set of an empty Registry.
func NewSet() *Set { return NewRegistry(nil).Set() }

// AllowExtended makes load accept the extended language in files that say so.
func (r *Registry) AllowExtended() { r.extended = true }

// SetLanguage sets the language of further Sets.
func (r *Registry) SetLanguage(l check.Language) { r.language = l }

// Set returns the definitions so far.
func (r *Registry) Set() *Set {
	if r.index == nil {
		return NewSet()
	}
	r.shared = true
	return &Set{settings: &r.settings, language: r.language, read: layer{slices.Clip(r.list), r.index}}
}

// Register defines a metric (pmRegisterDerived). The error is a *diagnose.Problem for
// errors.As: the expression cannot be parsed, the name is no name or taken, or there are too many metrics.
func (r *Registry) Register(name, expr string) error {
	return r.register(check.PCP, FileLayer, name, expr)
}

// RegisterLine registers a definition of a file for a layer, in the language of the file.
func (r *Registry) RegisterLine(d *syntax.Definition, layer Layer) error {
	l := check.PCP
	if d.Extended && r.extended {
		l = check.Extended
	}
	return r.register(l, layer, d.Name, d.Expr())
}

func (r *Registry) register(l check.Language, layer Layer, name, expr string) error {
	d, err := r.define(l, name, expr)
	if err == nil {
		d.Layer = layer
		r.insert(d)
	}
	if o := r.Observer(); o != nil {
		event := &Parsed{Name: name, Expr: expr, Err: err, Early: early(err)}
		if err == nil {
			event.Metric = r.view(len(r.list) - 1)
		}
		o.Defined(event)
	}
	return err
}

func (r *Registry) define(l check.Language, name, expr string) (*Definition, error) {
	var wrong string
	switch limit := r.controls[GlobalLimit-1].value; {
	case r.index == nil:
		wrong = "the Registry was not made by NewRegistry"
	case limit >= 0 && len(r.list)-builtin >= limit:
		wrong = "Too many global derived metrics"
	case !syntax.LegalName(name):
		wrong = badName(name)
	case r.find(name) != nil:
		wrong = "Duplicate global derived metric name"
	case len(r.list) >= maxMetrics:
		wrong = "global PMID space exhausted"
	}
	if wrong != "" {
		return nil, &refusal{name: name, expr: expr, early: true, err: &syntax.Error{Msg: wrong}}
	}
	return CompileIn(l, name, expr)
}

func badName(name string) string { return "'" + name + "' is not a name for a metric" }

// insert appends a definition.
func (r *Registry) insert(d *Definition) {
	r.unshare()
	r.index[d.name] = len(r.list)
	r.list = append(r.list, d)
}

// unshare makes the layer one that no Set has.
func (r *Registry) unshare() {
	if r.shared {
		r.layer, r.shared = layer{slices.Clone(r.list), maps.Clone(r.index)}, false
	}
}

// Note sets a help text of a definition as an attribute line does: pmerr.Name if there is no such
// definition, pmerr.Arg if there is no such attribute, pmerr.Text if the definition has it already.
func (r *Registry) Note(name, attr, text string) error {
	d := r.find(name)
	if d == nil {
		return pmerr.Name
	}
	notes := d.Notes
	field := notes.Attribute(attr)
	switch {
	case field == nil:
		return pmerr.Arg
	case *field != nil:
		return pmerr.Text
	}
	*field = &text
	r.unshare()
	r.list[r.index[name]] = d.With(notes)
	return nil
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

func (r *Registry) view(i int) *Metric {
	return &Metric{Definition: r.list[i], ID: globalID(i), Number: i}
}
