package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// fetchMetric fetches one metric from the origin on. The column is valid until
// the next fetch.
func (r *reporter) fetchMetric(ctx context.Context, id pcp.ID) (*pcp.Values, error) {
	if err := r.position(); err != nil {
		return nil, err
	}
	req := pmapi.Request{IDs: []pcp.ID{id}}
	if err := r.src.Fetch(ctx, &req, &r.result); err != nil {
		return nil, err
	}
	return &r.result.Sets[0], nil
}

// printValues prints a metric's values, or why there are none.
func (r *reporter) printValues(ctx context.Context, d *pcp.Desc, v *pcp.Values) {
	switch {
	case v.Err != 0:
		fmt.Fprintf(r.out, "Error: %s\n", v.Err.Error())
	case v.Len() == 0:
		r.out.WriteString("No value(s) available!\n")
	}
	var inst *names
	if d.InDom != pcp.NullInDom && v.Len() > 0 {
		inst = r.names(ctx, d.InDom)
	}
	for i := range v.Insts {
		b := r.buf[:0]
		if inst != nil {
			var named bool
			if b, named = r.appendInst(b, d.InDom, v.Insts[i], inst); !named {
				continue
			}
			b = append(b, ' ')
		} else {
			b = append(b, "    "...)
		}
		b = append(b, "value "...)
		b = r.values.AppendValue(b, v, i, 1)
		r.buf = append(b, '\n')
		r.out.Write(r.buf)
		if r.events && (d.Type == pcp.Event || d.Type == pcp.HighResEvent) {
			r.printEvents(ctx, v.Value(i))
		}
	}
}

// fetchExplicit fetches a metric that wants its instances named one by one.
func (r *reporter) fetchExplicit(ctx context.Context, m metric, d *pcp.Desc) (*pcp.Values, error) {
	insts, err := r.src.Instances(ctx, d.InDom)
	if err != nil {
		return nil, err
	}
	if len(insts) == 0 {
		return nil, errNoInstances
	}
	p := new(pcp.Profile)
	p.DelAll()
	for _, in := range insts {
		p.Add(d.InDom, in.ID)
	}
	if err := r.position(); err != nil {
		return nil, err
	}
	if err := r.src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{m.id}, Profile: p}, &r.result); err != nil {
		return nil, err
	}
	return &r.result.Sets[0], nil
}

// errNoInstances is what -F says of a domain without instances.
var errNoInstances = errors.New("No instances?")

// names are the names of a domain's instances at one position, ascending by
// identifier.
type names struct {
	indom pcp.InDom
	insts []pcp.Instance
}

// names returns the instances of a domain at the current position; without an
// answer there are none. As in the reference, a metric with the domain of the one
// before it gets what was found for that one, wherever its own record is.
func (r *reporter) names(ctx context.Context, d pcp.InDom) *names {
	if r.last != nil && r.last.indom == d {
		return r.last
	}
	insts, err := r.src.Instances(ctx, d)
	if err != nil {
		insts = nil
	}
	if !slices.IsSortedFunc(insts, byID) {
		insts = slices.Clone(insts)
		slices.SortStableFunc(insts, byID)
	}
	r.last = &names{d, insts}
	return r.last
}

// disappeared stands for the name of an instance that has none.
const disappeared = "DISAPPEARED"

// byID orders instances by identifier.
func byID(a, b pcp.Instance) int { return cmp.Compare(a.ID, b.ID) }

// find returns the name of an instance.
func (n *names) find(inst int32) (string, bool) {
	i, ok := slices.BinarySearchFunc(n.insts, inst, func(in pcp.Instance, id int32) int { return cmp.Compare(in.ID, id) })
	if !ok {
		return "", false
	}
	return n.insts[i].Name, true
}

// appendInst appends an instance as it stands before a value. It returns false if
// nothing but the name is to be printed, and has then printed it.
func (r *reporter) appendInst(b []byte, d pcp.InDom, inst int32, n *names) ([]byte, bool) {
	name, ok := n.find(inst)
	switch {
	case ok:
		b = strconv.AppendInt(append(b, "    inst ["...), int64(inst), 10)
		return append(append(append(b, " or \""...), name...), "\"]"...), true
	case r.fetchAll:
		fmt.Fprintf(r.out, "    inst [%d \"%s\"]\n", inst, disappeared)
		return b, false
	}
	fmt.Fprintf(r.out, "pmNameIndom: indom=%s inst=%d: %s\n", d, inst, pmerr.Inst.Error())
	return append(strconv.AppendInt(append(b, "    inst ["...), int64(inst), 10), ']'), true
}
