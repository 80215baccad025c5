package remote

import (
	"bytes"
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
// program with its arguments, which may say its domain, and the option --pmns. The program has to
// end within 5 seconds. Its process group is killed when it has ended.
func ProgramNames(ctx context.Context, program string, args ...string) ([]pmda.Name, error) {
	limited, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(limited, program, append(slices.Clone(args), "--pmns")...)
	cmd.Stdout = &out
	cmd.Cancel = func() error {
		kill(cmd)
		return nil
	}
	err := start(cmd)
	if err == nil {
		err = cmd.Wait()
		kill(cmd)
	}
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case limited.Err() != nil:
		err = fmt.Errorf("it does not end within %v", defaultTimeout)
	}
	if err != nil {
		return nil, fmt.Errorf("%s --pmns: %w", program, err)
	}
	tree, err := pmns.Parse(program, out.Bytes(), &pmns.Options{DupOK: true})
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
