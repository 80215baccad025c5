//go:build !linux

package linux

import "errors"

// statfs has nothing to ask here.
func statfs(string, *filesystem) error { return errors.ErrUnsupported }

// systemName has nothing to ask here.
func systemName() (u uname) { return u }

// firstAddress has nothing to ask here.
func firstAddress(string) string { return "" }
