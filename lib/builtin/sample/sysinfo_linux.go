package sample

import (
	"encoding/binary"
	"syscall"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// fetchSysinfo delivers the answer of sysinfo(2) as it is.
func fetchSysinfo(c *pmda.Column) error {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return err
	}
	b, err := binary.Append(nil, binary.NativeEndian, &info)
	if err == nil {
		c.Bytes(pcp.NullInst, b)
	}
	return err
}
