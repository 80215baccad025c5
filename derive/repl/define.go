package repl

import (
	"slices"

	"pmtools/derive"
	"pmtools/derive/syntax"
)

// A Definition is a derived metric of a session. It does not change.
type Definition struct {
	Name     string
	Expr     string   // as it was written
	OneLine  string   // help text; empty if there is none
	Help     string   // the same
	Comments []string // lines that stood before it in a file

	tree syntax.Expr
}

// A dictionary has the derived metrics that a session knows by name: its own ones, which come first, and those of the
// Registry. It is not changed while it is used; see Session.
type dictionary struct {
	own    []*Definition // in the order in which they were defined
	global []*Definition
	byName map[string]int // indices into own, and behind it global
}

// newDictionary returns a dictionary.
func newDictionary(own, global []*Definition) *dictionary {
	d := &dictionary{own: own, global: global, byName: make(map[string]int, len(own)+len(global))}
	for i := len(own) + len(global) - 1; i >= 0; i-- {
		d.byName[d.numbered(i).Name] = i
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
		p, err := parse(expr)
		if err == nil {
			list = append(list, &Definition{Name: name, Expr: expr, tree: p})
		}
	}
	return list
}

// number returns the number of a definition, -1 if there is none of that name.
func (d *dictionary) number(name string) int {
	if n, ok := d.byName[name]; ok {
		return n
	}
	return -1
}

// numbered returns a definition by its number, or nil.
func (d *dictionary) numbered(n int) *Definition {
	switch {
	case n < 0 || n >= len(d.own)+len(d.global):
		return nil
	case n < len(d.own):
		return d.own[n]
	}
	return d.global[n-len(d.own)]
}

// find returns the definition of a name, or nil.
func (d *dictionary) find(name string) *Definition { return d.numbered(d.number(name)) }

// findOwn returns the session's own definition of a name, or nil.
func (d *dictionary) findOwn(name string) *Definition {
	if n := d.number(name); n >= 0 && n < len(d.own) {
		return d.own[n]
	}
	return nil
}

// with returns a dictionary that has def too, in the place of one of the same name.
func (d *dictionary) with(def *Definition) *dictionary {
	own := slices.Clone(d.own)
	if n := d.number(def.Name); n >= 0 && n < len(own) {
		own[n] = def
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
func (d *dictionary) users(name string) []string {
	var list []string
	for _, def := range d.own {
		if def.Name != name && slices.Contains(mentioned(def.tree), name) {
			list = append(list, def.Name)
		}
	}
	return list
}

// names returns the names of all definitions, the session's own ones first, without hidden ones.
func (d *dictionary) names() []string {
	var list []string
	for i := range len(d.own) + len(d.global) {
		if name := d.numbered(i).Name; d.byName[name] == i {
			list = append(list, name)
		}
	}
	return list
}
