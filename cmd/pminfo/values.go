package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// fetchAt fetches, from an archive from the origin on.
func (r *reporter) fetchAt(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	if err := r.position(); err != nil {
		return err
	}
	return r.src.Fetch(ctx, req, dst)
}

func (r *reporter) printValues(ctx context.Context, m *metric) {
	d, v := &m.desc, m.fetched
	switch {
	case v.Err != nil:
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
		if r.show.events && (d.Type == pcp.Event || d.Type == pcp.HighResEvent) {
			r.printEvents(ctx, v, i)
		}
	}
}

// fetchExplicit fetches a metric that wants its instances named one by one.
func (r *reporter) fetchExplicit(ctx context.Context, m *metric) error {
	d := &m.desc
	insts, err := pmapi.InstancesOf(ctx, r.src, d.InDom, pmapi.Now())
	if err == nil && len(insts) == 0 {
		err = errNoInstances
	}
	if err != nil {
		return err
	}
	p := new(pcp.Profile)
	p.DelAll()
	for _, in := range insts {
		p.Add(d.InDom, in.ID)
	}
	if err = r.fetchAt(ctx, &pmapi.Request{IDs: []pcp.ID{m.id}, Profile: p}, &r.explicit); err == nil {
		m.fetched = &r.explicit.Sets[0]
	}
	return err
}

// errNoInstances is what -F says of a domain without instances.
var errNoInstances = errors.New("No instances?")

// names are the names of a domain's instances at one position.
type names struct {
	indom pcp.InDom
	insts []pcp.Instance // in the order of the source
	pcp.InstanceNames
}

// names returns the instances of a domain at the current position; without an answer there are
// none. As in the reference, a metric with the same domain as its predecessor gets the
// predecessor's instances, even if its own record has another position.
func (r *reporter) names(ctx context.Context, d pcp.InDom) *names {
	if r.last != nil && r.last.indom == d {
		return r.last
	}
	insts, ok := r.listed[d]
	if !ok {
		// Without an answer there are none.
		insts, _ = pmapi.InstancesOf(ctx, r.src, d, pmapi.Now())
	}
	r.last = &names{d, insts, pcp.NewInstanceNames(insts, nil)}
	return r.last
}

// listInstances asks for the instances that a batch needs, at once.
func (r *reporter) listInstances(ctx context.Context, batch []metric) {
	if len(batch) == 1 || !r.show.fetch && !r.show.series && !r.show.labels {
		return
	}
	var ds []pcp.InDom
	for i := range batch {
		d := batch[i].desc.InDom
		used := r.show.series || r.show.labels || batch[i].fetched.Len() > 0
		if d != pcp.NullInDom && batch[i].noDesc == nil && used && !slices.Contains(ds, d) {
			ds = append(ds, d)
		}
	}
	found, err := r.src.Instances(ctx, ds, pmapi.Now())
	if err != nil {
		return // each is asked for by itself then
	}
	r.listed = make(map[pcp.InDom][]pcp.Instance, len(ds))
	for i, d := range ds {
		r.listed[d] = found[i].Value
	}
}

// disappeared stands for the name of an instance that has none.
const disappeared = "DISAPPEARED"

// appendInst appends an instance as it stands before a value. It returns false if nothing but the
// name is to be printed, and has then printed it.
func (r *reporter) appendInst(b []byte, d pcp.InDom, inst int32, n *names) ([]byte, bool) {
	name, ok := n.Find(inst)
	switch {
	case ok:
		b = strconv.AppendInt(append(b, "    inst ["...), int64(inst), 10)
		return append(append(append(b, " or \""...), name...), "\"]"...), true
	case r.show.fetchAll:
		fmt.Fprintf(r.out, "    inst [%d \"%s\"]\n", inst, disappeared)
		return b, false
	}
	fmt.Fprintf(r.out, "pmNameIndom: indom=%s inst=%d: %s\n", d, inst, pmerr.Inst.Error())
	return append(strconv.AppendInt(append(b, "    inst ["...), int64(inst), 10), ']'), true
}
