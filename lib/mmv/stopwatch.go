package mmv

import (
	"sync"
	"time"

	"pmtools/lib/pcp"
)

// A Stopwatch is a metric that sums up durations in microseconds; see [Timer]. With a domain it has
// a value for each instance, as a [Number] has. Goroutines may share it.
//
// While an interval is open, readers add the time since its start. If several overlap, they add the
// time of the first only; the others count when they end.
type Stopwatch struct {
	sum   Number[int64]
	insts family[Stopwatch]

	mu    sync.Mutex // guards the extra word
	shown uint64     // the interval that readers see; 0 for none
	last  uint64     // the last interval
}

// Timer registers a metric of elapsed time, which PCP's agent shows as a 64-bit counter in
// microseconds. [Registry.Err] reports errors.
func Timer(r *Registry, name string, opts ...Option) *Stopwatch {
	w := &Stopwatch{}
	m := &metric{Metric: Metric{Name: name, Type: Elapsed, Sem: pcp.Counter, Units: pcp.Units{DimTime: 1, ScaleTime: pcp.Usec}}}
	m.newValue = values(m, &w.insts)
	r.register(m, w, opts)
	return w
}

// At returns the value of an instance, as [Number.At] does.
func (w *Stopwatch) At(inst string) *Stopwatch { return w.insts.at(&w.sum.place, inst) }

// Add adds time that something took.
func (w *Stopwatch) Add(d time.Duration) { w.sum.Add(d.Microseconds()) }

// Get returns the sum of the times that have ended.
func (w *Stopwatch) Get() time.Duration { return time.Duration(w.sum.Get()) * time.Microsecond }

// Start begins an interval, and returns the function that ends it:
//
//	defer elapsed.Start()()
func (w *Stopwatch) Start() (end func()) {
	i := w.begin()
	return func() { i.end() }
}

// An interval is something that is being timed.
type interval struct {
	w     *Stopwatch
	start time.Time
	id    uint64
}

func (w *Stopwatch) begin() interval {
	i := interval{w: w, start: time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	i.id = w.last
	if w.shown == 0 {
		w.show(i.id, -i.start.UnixMicro())
	}
	return i
}

// show sets the interval that readers see, and its start.
func (w *Stopwatch) show(id uint64, since int64) {
	w.shown = id
	w.sum.slot().extra().store(true, uint64(since))
}

func (i interval) end() {
	took := time.Since(i.start)
	i.w.mu.Lock()
	if i.w.shown == i.id {
		i.w.show(0, 0)
	}
	i.w.mu.Unlock()
	i.w.Add(took)
}

func (w *Stopwatch) base() *place { return &w.sum.place }

func (w *Stopwatch) move(to *slot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	to.extra().store(true, w.sum.at.Load().extra().load(true))
	w.sum.move(to)
}
