//go:build !linux

package linux

import (
	"context"
	"errors"
	"os"
	"os/exec"
)

func statfs(string, *filesystem) error { return errors.ErrUnsupported }

func systemName() (u uname) { return u }

func firstAddress(string) string { return "" }

// Helper is for Options.Helper: it starts this program again, whose main calls Serve.
func Helper(ctx context.Context, dir string) *exec.Cmd {
	return exec.CommandContext(ctx, os.Args[0], helperFlag, dir)
}
