package host

import (
	"encoding/binary"
	"errors"
	"runtime"
	"testing"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/process"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pmerr"
)

// diskAnswer returns a DISK_PERFORMANCE, by the offsets of winioctl.h: five numbers of 64 bits, four
// of 32 at 40, the time of the query at 56, number and name of the device at 64.
func diskAnswer(query, idle, read, write int64) []byte {
	b := make([]byte, diskPerformanceSize)
	for i, v := range []int64{4096, 8192, read, write, idle} {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(v))
	}
	for i, v := range []uint32{7, 9, 3, 1} {
		binary.LittleEndian.PutUint32(b[40+4*i:], v)
	}
	binary.LittleEndian.PutUint64(b[56:], uint64(query))
	return b
}

func TestDiskCounters(t *testing.T) {
	const start = 133_000_000_000 * second / 10_000 // of the counters, since 1601
	got, err := diskCounters(diskAnswer(start+60*second, 20*second, 5*second, 7*second), new(busyTime), 60*second)
	want := disk.IOCountersStat{
		ReadBytes: 4096, WriteBytes: 8192, ReadCount: 7, WriteCount: 9, IopsInProgress: 3,
		ReadTime: 5000, WriteTime: 7000, IoTime: 40_000, WeightedIO: 12_000,
	}
	if err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if _, err := diskCounters(make([]byte, 63), new(busyTime), second); err == nil {
		t.Error("a short answer is no error")
	}
}

// TestBusyTime: the count never goes back, and survives a clock that is set.
func TestBusyTime(t *testing.T) {
	const start = 1e16
	var b busyTime
	for _, c := range []struct{ query, idle, uptime, want int64 }{
		{start + 100*second, 90 * second, 100 * second, 10 * second},
		{start + 101*second, 91*second + second/100, 101 * second, 10 * second}, // the clock is coarser than the idle time
		{start + 102*second, 91*second + second/2, 102 * second, 10*second + second/2},
		{start - 3498*second, 92 * second, 103 * second, 10*second + second/2}, // set back by an hour
		{start - 3496*second, 92 * second, 105 * second, 12*second + second/2},
		{start + 9000*second, 92 * second, 106 * second, 12*second + second/2}, // and forward
		{start + 9001*second, 92 * second, 107 * second, 13*second + second/2},
	} {
		if got := b.count(&diskPerformance{QueryTime: c.query, IdleTime: c.idle}, c.uptime); got != c.want {
			t.Errorf("after %d s: %d, want %d", c.uptime/second, got, c.want)
		}
	}
}

// TestDisks: if no disk counts, as under Wine, the metrics have an error.
func TestDisks(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Skip("not Windows")
	}
	disks, err := newMachine().disks()
	if err != nil { // Wine: Request not supported
		res := procfstest.Fetch(t, New(0), nil, "disk.dev.avactive", "disk.dev.inflight")
		for i := range res.Sets {
			if !errors.Is(res.Sets[i].Err, pmerr.AppVersion) {
				t.Errorf("%v, but the metric has %v", err, res.Sets[i].Err)
			}
		}
	}
	for name, d := range disks {
		if d.WeightedIO-d.ReadTime-d.WriteTime > 1 {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestHidden: zeros that stand for a refusal of macOS are no values.
func TestHidden(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  any
		threads int32
		want    bool
	}{
		{"memory", &process.MemoryInfoStat{}, 0, true},
		{"memory", &process.MemoryInfoStat{VMS: 4096}, 1, false},
		{"times", &cpu.TimesStat{CPU: "cpu"}, 0, true},
		{"times", &cpu.TimesStat{CPU: "cpu"}, 1, false}, // it has used no time yet
		{"times", &cpu.TimesStat{System: 0.01}, 1, false},
		{"threads", int32(0), 0, true},
		{"threads", int32(1), 1, false},
		{"ppid", int32(0), 0, false},
		{"name", "", 0, false},
	} {
		threads := func() (int32, error) { return c.threads, nil }
		if got := (&machine{system: "darwin"}).hides(c.name, c.answer, threads); got != c.want {
			t.Errorf("%s %v: %v, want %v", c.name, c.answer, got, c.want)
		}
		if (&machine{system: "windows"}).hides(c.name, c.answer, threads) {
			t.Errorf("%s %v is hidden on Windows", c.name, c.answer)
		}
	}
}

// FuzzAnswers: no answer of a system makes the decoders panic, or senseless values without an error.
func FuzzAnswers(f *testing.F) {
	f.Add(interfaceAnswer("en0", 0))
	f.Add(diskAnswer(second, second, second, second))
	for _, answer := range answers(f, "arm64") {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		same := mac(func(string, ...int) ([]byte, error) { return answer, nil }, machine{})
		if v, err := same.bootTime(); err == nil && int64(v) <= 0 {
			t.Errorf("%x: started at %d", answer, v)
		}
		if s, err := interfaceCounters(answer); err == nil && s.Name == "" {
			t.Errorf("%x has no name", answer)
		}
		var b busyTime
		before, err := diskCounters(answer, &b, second)
		after, err2 := diskCounters(answer, &b, 2*second)
		if err != err2 && (err == nil || err2 == nil) || after.IoTime < before.IoTime {
			t.Errorf("%x: %+v, %v, then %+v, %v", answer, before, err, after, err2)
		}
	})
}
