package query

import (
	"context"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/expand"
	"pmtools/derive/syntax"
)

// A Definition is a derived metric that expressions may mention. It does not change.
type Definition struct {
	Name     string
	Expr     string   // as it was written
	OneLine  string   // help text; empty if there is none
	Help     string   // the same
	Comments []string // lines that stood before it in a file

	Program *derive.Program

	global bool // of the Registry
}

// A Dictionary has the derived metrics that are known by name: its own ones, which hide those of a
// Registry. It does not change: the methods that add and remove definitions return another one.
type Dictionary struct {
	Own    []*Definition // in the order in which they were defined
	global []*Definition
	byName map[string]*Definition
	reg    *derive.Registry
}

// NewDictionary returns a Dictionary with the definitions of a Registry, which may be nil.
func NewDictionary(reg *derive.Registry) *Dictionary {
	return (&Dictionary{reg: reg, global: globals(reg)}).Replace(nil)
}

// Replace returns a Dictionary that has own in the place of the definitions of d's own.
func (d *Dictionary) Replace(own []*Definition) *Dictionary {
	out := &Dictionary{Own: own, global: d.global, reg: d.reg, byName: make(map[string]*Definition, len(own)+len(d.global))}
	for _, list := range [][]*Definition{d.global, own} {
		for _, def := range list {
			out.byName[def.Name] = def
		}
	}
	return out
}

// globals returns the definitions of a Registry.
func globals(reg *derive.Registry) []*Definition {
	if reg == nil {
		return nil
	}
	var list []*Definition
	for p := range reg.Programs() {
		list = append(list, &Definition{Name: p.Name(), Expr: p.String(), Program: p, global: true})
	}
	return list
}

// Find returns the definition of a name, or nil.
func (d *Dictionary) Find(name string) *Definition { return d.byName[name] }

// FindOwn returns the definition of a name if it is one of d's own, or nil.
func (d *Dictionary) FindOwn(name string) *Definition {
	if def := d.byName[name]; def != nil && !def.global {
		return def
	}
	return nil
}

// Nested returns the definition that takes the place of a name where there are no metrics, or nil.
func (d *Dictionary) Nested(name string) expand.Definition {
	if def := d.byName[name]; def != nil {
		return def.Program
	}
	return nil
}

// With returns a Dictionary that has def too, in the place of one of the same name.
func (d *Dictionary) With(def *Definition) *Dictionary {
	own := slices.Clone(d.Own)
	if old := d.FindOwn(def.Name); old != nil {
		own[slices.Index(own, old)] = def
	} else {
		own = append(own, def)
	}
	return d.Replace(own)
}

// Without returns a Dictionary that lacks d's own definition of a name.
func (d *Dictionary) Without(name string) *Dictionary {
	return d.Replace(slices.DeleteFunc(slices.Clone(d.Own), func(def *Definition) bool { return def.Name == name }))
}

// Users returns those of d's own definitions that mention a name.
func (d *Dictionary) Users(name string) []*Definition {
	var list []*Definition
	for _, def := range d.Own {
		if def.Name != name && slices.Contains(def.Program.Metrics(), name) {
			list = append(list, def)
		}
	}
	return list
}

// Names returns the names of all definitions, d's own ones first. A hidden definition has none.
func (d *Dictionary) Names() []string {
	var list []string
	for _, def := range d.Own {
		list = append(list, def.Name)
	}
	for _, def := range d.global {
		if d.byName[def.Name] == def {
			list = append(list, def.Name)
		}
	}
	return list
}

// blanks is the white space of the language.
const blanks = " \t\n\v\f\r"

// CutDefinition cuts NAME = EXPR at the sign. An expression has '=' alone only after a tag, inside
// parentheses after a comma or a function's name, so everything before the sign must look like a name.
func CutDefinition(text string) (name, expr string, ok bool) {
	name, expr, ok = strings.Cut(text, "=")
	name, expr = strings.TrimSpace(name), strings.Trim(expr, blanks)
	if !ok || strings.HasPrefix(expr, "=") || !NameLike(name) || expr == "" {
		return "", "", false
	}
	return name, strings.TrimRight(expr, ";"+blanks), true
}

// NameLike reports whether a text has the letters of a name of a metric, and no others.
func NameLike(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '.' && c != '_' && !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return false
		}
	}
	return s != ""
}

// LegalName reports whether a metric may have a name. Files may have a dot at its end.
func LegalName(name string) bool { return syntax.LegalName(name) && !strings.HasSuffix(name, ".") }

// Define defines the derived metrics among arguments, NAME=EXPR, over a source, and returns the names of all. An
// expression without a name is a *Problem.
func Define(ctx context.Context, src *derive.Source, args []string) (names []string, err error) {
	for _, arg := range args {
		name, expr, ok := strings.Cut(arg, "=")
		if ok = ok && syntax.LegalName(strings.TrimSpace(name)); ok {
			name = strings.TrimSpace(name)
			if err := src.Add(ctx, name, expr); err != nil {
				return nil, err
			}
		} else if name = arg; strings.ContainsAny(name, " ()*/+<>?!") {
			return nil, &Problem{Msg: "an expression needs a name for its values", Src: name, Notes: []string{"write my.metric=" + name}}
		}
		names = append(names, name)
	}
	return names, nil
}
