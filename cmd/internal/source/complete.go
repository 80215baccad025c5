package source

import (
	"context"
	"strings"
	"time"
)

// patience is how long the shell waits for names.
const patience = 2 * time.Second

// Complete proposes the names of metrics that begin with a prefix, one component further. Any error
// proposes none.
func (o *Opener) Complete(ctx context.Context, prefix string) []string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	src, err := o.OpenPlain(ctx)
	if err != nil {
		return nil
	}
	all := o.Derive(src)
	defer all.Close()
	node := prefix[:max(strings.LastIndexByte(prefix, '.'), 0)]
	children, err := all.Children(ctx, node)
	if err != nil {
		return nil
	}
	var names []string
	for _, c := range children {
		name := c.Name
		if node != "" {
			name = node + "." + name
		}
		if !c.Leaf {
			name += "."
		}
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}
