package archivetest

import (
	"fmt"
	"strings"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// fillInDoms writes the domain of archive.md A11.5, which changes every ten seconds, in version 3 with
// deltas, and one of 40 instances, some of which come and go.
func fillInDoms(k *kit) {
	proc := pcp.NewInDom(245, 2)
	k.metric(id245(1), pcp.Int32, testInDom, pcp.Instant, noUnits, "t.i")
	k.metric(id245(2), pcp.Uint32, proc, pcp.Counter, count, "proc.n")
	in := func(id int32, name string) pcp.Instance { return pcp.Instance{ID: id, Name: name} }
	ten, late := in(10, "one"), in(10, "one again")
	alpha, beta, three := in(20, "two alpha"), in(25, "two beta"), in(30, "three three")
	four, five := in(40, "four"), in(50, "five")
	steps := [][]pcp.Instance{{ten, alpha, three}, {ten, beta, three}, {ten, beta, four}, {five}, {late}}
	for i, insts := range steps {
		t := float64(10 * i)
		if i == 4 && k.version != 2 {
			// The writer itself would write such a large change in full.
			k.do(k.w.PutMeta(k.at(t), archive.AppendInDomDelta(nil, k.at(t), testInDom, insts, []int32{50})))
		} else {
			k.indom(t, testInDom, insts...)
		}
		var ids []int32
		var values []any
		for _, inst := range insts {
			ids = append(ids, inst.ID)
			values = append(values, int64(inst.ID)+int64(i))
		}
		procs, procIDs, counts := processes(i)
		k.indom(t, proc, procs...)
		k.put(t, k.col(id245(1), ids, values...), k.col(id245(2), procIDs, counts...))
	}
}

func processes(i int) (insts []pcp.Instance, ids []int32, values []any) {
	for p := range 45 {
		if p >= 40+i || p%9 == i { // few join, and five are absent
			continue
		}
		id := int32(1000 + 7*p)
		insts = append(insts, pcp.Instance{ID: id, Name: fmt.Sprintf("%06d /usr/bin/program-%d -x %d", id, p, p*p)})
		ids = append(ids, id)
		values = append(values, 10*p+i)
	}
	return insts, ids, values
}

// fillLabels writes labels of all levels, optional, compound and changing ones, and help texts.
func fillLabels(k *kit) {
	single, set, plain := id245(1), pcp.NewID(245, 1, 1), id245(3)
	k.metric(single, pcp.Uint32, pcp.NullInDom, pcp.Counter, byteU, "lab.single", "lab.alias")
	k.metric(set, pcp.Int32, testInDom, pcp.Instant, noUnits, "lab.set")
	k.metric(plain, pcp.String, pcp.NullInDom, pcp.Discrete, noUnits, "lab.plain")
	label := func(t float64, kind pcp.LabelKind, ident uint32, labels ...pcp.Label) {
		for i := range labels {
			labels[i].Flags |= uint8(kind)
		}
		k.do(k.w.SetLabels(k.at(t), kind, ident, []pcp.LabelSet{{Inst: pcp.NullInst, Labels: labels}}))
	}
	insts := []int32{0, 1, 7}
	perInstance := func(t float64, colour string) {
		var sets []pcp.LabelSet
		for i, inst := range insts {
			sets = append(sets, pcp.LabelSet{Inst: inst, Labels: []pcp.Label{
				{Name: "colour", Value: `"` + colour + `"`, Flags: uint8(pcp.InstanceLabels)},
				{Name: "slot", Value: fmt.Sprint(i), Flags: uint8(pcp.InstanceLabels)},
			}})
		}
		k.do(k.w.SetLabels(k.at(t), pcp.InstanceLabels, uint32(testInDom), sets))
	}
	label(0, pcp.ContextLabels, 0, pcp.Label{Name: "hostname", Value: `"specbox"`}, pcp.Label{Name: "domainname", Value: `"example.com"`},
		pcp.Label{Name: "machineid", Value: `"0123456789abcdef0123456789abcdef"`}, pcp.Label{Name: "userid", Value: "0", Flags: pcp.LabelOptional})
	label(0, pcp.DomainLabels, 245, pcp.Label{Name: "agent", Value: `"spec"`}, pcp.Label{Name: "precedence", Value: `"domain"`})
	label(0, pcp.ClusterLabels, uint32(pcp.NewID(245, 0, 0)), pcp.Label{Name: "cluster", Value: `"zero"`}, pcp.Label{Name: "precedence", Value: `"cluster"`})
	label(0, pcp.ClusterLabels, uint32(pcp.NewID(245, 1, 0)), pcp.Label{Name: "cluster", Value: `"one"`})
	label(0, pcp.ItemLabels, uint32(single), pcp.Label{Name: "measure", Value: `"speed"`}, pcp.Label{Name: "precedence", Value: `"item"`},
		pcp.Label{Name: "units.in", Value: "-1.5e3", Flags: pcp.LabelCompound}, pcp.Label{Name: "units.out", Value: "null", Flags: pcp.LabelCompound})
	label(0, pcp.InDomLabels, uint32(testInDom), pcp.Label{Name: "indom_name", Value: `"things \"quoted\""`}, pcp.Label{Name: "rack", Value: "true"})
	perInstance(0, "red")
	texts := []struct {
		ident   uint32
		isInDom bool
		kind    pcp.TextKind
		text    string
	}{
		{uint32(single), false, pcp.OneLine, "bytes that went by"},
		{uint32(single), false, pcp.Help, "The number of bytes that went by since the beginning.\nIt never falls.\n\nThis paragraph is the last one."},
		{uint32(set), false, pcp.OneLine, "a set of values"},
		{uint32(testInDom), true, pcp.OneLine, "things"},
		{uint32(testInDom), true, pcp.Help, "All the things of this archive.\n" + strings.Repeat("A long line of help. ", 12)},
	}
	for _, t := range texts {
		k.do(k.w.SetText(t.ident, t.isInDom, t.kind, t.text))
	}
	k.indom(0, testInDom, named(insts, "zero", "one", "seven up")...)
	for i := range 4 {
		t := float64(10 * i)
		if i == 2 {
			label(t, pcp.ItemLabels, uint32(single), pcp.Label{Name: "measure", Value: `"distance"`})
			perInstance(t, "green")
		}
		k.put(t, k.col(single, nil, 1000*i), k.col(set, insts, i, 2*i, -i), k.col(plain, nil, fmt.Sprintf("text %d", i)))
	}
}

// fillNames writes aliases, a deep and a wide name space, a name of two metrics, and a name that is both a
// leaf and a node.
func fillNames(k *kit) {
	var cols []pcp.Values
	add := func(item uint32, names ...string) {
		k.metric(id245(item), pcp.Int32, pcp.NullInDom, pcp.Instant, noUnits, names...)
		cols = append(cols, k.col(id245(item), nil, int64(item)))
	}
	add(1, "top")
	add(2, "a.first", "a.alias", "b.alias")
	add(3, "a.b.c.d.e.f.g.h.i.j")
	add(4, "both")
	add(5, "both.leaf")
	add(6, "twice")
	add(7, "twice", "thrice")
	for i := range uint32(60) {
		add(100+i, fmt.Sprintf("wide.m%02d", i))
	}
	k.put(0, cols...)
	k.metric(id245(1), pcp.Int32, pcp.NullInDom, pcp.Instant, noUnits, "later.name")
	k.put(1, cols...)
}
