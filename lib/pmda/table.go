package pmda

import (
	"context"

	"pmtools/lib/pcp"
)

// A Table declares the metrics of an Agent. New makes the Agent.
type Table struct {
	Domain  uint32
	Metrics []Metric
	InDoms  []*InDom // that no metric of the table has; the others need not be here
	Labels  string   // of the domain: a JSON object, or ""
	// ClusterLabels returns the labels of a cluster, a JSON object or ""; nil if there are none.
	ClusterLabels func(cluster uint32) string
}

// A Metric is a row of a Table: a metric, or only a name.
//
// A metric with several names has several rows with the same Cluster and Item. The first row is the
// metric; the others need only a Name.
type Metric struct {
	// Name is the full name. A metric without a name can be fetched all the same.
	Name string
	// Dynamic makes the row only the root of a dynamic subtree of the name space. The daemon asks
	// the agent for the names below it, and gets those of the current table. The name space file
	// has the root only.
	Dynamic bool
	// Domain is for a row that is only a name, and leads to a metric of this domain, whether the
	// agent has such a metric or not. 0 is for metrics of the agent.
	Domain        uint32
	Cluster, Item uint32

	Type  pcp.Type
	InDom *InDom // nil for a singular metric
	Sem   pcp.Sem
	Units pcp.Units

	OneLine string // help texts; "" for none
	Help    string
	Labels  string // of the metric: a JSON object, or ""

	// Needs is read before the values are fetched; nil for nothing.
	Needs *Reading
	// Fetch adds the metric's values to a column. Its error is the metric's status if it added no
	// value. A nil Fetch means no values, or pmerr.AppVersion if the Type is NoSupport. [One] and
	// [Each] make the usual functions.
	Fetch func(col *Column) error
	// Store takes new values. Nil refuses them with pmerr.Permission.
	Store func(c *Client, v *pcp.Values) error
}

// An InDom is an instance domain of a Table. Its instances are in one of three fields.
type InDom struct {
	Serial uint32

	// Instances is a list that does not change, or only between requests.
	Instances []pcp.Instance
	// List returns the instances of the moment.
	List func() ([]pcp.Instance, error)
	// Cache gives instances numbers that stay. Its active ones are the instances.
	Cache *Cache

	// Needs is the Reading to run before List or Cache have the current instances; nil for none.
	Needs *Reading

	OneLine string // help texts; "" for none
	Help    string
	Labels  string // of the domain: a JSON object, or ""
	// InstLabels returns the labels of an instance, a JSON object or ""; nil if there are none.
	InstLabels func(inst int32) string
}

// A Reading is something that is read for the values of several metrics or instances: a file, an
// answer of a server. It is read at most once a request, and not if no metric of the request needs
// it. A Reading belongs to one Agent.
type Reading struct {
	// Read gathers the values. For a request for instances, req has neither metrics nor a profile.
	// Its error becomes that of all metrics and domains that need the Reading.
	Read func(ctx context.Context, req *Request) error
	// Needs are read before it. If one fails, Read is not called.
	Needs []*Reading

	request uint64 // the number of the request in which it was read
	err     error
}
