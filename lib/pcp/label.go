package pcp

// A LabelKind is the level of a hierarchy to which labels belong; the flags of a label use the same
// bits.
type LabelKind uint32

// The label levels, lowest precedence first.
const (
	ContextLabels  LabelKind = 1
	DomainLabels   LabelKind = 2
	InDomLabels    LabelKind = 4
	ClusterLabels  LabelKind = 8
	ItemLabels     LabelKind = 16
	InstanceLabels LabelKind = 32
)

// Further flags of a Label.
const (
	LabelCompound = 64  // the name has dots
	LabelOptional = 128 // the label is not part of a metric's identity
)

// A Label is a name and its value.
type Label struct {
	Name  string
	Value string // as in JSON: a string keeps its quotes
	Flags uint8  // LabelKind bits, LabelCompound, LabelOptional
}

// A LabelSet is the labels of one object at one level.
type LabelSet struct {
	Inst   int32   // the instance for InstanceLabels, else NullInst
	Err    error   // nil, or the reason why Labels is empty
	Labels []Label // ascending by name
}

// ObjectLabels are the labels of one object: one set or none, for InstanceLabels one for each instance
// that has labels. In a recording they hold from one time until another: Since is zero if none were
// recorded by then, Until if no others come. Of a live source both are zero.
type ObjectLabels struct {
	Sets         []LabelSet
	Since, Until Timestamp
}

// A TextKind is the kind of a help text: one line, or the full text.
type TextKind uint32

// The help texts.
const (
	OneLine TextKind = 1
	Help    TextKind = 2
)

// InDomText is added to a TextKind: the text is that of an instance domain, not of a metric.
const InDomText TextKind = 8
