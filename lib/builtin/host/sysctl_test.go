package host

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pmerr"
)

// answers reads answers of sysctl from testdata, whose form stands there.
func answers(t testing.TB, name string) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "sysctl", name))
	if err != nil {
		t.Fatal(err)
	}
	list := map[string][]byte{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch n, zeros := strings.CutPrefix(value, "zeros:"); {
		case key == "#":
			continue
		case zeros:
			var size int
			size, err = strconv.Atoi(n)
			list[key] = make([]byte, size)
		case value[0] == '"':
			value, err = strconv.Unquote(value)
			list[key] = []byte(value)
		default:
			list[key], err = hex.DecodeString(strings.ReplaceAll(value, " ", ""))
		}
		if err != nil {
			t.Fatalf("%s: %s: %v", name, line, err)
		}
	}
	return list
}

// kernel returns a kernel with answers, by names and numbers as in "net 18 0".
func kernel(answers map[string][]byte) sysctl {
	return func(name string, args ...int) ([]byte, error) {
		if b, ok := answers[strings.TrimSpace(name+" "+strings.Trim(fmt.Sprint(args), "[]"))]; ok {
			return b, nil
		}
		return nil, errors.New("no such file or directory")
	}
}

// device is the part of a Mac that does not answer by sysctl.
func device() machine {
	m := portable()
	m.times = func(bool) ([]cpu.TimesStat, error) { return []cpu.TimesStat{{CPU: "cpu0", User: 1}}, nil }
	m.processors = func() ([]cpu.InfoStat, error) { return []cpu.InfoStat{{Mhz: 3228}}, nil }
	m.disks = func() (map[string]disk.IOCountersStat, error) {
		return map[string]disk.IOCountersStat{"disk0": {ReadTime: 30, WriteTime: 12, IoTime: 42}}, nil
	}
	return m
}

// shown are values as text, by names of metrics and instances; "" is none.
var shown = map[string]map[string]string{
	"arm64": {
		"hinv.machine": "arm64", "hinv.cpu.clock cpu0": "3228",
		"kernel.uname.machine": "arm64", "kernel.uname.nodename": "mini.local", "kernel.uname.distro": "macOS 14.2.1", "kernel.uname.release": "23.2.0", "kernel.uname.sysname": "Darwin",
		"kernel.all.boottime": "1700000000", "kernel.all.nprocs": "3", "disk.dev.aveq disk0": "42", "disk.dev.avactive disk0": "",
	},
	"x86_64": {
		"hinv.machine": "x86_64", "kernel.uname.distro": "macOS 10.15.7", "kernel.all.boottime": "1600000000", "kernel.all.nprocs": "463",
	},
}

// text returns the values of an agent on a Mac as text, by names of metrics and instances.
func text(t *testing.T, m machine) map[string]string {
	t.Helper()
	list := map[string]string{}
	for name, instances := range values(t, newAgent(0, m)) {
		for inst, v := range instances {
			s, err := v.Text()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if s == "" {
				s = "empty"
			}
			list[strings.TrimSpace(name+" "+inst)] = s
		}
	}
	return list
}

func TestSysctl(t *testing.T) {
	for name, want := range shown {
		got := text(t, mac(kernel(answers(t, name)), device()))
		for metric, w := range want {
			if got[metric] != w {
				t.Errorf("%s: %s: %q, want %q", name, metric, got[metric], w)
			}
		}
		boot, _ := strconv.ParseFloat(got["kernel.all.boottime"], 64)
		if up, err := strconv.ParseFloat(got["kernel.all.uptime"], 64); err != nil || up < float64(time.Now().Unix())-boot-60 {
			t.Errorf("%s: up for %v, %v", name, up, err)
		}
	}
}

// TestSlowClock: gopsutil takes the clock of Apple's M4 for Hz.
func TestSlowClock(t *testing.T) {
	m := device()
	m.processors = func() ([]cpu.InfoStat, error) { return []cpu.InfoStat{{Mhz: 4}}, nil }
	got := text(t, m)
	if clock, ok := got["hinv.cpu.clock cpu0"]; ok || got["kernel.all.cpu.user"] == "" {
		t.Errorf("the clock is %q", clock)
	}
}

// TestSysctlDamage: an answer that is missing, short, long or senseless is an error, or no value, of
// its own metrics.
func TestSysctlDamage(t *testing.T) {
	numbers := map[string]string{"kern.boottime": "kernel.all.uptime", "kern.proc.all": "kernel.all.nprocs"}
	texts := map[string]string{
		"hw.machine": "hinv.machine", "kern.hostname": "kernel.uname.nodename", "kern.osrelease": "kernel.uname.release", "kern.ostype": "kernel.uname.sysname",
	}
	damaged := func(key string, answer []byte) map[string]string {
		list := answers(t, "x86_64")
		list[key] = answer
		return text(t, mac(kernel(list), device()))
	}
	const other = "kernel.all.cpu.user" // is no answer of sysctl
	for key, answer := range answers(t, "x86_64") {
		senseless := bytes.Repeat([]byte{0xff}, len(answer))
		if metric := numbers[key]; metric != "" {
			for _, bad := range [][]byte{nil, answer[:len(answer)-1], append(answer, 0), append(answer, senseless[:8-len(answer)%8]...), senseless} {
				if got := damaged(key, bad); got[metric] != "" && (key != "kern.proc.all" || len(bad) != len(answer)) || got[other] == "" {
					t.Errorf("%s of %d bytes: %s %q, %s %q", key, len(bad), metric, got[metric], other, got[other])
				}
			}
		}
		if metric := texts[key]; metric != "" {
			for _, bad := range [][]byte{nil, senseless, bytes.Repeat([]byte{'a'}, maxText+1)} {
				if got := damaged(key, bad); got[metric] != "" || got["kernel.all.nprocs"] != "463" {
					t.Errorf("%s of %d bytes: %s %q, %s processes", key, len(bad), metric, got[metric], got["kernel.all.nprocs"])
				}
			}
		}
	}
}

// interfaceAnswer returns a struct ifmibdata of net/if_mib.h: name, five numbers of 32 bits, room for
// four more, and struct if_data64 of net/if_var.h, whose counters of 64 bits begin at 24. Compilers
// that do not pack it put four bytes before that.
func interfaceAnswer(name string, padding int) []byte {
	b := make([]byte, 52+padding+ifData64Size)
	copy(b, name)
	binary.LittleEndian.PutUint32(b[32:], 5) // ifmd_snd_drops
	for i := range 11 {                      // packets and errors in and out, collisions, bytes, multicasts, drops, unknown
		binary.LittleEndian.PutUint64(b[52+padding+24+8*i:], uint64(i+1)<<32)
	}
	return b
}

// TestMacInterfaces: interfaces that are gone, or whose answers are damaged, are left out.
func TestMacInterfaces(t *testing.T) {
	list := map[string][]byte{
		"net.link.generic.system.ifcount": {5, 0, 0, 0}, "net 18 0 2 1 1": interfaceAnswer("lo0", 0), "net 18 0 2 3 1": interfaceAnswer("en0", 4),
		"net 18 0 2 4 1": {1, 2, 3}, "net 18 0 2 5 1": interfaceAnswer("", 0),
	}
	v := values(t, newAgent(0, mac(kernel(list), portable())))
	for name, want := range map[string]uint64{
		"in.packets": 1 << 32, "in.errors": 2 << 32, "out.packets": 3 << 32, "out.errors": 4 << 32,
		"in.bytes": 6 << 32, "out.bytes": 7 << 32, "in.drops": 10 << 32, "out.drops": 5, "total.drops": 10<<32 + 5,
	} {
		got := v["network.interface."+name]
		if len(got) != 2 || got["en0"].Word() != want || got["lo0"].Word() != want {
			t.Errorf("%s: %v, want %d of lo0 and en0", name, got, want)
		}
	}
}

// TestMacErrors: without an answer, or with one that is not a number, the metrics have an error.
func TestMacErrors(t *testing.T) {
	for _, answer := range [][]byte{nil, {1, 2}, {255, 255, 255, 255}} {
		a := newAgent(0, mac(func(string, ...int) ([]byte, error) { return answer, nil }, portable()))
		if res := procfstest.Fetch(t, a, nil, "network.interface.in.drops"); !errors.Is(res.Sets[0].Err, pmerr.AppVersion) {
			t.Errorf("%v: %v", answer, res.Sets[0].Err)
		}
	}
}
