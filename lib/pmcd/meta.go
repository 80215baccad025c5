package pmcd

import (
	"context"
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// Describe returns the descriptions of metrics: in one request if the daemon has that feature. The
// missing ones are then requested one by one, since only a single request has a reason as its
// answer.
func (c *Conn) Describe(ctx context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	out := make([]pcp.Answer[pcp.Desc], len(ids))
	var single []int
	if c.features&featureDescs == 0 || len(ids) == 1 {
		for i := range ids {
			single = append(single, i)
		}
	} else if err := c.describeMany(ctx, ids, out); err != nil {
		return nil, err
	} else {
		for i := range out {
			if out[i].Value.ID == pcp.NullID {
				single = append(single, i)
			}
		}
	}
	replies := make([]pdu.Desc, len(single))
	return out, c.each(ctx, &pipeline{len(single), func(i int) (pdu.Message, pdu.Message) {
		return &pdu.DescReq{ID: ids[single[i]]}, &replies[i]
	}, func(i int, err error) error {
		out[single[i]] = pcp.Answer[pcp.Desc]{Value: replies[i].Desc, Err: err}
		return nil
	}})
}

// describeMany asks for descriptions in the largest requests. A missing one keeps the identifier NullID.
func (c *Conn) describeMany(ctx context.Context, ids []pcp.ID, out []pcp.Answer[pcp.Desc]) error {
	const most = maxRequest / 4
	n := (len(ids) + most - 1) / most
	replies := make([]pdu.Descs, n)
	chunk := func(i int) (from, to int) { return i * most, min((i+1)*most, len(ids)) }
	return c.each(ctx, &pipeline{n, func(i int) (pdu.Message, pdu.Message) {
		from, to := chunk(i)
		return &pdu.DescIDs{IDs: ids[from:to]}, &replies[i]
	}, func(i int, err error) error {
		from, to := chunk(i)
		if err == nil {
			if err := differ(len(replies[i].Descs), to-from); err != nil {
				return err
			}
		}
		for k := from; k < to; k++ {
			out[k].Value.ID = pcp.NullID
			if err == nil {
				out[k].Value = replies[i].Descs[k-from]
			}
		}
		return nil
	}})
}

// Instances returns the instances of several domains, asking for some at a time.
func (c *Conn) Instances(ctx context.Context, ds []pcp.InDom) ([]pcp.Answer[[]pcp.Instance], error) {
	out := make([]pcp.Answer[[]pcp.Instance], len(ds))
	replies := make([]pdu.Instance, len(ds))
	return out, c.each(ctx, &pipeline{len(ds), func(i int) (pdu.Message, pdu.Message) {
		if ds[i] == pcp.NullInDom {
			return nil, nil
		}
		return &pdu.InstanceReq{InDom: ds[i], Inst: pcp.NullInst}, &replies[i]
	}, func(i int, err error) error {
		if ds[i] == pcp.NullInDom {
			err = pmerr.InDom
		}
		out[i] = pcp.Answer[[]pcp.Instance]{Value: replies[i].Instances, Err: err}
		return nil
	}})
}

// LookupInst returns the identifier of the instance called name. For an empty name the daemon lists all
// instances, and the result is the first one, as for pmLookupInDom.
func (c *Conn) LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error) {
	list, err := c.instances(ctx, d, pcp.NullInst, name)
	switch {
	case err != nil:
		return 0, err
	case len(list) == 0 || len(list) > 1 && name != "":
		return 0, pmerr.Inst
	}
	return list[0].ID, nil
}

// InstName returns the name of an instance.
func (c *Conn) InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error) {
	if inst == pcp.NullInst && d != pcp.NullInDom {
		return "", pmerr.Inst
	}
	list, err := c.instances(ctx, d, inst, "")
	switch {
	case err != nil:
		return "", err
	case len(list) != 1:
		return "", pmerr.Inst
	}
	return list[0].Name, nil
}

func (c *Conn) instances(ctx context.Context, d pcp.InDom, inst int32, name string) ([]pcp.Instance, error) {
	if d == pcp.NullInDom {
		return nil, pmerr.InDom
	}
	var answer pdu.Instance
	if err := c.call(ctx, &pdu.InstanceReq{InDom: d, Inst: inst, Name: name}, &answer); err != nil {
		return nil, err
	}
	return answer.Instances, nil
}

// Text returns the help texts of metrics, or of instance domains if kind includes pcp.InDomText, in batches.
// A full text that is missing or empty is replaced by the one-line text.
func (c *Conn) Text(ctx context.Context, kind pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error) {
	out, err := c.texts(ctx, kind, idents)
	if err != nil || kind&^pcp.InDomText != pcp.Help {
		return out, err
	}
	var missing []uint32
	var where []int
	for i, r := range out {
		if r.Err != nil || r.Value == "" {
			missing, where = append(missing, idents[i]), append(where, i)
		}
	}
	short, err := c.texts(ctx, kind&pcp.InDomText|pcp.OneLine, missing)
	if err != nil {
		return nil, err
	}
	for i, r := range short {
		out[where[i]] = r
	}
	return out, nil
}

func (c *Conn) texts(ctx context.Context, kind pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error) {
	isInDom, kind := kind&pcp.InDomText != 0, kind&^pcp.InDomText
	known := kind == pcp.OneLine || kind == pcp.Help
	out, replies := make([]pcp.Answer[string], len(idents)), make([]pdu.Text, len(idents))
	return out, c.each(ctx, &pipeline{len(idents), func(i int) (pdu.Message, pdu.Message) {
		if !known {
			return nil, nil
		}
		return &pdu.TextReq{Ident: idents[i], InDom: isInDom, Kind: kind}, &replies[i]
	}, func(i int, err error) error {
		if !known {
			err = pmerr.Arg
		}
		out[i] = pcp.Answer[string]{Value: replies[i].Text, Err: err}
		return nil
	}})
}

// label returns the labels of one object.
func (c *Conn) label(ctx context.Context, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error) {
	if c.features&featureLabels == 0 {
		return nil, pmerr.NoLabels
	}
	fresh := false
	if kind == pcp.InstanceLabels && c.profile == nil {
		var err error
		if fresh, err = c.queueProfile(ctx, nil); err != nil {
			return nil, err
		}
	}
	req, answer := labelReq(kind, ident), pdu.Label{}
	err := c.call(ctx, req, &answer)
	if err == pmerr.Permission && fresh {
		err = c.readRefusals(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := sameLabels(req, &answer); err != nil {
		return nil, c.fail(ctx, "receive", err)
	}
	return answer.Sets, nil
}

// Labels returns the labels of objects of one level, asking for some at a time; pmerr.NoLabels if the
// daemon does not support labels. Which instances have labels may depend on the profile of the last
// fetch.
func (c *Conn) Labels(ctx context.Context, kind pcp.LabelKind, idents []uint32) ([]pcp.Answer[pcp.ObjectLabels], error) {
	out := make([]pcp.Answer[pcp.ObjectLabels], len(idents))
	alone := 0 // number of requests that are sent alone, before the pipeline
	switch {
	case c.features&featureLabels == 0:
		alone = len(idents)
	case kind == pcp.InstanceLabels && c.profile == nil:
		alone = min(1, len(idents)) // its reply may be preceded by the refusal of a profile
	}
	for i := range alone {
		if out[i].Value.Sets, out[i].Err = c.label(ctx, kind, idents[i]); c.broken != nil || ctx.Err() != nil {
			return nil, out[i].Err
		}
	}
	reqs, replies := make([]*pdu.LabelReq, len(idents)), make([]pdu.Label, len(idents))
	return out, c.each(ctx, &pipeline{len(idents) - alone, func(i int) (pdu.Message, pdu.Message) {
		i += alone
		reqs[i] = labelReq(kind, idents[i])
		return reqs[i], &replies[i]
	}, func(i int, err error) error {
		i += alone
		if out[i].Value.Sets, out[i].Err = replies[i].Sets, err; err != nil {
			return nil
		}
		return sameLabels(reqs[i], &replies[i])
	}})
}

func labelReq(kind pcp.LabelKind, ident uint32) *pdu.LabelReq {
	switch kind {
	case pcp.ContextLabels:
		ident = pdu.NullIdent
	case pcp.ClusterLabels:
		ident &^= 0x3ff
	}
	return &pdu.LabelReq{Ident: ident, Kind: kind}
}

func sameLabels(req *pdu.LabelReq, answer *pdu.Label) error {
	if answer.Ident == req.Ident && answer.Kind == req.Kind {
		return nil
	}
	return fmt.Errorf("labels of %d/%#x where those of %d/%#x were expected", answer.Kind, answer.Ident, req.Kind, req.Ident)
}
