package derive

import (
	"iter"
	"slices"

	"pmtools/derive/check"
)

// A Set is an immutable set of definitions in two layers: those of the installation and of files, which
// a Registry has registered, and the user's own, which hide them. Goroutines may share it. The methods
// that define and remove return another Set, which shares unchanged parts.
type Set struct {
	settings *settings
	language check.Language
	read     layer // in the order of their global identifiers
	own      layer // in the order in which they were defined
}

// A layer is definitions of different names.
type layer struct {
	list  []*Definition
	index map[string]int // by name, into list
}

func layerOf(list []*Definition) layer {
	l := layer{list: list, index: make(map[string]int, len(list))}
	for i, d := range list {
		l.index[d.name] = i
	}
	return l
}

func (l *layer) find(name string) *Definition {
	if i, ok := l.index[name]; ok {
		return l.list[i]
	}
	return nil
}

// Find returns the definition that a name means, or nil.
func (s *Set) Find(name string) *Definition {
	if d := s.own.find(name); d != nil {
		return d
	}
	return s.read.find(name)
}

// FindOwn returns the user's own definition of a name, or nil.
func (s *Set) FindOwn(name string) *Definition { return s.own.find(name) }

// Own returns the user's own definitions in their order. The slice must not be changed.
func (s *Set) Own() []*Definition { return s.own.list }

// all yields the definitions, the user's own ones first, without hidden ones.
func (s *Set) all() iter.Seq[*Definition] {
	return func(yield func(*Definition) bool) {
		for _, d := range s.own.list {
			if !yield(d) {
				return
			}
		}
		for _, d := range s.read.list {
			if s.own.find(d.name) == nil && !yield(d) {
				return
			}
		}
	}
}

// Names returns the names of the definitions, the user's own first.
func (s *Set) Names() (names []string) {
	for d := range s.all() {
		names = append(names, d.name)
	}
	return names
}

// Users returns those of the user's own definitions that mention a name.
func (s *Set) Users(name string) (list []*Definition) {
	for _, d := range s.own.list {
		if d.name != name && slices.Contains(d.Metrics(), name) {
			list = append(list, d)
		}
	}
	return list
}

// Replace returns a Set with other definitions of the user's own, whose names are different.
func (s *Set) Replace(own []*Definition) *Set {
	out := *s
	out.own = layerOf(own)
	return &out
}

// With returns a Set that has d too, in the place of an own definition of the same name.
func (s *Set) With(d *Definition) *Set {
	own := slices.Clone(s.own.list)
	if i, ok := s.own.index[d.name]; ok {
		own[i] = d
	} else {
		own = append(own, d)
	}
	return s.Replace(own)
}

// Without returns a Set that lacks the user's own definition of a name.
func (s *Set) Without(name string) *Set {
	return s.Replace(slices.DeleteFunc(slices.Clone(s.own.list), func(d *Definition) bool { return d.name == name }))
}

// In returns the Set with another language of Compile. Definitions stay as they are.
func (s *Set) In(l check.Language) *Set {
	out := *s
	out.language = l
	return &out
}

// Language returns the language of Compile.
func (s *Set) Language() check.Language { return s.language }

// Compile is [CompileIn] for the language of the Set.
func (s *Set) Compile(name, expr string) (*Definition, error) {
	return CompileIn(s.language, name, expr)
}
