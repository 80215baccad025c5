package sample

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// procState are processes that come and go.
type procState struct {
	slots     [20]*process   // the first four stay
	procList  []pcp.Instance // in the order of their start
	procSeed  uint32
	ordinal   int   // of the process that was started last
	procInst  int32 // its number
	procFetch int   // the fetch in which they changed last
}

// A process is a process.
type process struct {
	inst    int32
	ordinal int
	name    string
	started time.Time
}

// Numbers about the processes (collector.md C11.3).
const (
	fixedProcs  = 4
	maxProcInst = 999
	procChance  = 0.075
)

// addProc adds the metrics of the processes.
func (s *collector) addProc() {
	s.indom("12").List = func() ([]pcp.Instance, error) { return s.procList, nil }
	add := func(item uint32, fetch func(*pmda.Column) error) {
		s.define(item, func(c *pmda.Column) error {
			s.refreshProcs()
			return fetch(c)
		})
	}
	add(156, pmda.Each(func(inst int32) (int, error) { return s.proc(inst).ordinal, nil }))
	add(157, pmda.Each(func(inst int32) (string, error) {
		name := s.proc(inst).name
		return name[strings.LastIndexByte(name, '/')+1:], nil
	}))
	add(158, pmda.Each(func(inst int32) (int64, error) { return int64(s.now.Sub(s.proc(inst).started) / time.Millisecond), nil }))
	s.int32s(159, new(int32)).Store = func(_ *pmda.Client, v *pcp.Values) error {
		_, err := storedInt(v)
		if err == nil {
			s.slots, s.procList = [20]*process{}, nil
		}
		return err
	}
}

// proc returns the process with a number.
func (s *collector) proc(inst int32) *process {
	for _, p := range s.slots {
		if p != nil && p.inst == inst {
			return p
		}
	}
	return &process{}
}

// chance draws whether something happens to a slot. It has a generator of its own.
func (s *collector) chance() bool {
	s.procSeed = (1103515245*s.procSeed + 12345) & math.MaxInt32
	return float64(s.procSeed)/math.MaxInt32 < procChance
}

// refreshProcs lets processes come and go, once a fetch.
func (s *collector) refreshProcs() {
	if s.procFetch == s.request {
		return
	}
	s.procFetch = s.request
	if s.slots[0] == nil {
		s.procSeed, s.ordinal, s.procInst, s.procList = 1, 0, 0, nil
		for i := range fixedProcs {
			s.startProc(i)
		}
		return
	}
	// The list that was there may still be in use.
	s.procList = slices.Clone(s.procList)
	for i, p := range s.slots {
		if i >= fixedProcs && p != nil && s.chance() {
			s.procList = slices.DeleteFunc(s.procList, func(x pcp.Instance) bool { return x.ID == p.inst })
			s.slots[i] = nil
		}
	}
	for i, p := range s.slots {
		if p == nil && s.chance() {
			s.startProc(i)
		}
	}
}

// startProc starts a process in a slot.
func (s *collector) startProc(slot int) {
	s.ordinal++
	name := "init"
	if n := s.ordinal - 2; n >= 0 {
		dirs := [...]string{"/etc", "/usr", "/usr/local", "/usr/opt"}
		subdirs := [...]string{"", "/bin"}
		programs := [...]string{"/bozo", "/bobo", "/jester", "/loko", "/pierrot", "/waldo", "/yobo", "/jojo", "/koko", "/lala"}
		name = dirs[n%len(dirs)] + subdirs[n%len(subdirs)] + programs[n%len(programs)]
	}
	for used := true; used; {
		s.procInst = s.procInst%maxProcInst + 1
		used = slices.ContainsFunc(s.procList, func(i pcp.Instance) bool { return i.ID == s.procInst })
	}
	p := &process{inst: s.procInst, ordinal: s.ordinal, name: fmt.Sprintf("%04d %s", s.ordinal, name), started: s.now}
	s.slots[slot] = p
	s.procList = append(s.procList, pcp.Instance{ID: p.inst, Name: p.name})
}
