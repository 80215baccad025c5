package pmcd

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// maxRequest is the most bytes of names or identifiers that one request holds. The
// daemon refuses messages of more than 64 KiB (wire.md W1.4).
const maxRequest = 60 << 10

// A NameResult is the answer for one name.
type NameResult struct {
	ID  pcp.ID
	Err error
}

// Lookup resolves metric names: all in as few requests as possible, and those that
// are not known once more by themselves, to learn why.
func (c *Conn) Lookup(ctx context.Context, names []string) ([]NameResult, error) {
	out := make([]NameResult, len(names))
	var chunks [][2]int
	for from := 0; from < len(names); {
		to, size := from, 0
		for to < len(names) && (to == from || size+len(names[to])+8 <= maxRequest) {
			size += len(names[to]) + 8
			to++
		}
		chunks = append(chunks, [2]int{from, to})
		from = to
	}
	replies := make([]pdu.IDs, len(chunks))
	err := c.each(ctx, len(chunks), func(i int) (pdu.Message, pdu.Message) {
		return &pdu.Names{Names: names[chunks[i][0]:chunks[i][1]]}, &replies[i]
	}, func(i int, err error) {
		part := out[chunks[i][0]:chunks[i][1]]
		for k := range part {
			switch {
			case err != nil:
				part[k] = NameResult{pcp.NullID, err}
			case k < len(replies[i].IDs):
				part[k].ID = replies[i].IDs[k]
			default:
				part[k].ID = pcp.NullID
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return out, c.whyUnknown(ctx, names, out)
}

// whyUnknown asks for each name that has no metric by itself: the answer is the
// reason then. In a request for several names there is no room for it.
func (c *Conn) whyUnknown(ctx context.Context, names []string, results []NameResult) error {
	var which []int
	for i, r := range results {
		if r.ID == pcp.NullID && (r.Err == nil || len(names) > 1) {
			which = append(which, i)
		}
	}
	replies := make([]pdu.IDs, len(which))
	return c.each(ctx, len(which), func(i int) (pdu.Message, pdu.Message) {
		return &pdu.Names{Names: names[which[i] : which[i]+1]}, &replies[i]
	}, func(i int, err error) {
		r := &results[which[i]]
		switch {
		case err != nil:
			*r = NameResult{pcp.NullID, err}
		case len(replies[i].IDs) == 1 && replies[i].IDs[0] != pcp.NullID:
			*r = NameResult{replies[i].IDs[0], nil}
		default:
			*r = NameResult{pcp.NullID, pmerr.Name}
		}
	})
}

// Names returns all names of a metric.
func (c *Conn) Names(ctx context.Context, id pcp.ID) ([]string, error) {
	var names pdu.Names
	if err := c.call(ctx, &pdu.IDs{IDs: []pcp.ID{id}}, &names); err != nil {
		return nil, err
	}
	if names.Err != 0 {
		return nil, names.Err
	}
	return names.Names, nil
}

// Children returns the names directly below a node, "" being the root, and for
// each whether it is a leaf. A leaf has none.
func (c *Conn) Children(ctx context.Context, name string) (names []string, leaf []bool, err error) {
	var answer pdu.Names
	if err := c.call(ctx, &pdu.Child{Name: name, Status: true}, &answer); err != nil {
		return nil, nil, err
	}
	if answer.Err != 0 {
		return nil, nil, answer.Err
	}
	leaf = make([]bool, len(answer.Names))
	for i, s := range answer.Status {
		leaf[i] = s == pdu.Leaf
	}
	return answer.Names, leaf, nil
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
