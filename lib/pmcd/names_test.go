package pmcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// lookupText returns the answers of a lookup as text.
func lookupText(rs []pcp.Answer[pcp.ID]) string {
	var out []string
	for _, r := range rs {
		if r.Err != nil {
			out = append(out, fmt.Sprint(int32(pmerr.Of(r.Err))))
		} else {
			out = append(out, r.Value.String())
		}
	}
	return strings.Join(out, " ")
}

// TestLookupNames has the cases of wire.md W10 and W18.14, W18.15.
func TestLookupNames(t *testing.T) {
	for _, row := range []struct {
		name     string
		names    []string
		want     string
		requests int
	}{
		{"none", nil, "", 0},
		{"one leaf", []string{"sample.bin"}, "29.0.6", 1},
		{"one that is no leaf", []string{"sample.long"}, "-12394", 1},
		{"one that is unknown", []string{"no.such"}, "-12357", 1},
		{"the root", []string{""}, "-12357", 0},
		{"some fail", []string{"sample.bin", "no.such", "sample"}, "29.0.6 -12357 -12394", 3},
		{"all fail", []string{"no.such", "sample"}, "-12357 -12394", 3},
		{"empty name among others", []string{"sample.bin", "", "sample.double"}, "29.0.6 -12357 29.0.3", 1},
		{"empty name and another", []string{"", "no.such"}, "-12357 -12357", 1},
		{"name twice", []string{"sample.bin", "sample.bin"}, "29.0.6 29.0.6", 1},
		{"dots", []string{"sample.", ".sample", "sample..bin"}, "-12357 -12357 -12357", 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, _ := sample(t)
			rs, err := connect(t, s, long).Lookup(context.Background(), row.names)
			if err != nil || lookupText(rs) != row.want {
				t.Errorf("got %s, error %v, want %s", lookupText(rs), err, row.want)
			}
			if n := s.Count(pdu.TypeNames); n != row.requests {
				t.Errorf("%d requests, want %d", n, row.requests)
			}
			for i, r := range rs {
				if r.Err != nil && r.Value != pcp.NullID {
					t.Errorf("%d: identifier %v with an error", i, r.Value)
				}
			}
		})
	}
}

// TestLookupUnresolved has a daemon that resolves nothing of one name without an error.
func TestLookupUnresolved(t *testing.T) {
	for _, n := range []int{1, 2} {
		s, _ := sample(t)
		c := connect(t, s, long)
		s.SetEdit(func(r *pmcdtest.Reply) {
			if r.Request == pdu.TypeNames {
				many := n
				if r.N > 1 {
					many = 1
				}
				pmcdtest.Put(&pdu.IDs{IDs: slices.Repeat([]pcp.ID{pcp.NullID}, many)})(r)
			}
		})
		rs, err := c.Lookup(context.Background(), slices.Repeat([]string{"a"}, n))
		if err != nil || len(rs) != n || rs[n-1].Err != pmerr.Name {
			t.Errorf("%d names: %v, error %v", n, rs, err)
		}
	}
}

// TestLookupCount has answers to fewer and to more names than were asked for.
func TestLookupCount(t *testing.T) {
	for _, ids := range [][]pcp.ID{nil, {1}, {1, 2, 3}} {
		s, _ := sample(t)
		c := connect(t, s, long)
		s.SetEdit(pmcdtest.On(pdu.TypeNames, 0, pmcdtest.Put(&pdu.IDs{IDs: ids})))
		if _, err := c.Lookup(context.Background(), []string{"a", "b"}); !errors.Is(err, pmerr.IPC) {
			t.Errorf("%d answers: error %v", len(ids), err)
		}
		checkDead(t, c)
	}
	s, _ := sample(t)
	c := connect(t, s, long)
	s.SetEdit(pmcdtest.On(pdu.TypeNames, 1, pmcdtest.Put(&pdu.IDs{IDs: []pcp.ID{1, 2}})))
	if _, err := c.Lookup(context.Background(), []string{"a", "b"}); !errors.Is(err, pmerr.IPC) {
		t.Errorf("two answers to one name: error %v", err)
	}
}

// TestLookupMany resolves 10,000 names: no request is too long, and the answers are in order
// (wire.md W18.16).
func TestLookupMany(t *testing.T) {
	_, w := sample(t)
	w.Metrics = nil
	var names []string
	for i := range uint32(10000) {
		name := fmt.Sprintf("many.%d.%s", i, strings.Repeat("x", int(i%60)))
		names = append(names, name)
	}
	h := handlerFunc(func(c *pmcdtest.Session, f pdu.Frame) []pdu.Message {
		var m pdu.Names
		if f.Type != pdu.TypeNames || m.Decode(f.Body) != nil {
			return w.Handle(c, f)
		}
		out := &pdu.IDs{}
		for _, n := range m.Names {
			var i uint32
			fmt.Sscanf(n, "many.%d.", &i)
			out.IDs = append(out.IDs, pcp.ID(i))
		}
		return []pdu.Message{out}
	})
	s := pmcdtest.NewServer(h)
	defer s.Close()
	rs, err := connect(t, s, long).Lookup(context.Background(), names)
	if err != nil || len(rs) != len(names) {
		t.Fatalf("%d answers, error %v", len(rs), err)
	}
	for i, r := range rs {
		if r.Err != nil || r.Value != pcp.ID(i) {
			t.Fatalf("%d: %+v", i, r)
		}
	}
	total := 0
	for _, r := range s.Requests() {
		if n := len(r.Body) + pdu.HeaderSize; n > 64<<10 {
			t.Errorf("request of %d bytes", n)
		}
		total++
	}
	if total > 15 { // one for each 60 KiB, and the handshake
		t.Errorf("%d requests", total)
	}
}

// handlerFunc is a function that handles requests.
type handlerFunc func(c *pmcdtest.Session, f pdu.Frame) []pdu.Message

// Handle implements pmcdtest.Handler.
func (h handlerFunc) Handle(c *pmcdtest.Session, f pdu.Frame) []pdu.Message { return h(c, f) }

// TestChildren has the cases of wire.md W18.13 and W18.15.
func TestChildren(t *testing.T) {
	for _, row := range []struct {
		name, node string
		put        *pdu.Names
		want       string
		err        error
	}{
		{"root", "", nil, "[{sample false}]", nil},
		{"inner", "sample.string", nil, "[{hullo true} {write_me true}]", nil},
		{"leaf", "sample.bin", nil, "[]", nil},
		{"unknown", "no.such", nil, "[]", pmerr.Name},
		{"refused by an agent", "sample", &pdu.Names{Err: pmerr.PMDANotReady}, "[]", pmerr.PMDANotReady},
		{"without status", "sample", &pdu.Names{Names: []string{"a", "b"}}, "[{a false} {b false}]", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, _ := sample(t)
			if row.put != nil {
				s.SetEdit(pmcdtest.On(pdu.TypeChild, 0, pmcdtest.Put(row.put)))
			}
			children, err := connect(t, s, long).Children(context.Background(), row.node)
			if got := fmt.Sprint(children); got != row.want || !errors.Is(err, row.err) {
				t.Errorf("got %s, error %v, want %s, %v", got, err, row.want, row.err)
			}
		})
	}
}

func TestTraverse(t *testing.T) {
	s, w := sample(t)
	c := connect(t, s, long)
	for _, row := range []struct {
		node string
		n    int
		err  error
	}{
		{"", len(w.Metrics), nil}, {"sample", len(w.Metrics), nil}, {"sample.bin", 1, nil}, {"sample.string", 2, nil}, {"sample.str", 0, pmerr.Name},
	} {
		names, err := c.Traverse(context.Background(), row.node)
		if len(names) != row.n || !errors.Is(err, row.err) {
			t.Errorf("%q: %q, error %v", row.node, names, err)
		}
	}
	s.SetEdit(pmcdtest.On(pdu.TypeTraverse, 0, pmcdtest.Put(&pdu.Names{Err: pmerr.Again})))
	if names, err := c.Traverse(context.Background(), ""); !errors.Is(err, pmerr.Again) || names != nil {
		t.Errorf("refused in the reply: %q, error %v", names, err)
	}
}

// TestTraverseLarge gets a name space of more than 64 KiB (wire.md W18.7).
func TestTraverseLarge(t *testing.T) {
	s, w := sample(t)
	w.Metrics = nil
	for i := range 4000 {
		w.Metrics = append(w.Metrics, pmcdtest.Metric{Name: fmt.Sprintf("some.rather.long.name.of.a.metric.%d", i)})
	}
	names, err := connect(t, s, long).Traverse(context.Background(), "")
	if err != nil || len(names) != 4000 || names[3999] != "some.rather.long.name.of.a.metric.3999" {
		t.Errorf("%d names, error %v", len(names), err)
	}
}

func TestNamesOf(t *testing.T) {
	s, w := sample(t)
	w.Metrics = append(w.Metrics, pmcdtest.Metric{Name: "other.bin", Desc: pcp.Desc{ID: idBin}})
	c := connect(t, s, long)
	if names, err := c.Names(context.Background(), idBin); err != nil || !slices.Equal(names, []string{"sample.bin", "other.bin"}) {
		t.Errorf("%q, error %v", names, err)
	}
	if names, err := c.Names(context.Background(), idNone); !errors.Is(err, pmerr.PMID) || names != nil {
		t.Errorf("%q, error %v", names, err)
	}
	s.SetEdit(pmcdtest.On(pdu.TypeIDs, 0, pmcdtest.Put(&pdu.Names{Err: pmerr.NoAgent})))
	if _, err := c.Names(context.Background(), idBin); !errors.Is(err, pmerr.NoAgent) {
		t.Errorf("refused in the reply: error %v", err)
	}
}
