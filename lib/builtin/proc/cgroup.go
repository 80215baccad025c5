package proc

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
)

// How control groups are found: each line of /proc/mounts of the kind cgroup is a hierarchy for the
// controllers among its options, and one of the kind cgroup2 a hierarchy for all others. The
// directories below are the groups, whose files have the values. A group's name is its path.

type cgroupMount struct {
	dir         string
	controllers []string // nil for version 2
}

// cgroupKinds are the sets of groups that are instance domains.
var cgroupKinds = [...]struct {
	name, controller string
	unified          bool // use version 2 if no hierarchy of version 1 has the controller
	files            []string
}{
	{"cpuset", "cpuset", true, []string{"cpuset.cpus", "cpuset.mems"}},
	{"cpuacct", "cpuacct", true, []string{"cpuacct.stat", "cpuacct.usage"}},
	{"cpusched", "cpu", false, []string{"cpu.stat", "cpu.shares", "cpu.cfs_period_us", "cpu.cfs_quota_us"}},
	{"memory", "memory", true, []string{"memory.stat", "memory.current", "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.failcnt"}},
	{"netclass", "net_cls", false, []string{"net_cls.classid"}},
	{"blkio", "blkio", false, nil},
	{"unified", "", true, []string{"cpu.stat", "cpu.pressure", "io.pressure", "memory.pressure", "irq.pressure"}},
}

const (
	maxCgroupDepth = 64
	maxCgroups     = 1 << 16
)

func (p *collector) addCgroups() {
	subsystems := p.Text("cgsubsys", "proc/cgroups", func(t *procfs.Table, text []byte) { parseSubsystems(t, p.Numbering("subsys"), text) })
	p.Count("cgsubsysn", "controllers", subsystems)
	mounts := p.Text("cgmounts", "proc/mounts", func(t *procfs.Table, text []byte) { p.readMounts(t, subsystems, text) }, subsystems)
	p.Count("cgmountsn", "mounted hierarchies", mounts)
	p.Text("blockdevices", "proc/diskstats", func(_ *procfs.Table, text []byte) { p.readDevices(text) })
	for _, kind := range cgroupKinds {
		groups := p.Fill(kind.name, "/proc/mounts", func(t *procfs.Table) {
			p.readGroups(t, kind.name, kind.controller, kind.unified)
		}, mounts)
		groups.Slot("dir")
		for _, file := range kind.files {
			p.Each(kind.name+"/"+file, file+" of the control group", groups, func(t *procfs.Table, group *procfs.Row) {
				r := t.Row(group.Inst)
				if text, err := p.Root.Read(string(groups.Cell(group, []byte("dir")).Text) + "/" + file); err == nil {
					setGroup(t, r, text)
				}
			})
		}
	}
	p.addGroupDevices()
}

func (p *collector) eachGroup(name, file string, groups *procfs.Table, set func(t *procfs.Table, group *procfs.Row, text []byte), needs ...*procfs.Table) *procfs.Table {
	return p.Fill(name, file+" of the control group", func(t *procfs.Table) {
		for i := range groups.Rows {
			group := &groups.Rows[i]
			if text, err := p.Root.Read(string(groups.Cell(group, []byte("dir")).Text) + "/" + file); err == nil {
				set(t, group, text)
			}
		}
	}, append(needs, groups)...)
}

// addGroupDevices adds the metrics for processors or block devices: "/system.slice::sda".
func (p *collector) addGroupDevices() {
	part := func(t *procfs.Table, kind string, group *procfs.Row, name string) *procfs.Row {
		inst, full := p.Numbering(kind).ID([]byte(group.Name + "::" + name))
		r := t.At(inst)
		r.Name = full
		return r
	}
	p.eachGroup("percpu", "cpuacct.usage_percpu", p.Tables["cpuacct"], func(t *procfs.Table, group *procfs.Row, text []byte) {
		for i, word := range bytes.Fields(text) {
			t.Cell(part(t, "percpu", group, "cpu"+strconv.Itoa(i)), []byte("usage")).SetWord(word)
		}
	})
	devices := p.Tables["blockdevices"]
	p.eachGroup("iodev", "io.stat", p.Tables["unified"], func(t *procfs.Table, group *procfs.Row, text []byte) {
		for line := range procfs.Lines(text) {
			device, rest := lastDevice(line)
			if name := p.devices[string(device)]; name != "" && len(bytes.TrimSpace(rest)) > 0 { // a device may have no numbers yet
				t.SetPairs(part(t, "iodev", group, name), "", rest, '=')
			}
		}
	}, devices)
	groups := p.Tables["blkio"]
	p.Fill("blkiodev", "/proc/mounts", func(t *procfs.Table) {
		for i := range groups.Rows {
			group := &groups.Rows[i]
			all := p.Tables["blkioall"].Row(group.Inst)
			for _, file := range blkioFiles {
				text, err := p.Root.Read(string(groups.Cell(group, []byte("dir")).Text) + "/blkio." + file)
				if err != nil {
					continue
				}
				parseBlkio(text, func(device, operation []byte, n uint64) {
					name := p.devices[string(device)]
					if name == "" {
						return
					}
					key := append([]byte(file), operation...)
					t.Cell(part(t, "blkiodev", group, name), key).SetUint(n)
					p.Tables["blkioall"].Cell(all, key).Add(n)
				})
			}
		}
	}, groups, devices)
	p.Alias("blkioall", "blkiodev")
}

// blkioFiles are files of version 1 with numbers for devices.
var blkioFiles = [...]string{
	"io_merged", "io_queued", "io_service_bytes", "io_serviced", "io_service_time", "io_wait_time", "sectors", "time",
	"throttle.io_service_bytes", "throttle.io_serviced",
}

// parseBlkio parses a number for each device, "8:0 12", or one for each operation of a device, "8:0 Read 12", followed by the
// total.
func parseBlkio(text []byte, set func(device, operation []byte, n uint64)) {
	for line := range procfs.Lines(text) {
		device, rest := procfs.Word(line)
		word, more := procfs.Word(rest)
		var operation []byte
		if len(more) > 0 {
			operation = append([]byte{'.'}, word...)
			word, _ = procfs.Word(more)
		}
		if n, ok := procfs.Uint(word); ok {
			set(device, operation, n)
		}
	}
}

// lastDevice parses the device of a line of io.stat. Linux 5.13 to 6.0 writes devices without numbers before it on the same line:
// "8:32 8:16 rbytes=11".
func lastDevice(line []byte) (device, rest []byte) {
	device, rest = procfs.Word(line)
	for next, more := procfs.Word(rest); bytes.IndexByte(next, ':') > 0; next, more = procfs.Word(rest) {
		device, rest = next, more
	}
	return device, rest
}

// parseSubsystems reads /proc/cgroups: "cpuset	3	1	1" below a line of headings.
func parseSubsystems(t *procfs.Table, ids *procfs.IDs, text []byte) {
	for line := range procfs.Lines(procfs.After(text, 1)) {
		name, rest := procfs.Word(line)
		t.SetKeys(t.Named(ids, name), rest, "hierarchy", "num_cgroups", "enabled")
	}
}

func (p *collector) readMounts(t, subsystems *procfs.Table, text []byte) {
	p.mounts = p.mounts[:0]
	for line := range procfs.Lines(text) {
		_, rest := procfs.Word(line)
		dir, rest := procfs.Word(rest)
		kind, rest := procfs.Word(rest)
		options, _ := procfs.Word(rest)
		if string(kind) != "cgroup" && string(kind) != "cgroup2" {
			continue
		}
		m := cgroupMount{dir: strings.TrimPrefix(string(dir), "/")}
		if string(kind) == "cgroup" {
			m.controllers = []string{}
		}
		for option := range strings.SplitSeq(string(options), ",") {
			if m.controllers != nil && slices.ContainsFunc(subsystems.Rows, func(r procfs.Row) bool { return r.Name == option }) {
				m.controllers = append(m.controllers, option)
			}
		}
		p.mounts = append(p.mounts, m)
		t.Cell(t.Named(p.Numbering("cgmounts"), dir), []byte("subsys")).SetString(cmp.Or(strings.Join(m.controllers, ","), "?"))
	}
}

// readDevices reads the names of block devices by number, such as "8:0", except loop and RAM devices.
func (p *collector) readDevices(text []byte) {
	p.devices = map[string]string{}
	for line := range procfs.Lines(text) {
		major, rest := procfs.Word(line)
		minor, rest := procfs.Word(rest)
		if name, _ := procfs.Word(rest); !bytes.HasPrefix(name, []byte("loop")) && !bytes.HasPrefix(name, []byte("ram")) {
			p.devices[string(major)+":"+string(minor)] = string(name)
		}
	}
}

func (p *collector) readGroups(t *procfs.Table, kind, controller string, unified bool) {
	i := slices.IndexFunc(p.mounts, func(m cgroupMount) bool { return slices.Contains(m.controllers, controller) })
	if i < 0 && unified {
		i = slices.IndexFunc(p.mounts, func(m cgroupMount) bool { return m.controllers == nil })
	}
	if i < 0 {
		return
	}
	p.addGroup(t, kind, p.mounts[i].dir, "/")
	p.walkGroups(t, kind, p.mounts[i].dir, "", 0)
}

// walkGroups adds the groups below a directory, each before those below it.
func (p *collector) walkGroups(t *procfs.Table, kind, root, below string, depth int) {
	names, err := p.Root.Dirs(root + below)
	if err != nil || depth == maxCgroupDepth {
		return
	}
	for _, name := range names {
		if len(t.Rows) >= maxCgroups {
			return
		}
		name = below + "/" + name
		p.addGroup(t, kind, root+name, name)
		p.walkGroups(t, kind, root, name, depth+1)
	}
}

func (p *collector) addGroup(t *procfs.Table, kind, dir, name string) {
	if kind == "memory" && !p.Root.Exists(dir+"/memory.stat") {
		return // without the controller, as in the root group of version 2 of older kernels
	}
	r := t.Named(p.Numbering(kind), []byte(unescape(name)))
	t.Cell(r, []byte("dir")).SetString(dir)
	t.Cell(r, []byte("container")).SetString(container(name))
}

// unescape replaces systemd's escapes of special characters in names: "\x2d" is "-".
func unescape(name string) string {
	for i := strings.Index(name, `\x`); i >= 0 && i+4 <= len(name); {
		if c, err := strconv.ParseUint(name[i+2:i+4], 16, 8); err == nil && c != 0 {
			name = name[:i] + string([]byte{byte(c)}) + name[i+4:]
		}
		next := strings.Index(name[i+1:], `\x`)
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return name
}

// container returns the identifier of the container whose group has a name, or "": 64 characters at
// the end of the path, as they are or within docker-ID.scope or libpod-ID.scope.
func container(group string) string {
	dir, id := path.Split(group)
	if len(dir) <= 1 {
		return ""
	}
	for _, engine := range [...]string{"docker-", "libpod-"} {
		if rest, ok := strings.CutPrefix(id, engine); ok {
			if id, _, ok = strings.Cut(rest, "."); !ok {
				return ""
			}
		}
	}
	if len(id) != 64 {
		return ""
	}
	return id
}

// setGroup reads a file of a group: a line of words, lines of keys and numbers, or of kinds and
// pairs. A number that is all ones stands for no limit.
func setGroup(t *procfs.Table, r *procfs.Row, text []byte) {
	line, more := procfs.Line(text)
	if word, rest := procfs.Word(line); len(more) == 0 && len(rest) == 0 {
		t.Cell(r, []byte("text")).SetText(word)
		if n, ok := procfs.Uint(word); ok && n != 1<<64-1 {
			t.Field(r, 1).SetUint(n)
		}
		return
	}
	for line := range procfs.Lines(text) {
		key, rest := procfs.Word(line)
		if bytes.ContainsRune(rest, '=') {
			t.SetPairs(r, string(key)+".", rest, '=')
			continue
		}
		t.Cell(r, key).SetWord(rest)
	}
}
