package mmv

import (
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"pmtools/lib/pcp"
)

// A String is a metric that is a text, see [Text]: its value, or with a domain the values of
// instances, as with [Number]. Goroutines may share it.
type String struct {
	place
	insts family[String]

	mu   sync.Mutex
	text string
}

// Text registers a metric whose value is a text, with semantics discrete. [Registry.Err] reports
// errors.
func Text(r *Registry, name string, opts ...Option) *String {
	s := &String{}
	m := &metric{Metric: Metric{Name: name, Type: pcp.String, Sem: pcp.Discrete}}
	m.newValue = values(m, &s.insts)
	r.register(m, s, opts)
	return s
}

// At returns the value of an instance, as [Number.At] does.
func (s *String) At(inst string) *String { return s.insts.at(&s.place, inst) }

// Set sets the text, cut to 255 bytes and to the bytes before a byte 0. A reader
// that looks at this very moment may see the beginning of the new text and the end of the old one.
func (s *String) Set(text string) {
	text, _, _ = strings.Cut(cut(text), "\x00")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = text
	s.write(s.slot())
}

// Get returns the text.
func (s *String) Get() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

// write writes the text to a slot, if the slot is in a file.
func (s *String) write(to *slot) {
	if to.m == nil {
		return
	}
	defer tolerate(debug.SetPanicOnFault(true))
	// Where the text is was written by this program; but others may have changed the file.
	at := int64(*to.extra().u64())
	if at < HeaderSize || at > int64(len(to.m.b)-stringSize) {
		return
	}
	room := to.m.b[at:][:stringSize-1]
	clear(room[copy(room, s.text):])
	atomic.StoreUint32(to.u32(), uint32(len(s.text)))
}

func (s *String) move(to *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(to)
	s.at.Store(to)
}
