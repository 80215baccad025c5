//go:build !linux

package builtin

import "errors"

// linuxStatfs has nothing to ask here.
func linuxStatfs(string, *linuxFilesystem) error { return errors.ErrUnsupported }

// linuxSystemName has nothing to ask here.
func linuxSystemName() (u linuxUname) { return u }

// linuxAddress has nothing to ask here.
func linuxAddress(string) string { return "" }
