package linux

import (
	"bytes"
	"cmp"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pmda"
)

type filesystem struct {
	blocks, free, avail, files, ffree, size uint64
}

// skippedKinds are not instances. Others are recognised by their devices.
var skippedKinds = [...]string{
	"proc", "nfs", "devfs", "devpts", "devtmpfs", "squashfs", "selinuxfs", "securityfs", "configfs", "cgroup", "sysfs",
}

type mount struct{ device, dir, kind, options []byte }

func (l *collector) addFilesystems() {
	filesys := l.Text("filesys", "proc/self/mounts", func(_ *procfs.Table, text []byte) { l.readMounts(text) })
	l.Alias("tmpfs", "filesys")
	for _, kind := range [...]string{"filesys", "tmpfs"} { // the list does not need it
		t := l.Tables[kind]
		for _, key := range [...]string{"dir", "readonly"} {
			t.Slot(key)
		}
		l.Fill(kind+"usage", "statfs of the directories in /proc/self/mounts", func(usage *procfs.Table) { l.addUsage(usage, t) }, t)
	}
	l.Count("nfilesys", "mounted file systems", filesys)
	l.Table("uuid", "/dev/disk/by-uuid", func(t *procfs.Table, _ *pmda.Request) error {
		for i := range filesys.Rows {
			t.Cell(t.At(filesys.Rows[i].Inst), []byte("uuid")).SetText(nil)
		}
		names, err := l.Root.Names("dev/disk/by-uuid")
		for _, name := range names {
			device := path.Base(l.Root.Link("dev/disk/by-uuid/" + name))
			for i := range filesys.Rows {
				if l.kernelName(filesys.Rows[i].Name) == device {
					t.Cell(t.At(filesys.Rows[i].Inst), []byte("uuid")).SetString(name)
				}
			}
		}
		return procfs.Missing(err)
	}, filesys)
}

// kernelName returns the kernel's name of a block device: /dev/mapper/vg0-root is a link to dm-0.
func (l *collector) kernelName(device string) string {
	return path.Base(cmp.Or(l.Root.Link(strings.TrimPrefix(device, "/")), device))
}

// readMounts reads /proc/self/mounts: "/dev/vda / ext4 rw,relatime 0 0".
func (l *collector) readMounts(text []byte) {
	for line := range procfs.Lines(text) {
		var m mount
		m.device, line = procfs.Word(line)
		m.dir, line = procfs.Word(line)
		m.kind, line = procfs.Word(line)
		m.options, _ = procfs.Word(line)
		switch {
		case string(m.kind) == "tmpfs":
			l.addMount("tmpfs", m.dir, &m)
		case m.isFilesystem():
			l.addMount("filesys", m.device, &m)
		}
	}
}

func (m *mount) isFilesystem() bool {
	if len(m.kind) == 0 || bytes.HasPrefix(m.kind, []byte("auto")) || slices.Contains(skippedKinds[:], string(m.kind)) {
		return false
	}
	return bytes.HasPrefix(m.device, []byte("/dev")) || string(m.dir) == "/"
}

func (l *collector) addMount(kind string, name []byte, m *mount) {
	t := l.Tables[kind]
	inst, instance := l.Numbering(kind).ID(name)
	n := len(t.Rows)
	r := t.At(inst)
	if len(t.Rows) == n {
		return // the device is mounted a second time
	}
	r.Name = instance
	t.Cell(r, []byte("dir")).SetString(procfs.Unescape(m.dir))
	t.Cell(r, []byte("type")).SetText(m.kind)
	t.Cell(r, []byte("readonly")).SetBool(slices.Contains(strings.Split(string(m.options), ","), "ro"))
}

// addUsage asks the mounted file systems of a list for their space and their files.
func (l *collector) addUsage(t, list *procfs.Table) {
	for i := range list.Rows {
		of := &list.Rows[i]
		fs, err := l.usage(string(list.Cell(of, []byte("dir")).Text))
		if err != nil {
			continue
		}
		r := t.Row(of.Inst)
		set := func(key string, v uint64) { t.Cell(r, []byte(key)).SetUint(v) }
		set("readonly", list.Cell(of, []byte("readonly")).Num)
		used := fs.blocks - fs.free
		set("capacity", kbytes(fs.blocks, fs.size))
		set("used", kbytes(used, fs.size))
		set("free", kbytes(fs.free, fs.size))
		set("avail", kbytes(fs.avail, fs.size))
		set("files", fs.files)
		set("ffree", fs.ffree)
		set("bsize", fs.size)
		full := 0.0
		if used+fs.avail > 0 {
			full = 100 * float64(used) / float64(used+fs.avail)
		}
		t.Cell(r, []byte("full")).SetReal(full)
	}
}

// An answer is what a file system says of its space.
type answer struct {
	filesystem
	err error
}

// usage asks a mounted file system for its space. One whose program or server is gone may never answer: it has no value after a
// second, and is not asked again before it has answered.
func (l *collector) usage(dir string) (fs filesystem, err error) {
	asked, wait := l.asked[dir], time.Millisecond // it has had its time
	if asked == nil {
		asked, wait = make(chan answer, 1), time.Second
		statfs := l.statfs
		go func() {
			var a answer
			a.err = statfs(dir, &a.filesystem)
			asked <- a
		}()
	}
	select {
	case a := <-asked:
		delete(l.asked, dir)
		return a.filesystem, a.err
	case <-time.After(wait):
		l.asked[dir] = asked
		return fs, os.ErrDeadlineExceeded
	}
}

// kbytes returns the size of a number of blocks in KiB.
func kbytes(blocks, size uint64) uint64 {
	if size >= 1024 {
		return blocks * (size / 1024)
	}
	return blocks * size / 1024
}
