package host

import "golang.org/x/sys/unix"

func newMachine() machine { return mac(unix.SysctlRaw, portable()) }
