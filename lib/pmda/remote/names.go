package remote

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"sync/atomic"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

const maxNames = 16 << 20 // bytes of names that a program may print: some 300,000 names

// ProgramNames returns the names of the metrics of a program that uses [pmda.Main]: it runs the
// program with its arguments, which may say its domain, and the option --pmns. The program has to
// end within 5 seconds. Its process group is killed when it has ended.
func ProgramNames(ctx context.Context, program string, args ...string) ([]pmda.Name, error) {
	text, err := output(ctx, exec.Command(program, append(slices.Clone(args), "--pmns")...))
	if err != nil {
		return nil, fmt.Errorf("%s --pmns: %w", program, err)
	}
	tree, err := pmns.Parse(program, text, &pmns.Options{DupOK: true})
	if err != nil {
		return nil, fmt.Errorf("%s --pmns: %w", program, err)
	}
	return TreeNames(tree, func(pcp.ID) bool { return true }), nil
}

func output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	out := &bounded{full: cancel}
	cmd.Stdout = out
	if err := start(cmd); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(limited, func() { kill(cmd) })
	defer stop()
	err := cmd.Wait()
	kill(cmd)
	switch {
	case out.overflow.Load():
		return nil, fmt.Errorf("it prints more than %d bytes", maxNames)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fmt.Errorf("it does not end within %v", defaultTimeout)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, errors.New("it has ended, but a process that it has started holds its output open")
	}
	return out.text, err
}

// A bounded takes up to maxNames bytes. The next byte calls full.
type bounded struct {
	text     []byte
	overflow atomic.Bool
	full     func()
}

// Write implements io.Writer. Its error closes the pipe, but a program may go on regardless.
func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > maxNames-len(b.text) {
		b.overflow.Store(true)
		b.full()
		return 0, pmerr.TooBig
	}
	b.text = append(b.text, p...)
	return len(p), nil
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
