//go:build !linux

package linux

import (
	"context"
	"errors"
)

func statfs(string, *filesystem) error { return errors.ErrUnsupported }

func systemName() (u uname) { return u }

func firstAddress(string) string { return "" }

// Helper is for Options.Helper: here no file system can be asked.
func Helper(context.Context, string) (string, error) { return "", errors.ErrUnsupported }
