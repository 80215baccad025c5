package builtin

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// addSystem adds what is known about the system as a whole.
func (l *linuxCollector) addSystem() {
	l.table("system", "the system", func(t *procfsTable, _ *pmda.Request) error {
		r := t.row(pcp.NullInst)
		t.cell(r, []byte("hz")).setUint(linuxHertz)
		t.cell(r, []byte("pagesize")).setUint(uint64(os.Getpagesize()))
		for _, n := range linuxConstants {
			t.cell(r, strconv.AppendUint([]byte("const"), n, 10)).setUint(n)
		}
		return nil
	})
	l.addLoad()
	l.file("uptime", "proc/uptime", func(t *procfsTable, r *procfsRow, text []byte) {
		for i := 1; i <= 2; i++ {
			var word []byte
			word, text = procfsWord(text)
			if v, ok := procfsReal(word); ok {
				t.field(r, i).setReal(v)
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
	l.file("zswap", "sys/module/zswap/parameters/enabled", func(t *procfsTable, r *procfsRow, text []byte) {
		word, _ := procfsWord(text)
		t.cell(r, []byte("enabled")).setText(word)
	})
	l.file("locks", "proc/locks", linuxLocks)
	l.addDistro()
	l.addPressure()
	l.addUname()
	l.addUsers()
}

// addLoad adds what is in /proc/loadavg.
func (l *linuxCollector) addLoad() {
	load := l.table("load", "/proc/loadavg", func(t *procfsTable, _ *pmda.Request) error {
		text, err := l.root.read("proc/loadavg")
		other := l.tables["loadavg"]
		other.reset()
		if err != nil {
			return procfsMissing(err)
		}
		linuxLoad(t, other, text)
		return nil
	})
	l.alias("loadavg", "/proc/loadavg", load)
	l.indoms["2"] = l.fixed(2, "How long load averages go back",
		pcp.Instance{ID: 1, Name: "1 minute"}, pcp.Instance{ID: 5, Name: "5 minute"}, pcp.Instance{ID: 15, Name: "15 minute"})
}

// linuxLoad reads /proc/loadavg: "3.74 6.97 7.18 5/146 17208".
func linuxLoad(load, other *procfsTable, text []byte) {
	line, _ := procfsLine(text)
	for _, minutes := range [...]int32{1, 5, 15} {
		var word []byte
		word, line = procfsWord(line)
		if v, ok := procfsReal(word); ok {
			load.field(load.row(minutes), 1).setReal(v)
		}
	}
	r := other.row(pcp.NullInst)
	word, line := procfsWord(line)
	runnable, total, _ := bytes.Cut(word, []byte{'/'})
	other.cell(r, []byte("runnable")).setWord(runnable)
	other.cell(r, []byte("total")).setWord(total)
	word, _ = procfsWord(line)
	other.cell(r, []byte("last")).setWord(word)
}

// addPressure adds what is in /proc/pressure.
func (l *linuxCollector) addPressure() {
	for _, resource := range []string{"cpu", "memory", "io", "irq"} {
		file, name := "proc/pressure/"+resource, "pressure_"+resource
		t := l.table(name, "/"+file, func(t *procfsTable, _ *pmda.Request) error {
			avg := l.tables[name+"_avg"]
			avg.reset()
			text, err := l.root.read(file)
			if err != nil {
				return procfsMissing(err)
			}
			linuxPressure(t, avg, text)
			return nil
		})
		l.alias(name+"_avg", "/"+file, t)
	}
	l.indoms["37"] = l.fixed(37, "How long averages of pressure go back",
		pcp.Instance{ID: 10, Name: "10 second"}, pcp.Instance{ID: 60, Name: "1 minute"}, pcp.Instance{ID: 300, Name: "5 minute"})
}

// linuxPressure reads a file of /proc/pressure, which has one line or two:
//
//	some avg10=36.18 avg60=39.52 avg300=59.38 total=5850543407
//	full avg10=0.00 avg60=0.00 avg300=0.00 total=0
func linuxPressure(total, avg *procfsTable, text []byte) {
	r := total.row(pcp.NullInst)
	for _, inst := range [...]int32{10, 60, 300} {
		avg.row(inst)
	}
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		kind, rest := procfsWord(line)
		for len(rest) > 0 {
			var word []byte
			word, rest = procfsWord(rest)
			key, value, _ := bytes.Cut(word, []byte{'='})
			switch string(key) {
			case "avg10":
				avg.setPressure(0, kind, value)
			case "avg60":
				avg.setPressure(1, kind, value)
			case "avg300":
				avg.setPressure(2, kind, value)
			case "total":
				total.cell(r, kind).setWord(value)
			}
		}
	}
}

// setPressure sets the average of a row.
func (t *procfsTable) setPressure(row int, kind, value []byte) {
	if v, ok := procfsReal(value); ok {
		t.cell(&t.rows[row], kind).setReal(v)
	}
}

// linuxLocks counts the lines of /proc/locks by kind and mode; those that wait for
// a lock have an arrow in front and do not count.
//
//	1: POSIX  ADVISORY  WRITE 1234 08:01:131 0 EOF
func linuxLocks(t *procfsTable, r *procfsRow, text []byte) {
	var counts [3][2]uint64
	kinds, modes := [...]string{"posix", "flock", "lease"}, [...]string{"read", "write"}
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		_, rest := procfsWord(line)
		kind, rest := procfsWord(rest)
		_, rest = procfsWord(rest)
		mode, _ := procfsWord(rest)
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
			t.cell(r, []byte(kind+"."+mode)).setUint(counts[k][m])
		}
	}
}

// addDistro adds the name of the distribution: that of Debian with its version, else
// what /etc/os-release says, "?" if nothing does.
func (l *linuxCollector) addDistro() {
	l.table("distro", "/etc/debian_version or /etc/os-release", func(t *procfsTable, _ *pmda.Request) error {
		c := t.cell(t.row(pcp.NullInst), []byte("name"))
		c.setString("?")
		if text, err := l.root.read("etc/debian_version"); err == nil {
			line, _ := procfsLine(text)
			c.setString("Debian " + string(line))
		} else if text, err = l.root.read("etc/os-release"); err == nil {
			linuxDistro(c, text)
		}
		return nil
	})
}

// linuxDistro reads the name of the distribution from /etc/os-release.
func linuxDistro(c *procfsCell, text []byte) {
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		if name, ok := bytes.CutPrefix(line, []byte("PRETTY_NAME=")); ok {
			c.setText(bytes.Trim(name, "\"' "))
			return
		}
	}
}

// A linuxUname is what the kernel says of itself.
type linuxUname struct{ sysname, nodename, release, version, machine string }

// addUname adds what uname says.
func (l *linuxCollector) addUname() {
	l.table("uname", "the system's name", func(t *procfsTable, _ *pmda.Request) error {
		u := l.uname()
		r := t.row(pcp.NullInst)
		for _, f := range []struct{ key, value string }{
			{"sysname", u.sysname}, {"nodename", u.nodename}, {"release", u.release}, {"version", u.version}, {"machine", u.machine},
			{"all", strings.Join([]string{u.sysname, u.nodename, u.release, u.version, u.machine}, " ")},
			{"pmda", linuxVersion},
		} {
			t.cell(r, []byte(f.key)).setString(f.value)
		}
		return nil
	})
}

// linuxVersion is the version of the reference whose agent the collector is like.
const linuxVersion = "7.2.2"

// Layout of an utmp record: 384 bytes, the kind first, the user's name at 44.
const (
	utmpRecord = 384
	utmpUser   = 44
	utmpUserN  = 32
	utmpOfUser = 7
)

// addUsers adds what is in utmp.
func (l *linuxCollector) addUsers() {
	l.table("users", "/var/run/utmp", func(t *procfsTable, _ *pmda.Request) error {
		text, err := l.root.read("var/run/utmp")
		if err != nil {
			text = nil // nobody keeps account of sessions: there are none
		}
		linuxUsers(t, t.row(pcp.NullInst), text)
		return nil
	})
}

// linuxUsers counts the sessions in utmp.
func linuxUsers(t *procfsTable, r *procfsRow, text []byte) {
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
	t.cell(r, []byte("sessions")).setUint(sessions)
	t.cell(r, []byte("roots")).setUint(roots)
}

// linuxConstants are numbers that are built into the kernel and told by metrics:
// limits and sizes of structures of System V semaphores and messages.
var linuxConstants = [...]uint64{1, 16, 20, 32767, 65535}
