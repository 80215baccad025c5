package sample

import (
	"bytes"
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
	var b bytes.Buffer
	if err := binary.Write(&b, binary.NativeEndian, &info); err != nil {
		return err
	}
	c.Bytes(pcp.NullInst, b.Bytes())
	return nil
}
