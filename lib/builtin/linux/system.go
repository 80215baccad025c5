package linux

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// addSystem adds what is known about the system as a whole.
func (l *collector) addSystem() {
	l.Table("system", "the system", func(t *procfs.Table, _ *pmda.Request) error {
		r := t.Row(pcp.NullInst)
		t.Cell(r, []byte("hz")).SetUint(hertz)
		t.Cell(r, []byte("pagesize")).SetUint(uint64(os.Getpagesize()))
		for _, n := range kernelConstants {
			t.Cell(r, strconv.AppendUint([]byte("const"), n, 10)).SetUint(n)
		}
		return nil
	})
	l.addLoad()
	l.file("uptime", "proc/uptime", func(t *procfs.Table, r *procfs.Row, text []byte) {
		for i := 1; i <= 2; i++ {
			var word []byte
			word, text = procfs.Word(text)
			if v, ok := procfs.Real(word); ok {
				t.Field(r, i).SetReal(v)
			}
		}
	})
	l.numbers("pid_max", "proc/sys/kernel/pid_max")
	l.numbers("nptys", "proc/sys/kernel/pty/nr")
	l.numbers("entropy", "proc/sys/kernel/random/entropy_avail")
	l.numbers("poolsize", "proc/sys/kernel/random/poolsize")
	l.numbers("filenr", "proc/sys/fs/file-nr")
	l.numbers("inodestate", "proc/sys/fs/inode-state")
	l.numbers("dentrystate", "proc/sys/fs/dentry-state")
	l.numbers("aionr", "proc/sys/fs/aio-nr")
	l.numbers("aiomax", "proc/sys/fs/aio-max-nr")
	l.numbers("uevent", "sys/kernel/uevent_seqnum")
	l.numbers("zswap_pool", "sys/module/zswap/parameters/max_pool_percent")
	l.file("zswap", "sys/module/zswap/parameters/enabled", func(t *procfs.Table, r *procfs.Row, text []byte) {
		word, _ := procfs.Word(text)
		t.Cell(r, []byte("enabled")).SetText(word)
	})
	l.file("locks", "proc/locks", parseLocks)
	l.addDistro()
	l.addPressure()
	l.addUname()
	l.addUsers()
}

// addLoad adds what is in /proc/loadavg.
func (l *collector) addLoad() {
	load := l.Table("load", "/proc/loadavg", func(t *procfs.Table, _ *pmda.Request) error {
		text, err := l.root.Read("proc/loadavg")
		other := l.Tables["loadavg"]
		other.Reset()
		if err != nil {
			return procfs.Missing(err)
		}
		parseLoad(t, other, text)
		return nil
	})
	l.Alias("loadavg", "/proc/loadavg", load)
	l.InDoms["2"] = l.fixed(2, "How long load averages go back",
		pcp.Instance{ID: 1, Name: "1 minute"}, pcp.Instance{ID: 5, Name: "5 minute"}, pcp.Instance{ID: 15, Name: "15 minute"})
}

// parseLoad reads /proc/loadavg: "3.74 6.97 7.18 5/146 17208".
func parseLoad(load, other *procfs.Table, text []byte) {
	line, _ := procfs.Line(text)
	for _, minutes := range [...]int32{1, 5, 15} {
		var word []byte
		word, line = procfs.Word(line)
		if v, ok := procfs.Real(word); ok {
			load.Field(load.Row(minutes), 1).SetReal(v)
		}
	}
	r := other.Row(pcp.NullInst)
	word, line := procfs.Word(line)
	runnable, total, _ := bytes.Cut(word, []byte{'/'})
	other.Cell(r, []byte("runnable")).SetWord(runnable)
	other.Cell(r, []byte("total")).SetWord(total)
	word, _ = procfs.Word(line)
	other.Cell(r, []byte("last")).SetWord(word)
}

// addPressure adds what is in /proc/pressure.
func (l *collector) addPressure() {
	for _, resource := range []string{"cpu", "memory", "io", "irq"} {
		file, name := "proc/pressure/"+resource, "pressure_"+resource
		t := l.Table(name, "/"+file, func(t *procfs.Table, _ *pmda.Request) error {
			avg := l.Tables[name+"_avg"]
			avg.Reset()
			text, err := l.root.Read(file)
			if err != nil {
				return procfs.Missing(err)
			}
			parsePressure(t, avg, text)
			return nil
		})
		l.Alias(name+"_avg", "/"+file, t)
	}
	l.InDoms["37"] = l.fixed(37, "How long averages of pressure go back",
		pcp.Instance{ID: 10, Name: "10 second"}, pcp.Instance{ID: 60, Name: "1 minute"}, pcp.Instance{ID: 300, Name: "5 minute"})
}

// parsePressure reads a file of /proc/pressure, which has one line or two:
//
//	some avg10=36.18 avg60=39.52 avg300=59.38 total=5850543407
//	full avg10=0.00 avg60=0.00 avg300=0.00 total=0
func parsePressure(total, avg *procfs.Table, text []byte) {
	r := total.Row(pcp.NullInst)
	for _, inst := range [...]int32{10, 60, 300} {
		avg.Row(inst)
	}
	for len(text) > 0 {
		var line []byte
		line, text = procfs.Line(text)
		kind, rest := procfs.Word(line)
		for len(rest) > 0 {
			var word []byte
			word, rest = procfs.Word(rest)
			key, value, _ := bytes.Cut(word, []byte{'='})
			switch string(key) {
			case "avg10":
				setPressure(avg, 0, kind, value)
			case "avg60":
				setPressure(avg, 1, kind, value)
			case "avg300":
				setPressure(avg, 2, kind, value)
			case "total":
				total.Cell(r, kind).SetWord(value)
			}
		}
	}
}

// setPressure sets the average of a row.
func setPressure(t *procfs.Table, row int, kind, value []byte) {
	if v, ok := procfs.Real(value); ok {
		t.Cell(&t.Rows[row], kind).SetReal(v)
	}
}

// parseLocks counts the lines of /proc/locks by kind and mode; those that wait for
// a lock have an arrow in front and do not count.
//
//	1: POSIX  ADVISORY  WRITE 1234 08:01:131 0 EOF
func parseLocks(t *procfs.Table, r *procfs.Row, text []byte) {
	var counts [3][2]uint64
	kinds, modes := [...]string{"posix", "flock", "lease"}, [...]string{"read", "write"}
	for len(text) > 0 {
		var line []byte
		line, text = procfs.Line(text)
		_, rest := procfs.Word(line)
		kind, rest := procfs.Word(rest)
		_, rest = procfs.Word(rest)
		mode, _ := procfs.Word(rest)
		if string(kind) == "OFDLCK" { // a POSIX lock that belongs to a file, not to a process
			kind = []byte("POSIX")
		}
		for k, kindName := range kinds {
			for m, modeName := range modes {
				if strings.EqualFold(string(kind), kindName) && strings.EqualFold(string(mode), modeName) {
					counts[k][m]++
				}
			}
		}
	}
	for k, kind := range kinds {
		for m, mode := range modes {
			t.Cell(r, []byte(kind+"."+mode)).SetUint(counts[k][m])
		}
	}
}

// addDistro adds the name of the distribution: that of Debian with its version, else
// what /etc/os-release says, "?" if nothing does.
func (l *collector) addDistro() {
	l.Table("distro", "/etc/debian_version or /etc/os-release", func(t *procfs.Table, _ *pmda.Request) error {
		c := t.Cell(t.Row(pcp.NullInst), []byte("name"))
		c.SetString("?")
		if text, err := l.root.Read("etc/debian_version"); err == nil {
			line, _ := procfs.Line(text)
			c.SetString("Debian " + string(line))
		} else if text, err = l.root.Read("etc/os-release"); err == nil {
			parseDistro(c, text)
		}
		return nil
	})
}

// parseDistro reads the name of the distribution from /etc/os-release.
func parseDistro(c *procfs.Cell, text []byte) {
	for len(text) > 0 {
		var line []byte
		line, text = procfs.Line(text)
		if name, ok := bytes.CutPrefix(line, []byte("PRETTY_NAME=")); ok {
			c.SetText(bytes.Trim(name, "\"' "))
			return
		}
	}
}

// A uname is what the kernel says of itself.
type uname struct{ sysname, nodename, release, version, machine string }

// addUname adds what uname says.
func (l *collector) addUname() {
	l.Table("uname", "the system's name", func(t *procfs.Table, _ *pmda.Request) error {
		u := l.uname()
		r := t.Row(pcp.NullInst)
		for _, f := range []struct{ key, value string }{
			{"sysname", u.sysname}, {"nodename", u.nodename}, {"release", u.release}, {"version", u.version}, {"machine", u.machine},
			{"all", strings.Join([]string{u.sysname, u.nodename, u.release, u.version, u.machine}, " ")},
			{"pmda", agentVersion},
		} {
			t.Cell(r, []byte(f.key)).SetString(f.value)
		}
		return nil
	})
}

// agentVersion is the version of the reference whose agent the collector is like.
const agentVersion = "7.2.2"

// Layout of an utmp record: 384 bytes, the kind first, the user's name at 44.
const (
	utmpRecord = 384
	utmpUser   = 44
	utmpUserN  = 32
	utmpOfUser = 7
)

// addUsers adds what is in utmp.
func (l *collector) addUsers() {
	l.Table("users", "/var/run/utmp", func(t *procfs.Table, _ *pmda.Request) error {
		text, err := l.root.Read("var/run/utmp")
		if err != nil {
			text = nil // nobody keeps account of sessions: there are none
		}
		parseUsers(t, t.Row(pcp.NullInst), text)
		return nil
	})
}

// parseUsers counts the sessions in utmp.
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

// kernelConstants are numbers that are built into the kernel and told by metrics:
// limits and sizes of structures of System V semaphores and messages.
var kernelConstants = [...]uint64{1, 16, 20, 32767, 65535}
