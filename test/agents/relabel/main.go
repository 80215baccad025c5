// Command relabel is an agent with three instances, of which one has the label that was stored last. It announces
// the change of a label unless it begins with "silent".
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

func main() { os.Exit(pmda.Main(newRelabel)) }

// relabel is the agent.
type relabel struct {
	*pmda.Agent
	kind string
	told bool // of the label
}

func newRelabel(o *pmda.Options) (pmda.Provider, error) {
	r := &relabel{kind: "first", told: true}
	disks := &pmda.InDom{
		Serial:    0,
		Instances: []pcp.Instance{{ID: 0, Name: "a"}, {ID: 1, Name: "b"}, {ID: 2, Name: "c"}},
		InstLabels: func(inst int32) string {
			if inst == 0 {
				return fmt.Sprintf(`{"kind":%q}`, r.kind)
			}
			return `{"kind":"other"}`
		},
	}
	var err error
	r.Agent, err = pmda.New(pmda.Table{Domain: o.DomainOr(452), Metrics: []pmda.Metric{{
		Name: "relabel.value", Item: 0, InDom: disks, Type: pcp.Uint32, Sem: pcp.Instant,
		Fetch: pmda.Each(func(inst int32) (uint32, error) { return 1 << inst, nil }),
	}, {
		Name: "relabel.kind", Item: 1, Type: pcp.String, Sem: pcp.Discrete,
		Fetch: pmda.One(func() string { return r.kind }),
		Store: func(_ *pmda.Client, v *pcp.Values) error {
			r.kind = string(v.Blobs[0])
			r.told = strings.HasPrefix(r.kind, "silent")
			return nil
		},
	}}})
	return r, err
}

// Fetch announces once that labels have changed.
func (r *relabel) Fetch(ctx context.Context, req *pmda.Request, dst *pcp.Result) error {
	if err := r.Agent.Fetch(ctx, req, dst); err != nil {
		return err
	}
	if !r.told {
		r.told = true
		dst.Changes |= pcp.LabelsChanged
	}
	return nil
}
