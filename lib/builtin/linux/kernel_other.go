//go:build !linux

package linux

import "errors"

func statfs(string, *filesystem) error { return errors.ErrUnsupported }

func systemName() (u uname) { return u }

func firstAddress(string) string { return "" }
