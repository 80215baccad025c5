package archive

import "pmtools/lib/pcp"

// Lookup returns the metric called name. An unknown name is pmerr.Name, an inner node of the name
// space pmerr.NonLeaf.
func (s *Set) Lookup(name string) (pcp.ID, error) { return s.names.Lookup(name) }

// Names returns all names of a metric, in the order of the reference, which is that of Walk from
// its end, or pmerr.PMID. The slice must not be changed.
func (s *Set) Names(id pcp.ID) ([]string, error) { return s.names.Names(id) }

// Children returns the nodes directly below an inner node, "" being the root, in the order of Walk.
// A leaf has none; an unknown name is pmerr.Name.
func (s *Set) Children(name string) ([]pcp.Child, error) { return s.names.Children(name) }

// Walk calls f for each metric name that is prefix or stands below it, until f returns false. The
// names come in the order in which the reference lists them: at each level those that were recorded
// last come first.
func (s *Set) Walk(prefix string, f func(name string, id pcp.ID) bool) error {
	return s.names.Walk(prefix, f)
}
