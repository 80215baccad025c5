package mmv

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"pmtools/lib/safefile"
)

// A slot is the storage of a value: in a mapped file, or in private memory while no file has the
// value.
//
// A value may move to another slot while goroutines update it, without locks and without losing an
// update. An update changes the slot, then checks that the value still uses it. If not, the move
// may have missed the change, and the update repairs that (see [Number.Add]). Only updates change
// the number in a slot, so that a reader of the old file sees numbers that were once current.
//
// Private memory is not from the Go heap, so that it is aligned to 8 bytes on 32-bit machines too,
// as atomic access needs. Another process that reads 64 bits in two halves may see halves of two
// updates.
type slot struct {
	p    unsafe.Pointer // to the 8 bytes of the value and the 8 of the extra word
	m    *mapping       // what p points into, which is unmapped when no slot needs it any more
	base uint64         // number that the next slot has got; Registry.moving guards it
}

func newSlot() *slot { return &slot{p: unsafe.Pointer(new([2]uint64))} }

func (m *mapping) slot(at int) slot { return slot{p: unsafe.Pointer(&m.b[at]), m: m} }

func (s *slot) u32() *uint32 { return (*uint32)(s.p) }
func (s *slot) u64() *uint64 { return (*uint64)(s.p) }

// rest is the second half of the value: the upper half of a number of 32 bits, see Sentinel. extra
// is the extra word: the start of a timer, or the offset of a text.
func (s *slot) rest() *slot  { return &slot{p: unsafe.Add(s.p, 4), m: s.m} }
func (s *slot) extra() *slot { return &slot{p: unsafe.Add(s.p, 8), m: s.m} }

// Numeric is the types of numbers in files.
type Numeric interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

// wide and broken report whether a type has 64 bits, and fractions. The compiler knows that.
func wide[T Numeric]() bool   { return unsafe.Sizeof(T(0)) == 8 }
func broken[T Numeric]() bool { return T(1)/2 != 0 }

// word and number convert between a number and its bits.
func word[T Numeric](x T) uint64 {
	switch {
	case !broken[T]():
		return uint64(x)
	case wide[T]():
		return math.Float64bits(float64(x))
	}
	return uint64(math.Float32bits(float32(x)))
}

func number[T Numeric](w uint64) T {
	switch {
	case !broken[T]():
		return T(w)
	case wide[T]():
		return T(math.Float64frombits(w))
	}
	return T(math.Float32frombits(uint32(w)))
}

// tolerate restores the setting of debug.SetPanicOnFault, and recovers from the fault of an update whose file another process has
// truncated: the update is lost.
func tolerate(old bool) {
	debug.SetPanicOnFault(old)
	if x := recover(); x != nil {
		_ = safefile.Fault(x)
	}
}

func (s *slot) load(wide bool) uint64 {
	defer tolerate(debug.SetPanicOnFault(true))
	if wide {
		return atomic.LoadUint64(s.u64())
	}
	return uint64(atomic.LoadUint32(s.u32()))
}

func (s *slot) store(wide bool, w uint64) {
	defer tolerate(debug.SetPanicOnFault(true))
	if wide {
		atomic.StoreUint64(s.u64(), w)
	} else {
		atomic.StoreUint32(s.u32(), uint32(w))
	}
}

func add[T Numeric](s *slot, x T) {
	if !broken[T]() {
		s.increase(wide[T](), uint64(x))
		return
	}
	for {
		old := s.load(wide[T]())
		if s.swap(wide[T](), old, word(number[T](old)+x)) {
			return
		}
	}
}

func (s *slot) increase(wide bool, x uint64) {
	defer tolerate(debug.SetPanicOnFault(true))
	if wide {
		atomic.AddUint64(s.u64(), x)
	} else {
		atomic.AddUint32(s.u32(), uint32(x))
	}
}

// swap replaces old, if the slot still has it. After a fault there is nothing to replace.
func (s *slot) swap(wide bool, old, w uint64) (done bool) {
	done = true
	defer tolerate(debug.SetPanicOnFault(true))
	if wide {
		return atomic.CompareAndSwapUint64(s.u64(), old, w)
	}
	return atomic.CompareAndSwapUint32(s.u32(), uint32(old), uint32(w))
}

// A mapping is a mapped file. It stays mapped while a slot refers to it: a goroutine may still
// update a value that has moved.
type mapping struct {
	b []byte
}

// newMapping writes a file, which must not exist, and maps it. All is written: a file with holes
// would end the program later, when the disk is full.
func newMapping(path string, content []byte) (*mapping, error) {
	_ = safefile.RemoveFile(path)
	f, err := safefile.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b []byte
	if _, err = f.Write(content); err == nil {
		b, err = mapFile(f.OS(), len(content))
	}
	if err != nil {
		_ = safefile.RemoveFile(path)
		return nil, err
	}
	m := &mapping{b: b}
	runtime.AddCleanup(m, unmap, b)
	return m, nil
}

// generation sets the two numbers of the header. 0 means that the file must be read anew.
func (m *mapping) generation(g uint64) {
	for _, at := range []int{8, 16} {
		s := m.slot(at)
		s.store(true, g)
	}
}

type place struct {
	at     atomic.Pointer[slot] // nil for the moment in which it moves, and in a zero value
	reg    *Registry
	metric *metric
}

func (p *place) base() *place { return p }

func (p *place) slot() *slot {
	for {
		if s := p.at.Load(); s != nil {
			return s
		}
		if p.reg == nil {
			p.at.CompareAndSwap(nil, newSlot())
		}
		runtime.Gosched()
	}
}

// move moves the value to another slot. The registry is locked.
func (p *place) move(to *slot) {
	p.reg.moving.Lock()
	defer p.reg.moving.Unlock()
	from, wide := p.at.Load(), p.metric.wide()
	p.at.Store(nil)
	from.base = from.load(wide)
	to.store(wide, from.base)
	if !wide {
		to.rest().store(false, from.rest().load(false))
	}
	p.at.Store(to)
}
