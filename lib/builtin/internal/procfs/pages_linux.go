package procfs

import (
	"errors"
	"runtime"
	"syscall"
	"unsafe"
)

// A pageScan is the argument of PAGEMAP_SCAN, which Linux has from 6.7 on: struct pm_scan_arg in
// linux/fs.h.
type pageScan struct {
	size, flags, start, end, walkEnd, regions, most, maxPages uint64
	inverted, all, any, returned                              uint64
}

type pageRegion struct{ start, end, categories uint64 }

// What PAGEMAP_SCAN knows about a page.
const (
	pagePresent = 1 << 3
	pageZero    = 1 << 5 // the one that all share until they write
	pageHuge    = 1 << 6
)

var errHuge = errors.New("huge pages")

// Pages calls add with each range of addresses that has pages of ordinary size in memory, among those
// from start to end. name is the file pagemap of a process. It is an error if the kernel does not list
// ranges, or there are huge pages.
func (p *Root) Pages(name string, start, end uint64, add func(start, end uint64)) error {
	if p.Trace != nil {
		p.Trace(name)
	}
	f, err := open(p.path(name), p.way(name))
	if err != nil {
		return p.note(err)
	}
	defer f.Close()
	if p.regions == nil {
		p.regions = make([]pageRegion, 256)
	}
	defer runtime.KeepAlive(p.regions)
	for start < end {
		s := pageScan{
			start: start, end: end, regions: uint64(uintptr(unsafe.Pointer(&p.regions[0]))), most: uint64(len(p.regions)),
			inverted: pageZero, all: pagePresent | pageZero, returned: pageHuge,
		}
		s.size = uint64(unsafe.Sizeof(s))
		const request = 3<<30 | uintptr(unsafe.Sizeof(s))<<16 | 'f'<<8 | 16 // _IOWR('f', 16, struct pm_scan_arg)
		n, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(f.fd), request, uintptr(unsafe.Pointer(&s)))
		if errno != 0 {
			return errno
		}
		for _, r := range p.regions[:n] {
			if r.categories&pageHuge != 0 {
				return errHuge
			}
			add(r.start, r.end)
		}
		if s.walkEnd <= start {
			return syscall.EIO
		}
		start = s.walkEnd
	}
	return nil
}
