package host

import (
	"errors"
	"math"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"
	"golang.org/x/sys/windows"
)

const ioctlDiskPerformance = 0x70020 // IOCTL_DISK_PERFORMANCE

// newMachine returns the running system. gopsutil leaves out the idle time and the queue of disks,
// and gives the times of reads and writes in seconds.
func newMachine() machine {
	m := portable()
	busy := map[string]*busyTime{}
	m.disks = func() (map[string]disk.IOCountersStat, error) { return windowsDisks(busy) }
	m.memory, m.times = windowsMemory, windowsTimes
	return m
}

// windowsTimes leaves out the time of interrupts where Windows does not answer for each processor:
// gopsutil asks otherwise for the sum then, and leaves 0.
func windowsTimes(each bool) ([]cpu.TimesStat, error) {
	v, err := cpu.Times(each)
	if each || err != nil {
		return v, err
	}
	if _, err := cpu.Times(true); err != nil {
		for i := range v {
			v[i].Irq = math.NaN()
		}
	}
	return v, nil
}

// windowsMemory adds the committed memory, which gopsutil reports separately.
func windowsMemory() (*mem.VirtualMemoryStat, error) {
	v, err := mem.VirtualMemory()
	more, err2 := mem.NewExWindows().VirtualMemory()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	v.CommitLimit, v.CommittedAS = more.CommitLimit, more.CommitTotal
	return v, nil
}

// windowsDisks asks the fixed drives, "C:" and so on. It fails if there are some, and none answers.
func windowsDisks(busy map[string]*busyTime) (map[string]disk.IOCountersStat, error) {
	var list [4 * 26]uint16
	n, err := windows.GetLogicalDriveStrings(uint32(len(list)), &list[0])
	if err != nil {
		return nil, err
	}
	disks := map[string]disk.IOCountersStat{}
	var failed error
	for _, letter := range list[:min(int(n), len(list))] {
		name := string(rune(letter)) + ":"
		if letter < 'A' || letter > 'Z' || windows.GetDriveType(windows.StringToUTF16Ptr(name+`\`)) != windows.DRIVE_FIXED {
			continue
		}
		if busy[name] == nil {
			busy[name] = new(busyTime)
		}
		d, err := windowsDisk(name, busy[name])
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		disks[name] = d
	}
	if len(disks) > 0 {
		failed = nil
	}
	return disks, failed
}

func windowsDisk(name string, busy *busyTime) (disk.IOCountersStat, error) {
	path, err := windows.UTF16PtrFromString(`\\.\` + name)
	if err != nil {
		return disk.IOCountersStat{}, err
	}
	h, err := windows.CreateFile(path, 0, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		return disk.IOCountersStat{}, err
	}
	defer windows.CloseHandle(h)
	var answer [diskPerformanceSize]byte
	var n uint32
	if err := windows.DeviceIoControl(h, ioctlDiskPerformance, nil, 0, &answer[0], uint32(len(answer)), &n, nil); err != nil {
		return disk.IOCountersStat{}, err
	}
	uptime := int64(windows.DurationSinceBoot() / 100)
	return diskCounters(answer[:min(int(n), len(answer))], busy, uptime)
}
