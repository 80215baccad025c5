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

type procs struct {
	slots   [20]*process   // the first four stay
	list    []pcp.Instance // processes in the order of their start
	seed    uint32
	ordinal int   // ordinal of the last started process
	inst    int32 // number of the instance
	fetch   int   // the fetch in which they changed last
}

type process struct {
	inst    int32
	ordinal int
	name    string
	started time.Time
}

// Numbers about the processes.
const (
	fixedProcs  = 4
	maxProcInst = 999
	procChance  = 0.075
)

func (s *collector) addProc() {
	s.indom("12").List = func() ([]pcp.Instance, error) { return s.procs.list, nil }
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
	s.define(159, pmda.Always(0)).Store = setting(func(uint64) { s.procs.slots, s.procs.list = [20]*process{}, nil })
}

func (s *collector) proc(inst int32) *process {
	for _, p := range s.procs.slots {
		if p != nil && p.inst == inst {
			return p
		}
	}
	return &process{}
}

// chance draws whether something happens to a slot, from a generator of its own.
func (s *collector) chance() bool {
	s.procs.seed = (1103515245*s.procs.seed + 12345) & math.MaxInt32
	return float64(s.procs.seed)/math.MaxInt32 < procChance
}

// refreshProcs lets processes come and go, once a fetch.
func (s *collector) refreshProcs() {
	if s.procs.fetch == s.request {
		return
	}
	s.procs.fetch = s.request
	if s.procs.slots[0] == nil {
		s.procs.seed, s.procs.ordinal, s.procs.inst, s.procs.list = 1, 0, 0, nil
		for i := range fixedProcs {
			s.startProc(i)
		}
		return
	}
	// The list that was there may still be in use.
	s.procs.list = slices.Clone(s.procs.list)
	for i, p := range s.procs.slots {
		if i >= fixedProcs && p != nil && s.chance() {
			s.procs.list = slices.DeleteFunc(s.procs.list, func(x pcp.Instance) bool { return x.ID == p.inst })
			s.procs.slots[i] = nil
		}
	}
	for i, p := range s.procs.slots {
		if p == nil && s.chance() {
			s.startProc(i)
		}
	}
}

func (s *collector) startProc(slot int) {
	s.procs.ordinal++
	name := "init"
	if n := s.procs.ordinal - 2; n >= 0 {
		dirs := [...]string{"/etc", "/usr", "/usr/local", "/usr/opt"}
		subdirs := [...]string{"", "/bin"}
		programs := [...]string{"/bozo", "/bobo", "/jester", "/loko", "/pierrot", "/waldo", "/yobo", "/jojo", "/koko", "/lala"}
		name = dirs[n%len(dirs)] + subdirs[n%len(subdirs)] + programs[n%len(programs)]
	}
	for used := true; used; {
		s.procs.inst = s.procs.inst%maxProcInst + 1
		used = slices.ContainsFunc(s.procs.list, func(i pcp.Instance) bool { return i.ID == s.procs.inst })
	}
	p := &process{inst: s.procs.inst, ordinal: s.procs.ordinal, name: fmt.Sprintf("%04d %s", s.procs.ordinal, name), started: s.now}
	s.procs.slots[slot] = p
	s.procs.list = append(s.procs.list, pcp.Instance{ID: p.inst, Name: p.name})
}
