package pmcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// fetchText returns a result as text.
func fetchText(r *pcp.Result) string {
	out := fmt.Sprint(uint32(r.Changes))
	for i := range r.Sets {
		v := &r.Sets[i]
		switch {
		case v.Err != nil:
			out += fmt.Sprint("; ", int32(pmerr.Of(v.Err)))
		case v.Type.Arithmetic():
			out += fmt.Sprintf("; %v%v", v.Insts, v.Words)
		default:
			out += fmt.Sprintf("; %v%q", v.Insts, v.Blobs)
		}
	}
	return out
}

// TestFetch has the cases of wire.md W18.2, W18.7, W18.8 and W7.6.
func TestFetch(t *testing.T) {
	ids := []pcp.ID{idBin, idNone, pcp.NewID(29, 0, 138), pcp.NewID(29, 0, 54), pcp.NullID, pcp.NewID(511, 1, 1), idHullo, idBin}
	const want = "0; [100 200 300][100 200 300]; -12386; [][]; -12350; -12358; -12358; [-1][\"hullo world!\"]; [100 200 300][100 200 300]"
	for _, features := range []uint16{pmcdtest.Features, pmcdtest.Features &^ pmcdtest.HighRes} {
		s, _ := sample(t)
		s.SetFeatures(features)
		c := connect(t, s, long)
		var res pcp.Result
		for range 2 {
			if err := c.Fetch(context.Background(), ids, nil, types, &res); err != nil || fetchText(&res) != want {
				t.Fatalf("got %s, error %v, want %s", fetchText(&res), err, want)
			}
		}
		high, plain, nsec := 2, 0, int32(123_456_789)
		if features&pmcdtest.HighRes == 0 {
			high, plain, nsec = 0, 2, 123_456_000
		}
		if h, p := s.Count(pdu.TypeHighResFetch), s.Count(pdu.TypeFetch); h != high || p != plain || res.Time.Nsec != nsec {
			t.Errorf("%d and %d requests, time %v", h, p, res.Time)
		}
		if n := s.Count(pdu.TypeProfile); n != 1 {
			t.Errorf("%d profiles", n)
		}
	}
}

func TestFetchNothing(t *testing.T) {
	s, _ := sample(t)
	if err := connect(t, s, long).Fetch(context.Background(), nil, nil, types, new(pcp.Result)); !errors.Is(err, pmerr.TooSmall) {
		t.Errorf("error %v", err)
	}
}

// TestFetchProfile counts profiles: one before the first fetch, one for each change (wire.md
// W18.4), with slot 0 (W18.5).
func TestFetchProfile(t *testing.T) {
	s, _ := sample(t)
	c, ctx := connect(t, s, long), context.Background()
	var p pcp.Profile
	var res pcp.Result
	for _, row := range []struct {
		name   string
		change func()
		want   string
		sent   int // profiles so far
	}{
		{"at first", func() {}, "0; [100 200 300][100 200 300]", 1},
		{"without a change", func() {}, "0; [100 200 300][100 200 300]", 1},
		{"all deselected", func() { p.Del(pmcdtest.BinInDom) }, "0; [][]", 2},
		{"two selected", func() { p.Add(pmcdtest.BinInDom, 300, 100) }, "0; [100 300][100 300]", 3},
		{"again", func() {}, "0; [100 300][100 300]", 3},
		{"one that is none", func() { p.DelAll(); p.Add(pmcdtest.BinInDom, 7) }, "0; [][]", 4},
		{"all", func() { p.AddAll() }, "0; [100 200 300][100 200 300]", 5},
	} {
		row.change()
		if err := c.Fetch(ctx, []pcp.ID{idBin}, &p, types, &res); err != nil || fetchText(&res) != row.want {
			t.Errorf("%s: got %s, error %v, want %s", row.name, fetchText(&res), err, row.want)
		}
		if n := s.Count(pdu.TypeProfile); n != row.sent {
			t.Errorf("%s: %d profiles, want %d", row.name, n, row.sent)
		}
	}
	for _, r := range s.Requests() {
		var m pdu.Profile
		if r.Type == pdu.TypeProfile && (m.Decode(r.Body) != nil || m.Slot != 0) {
			t.Errorf("profile for slot %d", m.Slot)
		}
	}
}

// TestFetchNotices has notices of changes before results (wire.md W18.6).
func TestFetchNotices(t *testing.T) {
	s, w := sample(t)
	c, ctx := connect(t, s, long), context.Background()
	var res pcp.Result
	for _, row := range []struct {
		changes []pcp.Changes
		want    string
	}{
		{nil, "0; [-1][1]"}, {[]pcp.Changes{pcp.LabelsChanged}, "8; [-1][1]"},
		{[]pcp.Changes{pcp.AgentAdded | pcp.AgentRestarted, pcp.NamesChanged, pcp.AgentAdded}, "19; [-1][1]"}, {nil, "0; [-1][1]"},
	} {
		w.Notify(row.changes...)
		if err := c.Fetch(ctx, []pcp.ID{idOne}, nil, types, &res); err != nil || fetchText(&res) != row.want {
			t.Errorf("%v: got %s, error %v, want %s", row.changes, fetchText(&res), err, row.want)
		}
	}
	w.Notify(pcp.AgentDropped)
	s.SetEdit(pmcdtest.On(pdu.TypeHighResFetch, 1, pmcdtest.Put(&pdu.Error{Code: pmerr.Again})))
	if err := c.Fetch(ctx, []pcp.ID{idOne}, nil, types, &res); !errors.Is(err, pmerr.Again) {
		t.Errorf("notice before an error: error %v", err)
	}
}

// TestFetchNoticesForEver has a daemon that sends nothing but notices.
func TestFetchNoticesForEver(t *testing.T) {
	s, _ := sample(t)
	c := connect(t, s, long)
	var notices []pdu.Message
	for range maxNotices {
		notices = append(notices, &pdu.Error{Code: 1})
	}
	s.SetEdit(pmcdtest.Put(notices...))
	if err := c.Fetch(context.Background(), []pcp.ID{idOne}, nil, types, new(pcp.Result)); !errors.Is(err, pmerr.IPC) {
		t.Errorf("error %v", err)
	}
	checkDead(t, c)
}

// TestFetchNoticesSlowly has a daemon that sends notices one by one, each before the time for a
// message is over.
func TestFetchNoticesSlowly(t *testing.T) { synctest.Test(t, testFetchNoticesSlowly) }

func testFetchNoticesSlowly(t *testing.T) {
	s, w := sample(t)
	c := connect(t, s, short)
	w.Notify(slices.Repeat([]pcp.Changes{pcp.LabelsChanged}, 40)...)
	s.SetEdit(pmcdtest.Delay(short / 4))
	if err := c.Fetch(context.Background(), []pcp.ID{idOne}, nil, types, new(pcp.Result)); !errors.Is(err, pmerr.Timeout) {
		t.Errorf("error %v", err)
	}
	checkDead(t, c)
}

// TestFetchCount has results of fewer and of more metrics than were asked for.
func TestFetchCount(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		s, _ := sample(t)
		c := connect(t, s, long)
		s.SetEdit(pmcdtest.On(pdu.TypeHighResFetch, 0, pmcdtest.Put(&pdu.HighResResult{Result: pdu.Result{Values: &pcp.Result{Sets: make([]pcp.Values, n)}}})))
		if err := c.Fetch(context.Background(), []pcp.ID{idOne, idBin}, nil, types, new(pcp.Result)); !errors.Is(err, pmerr.IPC) {
			t.Errorf("%d metrics: error %v", n, err)
		}
		checkDead(t, c)
	}
}

// TestDenied has a daemon that refuses each message, profiles too (wire.md W8.3): replies stay in
// step.
func TestDenied(t *testing.T) {
	s, w := sample(t)
	w.Deny = true
	for name, first := range map[string]func(c *Conn) error{
		"fetch": func(c *Conn) error {
			return c.Fetch(context.Background(), []pcp.ID{idOne}, nil, types, new(pcp.Result))
		},
		"labels": func(c *Conn) error {
			_, err := one(c.Labels(context.Background(), pcp.InstanceLabels, []uint32{uint32(pmcdtest.BinInDom)}))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, s, long)
			for range 2 {
				if err := first(c); !errors.Is(err, pmerr.Permission) {
					t.Errorf("error %v", err)
				}
			}
			for _, v := range services() {
				if _, err := v.call(context.Background(), c); err != nil && !errors.Is(err, pmerr.Permission) {
					t.Errorf("%s: error %v", v.name, err)
				}
			}
			if c.broken != nil {
				t.Errorf("broken: %v", c.broken)
			}
		})
	}
}

// TestFetchDenied has a daemon that refuses a request, but not the profile before it: the client
// does not wait for a second refusal, and replies stay in step.
func TestFetchDenied(t *testing.T) {
	refused := pmcdtest.Put(&pdu.Error{Code: pmerr.Permission})
	for _, row := range []struct {
		request pdu.Type
		call    func(c *Conn) error
	}{
		{pdu.TypeHighResFetch, func(c *Conn) error {
			return c.Fetch(context.Background(), []pcp.ID{idOne}, nil, types, new(pcp.Result))
		}},
		{pdu.TypeLabelReq, func(c *Conn) error {
			_, err := one(c.Labels(context.Background(), pcp.InstanceLabels, []uint32{uint32(pmcdtest.BinInDom)}))
			return err
		}},
	} {
		t.Run(row.request.String(), func(t *testing.T) {
			s, _ := sample(t)
			c := connect(t, s, long)
			s.SetEdit(pmcdtest.On(row.request, 0, refused))
			if err := row.call(c); !errors.Is(err, pmerr.Permission) || c.broken != nil {
				t.Errorf("error %v, broken %v", err, c.broken)
			}
			if err := row.call(c); err != nil {
				t.Error("later:", err)
			}
		})
	}
}

// TestStore has the cases of wire.md W12.
func TestStore(t *testing.T) {
	one := func(id pcp.ID, t pcp.Type, word uint64) pcp.Values {
		return pcp.Values{ID: id, Type: t, Insts: []int32{pcp.NullInst}, Words: []uint64{word}}
	}
	hullo := pcp.Values{ID: idHullo, Type: pcp.String, Insts: []int32{pcp.NullInst}, Blobs: [][]byte{[]byte("hi there")}}
	for _, row := range []struct {
		name string
		sets []pcp.Values
		want error
		sent int
	}{
		{"one", []pcp.Values{one(idWrite, pcp.Int32, 7)}, nil, 1},
		{"string", []pcp.Values{hullo}, nil, 1},
		{"several", []pcp.Values{one(idWrite, pcp.Int32, 8), hullo, one(idDouble, pcp.Double, 5)}, nil, 1},
		{"instances", []pcp.Values{{ID: idBin, Type: pcp.Int32, Insts: []int32{100, 300}, Words: []uint64{1, 3}}}, nil, 1},
		{"read only", []pcp.Values{one(idOne, pcp.Int32, 7)}, pmerr.Permission, 1},
		{"unknown metric", []pcp.Values{one(idNone, pcp.Int32, 7)}, pmerr.NoAgent, 1},
		{"unknown instance", []pcp.Values{{ID: idBin, Type: pcp.Int32, Insts: []int32{7}, Words: []uint64{1}}}, pmerr.Inst, 1},
		{"number for a string", []pcp.Values{one(idHullo, pcp.Int32, 7)}, pmerr.BadStore, 1},
		{"nothing", nil, pmerr.TooSmall, 0},
		{"no values", []pcp.Values{one(idWrite, pcp.Int32, 7), {ID: idWrite, Type: pcp.Int32}}, pmerr.Value, 0},
		{"error as a value", []pcp.Values{{ID: idWrite, Err: pmerr.Again}}, pmerr.Value, 0},
		{"words missing", []pcp.Values{{ID: idWrite, Type: pcp.Int32, Insts: []int32{-1}}}, pmerr.EINVAL, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, w := sample(t)
			c := connect(t, s, long)
			if err := c.Store(context.Background(), row.sets); !errors.Is(err, row.want) {
				t.Errorf("error %v, want %v", err, row.want)
			}
			if w.Stores() != row.sent || c.broken != nil {
				t.Errorf("%d stores, broken %v", w.Stores(), c.broken)
			}
			if row.want != nil {
				return
			}
			var ids []pcp.ID
			for _, v := range row.sets {
				ids = append(ids, v.ID)
			}
			var res pcp.Result
			if err := c.Fetch(context.Background(), ids, nil, types, &res); err != nil {
				t.Fatal(err)
			}
			for i := range row.sets {
				for k, inst := range row.sets[i].Insts {
					if v := &res.Sets[i]; fmt.Sprint(v.Value(v.Find(inst))) != fmt.Sprint(row.sets[i].Value(k)) {
						t.Errorf("%v instance %d: %v", v.ID, inst, v.Value(v.Find(inst)))
					}
				}
			}
		})
	}
}

// TestStoreStatus has answers to a store that are none: a positive status.
func TestStoreStatus(t *testing.T) {
	s, w := sample(t)
	c := connect(t, s, long)
	s.SetEdit(pmcdtest.On(pdu.TypeResult, 0, pmcdtest.Put(&pdu.Error{Code: 8})))
	err := c.Store(context.Background(), []pcp.Values{{ID: idWrite, Type: pcp.Int32, Insts: []int32{-1}, Words: []uint64{7}}})
	var e *Error
	if !errors.Is(err, pmerr.IPC) {
		t.Errorf("error %v, %d stores", err, w.Stores())
	} else if !errors.As(err, &e) || e.NotSent || w.Stores() != 1 {
		t.Errorf("error %v, %d stores", err, w.Stores())
	}
	checkDead(t, c)
}

// TestFetchAllocs fetches again and again without a context that could end.
func TestFetchAllocs(t *testing.T) {
	msg, err := (&pdu.HighResResult{Result: pdu.Result{Values: &pcp.Result{Sets: []pcp.Values{
		{ID: idBin, Type: pcp.Int32, Insts: []int32{1, 2}, Words: []uint64{1, 2}}, {ID: idHullo, Type: pcp.String, Insts: []int32{-1}, Blobs: [][]byte{[]byte("x")}},
	}}}}).Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	nc := new(quiet)
	c := newConn(nc, connOptions{})
	c.features = featureHighRes
	var res pcp.Result
	ids := []pcp.ID{idBin, idHullo}
	typeOf := func(id pcp.ID) pcp.Type {
		if id == idBin {
			return pcp.Int32
		}
		return pcp.String
	}
	if n := testing.AllocsPerRun(100, func() {
		nc.in = msg
		if err := c.Fetch(context.Background(), ids, nil, typeOf, &res); err != nil {
			t.Fatal(err)
		}
	}); n > 2 {
		t.Errorf("%v allocations", n)
	}
}
