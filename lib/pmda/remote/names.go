package remote

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// ProgramNames returns the names of the metrics of a program that uses [pmda.Main]: it runs the
// program with its arguments, which may say its domain, and the option --pmns.
func ProgramNames(ctx context.Context, program string, args ...string) ([]pmda.Name, error) {
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	text, err := exec.CommandContext(ctx, program, append(slices.Clone(args), "--pmns")...).Output()
	if err != nil {
		return nil, fmt.Errorf("%s --pmns: %w", program, err)
	}
	tree, err := pmns.Parse(program, text, &pmns.Options{DupOK: true})
	if err != nil {
		return nil, fmt.Errorf("%s --pmns: %w", program, err)
	}
	return TreeNames(tree, func(pcp.ID) bool { return true }), nil
}

// TreeNames returns the names of a name space whose metrics are wanted.
func TreeNames(t *pmns.Tree, want func(pcp.ID) bool) []pmda.Name {
	var names []pmda.Name
	if err := t.Walk("", func(name string, id pcp.ID) bool {
		if want(id) {
			names = append(names, pmda.Name{Name: name, ID: id})
		}
		return true
	}); err != nil && !errors.Is(err, pmerr.Name) {
		return nil
	}
	return names
}
