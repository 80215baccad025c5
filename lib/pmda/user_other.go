//go:build !unix

package pmda

import (
	"fmt"

	"pmtools/lib/pmerr"
)

func becomeUser(name string) error { return fmt.Errorf("user %s: %w", name, pmerr.NYI) }

// giveToUser gives a file to the user, by default "pcp", if the process may.
func giveToUser(string, string) {}
