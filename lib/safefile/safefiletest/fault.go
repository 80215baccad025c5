package safefiletest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pmtools/lib/safefile"
)

// A Fault is an operation that fails, or that and all after it.
type Fault struct {
	At      int // the number of the operation
	Err     error
	Forever bool

	done atomic.Int64
	text atomic.Pointer[string] // of the operation
}

// String returns a description for people.
func (f *Fault) String() string {
	text, forever := "nothing", ""
	if p := f.text.Load(); p != nil {
		text = *p
	}
	if f.Forever {
		forever = ", and all after it"
	}
	return fmt.Sprintf("%v at operation %d (%s)%s", f.Err, f.At, text, forever)
}

// During calls work, in which the operation fails.
func (f *Fault) During(work func()) {
	defer safefile.Observe(f.observe)()
	work()
}

// Hit reports whether the operation has failed.
func (f *Fault) Hit() bool { return f.text.Load() != nil }

func (f *Fault) observe(op *safefile.Op) error {
	n := int(f.done.Add(1)) - 1
	if n < f.At || n > f.At && !f.Forever {
		return nil
	}
	text := fmt.Sprint(op.Kind, " ", op.Name)
	f.text.CompareAndSwap(nil, &text)
	op.Data = op.Data[:len(op.Data)/2]
	return f.Err
}

// errs are the errors, which take turns.
var errs = [...]error{syscall.ENOSPC, syscall.EIO, syscall.EMFILE, syscall.EACCES, syscall.EINTR}

// Quiet calls work without syncing files, which takes time.
func Quiet(work func()) {
	defer safefile.Observe(func(*safefile.Op) error { return nil })()
	work()
}

// Faults yields a fault for each operation in turn, or for about one in every, first a single failure, then a lasting one, until the
// work has no further operation. After each the work must have closed its files. PMTOOLS_RUNS=all yields all faults.
func Faults(t *testing.T, every int) iter.Seq[*Fault] {
	t.Helper()
	r, w, err := os.Pipe() // the runtime's own descriptors come with the first one that it waits for
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.Close()
	if os.Getenv("PMTOOLS_RUNS") == "all" {
		every = 1
	}
	seed := Seed(t)
	if every > 1 {
		t.Logf("PMTOOLS_SEED=%d", seed)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	return func(yield func(*Fault) bool) {
		for _, forever := range []bool{false, true} {
			for n := random.IntN(every); ; n += 1 + random.IntN(2*every-1) {
				before := descriptors()
				f := &Fault{At: n, Err: errs[random.IntN(len(errs))], Forever: forever}
				if !yield(f) {
					return
				}
				for try := 0; descriptors() > before; try++ {
					if try == 100 {
						t.Errorf("%v: %d descriptors are open, %d were before", f, descriptors(), before)
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				if !f.Hit() {
					t.Logf("%d operations", f.done.Load())
					break
				}
			}
		}
	}
}

// descriptors returns the number of open files, or 0 where the system does not tell.
func descriptors() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
