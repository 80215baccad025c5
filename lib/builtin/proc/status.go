package proc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pmda"
)

func (p *collector) addStatus() {
	p.perProcess("status", "status", false, parseStatus)
	status := p.Tables["status"]
	p.Fill("idnames", "/etc/passwd and /etc/group", func(t *procfs.Table) {
		users := procfs.Users{Root: p.System}
		users.Load()
		t.Tried = status.Tried
		for i := range status.Rows {
			r := t.Row(status.Rows[i].Inst)
			for _, f := range idNames {
				if id := status.Cell(&status.Rows[i], []byte(f)); id != nil && id.Kind == procfs.Number {
					t.Cell(r, []byte(f)).SetString(users.Name(f[0] == 'G', id.Num))
				}
			}
		}
	}, status)
	for _, f := range idNames {
		status.Slot(f)
	}
}

var idNames = [...]string{"Uid.1", "Uid.2", "Uid.3", "Uid.4", "Gid.1", "Gid.2", "Gid.3", "Gid.4"}

// parseStatus reads /proc/PID/status:
//
//	Name:	init
//	Uid:	0	1	2	4
//	VmPeak:	   22104 kB
//	SigCgt:	00000001800004ec
//
// The four numbers of Uid and Gid have the keys Uid.1 and so on. Masks of signals that are missing
// are empty.
func parseStatus(t *procfs.Table, r *procfs.Row, text []byte) {
	for _, key := range [...]string{"SigPnd", "SigBlk", "SigIgn", "SigCgt"} {
		t.Cell(r, []byte(key)).SetText(nil)
	}
	for line := range procfs.Lines(text) {
		key, rest, ok := bytes.Cut(line, []byte{':'})
		if !ok {
			continue
		}
		switch {
		case string(key) == "Uid":
			t.SetKeys(r, rest, idNames[:4]...)
		case string(key) == "Gid":
			t.SetKeys(r, rest, idNames[4:]...)
		case bytes.HasPrefix(key, []byte("NS")):
			t.Cell(r, key).SetText(listed(rest))
		case bytes.HasPrefix(key, []byte("Sig")), string(key) == "Cpus_allowed_list":
			t.Cell(r, key).SetText(bytes.TrimLeft(rest, " \t"))
		default:
			t.Cell(r, key).SetWord(rest)
		}
	}
}

// listed returns the numbers of a namespace with commas for the blanks between and after them.
func listed(rest []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r == ' ' || r == '\t' || r == '\r' {
			return ','
		}
		return r
	}, bytes.TrimLeft(rest, " \t"))
}

func (p *collector) addSmallFiles() {
	p.perProcess("statm", "statm", false, func(t *procfs.Table, r *procfs.Row, text []byte) {
		for i := range r.Cells { // numbers that the kernel does not have yet
			r.Cells[i].SetUint(0)
		}
		procfs.Fields(t, r, text)
	})
	p.perProcess("schedstat", "schedstat", false, procfs.Fields)
	p.perProcess("oom_score", "oom_score", false, procfs.Fields)
	p.perProcess("io", "io", true, procfs.Keyed)
	p.perProcess("smaps", "smaps_rollup", true, procfs.Keyed)
	p.perProcess("wchan", "wchan", false, func(t *procfs.Table, r *procfs.Row, text []byte) {
		t.Cell(r, []byte("text")).SetText(text) // it has no end of a line
	})
	p.perProcess("label", "attr/current", false, func(t *procfs.Table, r *procfs.Row, text []byte) {
		t.Cell(r, []byte("text")).SetText(procfs.Chop(text))
	})
	p.addMaps()
	p.perProcess("cgroup", "cgroup", false, parseCgroups)
	p.addAutogroups()
	p.each("environ", "/proc/PID/environ", func(t *procfs.Table, pid int32) {
		c := t.Cell(t.Row(pid), []byte("text"))
		if c.SetText(nil); !p.mayRead(pid) {
			return
		}
		if text, err := p.read(pid, "environ"); err == nil {
			text = procfs.Chop(text)
			for i, ch := range text {
				if ch == 0 {
					text[i] = ' '
				}
			}
			c.SetText(text)
		}
	})
	p.addLinks()
}

// addAutogroups adds /proc/PID/autogroup, which counts only where the kernel groups processes.
func (p *collector) addAutogroups() {
	setting := p.File("autogrouping", "proc/sys/kernel/sched_autogroup_enabled", func(t *procfs.Table, r *procfs.Row, text []byte) {
		n, _ := procfs.Uint(bytes.TrimSpace(text))
		t.Cell(r, []byte("1")).SetBool(n == 1)
	})
	on := setting.Slot("1")
	p.perProcess("autogroup", "autogroup", false, parseAutogroup)
	groups := p.Tables["autogroup"]
	read := groups.Reading.Read
	groups.Reading.Needs = append(groups.Reading.Needs, setting.Reading)
	groups.Reading.Read = func(ctx context.Context, req *pmda.Request) error {
		if setting.Rows[0].Cells[on].Num == 1 && setting.Rows[0].Cells[on].Kind == procfs.Number {
			return read(ctx, req)
		}
		groups.Reset()
		return nil
	}
}

// addMaps adds /proc/PID/maps. The value is empty if the kernel refuses the file.
func (p *collector) addMaps() {
	p.each("maps", "/proc/PID/maps", func(t *procfs.Table, pid int32) {
		may := p.mayRead(pid) // before read, as it reads, too
		text, err := p.read(pid, "maps")
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return
		case err != nil || !may:
			text = nil
		}
		t.Cell(t.Row(pid), []byte("text")).SetText(procfs.Chop(text))
	})
}

func (p *collector) addLinks() {
	for _, name := range []string{"exe", "cwd"} {
		p.each(name, "/proc/PID/"+name, func(t *procfs.Table, pid int32) {
			c := t.Cell(t.Row(pid), []byte("link"))
			if c.SetText(nil); p.mayRead(pid) {
				c.SetString(p.Root.Link(fileOf(pid, name)))
			}
		})
	}
	p.each("fd", "/proc/PID/fd", func(t *procfs.Table, pid int32) {
		n := p.openFiles(pid)
		if n < 0 {
			return
		}
		if c := t.Cell(t.Row(pid), []byte("n")); p.mayRead(pid) {
			c.SetUint(uint64(n))
		} else {
			c.SetUint(0)
		}
	})
}

// openFiles returns the number of open files of a process, -1 if they are hidden.
func (p *collector) openFiles(pid int32) int {
	n, ok := p.fds[pid]
	if !ok {
		var err error
		if n, err = p.Root.Entries(fileOf(pid, "fd")); err != nil {
			n = -1
		}
		p.fds[pid] = n
	}
	return n
}

// parseCgroups reads lines like "12:cpu:/user.slice", which are shown without their numbers. The
// first group of a container names it.
func parseCgroups(t *procfs.Table, r *procfs.Row, text []byte) {
	var parts []string
	id := ""
	for line := range procfs.Lines(text) {
		_, group, _ := strings.Cut(string(line), ":")
		parts = append(parts, group)
		id = cmp.Or(id, container(group[strings.LastIndexByte(group, ':')+1:]))
	}
	t.Cell(r, []byte("text")).SetString(strings.Join(parts, ";"))
	t.Cell(r, []byte("container")).SetString(id)
}

// parseAutogroup reads "/autogroup-5 nice 2". The file is empty for a process without a group.
func parseAutogroup(t *procfs.Table, r *procfs.Row, text []byte) {
	t.Cell(r, []byte("id")).SetUint(0)
	t.Cell(r, []byte("nice")).SetUint(0)
	name, rest := procfs.Word(text)
	number, ok := bytes.CutPrefix(name, []byte("/autogroup-"))
	if !ok {
		return
	}
	t.Cell(r, []byte("id")).SetWord(number)
	t.Cell(r, []byte("nice")).SetWord(procfs.Skip(rest, 1))
}
