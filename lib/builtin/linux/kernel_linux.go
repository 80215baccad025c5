package linux

import (
	"net"

	"golang.org/x/sys/unix"
)

func statfs(path string, fs *filesystem) error {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return err
	}
	fs.blocks, fs.free, fs.avail, fs.files, fs.ffree = st.Blocks, st.Bfree, st.Bavail, st.Files, st.Ffree
	fs.size = uint64(max(0, st.Bsize))
	return nil
}

func systemName() (u uname) {
	var n unix.Utsname
	if unix.Uname(&n) != nil {
		return u
	}
	return uname{
		sysname: unix.ByteSliceToString(n.Sysname[:]), nodename: unix.ByteSliceToString(n.Nodename[:]),
		release: unix.ByteSliceToString(n.Release[:]), version: unix.ByteSliceToString(n.Version[:]),
		machine: unix.ByteSliceToString(n.Machine[:]),
	}
}

// firstAddress returns the first IPv4 address of an interface, "" if it has none.
func firstAddress(name string) string {
	i, err := net.InterfaceByName(name)
	if err != nil {
		return ""
	}
	addrs, err := i.Addrs()
	if err != nil {
		return ""
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	return ""
}
