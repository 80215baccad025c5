package ere

// Limits of an automaton: its states, and the nodes visited to make them, counting repeated nodes
// each time (a node without states can be repeated forever).
const (
	maxStates = 1 << 16
	maxVisits = 1 << 18
)

// A stateOp is a kind of state of an automaton.
type stateOp uint8

const (
	stateSet    stateOp = iota // takes a byte of set, goes to out
	stateAssert                // goes to out if the place is right
	stateSplit                 // goes to out and to alt
	stateMatch
)

// A state is a state of an automaton.
type state struct {
	op       stateOp
	place    place
	out, alt int32
	set      *byteSet
}

// An automaton recognises the texts that contain a match of an expression. Back references count as
// empty.
type automaton struct {
	states []state
	start  int32
	visits int
	err    error
}

// newAutomaton makes the automaton from the end to the start, so that each state knows its
// successor.
func newAutomaton(tree *node) (*automaton, error) {
	a := new(automaton)
	a.start = a.compile(tree, a.add(state{op: stateMatch}))
	return a, a.err
}

// add adds a state.
func (a *automaton) add(s state) int32 {
	if len(a.states) >= maxStates {
		a.err = errSize
		return 0
	}
	a.states = append(a.states, s)
	return int32(len(a.states) - 1)
}

// compile adds the states of a node that continues at out, and returns the first.
func (a *automaton) compile(n *node, out int32) int32 {
	if a.visits++; a.visits > maxVisits {
		a.err = errSize
	}
	if a.err != nil {
		return 0
	}
	switch n.op {
	case opSet:
		return a.add(state{op: stateSet, set: n.set, out: out})
	case opAssert:
		return a.add(state{op: stateAssert, place: n.place, out: out})
	case opCat:
		for i := len(n.parts) - 1; i >= 0; i-- {
			out = a.compile(n.parts[i], out)
		}
	case opAlt:
		first := a.compile(n.parts[len(n.parts)-1], out)
		for i := len(n.parts) - 2; i >= 0; i-- {
			first = a.add(state{op: stateSplit, out: a.compile(n.parts[i], out), alt: first})
		}
		return first
	case opRepeat:
		return a.repeat(n, out)
	case opGroup:
		return a.compile(n.parts[0], out)
	}
	return out
}

// repeat adds the states of a repetition: the required copies, followed by a loop or by copies that
// may each be skipped.
func (a *automaton) repeat(n *node, out int32) int32 {
	first := out
	if n.max < 0 {
		first = a.add(state{op: stateSplit, alt: out})
		body := a.compile(n.parts[0], first)
		if a.err == nil {
			a.states[first].out = body
		}
	}
	for i := n.min; i < n.max && a.err == nil; i++ {
		first = a.add(state{op: stateSplit, out: a.compile(n.parts[0], first), alt: out})
	}
	for i := 0; i < n.min && a.err == nil; i++ {
		first = a.compile(n.parts[0], first)
	}
	return first
}

// match reports whether the expression matches anywhere in the text. It follows all states at once.
func (a *automaton) match(text string) bool {
	now, then := newReached(len(a.states)), newReached(len(a.states))
	for i := 0; ; i++ {
		now.add(a.start)
		if a.spread(now, text, i) {
			return true
		}
		if i == len(text) {
			return false
		}
		for _, s := range now.list {
			if st := &a.states[s]; st.op == stateSet && st.set.has(text[i]) {
				then.add(st.out)
			}
		}
		now, then = then, now
		then.clear()
	}
}

// spread adds the states that are reached without taking a byte. It reports whether one of them is
// a match.
func (a *automaton) spread(set *reached, text string, i int) bool {
	for k := 0; k < len(set.list); k++ {
		switch s := &a.states[set.list[k]]; s.op {
		case stateMatch:
			return true
		case stateSplit:
			set.add(s.out)
			set.add(s.alt)
		case stateAssert:
			if s.place.holds(text, i) {
				set.add(s.out)
			}
		}
	}
	return false
}

// reached is a set of states in the order they were added.
type reached struct {
	list []int32
	pos  []int32 // where in the list a state is, if it is there
}

// newReached returns an empty set of at most n states.
func newReached(n int) *reached { return &reached{pos: make([]int32, n)} }

func (s *reached) add(x int32) {
	if k := int(s.pos[x]); k < len(s.list) && s.list[k] == x {
		return
	}
	s.pos[x] = int32(len(s.list))
	s.list = append(s.list, x)
}

func (s *reached) clear() { s.list = s.list[:0] }
