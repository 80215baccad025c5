// Package pmapi is the way to performance metrics: a [Source] answers names, descriptions,
// instances, labels, help texts and values, whether they come from an archive, a daemon, or are
// computed from another Source.
//
// [OpenArchive] opens recorded metrics, [OpenHost] the live ones of a daemon. A [Context] is a
// Source together with the settings of one user: instances, position, zone. A Source may be
// wrapped: the derived metrics of package derive are a Source over a Source.
//
// Three interfaces are optional, and found by [As]: a [Timeline] has a past, a [Live] one takes
// values and can connect again, and a [Wrapper] has another Source below.
//
// A Source of your own embeds a [Catalog], or a [Replay] if it has a past, and needs one method more.
//
// A Host may be shared by goroutines, other Sources may not.
package pmapi

import (
	"context"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Source is an origin of metrics. Lists in an answer have the order of the request and may not be
// changed. An error result concerns the whole request; each item has its own error. After Close
// every method fails with pmerr.NoContext.
//
// Package sourcetest checks implementations.
type Source interface {
	// Lookup resolves metric names. The error of an item is pmerr.Name for an unknown name, and
	// pmerr.NonLeaf for an inner node. Like every method below that asks a daemon, the call fails
	// with pmerr.IPC if the connection is lost, with pmerr.Timeout if the daemon is silent, and
	// with the error of ctx.
	Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error)
	// Names returns all names of a metric, or pmerr.PMID.
	Names(ctx context.Context, id pcp.ID) ([]string, error)
	// Children returns the nodes directly below a node of the name space; "" is the root. A leaf
	// has none; an unknown name is pmerr.Name.
	Children(ctx context.Context, name string) ([]pcp.Child, error)
	// Walk calls f for each leaf that is name or stands below it, in the order of the source, until
	// f returns false. Without ids f may get pcp.NullID in place of identifiers, which saves a daemon
	// a request. An unknown name is pmerr.Name.
	Walk(ctx context.Context, name string, ids bool, f func(name string, id pcp.ID) bool) error

	// Describe returns the descriptions of metrics. The error of a metric is pmerr.PMID if the source
	// does not know it, and pmerr.NoAgent if the agent of its domain is not there, or pmerr.Again if
	// it is not ready.
	Describe(ctx context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error)
	// Text returns the help texts of metrics, or, if kind includes pcp.InDomText, of instance domains;
	// idents are their identifiers. The error of an item without such a text is pmerr.Text, and pmerr.Arg
	// for an unknown kind.
	Text(ctx context.Context, kind pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error)
	// Labels returns the labels that objects of one level have at a time; Ever is the same as Now. idents
	// are 0 for ContextLabels, domain numbers, instance domains, or identifiers of metrics (for
	// ClusterLabels with any item).
	Labels(ctx context.Context, kind pcp.LabelKind, idents []uint32, at When) ([]pcp.Answer[pcp.ObjectLabels], error)

	// Instances returns the instances that domains have at a time, or had ever. The error of a domain
	// is pmerr.InDom if the source does not know it, pmerr.InDomLog if an archive has not recorded it,
	// and pmerr.NoAgent if its agent is not there.
	Instances(ctx context.Context, ds []pcp.InDom, at When) ([]pcp.Answer[[]pcp.Instance], error)
	// LookupInst returns the identifier of the instance called name at the current position, or
	// pmerr.Inst / pmerr.InstLog. A name also finds the instance whose name it is up to the first
	// blank.
	LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error)
	// InstName returns the external name of an instance at the current position, or pmerr.Inst /
	// pmerr.InstLog.
	InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error)

	// Fetch fills dst with one column for each metric of the request; a request without metrics
	// only asks for the time, now or of the next record. Columns belong to dst; byte slices in them
	// stay valid until the source is closed. The column of a metric that the source cannot answer holds
	// the error: pmerr.PMID, pmerr.NoAgent, pmerr.Again, pmerr.Permission and others; the call itself
	// succeeds. The end of a recording is pmerr.EOL.
	Fetch(ctx context.Context, req *Request, dst *pcp.Result) error
	// Host returns the name of the host whose metrics these are, as far as the source knows it
	// without a request, and for a recording the zone of the host at the position. The function
	// [HostName] asks.
	Host() (name, zone string)
	// Close frees everything. It may be called twice.
	Close() error
}

// A When is the time that a request about a recording refers to. A live source always answers for the
// present.
type When struct {
	at   pcp.Timestamp
	kind uint8
}

// Now returns the time of the position of a recording.
func Now() When { return When{} }

// Ever returns all times of a recording.
func Ever() When { return When{kind: 2} }

// At returns a When for a time. For the values of a result use the result's time: in the mode Interp
// the position is already that of the next result.
func At(t pcp.Timestamp) When { return When{t, 1} }

// Time returns the time that was given to [At], and whether there is one.
func (w When) Time() (t pcp.Timestamp, ok bool) { return w.at, w.kind == 1 }

// A Request lists the metrics of a fetch.
type Request struct {
	IDs     []pcp.ID
	Profile *pcp.Profile // nil selects all instances
	// Records asks a recording for its next record that holds one of the metrics, in the direction that
	// SetMode set, or for the next mark: a place where recording was interrupted. A mark is a result
	// with Gap and without columns. Metrics that are not in the record have no values. A request
	// without metrics is for the next record as it is, with all the metrics that it holds. Live
	// sources have no records: they ignore it.
	Records bool
	// Gaps asks a recording whether it was interrupted between this result and the one before it. The
	// answer is the Gap of the result.
	Gaps bool
}

// A Timeline is a Source that has a past: values are read at a position that moves with each fetch.
type Timeline interface {
	// SetMode sets how to read from now on, and from when; nil keeps the position.
	SetMode(m pcp.Mode, when *pcp.Timestamp, delta time.Duration) error
	// Origin returns the position: the time given to SetMode, then the time of each result. After
	// pmerr.EOL it is the time of the last record, whether or not that has the requested metrics.
	Origin() pcp.Timestamp
	// Bounds returns the start of the recording and its logical end. An error belongs to the end;
	// the start is valid all the same.
	Bounds(ctx context.Context) (start, end pcp.Timestamp, err error)
}

// A Live Source has the metrics of a running system. The functions [Store] and [Reconnect] find it.
type Live interface {
	// Store gives metrics the values in columns, each with at least one. The request is never
	// repeated, not even after an error. An empty list is pmerr.TooSmall, and a column without values
	// pmerr.Value.
	Store(ctx context.Context, sets []pcp.Values) error
	// Reconnect makes a new connection in place of the one there is, or was. It does nothing if the
	// Source needs none.
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

// Store gives metrics of src values, as [Live] says. A recording is pmerr.NotHost.
func Store(ctx context.Context, src Source, sets []pcp.Values) error {
	live, ok := As[Live](src)
	if !ok {
		return pmerr.NotHost
	}
	return live.Store(ctx, sets)
}

// Reconnect replaces the connection of src. Without one, as over a recording, it does nothing.
func Reconnect(ctx context.Context, src Source) error {
	live, ok := As[Live](src)
	if !ok {
		return nil
	}
	return live.Reconnect(ctx)
}
