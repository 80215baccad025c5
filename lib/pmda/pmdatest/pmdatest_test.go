package pmdatest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"pmtools/lib/builtin/simple"
	"pmtools/lib/builtin/trivial"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// TestMain makes this program an agent where a test says so.
func TestMain(m *testing.M) {
	if os.Getenv("PMDATEST_AGENT") != "" {
		os.Exit(pmda.Main(newGood))
	}
	os.Exit(m.Run())
}

// TestAgents checks the collectors that are agents of the reference's too.
func TestAgents(t *testing.T) {
	for name, newAgent := range map[string]func(*pmda.Options) (pmda.Provider, error){
		"simple":  func(*pmda.Options) (pmda.Provider, error) { return simple.New(&simple.Options{Domain: 253}) },
		"trivial": func(*pmda.Options) (pmda.Provider, error) { return trivial.New(250) },
	} {
		t.Run(name, func(t *testing.T) { Run(t, Serve(newAgent)) })
	}
}

// TestProgram checks an agent that is a program.
func TestProgram(t *testing.T) {
	t.Setenv("PMDATEST_AGENT", "1")
	Run(t, Program(450, []pmda.Name{{Name: "good.one", ID: pcp.NewID(450, 0, 0)}}, os.Args[0], "-l", os.DevNull))
}

// list is the instance domain of newGood.
var list = &pmda.InDom{Serial: 1, OneLine: "letters", Instances: pmda.Numbered(0, "a", "b two"), Labels: `{"x":1}`,
	InstLabels: func(inst int32) string { return fmt.Sprintf(`{"i":%d}`, inst) }}

// goodTable is an agent's table without fault.
func goodTable() pmda.Table {
	return pmda.Table{Domain: 450, Labels: `{"agent":"good"}`, Metrics: []pmda.Metric{
		{Name: "good.one", Item: 0, Type: pcp.Int32, Sem: pcp.Instant, OneLine: "one", Fetch: pmda.One(func() int { return 1 })},
		{Name: "good.each", Item: 1, Type: pcp.Double, Sem: pcp.Counter, InDom: list, OneLine: "each",
			Fetch: pmda.Each(func(inst int32) (float64, error) { return float64(inst), nil })},
		{Name: "good.dyn", Dynamic: true},
		{Name: "good.dyn.a", Item: 2, Type: pcp.String, Sem: pcp.Discrete, OneLine: "a", Fetch: pmda.Always("a")},
		{Name: "good.dyn.b.c", Item: 3, Type: pcp.Uint64, Sem: pcp.Discrete, OneLine: "c", Fetch: pmda.Always(uint64(3))},
		{Name: "good.none", Item: 4, Type: pcp.Uint64, Sem: pcp.Discrete, OneLine: "no value", Fetch: func(*pmda.Column) error { return pmerr.Again }},
	}}
}

// newGood returns an agent without fault.
func newGood(*pmda.Options) (pmda.Provider, error) { return pmda.New(goodTable()) }

// TestGood checks an agent that has everything.
func TestGood(t *testing.T) { Run(t, Serve(newGood)) }

// A faulty agent is one that answers with what the functions return that are set.
type faulty struct {
	*pmda.Agent
	fetch  func(*pmda.Request, *pcp.Result) error
	labels func(pcp.LabelKind) ([]pcp.LabelSet, error)
	insts  func() ([]pcp.Instance, error)
	leaves []string
	desc   func(pcp.ID) (pcp.Desc, error)
}

func (f *faulty) Fetch(ctx context.Context, req *pmda.Request, dst *pcp.Result) error {
	if err := f.Agent.Fetch(ctx, req, dst); err != nil || f.fetch == nil {
		return err
	}
	return f.fetch(req, dst)
}

func (f *faulty) Labels(ctx context.Context, c *pmda.Client, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error) {
	if f.labels == nil {
		return f.Agent.Labels(ctx, c, kind, ident)
	}
	return f.labels(kind)
}

func (f *faulty) Instances(ctx context.Context, c *pmda.Client, d pcp.InDom) ([]pcp.Instance, error) {
	if f.insts == nil {
		return f.Agent.Instances(ctx, c, d)
	}
	return f.insts()
}

func (f *faulty) Leaves(ctx context.Context, c *pmda.Client, name string) ([]string, error) {
	list, err := f.Agent.Leaves(ctx, c, name)
	return append(list, f.leaves...), err
}

func (f *faulty) Desc(ctx context.Context, c *pmda.Client, id pcp.ID) (pcp.Desc, error) {
	if f.desc == nil {
		return f.Agent.Desc(ctx, c, id)
	}
	return f.desc(id)
}

// TestFaults checks that each check finds its faults.
func TestFaults(t *testing.T) {
	row := func(i int, change func(*pmda.Metric)) func(*pmda.Table) {
		return func(t *pmda.Table) { change(&t.Metrics[i]) }
	}
	for _, tt := range []struct {
		check string
		agent faulty
		table func(*pmda.Table)
		want  string // part of the complaint
	}{
		{"names", faulty{}, func(t *pmda.Table) { t.Metrics = nil }, "no names"},
		{"names", faulty{}, row(0, func(m *pmda.Metric) { m.Name = "good.1" }), `component "1"`},
		{"names", faulty{}, row(0, func(m *pmda.Metric) { m.Name = "good.each" }), "twice"},
		{"names", faulty{}, row(0, func(m *pmda.Metric) { m.Name = "good" }), "stands above"},
		{"dynamic names", faulty{leaves: []string{"good.dyn.z"}}, nil, "good.dyn.z: Unknown metric name"},
		{"dynamic names", faulty{leaves: []string{"bad.z"}}, nil, "does not stand below"},
		{"descriptions", faulty{desc: func(pcp.ID) (pcp.Desc, error) { return pcp.Desc{}, pmerr.PMID }}, nil, "no description"},
		{"descriptions", faulty{desc: func(pcp.ID) (pcp.Desc, error) { return pcp.Desc{ID: 7}, nil }}, nil, "no description"},
		{"descriptions", faulty{}, row(0, func(m *pmda.Metric) { m.Sem = 9 }), "semantics (9)"},
		{"descriptions", faulty{desc: func(id pcp.ID) (pcp.Desc, error) {
			return pcp.Desc{ID: id, Type: pcp.Int32, Sem: pcp.Instant, InDom: pcp.NewInDom(60, 1)}, nil
		}}, nil, "60.1 is not one of the agent's"},
		{"instances", faulty{insts: func() ([]pcp.Instance, error) { return pmda.Numbered(0, "a", "a two"), nil }}, nil, "occurs twice"},
		{"instances", faulty{insts: func() ([]pcp.Instance, error) { return pmda.Numbered(-5, "a"), nil }}, nil, "negative"},
		{"instances", faulty{insts: func() ([]pcp.Instance, error) { return pmda.Numbered(0, " "), nil }}, nil, "no word"},
		{"instances", faulty{insts: func() ([]pcp.Instance, error) { return pmda.Numbered(0, "z"), nil }}, nil, "by name it is 0, error Unknown or illegal instance"},
		{"instances", faulty{insts: func() ([]pcp.Instance, error) { return nil, errors.New("no") }}, nil, "instances of 450.1"},
		{"values", faulty{fetch: func(_ *pmda.Request, r *pcp.Result) error {
			r.Sets[0].Err, r.Sets[0].Insts = pmerr.PMID, nil
			return nil
		}}, nil, "not fetched"},
		{"values", faulty{fetch: func(_ *pmda.Request, r *pcp.Result) error { r.Sets[0].ID++; return nil }}, nil, "at place 0"},
		{"values", faulty{fetch: func(*pmda.Request, *pcp.Result) error { return pmerr.Generic }}, nil, "values of [good.one]"},
		{"values", faulty{fetch: func(_ *pmda.Request, r *pcp.Result) error { r.Sets[0].Type = pcp.Uint64; return nil }}, nil, "not of type"},
		{"values", faulty{fetch: func(_ *pmda.Request, r *pcp.Result) error {
			if len(r.Sets[0].Insts) > 1 {
				r.Sets[0].Insts[1] = 17
			}
			return nil
		}}, nil, "instance 17 occurs twice or is not in"},
		{"values", faulty{fetch: func(_ *pmda.Request, r *pcp.Result) error {
			if len(r.Sets[0].Insts) == 1 {
				r.Sets[0].Insts[0] = 3
			}
			return nil
		}}, nil, "without instances"},
		{"profiles", faulty{fetch: func(_ *pmda.Request, r *pcp.Result) error {
			for i := range r.Sets {
				if s := &r.Sets[i]; s.ID.Item() == 1 {
					s.Insts, s.Words = []int32{0, 1}, []uint64{0, 0}
				}
			}
			return nil
		}}, nil, "instance 0, which the profile does not select"},
		{"help", faulty{}, row(0, func(m *pmda.Metric) { m.OneLine = "" }), "good.one: no one-line help text"},
		{"help", faulty{}, row(0, func(m *pmda.Metric) { m.OneLine = "two\nlines" }), `is "two\nlines"`},
		{"labels", faulty{labels: func(pcp.LabelKind) ([]pcp.LabelSet, error) { return nil, errors.New("no") }}, nil, "labels of the domain"},
		{"labels", faulty{labels: func(pcp.LabelKind) ([]pcp.LabelSet, error) { return make([]pcp.LabelSet, 2), nil }}, nil, "2 sets"},
		{"labels", faulty{labels: func(pcp.LabelKind) ([]pcp.LabelSet, error) { return []pcp.LabelSet{{Inst: -1}}, nil }}, nil, "the instances of 450.1: a set for instance -1"},
		{"unknown", faulty{desc: func(id pcp.ID) (pcp.Desc, error) { return pcp.Desc{ID: id}, nil }}, nil, "description of an unknown metric"},
		{"unknown", faulty{insts: func() ([]pcp.Instance, error) { return nil, nil }}, nil, "instances of an unknown domain"},
	} {
		table := goodTable()
		if tt.table != nil {
			tt.table(&table)
		}
		var complaints []string
		for _, c := range checks() {
			if c.name == tt.check {
				c.do(t.Context(), Serve(func(*pmda.Options) (pmda.Provider, error) {
					agent := tt.agent
					var err error
					agent.Agent, err = pmda.New(table)
					return &agent, err
				}), func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) })
			}
		}
		if got := strings.Join(complaints, "\n"); !strings.Contains(got, tt.want) {
			t.Errorf("%s: complaints %q, want %q", tt.check, got, tt.want)
		}
	}
}

// TestEnd: an agent that does not start, or does not end well, is a fault.
func TestEnd(t *testing.T) {
	var complaints []string
	errorf := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	c := checks()[0]
	c.do(t.Context(), Serve(func(*pmda.Options) (pmda.Provider, error) { return nil, errors.New("sorry") }), errorf)
	c.do(t.Context(), Program(450, []pmda.Name{{Name: "a", ID: pcp.NewID(450, 0, 0)}}, "/no/such/program"), errorf)
	got := strings.Join(complaints, "\n")
	if !strings.Contains(got, "does not start: sorry") || !strings.Contains(got, "/no/such/program") {
		t.Errorf("complaints %q", got)
	}
}
