package host

import (
	"encoding/binary"
	"fmt"

	"github.com/shirou/gopsutil/v4/disk"
)

// A diskPerformance is the beginning of DISK_PERFORMANCE, the answer of Windows to
// IOCTL_DISK_PERFORMANCE (winioctl.h). Times are in units of 100 ns.
type diskPerformance struct {
	BytesRead, BytesWritten, ReadTime, WriteTime, IdleTime int64
	ReadCount, WriteCount, QueueDepth, SplitCount          uint32
	QueryTime                                              int64
}

const (
	diskPerformanceSize = 88 // of DISK_PERFORMANCE, with the number and the name of the device
	perMillisecond      = 10_000
	second              = 1000 * perMillisecond
)

// A busyTime counts the time in which a disk was not idle, since the system was started. Windows
// counts the idle time only.
type busyTime struct{ offset, high, seen int64 }

// count returns the busy time up to a query. It never decreases, although the clock is coarser than
// the idle time. If the clock was set since the last query, counting continues from the last count.
func (b *busyTime) count(p *diskPerformance, uptime int64) int64 {
	if b.seen == 0 {
		b.offset = uptime - p.QueryTime
	}
	n := p.QueryTime + b.offset - p.IdleTime
	if d := n - b.high; d < -second || d > uptime-b.seen+second {
		b.offset -= d
		n = b.high
	}
	b.seen, b.high = uptime, max(n, b.high)
	return b.high
}

// diskCounters decodes an answer of Windows, uptime after the start of the system.
func diskCounters(answer []byte, b *busyTime, uptime int64) (disk.IOCountersStat, error) {
	var p diskPerformance
	if _, err := binary.Decode(answer, binary.LittleEndian, &p); err != nil {
		return disk.IOCountersStat{}, fmt.Errorf("DISK_PERFORMANCE of %d bytes, want %d", len(answer), diskPerformanceSize)
	}
	ms := func(t int64) uint64 { return uint64(max(0, t) / perMillisecond) }
	return disk.IOCountersStat{
		ReadBytes: uint64(p.BytesRead), WriteBytes: uint64(p.BytesWritten),
		ReadCount: uint64(p.ReadCount), WriteCount: uint64(p.WriteCount),
		ReadTime: ms(p.ReadTime), WriteTime: ms(p.WriteTime), IopsInProgress: uint64(p.QueueDepth),
		IoTime: ms(b.count(&p, uptime)), WeightedIO: ms(max(0, p.ReadTime) + max(0, p.WriteTime)),
	}, nil
}
