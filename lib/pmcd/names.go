package pmcd

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// maxRequest caps the bytes of names or identifiers in a request: pmcd refuses messages of more than 64 KiB
// (wire.md W1.4).
const maxRequest = 60 << 10

// Lookup resolves metric names in as few requests as possible. Unknown names are then requested one
// by one, to learn the reasons. An empty name is unknown without a request: the daemon would refuse
// the request as a whole.
func (c *Conn) Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	out := make([]pcp.Answer[pcp.ID], len(names))
	ask := make([]int, 0, len(names))
	for i, n := range names {
		if n != "" {
			ask = append(ask, i)
		} else {
			out[i] = pcp.Answer[pcp.ID]{Value: pcp.NullID, Err: pmerr.Name}
		}
	}
	chunks := split(names, ask)
	replies := make([]pdu.IDs, len(chunks))
	err := c.each(ctx, &pipeline{len(chunks), func(i int) (pdu.Message, pdu.Message) {
		m := &pdu.Names{Names: make([]string, 0, len(chunks[i]))}
		for _, k := range chunks[i] {
			m.Names = append(m.Names, names[k])
		}
		return m, &replies[i]
	}, func(i int, err error) error {
		if err == nil {
			if err := differ(len(replies[i].IDs), len(chunks[i])); err != nil {
				return err
			}
		}
		for at, k := range chunks[i] {
			if out[k] = (pcp.Answer[pcp.ID]{Value: pcp.NullID, Err: err}); err == nil {
				out[k].Value = replies[i].IDs[at]
			}
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	return out, c.whyUnknown(ctx, names, out, len(ask) > 1)
}

func split(names []string, ask []int) (chunks [][]int) {
	for len(ask) > 0 {
		n, size := 0, 0
		for n < len(ask) && (n == 0 || size+len(names[ask[n]])+8 <= maxRequest) {
			size += len(names[ask[n]]) + 8
			n++
		}
		chunks, ask = append(chunks, ask[:n]), ask[n:]
	}
	return chunks
}

// whyUnknown requests each name without a metric alone: only that answer has the reason.
func (c *Conn) whyUnknown(ctx context.Context, names []string, results []pcp.Answer[pcp.ID], several bool) error {
	var which []int
	for i, r := range results {
		switch {
		case r.Value != pcp.NullID || names[i] == "":
		case several:
			which = append(which, i)
		case r.Err == nil:
			results[i].Err = pmerr.Name
		}
	}
	replies := make([]pdu.IDs, len(which))
	return c.each(ctx, &pipeline{len(which), func(i int) (pdu.Message, pdu.Message) {
		return &pdu.Names{Names: names[which[i] : which[i]+1]}, &replies[i]
	}, func(i int, err error) error {
		r := &results[which[i]]
		if err != nil {
			*r = pcp.Answer[pcp.ID]{Value: pcp.NullID, Err: err}
			return nil
		}
		if err := differ(len(replies[i].IDs), 1); err != nil {
			return err
		}
		if *r = (pcp.Answer[pcp.ID]{Value: replies[i].IDs[0]}); r.Value == pcp.NullID {
			r.Err = pmerr.Name
		}
		return nil
	}})
}

// Names returns all names of a metric, at least one.
func (c *Conn) Names(ctx context.Context, id pcp.ID) ([]string, error) {
	var names pdu.Names
	if err := c.call(ctx, &pdu.IDs{IDs: []pcp.ID{id}}, &names); err != nil {
		return nil, err
	}
	if names.Err != 0 {
		return nil, names.Err
	}
	if len(names.Names) == 0 {
		return nil, c.fail(ctx, "receive", differ(0, 1))
	}
	return names.Names, nil
}

// Children returns the nodes directly below a node, "" being the root. A leaf has none.
func (c *Conn) Children(ctx context.Context, name string) ([]pcp.Child, error) {
	var answer pdu.Names
	if err := c.call(ctx, &pdu.Child{Name: name, Status: true}, &answer); err != nil {
		return nil, err
	}
	if answer.Err != 0 {
		return nil, answer.Err
	}
	children := make([]pcp.Child, len(answer.Names))
	for i, name := range answer.Names {
		children[i] = pcp.Child{Name: name, Leaf: i < len(answer.Status) && answer.Status[i] == pdu.Leaf}
	}
	return children, nil
}

// Traverse returns the names of all leaves that are name or stand below it.
func (c *Conn) Traverse(ctx context.Context, name string) ([]string, error) {
	var names pdu.Names
	if err := c.call(ctx, &pdu.Traverse{Name: name}, &names); err != nil {
		return nil, err
	}
	if names.Err != 0 {
		return nil, names.Err
	}
	return names.Names, nil
}
