// Package pmapi is the way to performance metrics: a [Source] answers names, descriptions,
// instances and values, whether they come from an archive, a daemon, or are computed from another
// Source.
//
// [OpenArchive] opens recorded metrics, [OpenHost] the live ones of a daemon. A
// [Context] is a Source together with what one user of it has set: instances,
// position, zone. A Source may be wrapped: the derived
// metrics of package derive are a Source over a Source. What only some kinds can
// do is an interface of its own ([Timeline], [Labeler], [Texter]), asked for by
// type assertion or through [As].
//
// A Source may not be shared by goroutines.
package pmapi

import (
	"context"
	"time"

	"pmtools/lib/pcp"
)

// A Source is where metrics come from. Lists in an answer have the order of the question and may
// not be changed. An error result is for the request as a whole; the error of one item stands
// beside the item.
//
// Package sourcetest checks that an implementation keeps to this.
type Source interface {
	// Lookup resolves metric names; errors are pmerr.Name, pmerr.NonLeaf and others.
	Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error)
	// Names returns all names of a metric, or pmerr.PMID.
	Names(ctx context.Context, id pcp.ID) ([]string, error)
	// Children returns what stands directly below a node of the name space; "" is the root. A leaf
	// has none; an unknown name is pmerr.Name.
	Children(ctx context.Context, name string) ([]pcp.Child, error)
	// Walk calls f for each leaf that is name or stands below it, in the order of the source, until
	// f returns false.
	Walk(ctx context.Context, name string, f func(name string, id pcp.ID) bool) error
	// Describe returns the descriptions of metrics.
	Describe(ctx context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error)
	// Instances returns the instances of a domain at the current position.
	Instances(ctx context.Context, d pcp.InDom) ([]pcp.Instance, error)
	// Fetch fills dst with one column for each metric of the request; a request without metrics
	// only asks what time it is, or comes next. Columns belong to dst; byte slices in them stay
	// valid until the source is closed.
	Fetch(ctx context.Context, req *Request, dst *pcp.Result) error
	// Close frees everything. It may be called twice. Afterwards Fetch fails with pmerr.NoContext.
	Close() error
}

// A Request says what to fetch.
type Request struct {
	IDs     []pcp.ID
	Profile *pcp.Profile // nil selects all instances
}

// A Timeline is a Source that has a past: values are read at a position that moves with each fetch.
type Timeline interface {
	// SetMode says how to read from now on, and from when; nil keeps the position.
	SetMode(m pcp.Mode, when *pcp.Timestamp, delta time.Duration) error
	// Origin returns the position: what SetMode said, then the time of each result. After pmerr.EOL
	// it is that of the last record, whatever that holds.
	Origin() pcp.Timestamp
	// Host returns the name of the recorded host and the zone of the recording at the position.
	Host() (name, zone string)
	// Bounds returns the start of the recording and its logical end. An error belongs to the end;
	// the start is valid all the same.
	Bounds(ctx context.Context) (start, end pcp.Timestamp, err error)
	// InstancesAt returns the instances that a domain had at a time. For the values of a result
	// that is its time: in the mode Interp the position is already that of the next one.
	InstancesAt(ctx context.Context, d pcp.InDom, at pcp.Timestamp) ([]pcp.Instance, error)
	// AllInstances returns every instance that a domain ever had.
	AllInstances(ctx context.Context, d pcp.InDom) ([]pcp.Instance, error)
}

// A Recorder is a Source whose records can be read as they were written.
type Recorder interface {
	// FetchRecord reads the next record that holds a metric of the request, in the direction that
	// SetMode said, or the next mark: a place where recording was interrupted. For a mark the
	// result is true and dst has no columns. Metrics that are not in the record have no values. The
	// end is pmerr.EOL. A request without metrics is for the next record as it is, with all the
	// metrics that it holds.
	FetchRecord(ctx context.Context, req *Request, dst *pcp.Result) (mark bool, err error)
}

// A Labeler is a Source with labels.
type Labeler interface {
	// Labels returns the label sets of one level: one set or none, for InstanceLabels one for each
	// instance that has labels. ident is 0 for ContextLabels, a domain number, an instance domain,
	// or a metric's identifier (for ClusterLabels with any item).
	Labels(ctx context.Context, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error)
}

// A LabelLister is a Source that gives the labels of several objects at less cost than one after the
// other.
type LabelLister interface {
	// LabelsOf returns what Labels returns for each object.
	LabelsOf(ctx context.Context, kind pcp.LabelKind, idents []uint32) ([]pcp.Answer[[]pcp.LabelSet], error)
}

// A Texter is a Source with help texts.
type Texter interface {
	// Text returns a help text of a metric.
	Text(ctx context.Context, id pcp.ID, kind pcp.TextKind) (string, error)
	// InDomText returns a help text of an instance domain.
	InDomText(ctx context.Context, d pcp.InDom, kind pcp.TextKind) (string, error)
}

// A TextLister is a Source that gives the help texts of several metrics at less cost than one after
// the other.
type TextLister interface {
	// Texts returns what Text returns for each metric.
	Texts(ctx context.Context, ids []pcp.ID, kind pcp.TextKind) ([]pcp.Answer[string], error)
}

// An InstanceNamer is a Source that finds single instances.
type InstanceNamer interface {
	// LookupInst returns the identifier of the instance called name at the current position, or
	// pmerr.Inst / pmerr.InstLog.
	LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error)
	// InstName returns the external name of an instance at the current position.
	InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error)
}

// An InstanceLister is a Source that lists the instances of several domains at less cost than one
// after the other.
type InstanceLister interface {
	// AllOf returns what Instances returns for each domain.
	AllOf(ctx context.Context, ds []pcp.InDom) ([]pcp.Answer[[]pcp.Instance], error)
}

// A NameWalker is a Source that lists names at less cost than their metrics.
type NameWalker interface {
	// WalkNames is Walk without the identifiers.
	WalkNames(ctx context.Context, name string, f func(name string) bool) error
}

// WalkNames calls f for each leaf of src that is name or stands below it, in the order of the
// source, until f returns false.
func WalkNames(ctx context.Context, src Source, name string, f func(name string) bool) error {
	if w, ok := src.(NameWalker); ok {
		return w.WalkNames(ctx, name, f)
	}
	return src.Walk(ctx, name, func(name string, _ pcp.ID) bool { return f(name) })
}

// A Storer is a Source whose metrics can be changed.
type Storer interface {
	// Store gives metrics the values in columns, each with at least one. It is tried once, whatever
	// fails. An empty list is pmerr.TooSmall, a column without values pmerr.Value.
	Store(ctx context.Context, sets []pcp.Values) error
}

// A Definer is a Source that computes metrics from expressions.
type Definer interface {
	// Add defines a metric by an expression.
	Add(ctx context.Context, name, expr string) error
	// Remove removes a metric that Add has defined.
	Remove(name string) error
	// Explain returns an error of Add as text for people: what is wrong, the expression with a
	// caret, and what may have been meant, each line with its newline.
	Explain(ctx context.Context, err error) string
}

// A Reconnecter is a Source that can lose its connection and replace it.
type Reconnecter interface {
	// Reconnect makes a new connection in place of the one there is, or was.
	Reconnect(ctx context.Context) error
}

// A Wrapper is a Source over another.
type Wrapper interface {
	// Unwrap returns the Source below.
	Unwrap() Source
}

// As returns src, or the nearest Source below it, as a T: As[Timeline](src).
func As[T any](src Source) (T, bool) {
	for src != nil {
		if t, ok := src.(T); ok {
			return t, true
		}
		w, ok := src.(Wrapper)
		if !ok {
			break
		}
		src = w.Unwrap()
	}
	var none T
	return none, false
}
