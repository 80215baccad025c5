// Package sourcetest checks implementations of [pmapi.Source]. [Run] tests that a Source keeps the
// promises in the comments of the interface, and of [pmapi.Timeline] and [pmapi.Live] if it
// implements them or, for a Timeline, a Source below it does:
//
//	func TestConformance(t *testing.T) {
//		sourcetest.Run(t, func(t *testing.T) pmapi.Source { return open(t) })
//	}
//
// The Source should have metrics with and without instances, some of them more than one level deep
// in the name space. A recording should have at least three records and at most some hundred. A
// Source that refuses descriptions with pmerr.NoContext is taken to have names only.
package sourcetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Run checks the Sources that open returns, in a subtest for each part of the interface. The
// Sources must not share a position, but must have the same metrics and, if they are a
// pmapi.Timeline, the same records. Run closes them.
func Run(t *testing.T, open func(t *testing.T) pmapi.Source) {
	t.Helper()
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			c.do(func() pmapi.Source { return open(t) }, t.Errorf)
		})
	}
}

type check struct {
	name  string
	needs int // requirement of the check
	run   func(k *kit)
}

const (
	names  = iota
	values // values beside names
	replay // a Timeline
)

func checks() []check {
	return []check{
		{"lookup", names, (*kit).lookup},
		{"names", names, (*kit).namesOf},
		{"children", names, (*kit).children},
		{"walk", names, (*kit).walk},
		{"describe", values, (*kit).describe},
		{"instances", names, (*kit).instances},
		{"instance names", names, (*kit).instanceNames},
		{"labels", names, (*kit).labels},
		{"texts", names, (*kit).texts},
		{"fetch", names, (*kit).fetch},
		{"fetch again", values, (*kit).fetchAgain},
		{"fetch profile", values, (*kit).fetchProfile},
		{"fetch nothing", values, (*kit).fetchNothing},
		{"timeline end", replay, (*kit).end},
		{"timeline seek", replay, (*kit).seek},
		{"timeline modes", replay, (*kit).modes},
		{"timeline records", replay, (*kit).records},
		{"timeline instances", replay, (*kit).allInstances},
		{"store", names, (*kit).store},
		{"close", names, (*kit).close},
	}
}

type leaf struct {
	name string
	id   pcp.ID
}

type kit struct {
	ctx    context.Context
	open   func() pmapi.Source // opens another Source like src, which do closes
	errorf func(format string, args ...any)

	src    pmapi.Source
	time   pmapi.Timeline // Timeline of src, nil if it has none
	leaves []leaf         // in the order of Walk
	ids    []pcp.ID       // metrics of leaves, each once
	descs  map[pcp.ID]pcp.Desc
	indoms []pcp.InDom // instance domains of descs, each once
	bare   bool        // the Source has names only
}

func (c *check) do(open func() pmapi.Source, errorf func(string, ...any)) {
	var opened []pmapi.Source
	k := &kit{ctx: context.Background(), errorf: errorf, descs: make(map[pcp.ID]pcp.Desc)}
	k.open = func() pmapi.Source {
		src := open()
		opened = append(opened, src)
		return src
	}
	k.src = k.open()
	if k.survey() && (c.needs != values || !k.bare) && (c.needs != replay || k.time != nil) {
		c.run(k)
	}
	for _, src := range opened {
		if err := src.Close(); err != nil {
			errorf("Close: %v", err)
		}
	}
}

func (k *kit) survey() bool {
	k.time, _ = pmapi.As[pmapi.Timeline](k.src)
	seen := make(map[pcp.ID]bool)
	err := k.src.Walk(k.ctx, "", true, func(name string, id pcp.ID) bool {
		k.leaves = append(k.leaves, leaf{name, id})
		if !seen[id] {
			k.ids = append(k.ids, id)
		}
		seen[id] = true
		return true
	})
	if err != nil {
		k.errorf("Walk(%q): %v", "", err)
		return false
	}
	rs, err := k.src.Describe(k.ctx, k.ids)
	if errors.Is(err, pmerr.NoContext) {
		k.bare = true
		return true
	}
	if err != nil || len(rs) != len(k.ids) {
		k.errorf("Describe(%v): %d descriptions, error %v", k.ids, len(rs), err)
		return false
	}
	for i, r := range rs {
		if r.Err != nil {
			continue
		}
		k.descs[k.ids[i]] = r.Value
		if d := r.Value.InDom; d != pcp.NullInDom && !slices.Contains(k.indoms, d) {
			k.indoms = append(k.indoms, d)
		}
	}
	return true
}

func (k *kit) unknownID() pcp.ID {
	for item := uint32(1); ; item++ {
		id := pcp.NewID(399, 1999, item)
		if r, err := k.src.Describe(k.ctx, []pcp.ID{id}); err != nil || len(r) != 1 || r[0].Err != nil || item == 1023 {
			return id
		}
	}
}

func (k *kit) unknownInDom() pcp.InDom {
	d := pcp.NewInDom(399, 1999)
	for slices.Contains(k.indoms, d) {
		d++
	}
	return d
}

func isAny(err error, codes ...pmerr.Code) bool {
	return slices.ContainsFunc(codes, func(c pmerr.Code) bool { return errors.Is(err, c) })
}
