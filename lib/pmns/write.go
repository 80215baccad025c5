package pmns

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"pmtools/lib/pmerr"
)

// Write writes the tree as a name space file: a group for each inner node,
// above the groups of the nodes below it. An empty component is an error: a file cannot hold it.
func (t *Tree) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i, groups := 0, []*node{&t.root}; i < len(groups); i++ {
		n := groups[i]
		if i == 0 {
			fmt.Fprintln(b, "root {")
		} else {
			fmt.Fprintf(b, "\n%s {\n", n.name)
		}
		for _, c := range n.children {
			part := n.component(c)
			switch {
			case part == "":
				return fmt.Errorf("%w: name %q", pmerr.EINVAL, c.name)
			case c.leaf:
				fmt.Fprintf(b, "\t%s\t%s\n", part, strings.ReplaceAll(c.id.String(), ".", ":"))
			default:
				fmt.Fprintf(b, "\t%s\n", part)
				groups = append(groups, c)
			}
		}
		fmt.Fprintln(b, "}")
	}
	return b.Flush()
}
