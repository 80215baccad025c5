package pmda

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// A Provider has the metrics of a domain. [Serve] makes it an agent of the daemon; a program
// may also ask it directly. An [Agent] is a Provider made from a table.
//
// An ability that only some providers have is an interface of its own, asked for by type assertion:
// [InstanceFinder], [Texter], [Labeler], [Storer], [Namer], [Checker], [ClientWatcher],
// [ProfileWatcher], [Waiter]. An Agent has the first five of them, and gives the answers of the
// reference's library where its table says nothing. To override one, embed the Agent in a struct
// and write the method.
//
// Errors are answered by their codes (see pmerr.Of). A Provider is used by one goroutine at a time.
type Provider interface {
	// Domain returns the domain of all identifiers.
	Domain() uint32
	// Names returns the names of the metrics in the order of the name space. A dynamic subtree
	// stands as its root, which has the identifier of RootID; see Namer.
	Names() []Name
	// Desc returns the description of a metric, or pmerr.PMID.
	Desc(ctx context.Context, c *Client, id pcp.ID) (pcp.Desc, error)
	// Instances returns the instances that a domain has now, or pmerr.InDom. The slice is not
	// changed by the caller, and is valid until the next call.
	Instances(ctx context.Context, c *Client, d pcp.InDom) ([]pcp.Instance, error)
	// Fetch fills dst with one column for each metric of the request, in its order, also if a
	// metric stands there twice; it reuses the memory that it finds in dst, but not the bytes that
	// columns pointed to. A metric's error stands in its column, the error of Fetch is for all
	// of them. The time of dst is not set. Changes may be NamesChanged and LabelsChanged, which are
	// reported to all clients, once.
	Fetch(ctx context.Context, req *Request, dst *pcp.Result) error
}

// A Request names the metrics to fetch, and the client that asks.
type Request struct {
	Client  *Client
	IDs     []pcp.ID     // none if only instances are asked for
	Profile *pcp.Profile // nil selects all instances
}

// A Client is a client of the daemon, or of the program that the provider is part of. A client is
// the same pointer until its end, so it can be the key of a map.
type Client struct {
	// Number is the daemon's number for the client. It is used again after its end.
	Number int32
	// Attrs are the known attributes of the client, such as UserID and GroupID in decimal; nil if
	// none are known.
	Attrs map[pdu.AttrCode]string
}

// Attributes of clients.
const (
	UserName  = pdu.AttrUser
	UserID    = pdu.AttrUserID
	GroupID   = pdu.AttrGroupID
	ProcessID = pdu.AttrProcessID
	Container = pdu.AttrContainer
)

// A Name is a name of a metric.
type Name struct {
	Name string // in full: "kernel.all.load"
	ID   pcp.ID // of a metric, also of another domain, or RootID
}

// RootID returns the identifier that stands for a dynamic subtree of the name space in a domain.
func RootID(domain uint32) pcp.ID { return pcp.NewID(pcp.DynamicDomain, domain, 0) }

// IsRootID reports whether an identifier is the RootID of some domain.
func IsRootID(id pcp.ID) bool { return id.Domain() == pcp.DynamicDomain && id.Item() == 0 }

// An InstanceFinder is a Provider that knows how names of instances are meant. Without it a name
// means the instance that is called so, or the one whose name up to its first blank is equal to it.
type InstanceFinder interface {
	// FindInstance returns the instance of a name, or pmerr.Inst or pmerr.InDom.
	FindInstance(ctx context.Context, c *Client, d pcp.InDom, name string) (int32, error)
}

// A Texter is a Provider with help texts.
type Texter interface {
	// Text returns a help text of a metric, or pmerr.Text.
	Text(ctx context.Context, c *Client, id pcp.ID, kind pcp.TextKind) (string, error)
	// InDomText returns a help text of an instance domain, or pmerr.Text.
	InDomText(ctx context.Context, c *Client, d pcp.InDom, kind pcp.TextKind) (string, error)
}

// A Labeler is a Provider with labels.
type Labeler interface {
	// Labels returns the label sets of one level: one set or none, for InstanceLabels one for each
	// instance that has labels. ident is a domain, an instance domain (for InDomLabels and
	// InstanceLabels) or a metric (for ClusterLabels of any item), for ContextLabels it means
	// nothing. The level need not stand in the labels' flags.
	Labels(ctx context.Context, c *Client, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error)
}

// A Storer is a Provider whose metrics can be changed.
type Storer interface {
	// Store gives metrics the values in columns, up to the first that is refused with an error:
	// pmerr.PMID, pmerr.Permission, pmerr.BadStore, pmerr.Inst, pmerr.Sign. Earlier ones stay
	// changed. Values that do not fit the metric's description are Odd.
	Store(ctx context.Context, c *Client, sets []pcp.Values) error
}

// A Namer is a Provider whose name space, or parts of it, change while it runs: all names below the
// roots among its Names. Names are full ones.
type Namer interface {
	// LookupName returns the metric of a name, or pmerr.Name, or pmerr.NonLeaf.
	LookupName(ctx context.Context, c *Client, name string) (pcp.ID, error)
	// NamesOf returns all names of a metric below the roots, or pmerr.PMID.
	NamesOf(ctx context.Context, c *Client, id pcp.ID) ([]string, error)
	// Children returns the nodes directly below a node: none below a leaf or an unknown name.
	Children(ctx context.Context, c *Client, name string) ([]pcp.Child, error)
	// Leaves returns the names of all leaves that are name or stand below it: none if the name is
	// not known.
	Leaves(ctx context.Context, c *Client, name string) ([]string, error)
}

// A Checker is called before each request. A profile does not count as a request.
type Checker interface {
	// Check returns why no request is answered now, or nil.
	Check(ctx context.Context, c *Client) error
}

// A ClientWatcher is a Provider that keeps something for each client.
type ClientWatcher interface {
	// SetAttr is called when an attribute of the client was set in c.Attrs. The daemon sends
	// attributes only to agents that request them; see [Server.Attrs].
	SetAttr(c *Client, code pdu.AttrCode)
	// EndClient says that the client is gone. It may never have asked for anything.
	EndClient(c *Client)
}

// A ProfileWatcher is a Provider that is called with each profile that arrives.
type ProfileWatcher interface {
	// SetProfile says that the client's later fetches will have the profile.
	SetProfile(c *Client, p *pcp.Profile)
}

// A Waiter is a Provider that at times cannot answer: it answers ErrNotReady to a request, and is
// not asked again before WaitReady returns.
type Waiter interface {
	// WaitReady waits until the provider can answer, or ctx ends.
	WaitReady(ctx context.Context) error
}

// ErrNotReady is the answer of a Waiter that cannot answer now.
const ErrNotReady = pmerr.PMDANotReady
