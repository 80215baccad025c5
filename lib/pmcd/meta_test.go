package pmcd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// TestDescribe has the cases of wire.md W18.17, and of daemons that describe one metric at a time
// (W18.2).
func TestDescribe(t *testing.T) {
	for _, row := range []struct {
		name         string
		features     uint16
		ids          []pcp.ID
		want         string
		many, single int // requests
	}{
		{"none", pmcdtest.Features, nil, "", 0, 0},
		{"one", pmcdtest.Features, []pcp.ID{idBin}, "29.0.6", 0, 1},
		{"one bad", pmcdtest.Features, []pcp.ID{idNone}, "-12358", 0, 1},
		{"several", pmcdtest.Features, []pcp.ID{idBin, idOne}, "29.0.6 29.0.10", 1, 0},
		{"bad among others", pmcdtest.Features, []pcp.ID{idBin, idNone, idNoDesc, idOne}, "29.0.6 -12358 -12389 29.0.10", 1, 2},
		{"all bad", pmcdtest.Features, []pcp.ID{idNone, idNoDesc}, "-12358 -12389", 1, 2},
		{"one at a time", pmcdtest.Features &^ pmcdtest.Descs, []pcp.ID{idBin, idNone, idOne}, "29.0.6 -12358 29.0.10", 0, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, _ := sample(t)
			s.SetFeatures(row.features)
			ds, err := connect(t, s, long).Describe(context.Background(), row.ids)
			var got []string
			for _, d := range ds {
				if d.Err != nil {
					got = append(got, fmt.Sprint(int32(pmerr.Of(d.Err))))
				} else {
					got = append(got, d.Value.ID.String())
				}
			}
			if text := strings.Join(got, " "); err != nil || text != row.want {
				t.Errorf("got %s, error %v, want %s", text, err, row.want)
			}
			if many, single := s.Count(pdu.TypeDescIDs), s.Count(pdu.TypeDescReq); many != row.many || single != row.single {
				t.Errorf("%d and %d requests, want %d and %d", many, single, row.many, row.single)
			}
		})
	}
}

// TestDescribeMany asks for more than one request can hold.
func TestDescribeMany(t *testing.T) {
	var ids []pcp.ID
	for i := range 40000 {
		ids = append(ids, pcp.ID(i))
	}
	s := pmcdtest.NewServer(handlerFunc(func(c *pmcdtest.Session, f pdu.Frame) []pdu.Message {
		var m pdu.DescIDs
		if f.Type != pdu.TypeDescIDs || m.Decode(f.Body) != nil {
			return nil
		}
		out := &pdu.Descs{}
		for _, id := range m.IDs {
			out.Descs = append(out.Descs, pcp.Desc{ID: id, InDom: pcp.InDom(id + 1)})
		}
		return []pdu.Message{out}
	}))
	defer s.Close()
	ds, err := connect(t, s, long).Describe(context.Background(), ids)
	if err != nil || len(ds) != len(ids) {
		t.Fatalf("%d answers, error %v", len(ds), err)
	}
	for i, d := range ds {
		if d.Err != nil || d.Value.ID != ids[i] || d.Value.InDom != pcp.InDom(i+1) {
			t.Fatalf("%d: %+v", i, d)
		}
	}
	if n := s.Count(pdu.TypeDescIDs); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestDescribeCount(t *testing.T) {
	for n := range 4 {
		s, _ := sample(t)
		c := connect(t, s, long)
		s.SetEdit(pmcdtest.On(pdu.TypeDescIDs, 0, pmcdtest.Put(&pdu.Descs{Descs: make([]pcp.Desc, n)})))
		if _, err := c.Describe(context.Background(), []pcp.ID{idBin, idOne}); n != 2 && !errors.Is(err, pmerr.IPC) {
			t.Errorf("%d answers: error %v", n, err)
		}
	}
}

// TestInstances has the cases of wire.md W18.12, and those that are not sent.
func TestInstances(t *testing.T) {
	s, _ := sample(t)
	c, ctx := connect(t, s, long), context.Background()
	inst := func(d pcp.InDom, name string) func() (any, error) {
		return func() (any, error) { return c.LookupInst(ctx, d, name) }
	}
	name := func(d pcp.InDom, id int32) func() (any, error) {
		return func() (any, error) { return c.InstName(ctx, d, id) }
	}
	all := func(d pcp.InDom) func() (any, error) {
		return func() (any, error) { return one(c.Instances(ctx, []pcp.InDom{d})) }
	}
	for _, row := range []struct {
		name string
		call func() (any, error)
		want string
		err  error
		sent int
	}{
		{"all", all(pmcdtest.ColorInDom), "[{0 red} {1 green light} {2 blue}]", nil, 1},
		{"all of an empty domain", all(pmcdtest.NobodyInDom), "[]", nil, 1},
		{"all of an unknown domain", all(pcp.NewInDom(9, 9)), "[]", pmerr.InDom, 1},
		{"all of none", all(pcp.NullInDom), "[]", pmerr.InDom, 0},
		{"number", inst(pmcdtest.BinInDom, "bin-200"), "200", nil, 1},
		{"number of the first word", inst(pmcdtest.ColorInDom, "green"), "1", nil, 1},
		{"number of an unknown name", inst(pmcdtest.BinInDom, "bin-999"), "0", pmerr.Inst, 1},
		{"number of no name: the first one", inst(pmcdtest.BinInDom, ""), "100", nil, 1}, // as pmLookupInDom,
		{"number of no name in an unknown domain", inst(pcp.NewInDom(9, 9), ""), "0", pmerr.InDom, 1},
		{"number in no domain", inst(pcp.NullInDom, "bin"), "0", pmerr.InDom, 0},
		{"number of no name in no domain", inst(pcp.NullInDom, ""), "0", pmerr.InDom, 0},
		{"name", name(pmcdtest.ColorInDom, 1), "green light", nil, 1},
		{"name of an unknown number", name(pmcdtest.ColorInDom, 7), "", pmerr.Inst, 1},
		{"name of no number", name(pmcdtest.ColorInDom, pcp.NullInst), "", pmerr.Inst, 0},
		{"name in no domain", name(pcp.NullInDom, 1), "", pmerr.InDom, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := s.Count(pdu.TypeInstanceReq)
			got, err := row.call()
			if fmt.Sprint(got) != row.want || !errors.Is(err, row.err) {
				t.Errorf("got %v, error %v, want %s, %v", got, err, row.want, row.err)
			}
			if n := s.Count(pdu.TypeInstanceReq) - before; n != row.sent {
				t.Errorf("%d requests, want %d", n, row.sent)
			}
		})
	}
}

// TestInstanceLists has replies to one question with none and with two instances.
func TestInstanceLists(t *testing.T) {
	for _, list := range [][]pcp.Instance{nil, {{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}} {
		s, _ := sample(t)
		c, ctx := connect(t, s, long), context.Background()
		s.SetEdit(func(r *pmcdtest.Reply) {
			if r.Request == pdu.TypeInstanceReq {
				pmcdtest.Put(&pdu.Instance{Instances: list})(r)
			}
		})
		if _, err := c.LookupInst(ctx, pmcdtest.BinInDom, "a"); !errors.Is(err, pmerr.Inst) {
			t.Errorf("%d instances: error %v", len(list), err)
		}
		if _, err := c.InstName(ctx, pmcdtest.BinInDom, 1); !errors.Is(err, pmerr.Inst) {
			t.Errorf("%d instances: error %v", len(list), err)
		}
	}
}

func TestAllOf(t *testing.T) {
	s, _ := sample(t)
	ds := []pcp.InDom{pmcdtest.BinInDom, pcp.NullInDom, pcp.NewInDom(9, 9), pmcdtest.NobodyInDom, pmcdtest.BinInDom}
	rs, err := connect(t, s, long).Instances(context.Background(), ds)
	if err != nil || len(rs) != len(ds) {
		t.Fatalf("%v, error %v", rs, err)
	}
	for i, want := range []struct {
		n   int
		err error
	}{{3, nil}, {0, pmerr.InDom}, {0, pmerr.InDom}, {0, nil}, {3, nil}} {
		if len(rs[i].Value) != want.n || !errors.Is(rs[i].Err, want.err) {
			t.Errorf("%d: %+v", i, rs[i])
		}
	}
	if n := s.Count(pdu.TypeInstanceReq); n != 4 {
		t.Errorf("%d requests", n)
	}
}

// TestText has the cases of wire.md W15, W18.11 and W18.31.
func TestText(t *testing.T) {
	s, _ := sample(t)
	c := connect(t, s, long)
	long := pcp.NewID(29, 0, 38)
	for _, row := range []struct {
		name  string
		ident uint32
		kind  pcp.TextKind
		want  string
		err   error
		sent  int
	}{
		{"one line", uint32(idBin), pcp.OneLine, "Several constant instances", nil, 1},
		{"full", uint32(long), pcp.Help, "Three colours\nin full", nil, 1},
		{"full that is empty", uint32(idBin), pcp.Help, "Several constant instances", nil, 2},
		{"full without any", uint32(idOne), pcp.Help, "", pmerr.Text, 2},
		{"one line without any", uint32(idOne), pcp.OneLine, "", pmerr.Text, 1},
		{"unknown metric", uint32(idNone), pcp.Help, "", pmerr.PMID, 2},
		{"domain", uint32(pmcdtest.BinInDom), pcp.InDomText | pcp.Help, "all the bins", nil, 1},
		{"domain that is empty", uint32(pmcdtest.ColorInDom), pcp.InDomText | pcp.Help, "colours", nil, 2},
		{"unknown domain", 1, pcp.InDomText | pcp.OneLine, "", pmerr.InDom, 1},
		{"no kind", uint32(idBin), 0, "", pmerr.Arg, 0},
		{"both kinds", uint32(idBin), 3, "", pmerr.Arg, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := s.Count(pdu.TypeTextReq)
			got, err := c.Text(context.Background(), row.kind, []uint32{row.ident})
			if err != nil || len(got) != 1 {
				t.Fatalf("got %q, error %v", got, err)
			}
			if got[0].Value != row.want || !errors.Is(got[0].Err, row.err) {
				t.Errorf("got %q, error %v, want %q, %v", got, err, row.want, row.err)
			}
			if n := s.Count(pdu.TypeTextReq) - before; n != row.sent {
				t.Errorf("%d requests, want %d", n, row.sent)
			}
		})
	}
}

// TestTextBreaks loses the connection between full text and one line.
func TestTextBreaks(t *testing.T) {
	for n := range 2 {
		s, _ := sample(t)
		c := connect(t, s, long)
		s.SetEdit(pmcdtest.On(pdu.TypeTextReq, n, pmcdtest.Cut(5)))
		if _, err := c.Text(context.Background(), pcp.Help, []uint32{uint32(idBin)}); !errors.Is(err, pmerr.IPC) {
			t.Errorf("error %v", err)
		}
		if got := s.Count(pdu.TypeTextReq); got != n+1 {
			t.Errorf("%d requests", got)
		}
		checkDead(t, c)
	}
}

// TestLabels has the cases of wire.md W18.2, W18.10 and W18.11.
func TestLabels(t *testing.T) {
	s, _ := sample(t)
	c, ctx := connect(t, s, long), context.Background()
	for _, row := range []struct {
		name  string
		kind  pcp.LabelKind
		ident uint32
		want  string
		err   error
	}{
		{"context", pcp.ContextLabels, 0, `[{-1 <nil> [{hostname "test" 1}]}]`, nil},
		{"domain", pcp.DomainLabels, 29, `[{-1 <nil> [{agent "sample" 2} {role "testing" 2}]}]`, nil},
		{"domain without", pcp.DomainLabels, 30, "[]", nil},
		{"cluster without", pcp.ClusterLabels, uint32(idBin), "[]", nil},
		{"instances without", pcp.InstanceLabels, uint32(pmcdtest.ColorInDom), "[]", nil},
		{"unknown metric", pcp.ItemLabels, uint32(idNone), "[]", pmerr.PMID},
		{"unknown domain", pcp.InDomLabels, 1, "[]", pmerr.InDom},
		{"unknown kind", 3, 1, "[]", pmerr.Type},
	} {
		t.Run(row.name, func(t *testing.T) {
			found, err := c.Labels(ctx, row.kind, []uint32{row.ident})
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			got, err := found[0].Value.Sets, found[0].Err
			if fmt.Sprint(got) != row.want || !errors.Is(err, row.err) {
				t.Errorf("got %v, error %v, want %s, %v", got, err, row.want, row.err)
			}
		})
	}
	rs := s.Requests()
	var cluster pdu.LabelReq
	for _, r := range rs {
		if r.Type == pdu.TypeLabelReq && cluster.Decode(r.Body) == nil && cluster.Kind == pcp.ClusterLabels && cluster.Ident != uint32(idBin)&^0x3ff {
			t.Errorf("cluster asked for as %#x", cluster.Ident)
		}
	}
	if n := s.Count(pdu.TypeProfile); n != 1 {
		t.Errorf("%d profiles", n)
	}
}

func TestLabelsWithoutFeature(t *testing.T) {
	s, _ := sample(t)
	s.SetFeatures(pmcdtest.Features &^ pmcdtest.Labels)
	if _, err := one(connect(t, s, long).Labels(context.Background(), pcp.ContextLabels, []uint32{0})); !errors.Is(err, pmerr.NoLabels) {
		t.Errorf("error %v", err)
	}
	if n := s.Count(pdu.TypeLabelReq); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestLabelsOfOther gets labels that belong to something else.
func TestLabelsOfOther(t *testing.T) {
	for _, m := range []*pdu.Label{{Ident: 30, Kind: pcp.DomainLabels}, {Ident: 29, Kind: pcp.ClusterLabels}} {
		s, _ := sample(t)
		c := connect(t, s, long)
		s.SetEdit(pmcdtest.On(pdu.TypeLabelReq, 0, pmcdtest.Put(m)))
		if _, err := one(c.Labels(context.Background(), pcp.DomainLabels, []uint32{29})); !errors.Is(err, pmerr.IPC) {
			t.Errorf("error %v", err)
		}
		checkDead(t, c)
	}
}
