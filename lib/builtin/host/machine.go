package host

import (
	"runtime"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
	psnet "github.com/shirou/gopsutil/v4/net"
)

// A machine answers the questions of the collectors.
type machine struct {
	system       string // as runtime.GOOS
	info         func() (*host.InfoStat, error)
	bootTime     func() (uint64, error)
	load         func() (*load.AvgStat, error)
	memory       func() (*mem.VirtualMemoryStat, error)
	swap         func() (*mem.SwapMemoryStat, error)
	count        func() (int, error) // of processors
	processors   func() ([]cpu.InfoStat, error)
	times        func(each bool) ([]cpu.TimesStat, error) // of processors; NaN is not told
	disks        func() (map[string]disk.IOCountersStat, error)
	interfaces   func() ([]psnet.IOCountersStat, error)
	temperatures func() ([]temperature, error)
}

// portable returns a machine that gopsutil implements. It has no sensors, whose package is linked
// only on systems that have them.
func portable() machine {
	return machine{
		system: runtime.GOOS, info: host.Info, bootTime: host.BootTime, load: load.Avg, memory: mem.VirtualMemory, swap: mem.SwapMemory,
		count: func() (int, error) { return cpu.Counts(true) }, processors: cpu.Info, times: cpu.Times,
		disks:        func() (map[string]disk.IOCountersStat, error) { return disk.IOCounters() },
		interfaces:   func() ([]psnet.IOCountersStat, error) { return psnet.IOCounters(true) },
		temperatures: func() ([]temperature, error) { return nil, nil },
	}
}
