// Package pmdatest checks agents. A single call sends an agent all kinds of requests that the
// daemon may send, and compares the answers with each other and with the rules of the protocol:
//
//	func TestConformance(t *testing.T) {
//		pmdatest.Run(t, pmdatest.Serve(newSpool))
//	}
//
// [Serve] is for agents in Go, [Program] for any other.
package pmdatest

import (
	"context"
	"io"
	"os/exec"
	"slices"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmda/remote"
	"pmtools/lib/pmerr"
)

// Run checks the agents that open returns, in a subtest for each kind of request. The agents must
// have the same metrics. Run closes them, and fails if an agent does not end without an error.
func Run(t *testing.T, open func(ctx context.Context) (*remote.Agent, error)) {
	t.Helper()
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			t.Helper()
			c.do(t.Context(), open, t.Errorf)
		})
	}
}

// Serve returns a function for [Run] that opens an agent whose provider runs in this process, made
// as [pmda.Main] makes it.
func Serve(newAgent func(o *pmda.Options) (pmda.Provider, error)) func(context.Context) (*remote.Agent, error) {
	return func(ctx context.Context) (*remote.Agent, error) {
		o := &pmda.Options{Program: "pmdatest", Logf: func(string, ...any) {}}
		p, err := newAgent(o)
		if err != nil {
			return nil, err
		}
		return remote.Serve(ctx, &pmda.Server{Provider: p, Attrs: o.Attrs, Containers: o.Containers, NotReady: o.NotReady}, nil)
	}
}

// Program returns a function for [Run] that starts a program, an agent over standard input and
// output. names are the names of its metrics; [remote.ProgramNames] asks a program that uses
// [pmda.Main] for them.
func Program(domain uint32, names []pmda.Name, program string, args ...string) func(context.Context) (*remote.Agent, error) {
	return func(ctx context.Context) (*remote.Agent, error) {
		return remote.Start(ctx, exec.Command(program, args...), &remote.Options{Domain: domain, Names: names, Stderr: io.Discard})
	}
}

type check struct {
	name string
	run  func(k *kit)
}

func checks() []check {
	return []check{
		{"names", (*kit).checkNames},
		{"dynamic names", (*kit).checkDynamic},
		{"descriptions", (*kit).checkDescs},
		{"instances", (*kit).checkInstances},
		{"values", (*kit).checkValues},
		{"profiles", (*kit).checkProfiles},
		{"help", (*kit).checkHelp},
		{"labels", (*kit).checkLabels},
		{"unknown", (*kit).checkUnknown},
		{"bad requests", (*kit).checkBadRequests},
		{"clients", (*kit).checkClients},
	}
}

type kit struct {
	*remote.Agent
	ctx    context.Context
	errorf func(format string, args ...any)
	client *pmda.Client
	names  []pmda.Name                  // of its own metrics, dynamic ones too
	descs  []pcp.Desc                   // of each metric once
	indoms []pcp.InDom                  // of descs, each once
	seen   map[pcp.InDom]map[int32]bool // the instances that they have had
}

func (c *check) do(ctx context.Context, open func(context.Context) (*remote.Agent, error), errorf func(string, ...any)) {
	a, err := open(ctx)
	if err != nil {
		errorf("the agent does not start: %v", err)
		return
	}
	k := &kit{Agent: a, ctx: ctx, errorf: errorf, client: &pmda.Client{Number: 1}, seen: map[pcp.InDom]map[int32]bool{}}
	if err := a.Ready(ctx); err != nil {
		errorf("the agent does not get ready: %v", err)
	} else {
		k.survey()
		c.run(k)
		if err := a.Check(ctx, k.client); err != nil {
			errorf("the agent cannot be asked any more: %v", err)
		}
	}
	a.EndClient(k.client)
	if err := a.Close(); err != nil {
		errorf("the agent does not end well: %v", err)
	}
}

// survey lists names and descriptions. Mistakes in them are found by the checks.
func (k *kit) survey() {
	for _, n := range k.Names() {
		switch {
		case n.ID == pmda.RootID(k.Domain()):
			leaves, err := k.Leaves(k.ctx, k.client, n.Name)
			if err != nil {
				continue
			}
			for _, leaf := range leaves {
				if id, err := k.LookupName(k.ctx, k.client, leaf); err == nil && id.Domain() == k.Domain() {
					k.names = append(k.names, pmda.Name{Name: leaf, ID: id})
				}
			}
		case n.ID.Domain() == k.Domain():
			k.names = append(k.names, n)
		}
	}
	seen := map[pcp.ID]bool{}
	for _, n := range k.names {
		if seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		d, err := k.Desc(k.ctx, k.client, n.ID)
		if err != nil {
			continue
		}
		k.descs = append(k.descs, d)
		if d.InDom != pcp.NullInDom && !slices.Contains(k.indoms, d.InDom) {
			k.indoms = append(k.indoms, d.InDom)
			k.see(d.InDom)
		}
	}
}

func (k *kit) name(id pcp.ID) string {
	for _, n := range k.names {
		if n.ID == id {
			return n.Name
		}
	}
	return id.String()
}

func (k *kit) in(d pcp.InDom) (ids []pcp.ID) {
	for _, desc := range k.descs {
		if desc.InDom == d {
			ids = append(ids, desc.ID)
		}
	}
	return ids
}

func (k *kit) wants(what string, err error, want ...pmerr.Code) {
	if err == nil || !slices.Contains(want, pmerr.Of(err)) {
		k.errorf("%s: error %v, want %v", what, err, want)
	}
}
