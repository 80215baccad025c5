//go:build unix

package pmda

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

func lookupUser(name string) (uid, gid int, err error) {
	u, err := user.Lookup(name)
	if err != nil {
		return 0, 0, fmt.Errorf("cannot find the %s user to switch to", name)
	}
	if uid, err = strconv.Atoi(u.Uid); err != nil {
		return 0, 0, err
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, err
}

func becomeUser(name string) error {
	uid, gid, err := lookupUser(name)
	if err != nil {
		return err
	}
	if os.Getuid() == uid && os.Getgid() == gid {
		return nil
	}
	if err := syscall.Setgroups([]int{gid}); err != nil {
		return fmt.Errorf("setgroups of %s: %w", name, err)
	}
	if err := syscall.Setgid(gid); err != nil {
		return fmt.Errorf("setgid of %s: %w", name, err)
	}
	if err := syscall.Setuid(uid); err != nil {
		return fmt.Errorf("setuid of %s: %w", name, err)
	}
	return nil
}

// giveToUser gives a file to the user, by default "pcp", if the process may.
func giveToUser(path, name string) {
	if uid, gid, err := lookupUser(cmp.Or(name, "pcp")); err == nil {
		// Without permission, the user that runs the agent keeps the file.
		_ = os.Chown(path, uid, gid)
	}
}
