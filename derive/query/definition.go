package query

import (
	"context"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/syntax"
)

// A Dictionary has the derived metrics that are known by name: its own ones, which hide those of a
// Registry. It does not change: the methods that add and remove definitions return another one.
type Dictionary struct {
	Own    []*derive.Definition // in the order in which they were defined
	own    map[string]*derive.Definition
	global []*derive.Definition
	byName map[string]*derive.Definition // of global
	reg    *derive.Registry
}

// NewDictionary returns a Dictionary with the definitions of a Registry, which may be nil.
func NewDictionary(reg *derive.Registry) *Dictionary {
	d := &Dictionary{reg: reg}
	if reg != nil {
		d.global = slices.Collect(reg.Definitions())
	}
	d.byName = byName(d.global)
	return d
}

func byName(list []*derive.Definition) map[string]*derive.Definition {
	index := make(map[string]*derive.Definition, len(list))
	for _, def := range list {
		index[def.Name()] = def
	}
	return index
}

// Replace returns a Dictionary that has own in the place of the definitions of d's own.
func (d *Dictionary) Replace(own []*derive.Definition) *Dictionary {
	out := *d
	out.Own, out.own = own, byName(own)
	return &out
}

// Find returns the definition of a name, or nil.
func (d *Dictionary) Find(name string) *derive.Definition {
	if def := d.own[name]; def != nil {
		return def
	}
	return d.byName[name]
}

// FindOwn returns the definition of a name if it is one of d's own, or nil.
func (d *Dictionary) FindOwn(name string) *derive.Definition { return d.own[name] }

// With returns a Dictionary that has def too, in the place of one of the same name.
func (d *Dictionary) With(def *derive.Definition) *Dictionary {
	own := slices.Clone(d.Own)
	if old := d.FindOwn(def.Name()); old != nil {
		own[slices.Index(own, old)] = def
	} else {
		own = append(own, def)
	}
	return d.Replace(own)
}

// Without returns a Dictionary that lacks d's own definition of a name.
func (d *Dictionary) Without(name string) *Dictionary {
	return d.Replace(slices.DeleteFunc(slices.Clone(d.Own), func(def *derive.Definition) bool { return def.Name() == name }))
}

// Users returns those of d's own definitions that mention a name.
func (d *Dictionary) Users(name string) []*derive.Definition {
	var list []*derive.Definition
	for _, def := range d.Own {
		if def.Name() != name && slices.Contains(def.Metrics(), name) {
			list = append(list, def)
		}
	}
	return list
}

// Names returns the names of all definitions, d's own ones first. A hidden definition has none.
func (d *Dictionary) Names() []string {
	var list []string
	for _, def := range d.Own {
		list = append(list, def.Name())
	}
	for _, def := range d.global {
		if d.own[def.Name()] == nil {
			list = append(list, def.Name())
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
