package pmda

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"pmtools/lib/pmerr"
)

// WriteNames writes names in the form of a name space file (collector.md C6.1): a
// group for each inner node. Names that have no parent are in the group "root".
func WriteNames(w io.Writer, names []Name) error {
	t := nameTree{groups: map[string]*nameGroup{}}
	t.group("")
	for _, n := range names {
		if err := t.add(n); err != nil {
			return err
		}
	}
	b := bufio.NewWriter(w)
	for i, node := range t.order {
		if i > 0 {
			fmt.Fprintln(b)
		}
		name := node
		if name == "" {
			name = "root"
		}
		fmt.Fprintf(b, "%s {\n", name)
		for _, e := range t.groups[node].entries {
			fmt.Fprintf(b, "\t%s\n", e)
		}
		fmt.Fprintln(b, "}")
	}
	return b.Flush()
}

// A nameTree is a name space that is to be written.
type nameTree struct {
	groups map[string]*nameGroup
	order  []string // the nodes that have a group
}

// A nameGroup is what stands directly below a node.
type nameGroup struct {
	entries []string
	leaves  map[string]bool // the components, and whether they are leaves
}

// group returns the group of a node, after it has made it known to the node above.
func (t *nameTree) group(node string) *nameGroup {
	g := t.groups[node]
	if g == nil {
		g = &nameGroup{leaves: map[string]bool{}}
		t.groups[node] = g
		t.order = append(t.order, node)
	}
	return g
}

// add adds a name.
func (t *nameTree) add(n Name) error {
	node, parts := "", strings.Split(n.Name, ".")
	for i, part := range parts {
		g, last := t.group(node), i == len(parts)-1
		leaf, known := g.leaves[part]
		switch {
		case part == "", known && (leaf || last):
			return fmt.Errorf("%w: name %q", pmerr.EINVAL, n.Name)
		case last:
			g.entries = append(g.entries, fmt.Sprintf("%s\t%s", part, strings.ReplaceAll(n.ID.String(), ".", ":")))
		case !known:
			g.entries = append(g.entries, part)
		}
		g.leaves[part] = last
		node = strings.TrimPrefix(node+"."+part, ".")
	}
	return nil
}
