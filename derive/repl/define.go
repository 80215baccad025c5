package repl

import (
	"slices"

	"pmtools/derive"
	"pmtools/derive/expand"
)

// A Definition is a derived metric of a session. It does not change.
type Definition struct {
	Name     string
	Expr     string   // as it was written
	OneLine  string   // help text; empty if there is none
	Help     string   // the same
	Comments []string // lines that stood before it in a file

	program *derive.Program
	global  bool // of the Registry
}

// A dictionary has the derived metrics that a session knows by name: its own ones, which hide those
// of the Registry. It is not changed while it is used; see Session.
type dictionary struct {
	own    []*Definition // in the order in which they were defined
	global []*Definition
	byName map[string]*Definition
}

// newDictionary returns a dictionary.
func newDictionary(own, global []*Definition) *dictionary {
	d := &dictionary{own: own, global: global, byName: make(map[string]*Definition, len(own)+len(global))}
	for _, list := range [][]*Definition{global, own} {
		for _, def := range list {
			d.byName[def.Name] = def
		}
	}
	return d
}

// globals returns the definitions of a Registry.
func globals(reg *derive.Registry) []*Definition {
	if reg == nil {
		return nil
	}
	var list []*Definition
	for name, expr := range reg.All() {
		if p, err := derive.Compile(name, expr); err == nil {
			list = append(list, &Definition{Name: name, Expr: expr, program: p, global: true})
		}
	}
	return list
}

// find returns the definition of a name, or nil.
func (d *dictionary) find(name string) *Definition { return d.byName[name] }

// findOwn returns the session's own definition of a name, or nil.
func (d *dictionary) findOwn(name string) *Definition {
	if def := d.byName[name]; def != nil && !def.global {
		return def
	}
	return nil
}

// nested returns the definition that takes the place of a name where there are no metrics, or nil.
func (d *dictionary) nested(name string) expand.Definition {
	if def := d.byName[name]; def != nil {
		return def.program
	}
	return nil
}

// with returns a dictionary that has def too, in the place of one of the same name.
func (d *dictionary) with(def *Definition) *dictionary {
	own := slices.Clone(d.own)
	if old := d.findOwn(def.Name); old != nil {
		own[slices.Index(own, old)] = def
	} else {
		own = append(own, def)
	}
	return newDictionary(own, d.global)
}

// without returns a dictionary that lacks the session's own definition of a name.
func (d *dictionary) without(name string) *dictionary {
	own := slices.DeleteFunc(slices.Clone(d.own), func(def *Definition) bool { return def.Name == name })
	return newDictionary(own, d.global)
}

// users returns the session's definitions that mention a name.
func (d *dictionary) users(name string) []*Definition {
	var list []*Definition
	for _, def := range d.own {
		if def.Name != name && slices.Contains(def.program.Metrics(), name) {
			list = append(list, def)
		}
	}
	return list
}

// names returns the names of all definitions, the session's own ones first, without hidden ones.
func (d *dictionary) names() []string {
	var list []string
	for _, def := range d.own {
		list = append(list, def.Name)
	}
	for _, def := range d.global {
		if d.byName[def.Name] == def {
			list = append(list, def.Name)
		}
	}
	return list
}
