//go:build !unix

package pmda

import (
	"fmt"

	"pmtools/lib/pmerr"
)

// becomeUser cannot be done here.
func becomeUser(name string) error { return fmt.Errorf("user %s: %w", name, pmerr.NYI) }

// giveToUser cannot be done here, nor need it.
func giveToUser(string, string) {}
