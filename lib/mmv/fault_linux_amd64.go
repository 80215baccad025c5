package mmv

import (
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Another process can truncate the file of a registry. The next update of a value then reaches for
// memory that has gone: the system sends SIGBUS, and Go's runtime ends the program, unless the
// goroutine has called debug.SetPanicOnFault. That call, and a deferred function that recovers from
// the panic, cost twice as much as the update itself. Nothing else prevents the signal: a check
// before the update leaves a moment between the two, a lock or a lease stops no truncation, and
// readers cannot find a memfd, which could be sealed.
//
// So this package handles SIGBUS before the runtime does: if the address is in the file of a
// registry, it maps an empty page of anonymous memory there, and the update goes on. Updates cost
// the same as without the handler. All other addresses are left to the runtime.

// guarded says that each update has to catch its own fault.
const guarded = false

// An area is the memory of a mapping. Areas are in a list from which none is removed, for the
// handler may be reading the list; a free area has no addresses.
type area struct {
	from, to uintptr
	next     *area
}

var (
	areas   *area   // list of areas, which the handler reads
	chained uintptr // the handler of the runtime

	areasMu sync.Mutex
	handled bool
)

// faultHandler is the handler. Only the system may call it.
func faultHandler()

// Nothing in Go calls faultHandler, which tools take for an oversight.
var _ = faultHandler

// handlerPC returns where faultHandler is.
func handlerPC() uintptr

func protect(b []byte) {
	areasMu.Lock()
	defer areasMu.Unlock()
	if !handled {
		handled = true
		handleFaults()
	}
	a := areas
	for a != nil && a.to != 0 {
		a = a.next
	}
	if a == nil {
		a = &area{next: areas}
		atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&areas)), unsafe.Pointer(a))
	}
	// In this order no address is in the area before both ends are right.
	from := uintptr(unsafe.Pointer(&b[0]))
	atomic.StoreUintptr(&a.from, from)
	atomic.StoreUintptr(&a.to, from+uintptr(len(b)))
}

func unprotect(b []byte) {
	areasMu.Lock()
	defer areasMu.Unlock()
	from := uintptr(unsafe.Pointer(&b[0]))
	for a := areas; a != nil; a = a.next {
		if a.from == from && a.to != 0 {
			atomic.StoreUintptr(&a.to, 0)
			return
		}
	}
}

type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const siginfo = 4 // the flag of handlers that get the address

// handleFaults puts faultHandler before the runtime's handler. If the program has replaced that one
// by a handler without addresses, handleFaults does nothing.
func handleFaults() {
	var s sigaction
	call := func(in, out unsafe.Pointer) syscall.Errno {
		_, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGBUS), uintptr(in), uintptr(out), unsafe.Sizeof(s.mask), 0, 0)
		return e
	}
	if e := call(nil, unsafe.Pointer(&s)); e != 0 || s.flags&siginfo == 0 {
		return
	}
	if chained = s.handler; chained <= 1 { // the signal is ignored, or ends the program
		return
	}
	s.handler = handlerPC()
	_ = call(unsafe.Pointer(&s), nil) // if it fails, all is as it was
}
