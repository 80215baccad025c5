package sourcetest

import (
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// together compares the batch requests that the Source implements with single requests.
func (k *kit) together() {
	k.walkNames()
	if k.bare {
		return
	}
	if l, ok := pmapi.As[pmapi.InstanceLister](k.src); ok {
		k.allOf(l)
	}
	if l, ok := pmapi.As[pmapi.TextLister](k.src); ok {
		for _, kind := range []pcp.TextKind{pcp.OneLine, pcp.Help} {
			k.textsOf(l, kind)
		}
	}
}

// walkNames compares WalkNames with Walk.
func (k *kit) walkNames() {
	for _, n := range []int{len(k.leaves), 1} {
		var names []string
		err := pmapi.WalkNames(k.ctx, k.src, "", func(name string) bool {
			names = append(names, name)
			return len(names) < n
		})
		var want []string
		for _, l := range k.leaves[:min(n, len(k.leaves))] {
			want = append(want, l.name)
		}
		if err != nil || !slices.Equal(names, want) {
			k.errorf("WalkNames, stopped at number %d: %v, error %v; Walk shows %v", n, names, err, want)
		}
	}
}

// allOf compares AllOf with Instances.
func (k *kit) allOf(l pmapi.InstanceLister) {
	ds := append(slices.Clone(k.indoms), k.unknownInDom())
	found, err := l.AllOf(k.ctx, ds)
	if err != nil || len(found) != len(ds) {
		k.errorf("AllOf: %d answers to %d questions, error %v", len(found), len(ds), err)
		return
	}
	for i, d := range ds {
		want, err := k.src.Instances(k.ctx, d)
		if got := found[i]; !slices.Equal(got.Value, want) || pmerr.Of(got.Err) != pmerr.Of(err) {
			k.errorf("AllOf: %v has %v, error %v; Instances says %v, %v", d, got.Value, got.Err, want, err)
		}
	}
}

// textsOf compares Texts with Text.
func (k *kit) textsOf(l pmapi.TextLister, kind pcp.TextKind) {
	t, ok := pmapi.As[pmapi.Texter](k.src)
	if !ok {
		k.errorf("a TextLister that is no Texter")
		return
	}
	ids := append(slices.Clone(k.ids), k.unknownID())
	found, err := l.Texts(k.ctx, ids, kind)
	if err != nil || len(found) != len(ids) {
		k.errorf("Texts: %d answers to %d questions, error %v", len(found), len(ids), err)
		return
	}
	for i, id := range ids {
		want, err := t.Text(k.ctx, id, kind)
		if got := found[i]; got.Value != want || pmerr.Of(got.Err) != pmerr.Of(err) {
			k.errorf("Texts: %v has %q, error %v; Text says %q, %v", id, got.Value, got.Err, want, err)
		}
	}
}
