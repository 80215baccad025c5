package ere

// Limits of one match of an expression with back references: how many nodes are tried, and how deep
// the attempts are nested, because they use the stack.
const (
	maxSteps = 1_000_000
	maxDepth = 20_000
)

func backtrack(tree *node, groups int, text string) bool {
	s := search{text: text, spans: make([]span, groups+1), steps: maxSteps, depth: maxDepth}
	for i := range s.spans {
		s.spans[i] = span{-1, -1}
	}
	for i := 0; i <= len(text); i++ {
		if s.try(tree, i, func(int) bool { return true }) {
			return true
		}
	}
	return false
}

// A span is the text that a group matched; from is -1 if it did not.
type span struct{ from, to int }

type search struct {
	text  string
	spans []span
	steps int
	depth int
}

// try matches n at i and calls rest with the position after it. It tries every way to match n
// until rest matches too.
func (s *search) try(n *node, i int, rest func(int) bool) bool {
	if s.steps--; s.steps < 0 || s.depth == 0 {
		return false
	}
	s.depth--
	defer func() { s.depth++ }()
	switch n.op {
	case opSet:
		return i < len(s.text) && n.set.has(s.text[i]) && rest(i+1)
	case opAssert:
		return n.place.holds(s.text, i) && rest(i)
	case opCat:
		return s.sequence(n.parts, i, rest)
	case opAlt:
		for _, part := range n.parts {
			if s.try(part, i, rest) {
				return true
			}
		}
		return false
	case opRepeat:
		return s.repeat(n, 0, i, rest)
	case opGroup:
		old := s.spans[n.group]
		if s.try(n.parts[0], i, func(j int) bool {
			inner := s.spans[n.group]
			s.spans[n.group] = span{i, j}
			if rest(j) {
				return true
			}
			s.spans[n.group] = inner
			return false
		}) {
			return true
		}
		s.spans[n.group] = old
		return false
	case opRef:
		g := s.spans[n.group]
		if g.from < 0 {
			return false
		}
		word := s.text[g.from:g.to]
		return len(s.text)-i >= len(word) && s.text[i:i+len(word)] == word && rest(i+len(word))
	}
	return rest(i)
}

func (s *search) sequence(parts []*node, i int, rest func(int) bool) bool {
	if len(parts) == 0 {
		return rest(i)
	}
	return s.try(parts[0], i, func(j int) bool { return s.sequence(parts[1:], j, rest) })
}

// repeat matches the part of n as often as possible after it has matched done times. A repetition
// beyond the minimum that takes no text is the last one.
func (s *search) repeat(n *node, done, i int, rest func(int) bool) bool {
	if n.max < 0 || done < n.max {
		again := func(j int) bool {
			if j == i && done+1 >= n.min {
				return rest(j)
			}
			return s.repeat(n, done+1, j, rest)
		}
		if s.try(n.parts[0], i, again) {
			return true
		}
	}
	return done >= n.min && rest(i)
}
