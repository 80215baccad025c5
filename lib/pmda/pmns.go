package pmda

import (
	"fmt"
	"io"

	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// writeNames writes names in the form of a name space file, as [pmns.Tree.Write] does. A name that
// occurs twice, or that is a node above another, is an error.
func writeNames(w io.Writer, names []Name) error {
	var t pmns.Tree
	for i, n := range names {
		if !t.Add(n.Name, n.ID) || t.Len() != i+1 {
			return fmt.Errorf("%w: name %q", pmerr.EINVAL, n.Name)
		}
	}
	return t.Write(w)
}
