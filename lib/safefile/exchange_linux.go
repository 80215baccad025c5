package safefile

import (
	"os"

	"golang.org/x/sys/unix"
)

// Exchange swaps the names of two directories of one file system atomically.
func Exchange(a, b string) error {
	op := Op{Kind: OpExchange, Name: a, To: b}
	if err := op.observe(); err != nil {
		return err
	}
	if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}
