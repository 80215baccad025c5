package procfs

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// localKinds are the file systems that are known to answer. A way to a directory through others may not end either.
var localKinds = [...]string{
	"bcachefs", "binfmt_misc", "bpf", "btrfs", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs", "erofs", "exfat",
	"ext2", "ext3", "ext4", "f2fs", "fusectl", "hfs", "hfsplus", "hugetlbfs", "iso9660", "jfs", "minix", "mqueue", "msdos", "nfsd", "nilfs2", "nsfs",
	"ntfs3", "overlay", "proc", "pstore", "ramfs", "reiserfs", "rootfs", "rpc_pipefs", "securityfs", "selinuxfs", "squashfs", "sysfs", "tmpfs",
	"tracefs", "udf", "ufs", "vfat", "xfs", "zfs",
}

// RemoteMounts are the directories on which file systems are mounted that may not answer, as their server or their program may be gone, and the
// kinds of these.
type RemoteMounts map[string]string

// Add adds a mounted file system if it may hang. dir and kind are fields of a line of /proc/self/mounts.
func (m RemoteMounts) Add(dir, kind []byte) {
	if !slices.Contains(localKinds[:], string(kind)) {
		m[Unescape(dir)] = string(kind)
	}
}

// KindOf returns the kind of the last file system on the way to a file that may not answer, "" if all do.
func (m RemoteMounts) KindOf(name string) string {
	for len(m) > 0 {
		if kind, ok := m[name]; ok {
			return kind
		}
		parent := path.Dir(name)
		if parent == name {
			break
		}
		name = parent
	}
	return ""
}

// mayHang reports whether a file is on a file system that may not answer. That of the root does: without it there are no programs.
func (c *Catalog) mayHang(file string) bool {
	if !c.System.Live() {
		return false
	}
	mounts := RemoteMounts{}
	text, _ := new(Root).Read("proc/self/mounts") // without the list nothing is known to be mounted
	for line := range Lines(text) {
		dir, rest := Word(Skip(line, 1))
		kind, _ := Word(rest)
		mounts.Add(dir, kind)
	}
	delete(mounts, "/")
	return mounts.KindOf(path.Clean(file)) != ""
}

// Unescape returns a name without the kernel's escapes: blanks stand as \040.
func Unescape(name []byte) string {
	if !bytes.ContainsRune(name, '\\') {
		return string(name)
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if c := name[i]; c == '\\' && i+3 < len(name) && len(bytes.Trim(name[i+1:i+4], "01234567")) == 0 {
			b.WriteByte((name[i+1]-'0')<<6 | (name[i+2]-'0')<<3 | (name[i+3] - '0'))
			i += 3
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
