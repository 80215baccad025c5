//go:build !linux && !darwin

package safefile

import (
	"errors"
	"os"
)

// Exchange is not supported here.
func Exchange(a, b string) error {
	return &os.LinkError{Op: "exchange", Old: a, New: b, Err: errors.ErrUnsupported}
}
