package eval

import (
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Instances answers questions about instance domains at the time of a fetch. It is asked only by
// expressions that select instances, and about each instance once.
type Instances interface {
	// LookupInst returns the identifier of the instance called name.
	LookupInst(d pcp.InDom, name string) (int32, error)
	// InstName returns the name of an instance at the time of the values.
	InstName(d pcp.InDom, inst int32) (string, error)
	// Instances returns all instances of a domain.
	Instances(d pcp.InDom) ([]pcp.Instance, error)
}

// An Input is the result of one fetch.
type Input struct {
	Time pcp.Timestamp
	// Columns are the operands, in the order of check.Info.Operands. They are only read. A nil or
	// missing column has no values.
	Columns []*pcp.Values
	// Instances may be nil; then nothing is known about instances.
	Instances Instances
	// Groups may be nil; then there are no groups.
	Groups Grouper
	// Profile restricts the instances of constants that have one value for each; nil selects all.
	Profile *pcp.Profile
	// Epoch changes where Time has jumped: there is no rate() of samples with different ones.
	Epoch int
}

// A State evaluates a plan on one fetch after the other. It may not be shared by goroutines. [Plan.NewState] makes
// one; the zero State has no values.
type State struct {
	plan    *Plan
	in      *Input
	slots   []pcp.Values
	hists   []history
	windows []window
	full    bool // see Full
	caches  []cache
	groups  []members
	shared  []shared
	evals   uint64
	none    pcp.Values
	scratch
}

// A scratch is memory that is used within the evaluation of one node.
type scratch struct {
	left, right, wide, wide2 []uint64
	finders                  [3]finder
	order                    []int
}

// A shared value is what a node was found to be in one evaluation.
type shared struct {
	eval   uint64
	values *pcp.Values
}

// NewState returns a State without history.
func (p *Plan) NewState() *State {
	return &State{
		plan: p, slots: make([]pcp.Values, p.slots), hists: make([]history, p.hists), caches: make([]cache, p.caches),
		shared: make([]shared, p.shared), windows: make([]window, len(p.spans)),
		groups: make([]members, len(p.groups)),
	}
}

// Eval computes the expression and makes dst its result, with the type of the expression and no
// identifier. Blobs in dst are those of the input.
func (s *State) Eval(in *Input, dst *pcp.Values) {
	if s.plan == nil || s.plan.nodes == nil {
		dst.Reset(pcp.NullID, pcp.Unknown)
		return
	}
	s.in = in
	s.evals++
	v := s.eval(s.plan.root)
	s.in = nil
	dst.Reset(pcp.NullID, s.plan.nodes[s.plan.root].typ)
	if v.Err != nil {
		dst.Err = v.Err
		return
	}
	dst.Insts = append(dst.Insts, v.Insts...)
	dst.Words = append(dst.Words, v.Words...)
	dst.Blobs = append(dst.Blobs, v.Blobs...)
}

// eval evaluates node number i. The result is read at once or before the slot of the node is used
// again.
func (s *State) eval(i int) *pcp.Values {
	n := &s.plan.nodes[i]
	switch n.kind {
	case kMetric:
		return s.metric(n)
	case kConst:
		return &s.plan.consts[n.arg]
	case kConstEach:
		return s.repeated(n)
	case kBinary:
		return s.binary(n)
	case kDelta, kRate:
		return s.change(n)
	case kTernary:
		return s.ternary(n)
	case kSelect:
		return s.selected(n)
	case kShared:
		m := &s.shared[n.arg]
		if m.eval != s.evals {
			m.values = s.eval(n.x)
			m.eval = s.evals
		}
		return m.values
	case kNone:
		s.none.Reset(pcp.NullID, n.typ)
		return &s.none
	}
	x := s.eval(n.x)
	if x.Err != nil && n.kind != kCount {
		return s.fail(n, x.Err)
	}
	switch n.kind {
	case kInstant:
		return x
	case kNegate, kNot:
		return s.prefix(n, x)
	case kRescale:
		return s.rescale(n, x)
	case kInst:
		return s.instance(n, x)
	case kMatch:
		return s.matching(n, x)
	case kTop, kBottom:
		return s.ranked(n, x)
	case kQuantile:
		return s.quantiles(n, x)
	case kStddev:
		return s.stddev(n, x)
	case kMath:
		return s.math(n, x)
	case kOver:
		return s.over(n, x)
	case kGroup:
		return s.group(n, x)
	case kScalar:
		out := s.empty(n)
		if len(x.Insts) > 0 {
			take(out, x, 0, pcp.NullInst)
		}
		return out
	}
	return s.aggregate(n, x)
}

func (s *State) empty(n *node) *pcp.Values {
	v := &s.none
	if n.slot >= 0 {
		v = &s.slots[n.slot]
	}
	v.Reset(pcp.NullID, n.typ)
	return v
}

func (s *State) fail(n *node, err error) *pcp.Values {
	v := s.empty(n)
	v.Err = err
	return v
}

func take(out, v *pcp.Values, i int, inst int32) {
	out.Insts = append(out.Insts, inst)
	if out.Type.Arithmetic() {
		out.Words = append(out.Words, v.Words[i])
	} else {
		out.Blobs = append(out.Blobs, v.Blobs[i])
	}
}

// metric returns a column of the input as it is, unless there is something wrong with it: then
// without the values that do not fit, or with an error if they all have another type.
func (s *State) metric(n *node) *pcp.Values {
	if n.arg >= len(s.in.Columns) || s.in.Columns[n.arg] == nil {
		return s.empty(n)
	}
	v := s.in.Columns[n.arg]
	size := len(v.Words)
	if !n.typ.Arithmetic() {
		size = len(v.Blobs)
	}
	switch {
	case v.Err != nil:
		return s.fail(n, v.Err)
	case len(v.Insts) == 0:
		return s.empty(n)
	case v.Type != n.typ || size < len(v.Insts):
		return s.fail(n, pmerr.Type)
	case v.Odd == nil:
		return v
	}
	out := s.empty(n)
	for i, inst := range v.Insts {
		switch odd := &v.Odd[i]; {
		case !odd.Bad:
			take(out, v, i, inst)
		case n.typ == pcp.AggregateStatic && !odd.InSitu: // no reader knows the type: the bytes are all there is
			out.Insts = append(out.Insts, inst)
			out.Blobs = append(out.Blobs, odd.Blob)
		}
	}
	return out
}

// repeated returns a number for every instance that there is and that is wanted.
func (s *State) repeated(n *node) *pcp.Values {
	out := s.empty(n)
	if s.in.Instances == nil {
		return out
	}
	list, err := s.in.Instances.Instances(n.indom)
	if err != nil {
		out.Err = pmerr.Of(err).Err()
		return out
	}
	for _, inst := range list {
		if s.in.Profile.Selects(n.indom, inst.ID) {
			repeat(out, n, inst.ID)
		}
	}
	return out
}

// repeat appends the number of a constant to out. A constant that is not a number is an empty
// string, which metadata copied by meta= can ask for.
func repeat(out *pcp.Values, n *node, inst int32) {
	out.Insts = append(out.Insts, inst)
	if n.typ.Arithmetic() {
		out.Words = append(out.Words, n.word)
	} else {
		out.Blobs = append(out.Blobs, nil)
	}
}
