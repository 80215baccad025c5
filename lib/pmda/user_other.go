//go:build !unix

package pmda

import (
	"fmt"

	"pmtools/lib/pmerr"
)

func becomeUser(name string) error { return fmt.Errorf("user %s: %w", name, pmerr.NYI) }

func giveToUser(string, string) {}
