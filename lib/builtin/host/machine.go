package host

import (
	"runtime"

	"github.com/shirou/gopsutil/v4/disk"
	psnet "github.com/shirou/gopsutil/v4/net"
)

// A machine answers questions that gopsutil does not answer well on each system.
type machine struct {
	system     string // as runtime.GOOS
	disks      func() (map[string]disk.IOCountersStat, error)
	interfaces func() ([]psnet.IOCountersStat, error)
}

// portable returns the machine whose answers are those of gopsutil.
func portable() machine {
	return machine{
		system:     runtime.GOOS,
		disks:      func() (map[string]disk.IOCountersStat, error) { return disk.IOCounters() },
		interfaces: func() ([]psnet.IOCountersStat, error) { return psnet.IOCounters(true) },
	}
}
