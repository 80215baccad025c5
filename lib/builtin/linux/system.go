package linux

import (
	"bytes"
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

func (l *collector) addSystem() {
	l.Fill("system", "the system", func(t *procfs.Table) {
		r := t.Row(pcp.NullInst)
		t.Cell(r, []byte("hz")).SetUint(l.Hertz)
		t.Cell(r, []byte("pagesize")).SetUint(l.PageSize)
		for _, n := range kernelConstants {
			t.Cell(r, strconv.AppendUint([]byte("const"), n, 10)).SetUint(n)
		}
	})
	l.Table("load", "/proc/loadavg", func(t *procfs.Table, _ *pmda.Request) error {
		text, err := l.Root.Read("proc/loadavg")
		parseLoad(t, l.Tables["loadavg"], text)
		return procfs.Missing(err)
	})
	l.Alias("loadavg", "load")
	l.Fixed["2"] = []pcp.Instance{{ID: 1, Name: "1 minute"}, {ID: 5, Name: "5 minute"}, {ID: 15, Name: "15 minute"}}
	l.File("uptime", "proc/uptime", func(t *procfs.Table, r *procfs.Row, text []byte) {
		for i, word := range procfs.Words(text) {
			if v, ok := procfs.Real(word); ok {
				t.Field(r, i+1).SetReal(v)
			}
		}
	})
	l.Numbers("pid_max", "proc/sys/kernel/pid_max")
	l.Numbers("nptys", "proc/sys/kernel/pty/nr")
	l.Numbers("entropy", "proc/sys/kernel/random/entropy_avail")
	l.Numbers("poolsize", "proc/sys/kernel/random/poolsize")
	l.Numbers("filenr", "proc/sys/fs/file-nr")
	l.Numbers("inodestate", "proc/sys/fs/inode-state")
	l.Numbers("dentrystate", "proc/sys/fs/dentry-state")
	l.Numbers("aionr", "proc/sys/fs/aio-nr")
	l.Numbers("aiomax", "proc/sys/fs/aio-max-nr")
	l.Numbers("uevent", "sys/kernel/uevent_seqnum")
	l.Numbers("zswap_pool", "sys/module/zswap/parameters/max_pool_percent")
	l.File("zswap", "sys/module/zswap/parameters/enabled", func(t *procfs.Table, r *procfs.Row, text []byte) {
		t.Cell(r, []byte("enabled")).SetText(procfs.Chop(text)) // Y or N
	})
	l.File("locks", "proc/locks", parseLocks)
	l.addDistro()
	l.addPressure()
	l.addUname()
	l.Fill("users", "/var/run/utmp", func(t *procfs.Table) {
		text, _ := l.System.Read("var/run/utmp") // without the file the system does not record sessions: there are none
		parseUsers(t, t.Row(pcp.NullInst), text)
	})
}

// parseLoad reads /proc/loadavg: "3.74 6.97 7.18 5/146 17208".
func parseLoad(load, other *procfs.Table, text []byte) {
	line, _ := procfs.Line(text)
	for _, minutes := range [...]int32{1, 5, 15} {
		var word []byte
		word, line = procfs.Word(line)
		r := load.Row(minutes)
		if v, ok := procfs.Real(word); ok {
			load.Field(r, 1).SetReal(v)
		}
	}
	r := other.Row(pcp.NullInst)
	word, line := procfs.Word(line)
	runnable, total, _ := bytes.Cut(word, []byte{'/'})
	other.Cell(r, []byte("runnable")).SetWord(runnable)
	other.Cell(r, []byte("total")).SetWord(total)
	other.Cell(r, []byte("last")).SetWord(line)
}

func (l *collector) addPressure() {
	for _, resource := range []string{"cpu", "memory", "io", "irq"} {
		file, name := "proc/pressure/"+resource, "pressure_"+resource
		l.Text(name, file, func(t *procfs.Table, text []byte) { parsePressure(t, l.Tables[name+"_avg"], text) })
		l.Alias(name+"_avg", name)
	}
	l.Fixed["37"] = []pcp.Instance{{ID: 10, Name: "10 second"}, {ID: 60, Name: "1 minute"}, {ID: 300, Name: "5 minute"}}
}

// parsePressure reads a file of /proc/pressure, which has one line or two:
//
//	some avg10=36.18 avg60=39.52 avg300=59.38 total=5850543407
//	full avg10=0.00 avg60=0.00 avg300=0.00 total=0
func parsePressure(total, avg *procfs.Table, text []byte) {
	r := total.Row(pcp.NullInst)
	for line := range procfs.Lines(text) {
		kind, rest := procfs.Word(line)
		for _, word := range procfs.Words(rest) {
			key, value, _ := bytes.Cut(word, []byte{'='})
			if string(key) == "total" {
				total.Cell(r, kind).SetWord(value)
				continue
			}
			seconds, _ := procfs.Uint(bytes.TrimPrefix(key, []byte("avg")))
			if v, ok := procfs.Real(value); ok && seconds <= 300 {
				avg.Cell(avg.At(int32(seconds)), kind).SetReal(v)
			}
		}
	}
}

// lockKind returns the kind of a lock by its word in /proc/locks, "" for others: a delegation is a lease,
// and a lock of a file (OFDLCK) or a mandatory one (ACCESS, until Linux 5.14) is a POSIX lock.
func lockKind(word []byte) string {
	switch string(word) {
	case "POSIX", "OFDLCK", "ACCESS":
		return "posix"
	case "FLOCK":
		return "flock"
	case "LEASE", "DELEG":
		return "lease"
	}
	return ""
}

// parseLocks counts the lines of /proc/locks by kind and mode. A waiter, marked by an arrow, does not
// count. A lock of mode RW counts as read and as write, one of mode UNLCK in the total only.
//
//	1: POSIX  ADVISORY  WRITE 1234 08:01:131 0 EOF
func parseLocks(t *procfs.Table, r *procfs.Row, text []byte) {
	for _, kind := range [...]string{"posix", "flock", "lease"} {
		for _, what := range [...]string{".read", ".write", ".count"} {
			t.Cell(r, []byte(kind+what)).SetUint(0)
		}
	}
	for line := range procfs.Lines(text) {
		word, rest := procfs.Word(procfs.Skip(line, 1))
		mode, _ := procfs.Word(procfs.Skip(rest, 1))
		kind := lockKind(word)
		if kind == "" {
			continue
		}
		t.Cell(r, []byte(kind+".count")).Add(1)
		if m := string(mode); m == "READ" || m == "RW" {
			t.Cell(r, []byte(kind+".read")).Add(1)
		}
		if m := string(mode); m == "WRITE" || m == "RW" {
			t.Cell(r, []byte(kind+".write")).Add(1)
		}
	}
}

// addDistro adds the name of the distribution: Debian and its version, else the name in
// /etc/os-release, else "?".
func (l *collector) addDistro() {
	l.Fill("distro", "/etc/debian_version or /etc/os-release", func(t *procfs.Table) {
		c := t.Cell(t.Row(pcp.NullInst), []byte("name"))
		c.SetString("?")
		if text, err := l.Root.Read("etc/debian_version"); err == nil {
			line, _ := procfs.Line(text)
			c.SetString("Debian " + string(line))
		} else if text, err = l.Root.Read("etc/os-release"); err == nil {
			parseDistro(c, text)
		}
	})
}

func parseDistro(c *procfs.Cell, text []byte) {
	for line := range procfs.Lines(text) {
		if name, ok := bytes.CutPrefix(line, []byte("PRETTY_NAME=")); ok {
			c.SetText(bytes.Trim(name, "\"' "))
			return
		}
	}
}

type uname struct{ sysname, nodename, release, version, machine string }

func (l *collector) addUname() {
	l.Fill("uname", "the system's name", func(t *procfs.Table) {
		u := l.uname()
		r := t.Row(pcp.NullInst)
		for _, f := range []struct{ key, value string }{
			{"sysname", u.sysname}, {"nodename", u.nodename}, {"release", u.release}, {"version", u.version}, {"machine", u.machine},
			{"all", strings.TrimSpace(strings.Join([]string{u.sysname, u.nodename, u.release, u.version, u.machine}, " "))},
			{"pmda", agentVersion},
		} {
			if f.value != "" {
				t.Cell(r, []byte(f.key)).SetString(f.value)
			}
		}
	})
}

// recordedName returns the name of the system whose files are below the root. Parts without a file are
// empty.
func (l *collector) recordedName() uname {
	line := func(name string) string {
		text, _ := l.System.Read("proc/sys/kernel/" + name)
		return string(procfs.Chop(text))
	}
	return uname{sysname: line("ostype"), nodename: line("hostname"), release: line("osrelease"), version: line("version"), machine: line("arch")}
}

const agentVersion = "7.2.2" // version of the reference whose agent the collector imitates

// Layout of an utmp record: 384 bytes, the kind first, the user's name at 44.
const (
	utmpRecord = 384
	utmpUser   = 44
	utmpUserN  = 32
	utmpOfUser = 7
)

func parseUsers(t *procfs.Table, r *procfs.Row, text []byte) {
	var sessions, roots uint64
	for ; len(text) >= utmpRecord; text = text[utmpRecord:] {
		if text[0] != utmpOfUser && text[1] != utmpOfUser {
			continue
		}
		sessions++
		name, _, _ := bytes.Cut(text[utmpUser:utmpUser+utmpUserN], []byte{0})
		if string(name) == "root" {
			roots++
		}
	}
	t.Cell(r, []byte("sessions")).SetUint(sessions)
	t.Cell(r, []byte("roots")).SetUint(roots)
}

// kernelConstants are numbers that are built into the kernel and shown by metrics: limits and sizes
// of structures of System V semaphores and messages.
var kernelConstants = [...]uint64{0, 1, 16, 20, 32767, 65535}
