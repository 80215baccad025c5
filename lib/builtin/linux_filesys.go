package builtin

import (
	"bytes"
	"path"
	"strings"

	"pmtools/lib/pmda"
)

// A linuxFilesystem is what statfs says.
type linuxFilesystem struct {
	blocks, free, avail, files, ffree, size uint64
}

// linuxSkipped are the kinds of file systems that are not among the instances, as
// far as they are not recognised by what is mounted.
var linuxSkipped = [...]string{
	"proc", "nfs", "devfs", "devpts", "devtmpfs", "squashfs", "selinuxfs", "securityfs", "configfs", "cgroup", "sysfs",
}

// A linuxMount is a line of /proc/mounts.
type linuxMount struct{ device, dir, kind, options []byte }

// addFilesystems adds what is about mounted file systems.
func (l *linuxCollector) addFilesystems() {
	const file = "statfs of the directories in /proc/self/mounts"
	filesys := l.table("filesys", file, func(t *procfsTable, _ *pmda.Request) error {
		l.tables["tmpfs"].reset()
		text, err := l.root.read("proc/self/mounts")
		if err != nil {
			return procfsMissing(err)
		}
		l.readMounts(text)
		return nil
	})
	tmpfs := l.alias("tmpfs", file, filesys)
	l.indoms["5"] = procfsInDom(5, filesys, "Devices with mounted file systems")
	l.indoms["18"] = procfsInDom(18, tmpfs, "File systems in memory")
	l.count("nfilesys", "mounted file systems", filesys)
	l.table("uuid", "/dev/disk/by-uuid", func(t *procfsTable, _ *pmda.Request) error {
		for i := range filesys.rows {
			t.cell(t.at(filesys.rows[i].inst), []byte("uuid")).setText(nil)
		}
		names, err := l.root.names("dev/disk/by-uuid")
		if err != nil {
			return procfsMissing(err)
		}
		for _, name := range names {
			device := path.Base(l.root.link("dev/disk/by-uuid/" + name))
			for i := range filesys.rows {
				if path.Base(filesys.rows[i].name) == device {
					t.cell(t.at(filesys.rows[i].inst), []byte("uuid")).setString(name)
				}
			}
		}
		t.sort()
		return nil
	}, filesys)
}

// readMounts reads /proc/self/mounts: "/dev/vda / ext4 rw,relatime 0 0".
func (l *linuxCollector) readMounts(text []byte) {
	filesys, tmpfs := l.tables["filesys"], l.tables["tmpfs"]
	for len(text) > 0 {
		var line []byte
		line, text = procfsLine(text)
		var m linuxMount
		m.device, line = procfsWord(line)
		m.dir, line = procfsWord(line)
		m.kind, line = procfsWord(line)
		m.options, _ = procfsWord(line)
		var t *procfsTable
		name := m.device
		switch {
		case string(m.kind) == "tmpfs":
			t, name = tmpfs, m.dir
		case m.isFilesystem():
			t = filesys
		default:
			continue
		}
		l.addMount(t, name, &m)
	}
	filesys.sort()
	tmpfs.sort()
}

// isFilesystem reports whether a mount is an instance of filesys metrics.
func (m *linuxMount) isFilesystem() bool {
	if len(m.kind) == 0 || bytes.HasPrefix(m.kind, []byte("auto")) {
		return false
	}
	for _, kind := range linuxSkipped {
		if string(m.kind) == kind {
			return false
		}
	}
	return bytes.HasPrefix(m.device, []byte("/dev")) || string(m.dir) == "/"
}

// addMount adds a row for a file system.
func (l *linuxCollector) addMount(t *procfsTable, name []byte, m *linuxMount) {
	kind := "filesys"
	if t == l.tables["tmpfs"] {
		kind = "tmpfs"
	}
	inst, instance := l.numbering(kind).id(name)
	n := len(t.rows)
	r := t.at(inst)
	if len(t.rows) == n {
		return // it is mounted at another place, too
	}
	r.name = instance
	set := func(key string, v uint64) { t.cell(r, []byte(key)).setUint(v) }
	dir := linuxUnescape(m.dir)
	t.cell(r, []byte("dir")).setString(dir)
	t.cell(r, []byte("type")).setText(m.kind)
	var fs linuxFilesystem
	if err := l.statfs(dir, &fs); err != nil {
		return
	}
	var readonly uint64
	for option := range bytes.SplitSeq(m.options, []byte{','}) {
		if string(option) == "ro" {
			readonly = 1
		}
	}
	set("readonly", readonly)
	used := fs.blocks - fs.free
	set("capacity", linuxKbytes(fs.blocks, fs.size))
	set("used", linuxKbytes(used, fs.size))
	set("free", linuxKbytes(fs.free, fs.size))
	set("avail", linuxKbytes(fs.avail, fs.size))
	set("files", fs.files)
	set("ffree", fs.ffree)
	set("bsize", fs.size)
	full := 0.0
	if used+fs.avail > 0 {
		full = 100 * float64(used) / float64(used+fs.avail)
	}
	t.cell(r, []byte("full")).setReal(full)
}

// linuxKbytes returns how many KiB a number of blocks is.
func linuxKbytes(blocks, size uint64) uint64 {
	if size >= 1024 {
		return blocks * (size / 1024)
	}
	return blocks * size / 1024
}

// linuxUnescape returns a name without the kernel's escapes: blanks stand as \040.
func linuxUnescape(name []byte) string {
	if !bytes.ContainsRune(name, '\\') {
		return string(name)
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if c := name[i]; c == '\\' && i+3 < len(name) && linuxIsOctal(name[i+1:i+4]) {
			b.WriteByte((name[i+1]-'0')<<6 | (name[i+2]-'0')<<3 | (name[i+3] - '0'))
			i += 3
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// linuxIsOctal reports whether all characters are octal digits.
func linuxIsOctal(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '7' {
			return false
		}
	}
	return true
}
