package debug

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

const unknown = "???" // in place of a name

// result prints the columns of a result. Instances that were not seen before are asked for, as the
// reference does.
func (o *observed) result(ctx context.Context, r *pcp.Result) {
	var b strings.Builder
	fmt.Fprintf(&b, "__pmResult dump timestamp: %d.%09d %s numpmid: %d\n", r.Time.Sec, r.Time.Nsec, o.p.clock(r.Time), len(r.Sets))
	opt := format.Options{Location: o.p.Zone}
	for i := range r.Sets {
		v := &r.Sets[i]
		fmt.Fprintf(&b, "  %s (%s): ", v.ID, cmp.Or(o.names[v.ID], unknown))
		switch {
		case v.Err != nil:
			fmt.Fprintf(&b, "%v\n", v.Err)
			continue
		case v.Len() == 0:
			b.WriteString("No values returned!\n")
			continue
		}
		fmt.Fprintf(&b, "numval: %d vlist[]:\n", v.Len())
		d := o.inDom(ctx, v.ID)
		for k, inst := range v.Insts {
			if inst == pcp.NullInst {
				b.WriteString("  ")
			} else {
				fmt.Fprintf(&b, "    inst [%d or %s]", inst, o.instName(ctx, d, inst))
			}
			fmt.Fprintf(&b, " value %s\n", opt.AppendValue(nil, v, k, 1))
		}
	}
	fmt.Fprint(o.p.Out, b.String())
}

func (o *observed) instName(ctx context.Context, d pcp.InDom, inst int32) string {
	if o.insts[instance{d, inst}] == "" {
		list, _ := pmapi.InstancesOf(ctx, o.Source, d, pmapi.Now()) // without an answer the instance has no name
		o.remember(d, list)
	}
	return cmp.Or(o.insts[instance{d, inst}], unknown)
}

func (o *observed) remember(d pcp.InDom, list []pcp.Instance) {
	for _, in := range list {
		o.insts[instance{d, in.ID}] = `"` + in.Name + `"`
	}
}

// inDom returns the instance domain of a metric that was fetched: its description is known.
func (o *observed) inDom(ctx context.Context, id pcp.ID) pcp.InDom {
	if found, err := o.Source.Describe(ctx, []pcp.ID{id}); err == nil && found[0].Err == nil {
		return found[0].Value.InDom
	}
	return pcp.NullInDom
}

func (o *observed) instances(d pcp.InDom, list []pcp.Instance) {
	o.remember(d, list)
	if !o.p.On("indom") || len(list) == 0 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "pmInResult dump for InDom %s (%#x), numinst=%d\n", d, uint32(d), len(list))
	for i, in := range list {
		fmt.Fprintf(&b, "  [%d] inst=%d name=\"%s\"\n", i, in.ID, in.Name)
	}
	fmt.Fprint(o.p.Out, b.String())
}

// profile prints the profile of a fetch, unless it is that of the fetch before.
func (o *observed) profile(p *pcp.Profile) {
	if !o.p.On("profile") {
		return
	}
	states := map[bool]string{false: "INCLUDE", true: "EXCLUDE"}
	exclude, entries := p.Entries()
	var b strings.Builder
	fmt.Fprintf(&b, "Dump Instance Profile state=%s, %d profiles\n", states[exclude], len(entries))
	for i, e := range entries {
		fmt.Fprintf(&b, "\tProfile [%d] indom=%d [%s] state=%s %d instances\n\t\tInstances:", i, uint32(e.InDom), e.InDom, states[e.Exclude], len(e.Insts))
		for _, inst := range e.Insts {
			fmt.Fprintf(&b, " [%d]", inst)
		}
		b.WriteByte('\n')
	}
	if text := b.String(); text != o.sent {
		o.sent = text
		fmt.Fprint(o.p.Out, text)
	}
}
