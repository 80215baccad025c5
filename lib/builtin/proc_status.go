package builtin

import (
	"bytes"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"pmtools/lib/pmda"
)

// addStatus adds what is in /proc/PID/status.
func (p *procCollector) addStatus() {
	p.perProcess("status", "status", false, procStatus)
	status := p.tables["status"]
	p.table("idnames", "/etc/passwd and /etc/group", func(t *procfsTable, _ *pmda.Request) error {
		users := procfsUsers{root: p.root}
		users.load()
		for i := range status.rows {
			r := t.row(status.rows[i].inst)
			for _, f := range procIDNames {
				if id := status.cell(&status.rows[i], []byte(f)); id != nil && id.kind == procfsNumber {
					t.cell(r, []byte(f)).setString(users.name(f[0] == 'G', id.num))
				}
			}
		}
		return nil
	}, status)
	for _, f := range procIDNames {
		status.slot(f)
	}
}

// procIDNames are the keys of numbers of users and groups.
var procIDNames = [...]string{"Uid.1", "Uid.2", "Uid.3", "Uid.4", "Gid.1", "Gid.2", "Gid.3", "Gid.4"}

// procStatus reads /proc/PID/status:
//
//	Name:	init
//	Uid:	0	1	2	4
//	VmPeak:	   22104 kB
//	SigCgt:	00000001800004ec
//
// The four numbers of Uid and Gid have the keys Uid.1 and so on. Masks of signals
// that are missing are empty.
func procStatus(t *procfsTable, r *procfsRow, text []byte) {
	for _, key := range [...]string{"SigPnd", "SigBlk", "SigIgn", "SigCgt"} {
		t.cell(r, []byte(key)).setText(nil)
	}
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		key, rest, ok := bytes.Cut(line, []byte{':'})
		if !ok {
			continue
		}
		switch {
		case string(key) == "Uid":
			procIDs(t, r, procIDNames[:4], rest)
		case string(key) == "Gid":
			procIDs(t, r, procIDNames[4:], rest)
		case bytes.HasPrefix(key, []byte("NS")):
			t.cell(r, key).setText(bytes.ReplaceAll(bytes.TrimSpace(rest), []byte{'\t'}, []byte{','}))
		case bytes.HasPrefix(key, []byte("Sig")), string(key) == "Cpus_allowed_list":
			t.cell(r, key).setText(bytes.TrimSpace(rest))
		default:
			word, _ := procfsWord(rest)
			t.cell(r, key).setWord(word)
		}
	}
}

// procIDs sets numbers of users or groups.
func procIDs(t *procfsTable, r *procfsRow, keys []string, ids []byte) {
	for _, key := range keys {
		var word []byte
		word, ids = procfsWord(ids)
		t.cell(r, []byte(key)).setWord(word)
	}
}

// addSmallFiles adds the other files of processes.
func (p *procCollector) addSmallFiles() {
	numbers := func(t *procfsTable, r *procfsRow, text []byte) { t.setFields(r, 1, text) }
	text := func(t *procfsTable, r *procfsRow, text []byte) {
		t.cell(r, []byte("text")).setText(bytes.TrimRight(text, "\n\x00"))
	}
	p.perProcess("statm", "statm", false, procStatm)
	p.perProcess("schedstat", "schedstat", false, numbers)
	p.perProcess("oom_score", "oom_score", false, numbers)
	p.perProcess("io", "io", true, procfsKeyed)
	p.perProcess("smaps", "smaps_rollup", true, procfsKeyed)
	p.perProcess("wchan", "wchan", false, text)
	p.perProcess("label", "attr/current", false, text)
	p.addMaps()
	p.perProcess("cgroup", "cgroup", false, procControlGroups)
	p.perProcess("autogroup", "autogroup", false, procAutogroup)
	p.table("environ", "/proc/PID/environ", func(t *procfsTable, _ *pmda.Request) error {
		for _, pid := range p.selected {
			r := t.row(pid)
			c := t.cell(r, []byte("text"))
			c.setText(nil)
			if !p.mayRead(pid) {
				continue
			}
			if text, err := p.root.read(procFile(pid, "environ")); err == nil {
				c.setText(bytes.ReplaceAll(bytes.TrimRight(text, "\x00"), []byte{0}, []byte{' '}))
			}
		}
		return nil
	}, p.tables["selected"])
	p.addLinks()
	p.table("autogrouping", "/proc/sys/kernel/sched_autogroup_enabled", func(t *procfsTable, _ *pmda.Request) error {
		text, err := p.root.read("proc/sys/kernel/sched_autogroup_enabled")
		if err == nil {
			numbers(t, t.row(-1), text)
		}
		return procfsMissing(err)
	})
}

// addMaps adds /proc/PID/maps. It is empty if the kernel refuses it.
func (p *procCollector) addMaps() {
	p.table("maps", "/proc/PID/maps", func(t *procfsTable, _ *pmda.Request) error {
		for _, pid := range p.selected {
			may := p.mayRead(pid) // before read, as it reads, too
			text, err := p.root.read(procFile(pid, "maps"))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil || !may {
				text = nil
			}
			r := t.row(pid)
			t.cell(r, []byte("text")).setText(bytes.TrimSuffix(text, []byte{'\n'}))
		}
		return nil
	}, p.tables["selected"])
}

// addLinks adds what symbolic links of processes lead to, and how many files they
// have open.
func (p *procCollector) addLinks() {
	for _, name := range []string{"exe", "cwd"} {
		p.table(name, "/proc/PID/"+name, func(t *procfsTable, _ *pmda.Request) error {
			for _, pid := range p.selected {
				r := t.row(pid)
				c := t.cell(r, []byte("link"))
				if c.setText(nil); p.mayRead(pid) {
					c.setString(p.root.link(procFile(pid, name)))
				}
			}
			return nil
		}, p.tables["selected"])
	}
	p.table("fd", "/proc/PID/fd", func(t *procfsTable, _ *pmda.Request) error {
		for _, pid := range p.selected {
			r := t.row(pid)
			c := t.cell(r, []byte("n"))
			if c.setUint(0); p.mayRead(pid) {
				names, _ := p.root.names(procFile(pid, "fd"))
				c.setUint(uint64(len(names)))
			}
		}
		return nil
	}, p.tables["selected"])
}

// procStatm reads /proc/PID/statm, sizes in pages: "5510 2860 2099 13 1 787 2". The
// keys are 1.kb and so on.
func procStatm(t *procfsTable, r *procfsRow, text []byte) {
	for i := 1; i <= 7; i++ {
		var word []byte
		word, text = procfsWord(text)
		if n, ok := procfsUint(word); ok {
			t.cell(r, append(strconv.AppendInt(nil, int64(i), 10), ".kb"...)).setUint(n * (linuxPage() >> 10))
		}
	}
}

// procControlGroups reads /proc/PID/cgroup: lines like "12:cpu:/user.slice", which
// are shown without their numbers.
func procControlGroups(t *procfsTable, r *procfsRow, text []byte) {
	var parts []string
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		if _, group, ok := bytes.Cut(line, []byte{':'}); ok {
			parts = append(parts, string(group))
		}
	}
	t.cell(r, []byte("text")).setString(strings.Join(parts, ";"))
}

// procAutogroup reads /proc/PID/autogroup: "/autogroup-5 nice 2". It is empty for a
// process without a group.
func procAutogroup(t *procfsTable, r *procfsRow, text []byte) {
	t.cell(r, []byte("id")).setUint(0)
	t.cell(r, []byte("nice")).setUint(0)
	name, rest := procfsWord(text)
	number, ok := bytes.CutPrefix(name, []byte("/autogroup-"))
	if !ok {
		return
	}
	t.cell(r, []byte("id")).setWord(number)
	_, rest = procfsWord(rest)
	nice, _ := procfsWord(rest)
	t.cell(r, []byte("nice")).setWord(nice)
}
