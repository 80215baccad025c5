package growth

import (
	"encoding/binary"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// counters are those of the threads that there were when counting began. Threads that they start are
// counted with them.
type counters []int

// countInstructions begins to count what this process does outside the kernel, in all threads. It
// returns nil where the kernel or the machine has no such counter for us.
func countInstructions() (c counters) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil
	}
	attr := unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_HARDWARE,
		Size:   unix.PERF_ATTR_SIZE_VER0,
		Config: unix.PERF_COUNT_HW_INSTRUCTIONS,
		Bits:   unix.PerfBitInherit | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		fd, err := unix.PerfEventOpen(&attr, id, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if err == unix.ESRCH {
			continue // it has ended
		}
		if err != nil {
			return nil
		}
		c = append(c, fd)
	}
	return c
}

// instructions returns the sum of the counters.
func (c counters) instructions() (sum uint64) {
	for _, fd := range c {
		var b [8]byte
		if n, err := unix.Read(fd, b[:]); n == len(b) && err == nil {
			sum += binary.NativeEndian.Uint64(b[:])
		}
	}
	return sum
}
