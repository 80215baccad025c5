package pmda

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// TestRequests checks the answers to single requests, good and bad (collector.md C2, C3, C16).
func TestRequests(t *testing.T) {
	color, colors := pcp.NewID(253, 0, 1), pcp.NewInDom(253, 0)
	tests := []struct {
		name string
		ask  pdu.Message
		want string // the words after the header, or an error's name
	}{
		{"description of another domain", &pdu.DescReq{ID: pcp.NewID(250, 0, 0)}, "PM_ERR_PMID"},
		{"description of the null metric", &pdu.DescReq{ID: pcp.NullID}, "PM_ERR_PMID"},
		{"unknown domain of instances", &pdu.InstanceReq{InDom: pcp.NewInDom(253, 2), Inst: -1}, "PM_ERR_INDOM"},
		{"domain of instances of another agent", &pdu.InstanceReq{InDom: pcp.NewInDom(254, 0), Inst: -1}, "PM_ERR_INDOM"},
		{"unknown domain, by name", &pdu.InstanceReq{InDom: pcp.NewInDom(253, 2), Inst: -1, Name: "red"}, "PM_ERR_INDOM"},
		{"instance by number", &pdu.InstanceReq{InDom: colors, Inst: 1}, "3f400000 00000001 ffffffff 00000005 67726565 6e7e7e7e"},
		{"unknown instance by number", &pdu.InstanceReq{InDom: colors, Inst: 3}, "PM_ERR_INST"},
		{"instance by whole name", &pdu.InstanceReq{InDom: colors, Inst: -1, Name: "blue two"}, "3f400000 00000001 00000002 00000000"},
		{"instance by first word", &pdu.InstanceReq{InDom: colors, Inst: -1, Name: "blue"}, "3f400000 00000001 00000002 00000000"},
		{"instance by part of a word", &pdu.InstanceReq{InDom: colors, Inst: -1, Name: "blu"}, "PM_ERR_INST"},
		{"instance by first word and more", &pdu.InstanceReq{InDom: colors, Inst: -1, Name: "red x"}, "PM_ERR_INST"},
		{"instance by both", &pdu.InstanceReq{InDom: colors, Inst: 0, Name: "red"}, "PM_ERR_INST"},
		{"one line", &pdu.TextReq{Ident: 0x3f400000, Kind: pcp.OneLine}, "3f400000 00000003 6f6e657e"},
		{"help", &pdu.TextReq{Ident: 0x3f400000, Kind: pcp.Help}, "3f400000 00000004 6c6f6e67"},
		{"one line beside a long text", &pdu.TextReq{Ident: uint32(color), Kind: pcp.OneLine}, "3f400001 00000000"},
		{"no text", &pdu.TextReq{Ident: uint32(pcp.NewID(253, 1, 0)), Kind: pcp.OneLine}, "PM_ERR_TEXT"},
		{"text of an unknown metric", &pdu.TextReq{Ident: uint32(pcp.NewID(253, 1, 9)), Kind: pcp.OneLine}, "PM_ERR_TEXT"},
		{"text of a domain", &pdu.TextReq{Ident: uint32(colors), InDom: true, Kind: pcp.OneLine}, "3f400000 00000007 636f6c6f 7572737e"},
		{"text of an unknown domain", &pdu.TextReq{Ident: uint32(colors) + 1, InDom: true, Kind: pcp.Help}, "PM_ERR_TEXT"},
		{"labels of the context", &pdu.LabelReq{Ident: pdu.NullIdent, Kind: pcp.ContextLabels}, "ffffffff 00000001 00000000 00000000"},
		{"labels of a domain", &pdu.LabelReq{Ident: uint32(colors), Kind: pcp.InDomLabels},
			"3f400000 00000004 00000000 00000001 ffffffff 00000002 0000003c 0000000f 00020104 00050003 000a0104 000d0001 7b226122 3a227822 2c226222 3a317d"},
		{"labels of an unknown domain", &pdu.LabelReq{Ident: uint32(colors) + 1, Kind: pcp.InDomLabels}, "3f400001 00000004 00000000 00000000"},
		{"labels of a cluster", &pdu.LabelReq{Ident: uint32(pcp.NewID(253, 1, 0)), Kind: pcp.ClusterLabels},
			"3f400400 00000008 00000000 00000001 ffffffff 00000001 00000034 0000000d 00020708 000b0001 7b22636c 75737465 72223a31 7d"},
		{"labels of a metric", &pdu.LabelReq{Ident: uint32(color), Kind: pcp.ItemLabels},
			"3f400001 00000010 00000000 00000001 ffffffff 00000001 00000034 0000000d 00020410 00080004 7b226974 656d223a 74727565 7d"},
		{"labels of an unknown metric", &pdu.LabelReq{Ident: uint32(color) + 9, Kind: pcp.ItemLabels}, "3f40000a 00000010 00000000 00000000"},
		{"labels of instances", &pdu.LabelReq{Ident: uint32(colors), Kind: pcp.InstanceLabels},
			"3f400000 00000020 00000000 00000003 00000000 00000001 0000005c 00000007 00020120 00050001 00000001 00000000 00000063 00000000 " +
				"00000002 00000001 00000063 00000007 00020120 00050001 7b226e22 3a307d7b 226e223a 327d"},
		{"labels of instances of an unknown domain", &pdu.LabelReq{Ident: uint32(colors) + 1, Kind: pcp.InstanceLabels}, "3f400001 00000020 00000000 00000000"},
		{"labels of two levels", &pdu.LabelReq{Ident: uint32(color), Kind: pcp.ItemLabels | pcp.ClusterLabels}, "PM_ERR_TYPE"},
		{"labels of no level", &pdu.LabelReq{Ident: uint32(color)}, "PM_ERR_TYPE"},
		{"metric of a name", &pdu.Names{Names: []string{"simple.color"}}, "PM_ERR_NAME"},
		{"metrics of no name", &pdu.Names{}, "PM_ERR_IPC"},
		{"metrics of two names", &pdu.Names{Names: []string{"a", "b"}}, "PM_ERR_IPC"},
		{"names of a metric", &pdu.IDs{IDs: []pcp.ID{color}}, "PM_ERR_PMID"},
		{"names of two metrics", &pdu.IDs{IDs: []pcp.ID{color, color}}, "PM_ERR_IPC"},
		{"children", &pdu.Child{Name: "simple", Status: true}, "PM_ERR_NAME"},
		{"leaves", &pdu.Traverse{Name: "simple"}, "PM_ERR_NAME"},
		{"store to an unknown metric", storeOf(pcp.NewID(253, 9, 9), pcp.Int32, -1, 1), "PM_ERR_PMID"},
		{"store to a metric that takes none", storeOf(color, pcp.Int32, 0, 1), "PM_ERR_PERMISSION"},
		{"store of another type", storeOf(pcp.NewID(253, 0, 0), pcp.Double, -1, 1), "PM_ERR_BADSTORE"},
		{"store that is refused", storeOf(pcp.NewID(253, 0, 0), pcp.Uint32, -1, 1<<31), "PM_ERR_SIGN"},
		{"store without values", &pdu.Result{Values: &pcp.Result{Sets: []pcp.Values{{ID: pcp.NewID(253, 0, 0)}}}}, "PM_ERR_BADSTORE"},
		{"store of nothing", &pdu.Result{}, "00000000"},
	}
	d := serve(t, &Server{Provider: newCounting(t)})
	for _, tt := range tests {
		got := d.ask(tt.ask)
		got = strings.Join(strings.Fields(got)[1:], " ")
		want := fmt.Sprintf("%08x 00000000 %s", uint32(replyType(tt.ask)), tt.want)
		if c, ok := codeNamed(tt.want); ok {
			want = fmt.Sprintf("00007000 00000000 %08x", uint32(c))
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, want)
		}
	}
	if err := d.end(); err != nil {
		t.Error(err)
	}
}

// storeOf returns the request to store one value.
func storeOf(id pcp.ID, typ pcp.Type, inst int32, word uint64) *pdu.Result {
	return &pdu.Result{Values: &pcp.Result{Sets: []pcp.Values{{ID: id, Type: typ, Insts: []int32{inst}, Words: []uint64{word}}}}}
}

// codeNamed returns the error code with a name.
func codeNamed(name string) (pmerr.Code, bool) {
	for c := range pmerr.All() {
		if c.Name() == name {
			return c, true
		}
	}
	return 0, false
}

// replyType returns the type of the answer to a request, if that is no error.
func replyType(m pdu.Message) pdu.Type {
	switch m.Type() {
	case pdu.TypeResult:
		return pdu.TypeError
	case pdu.TypeNames:
		return pdu.TypeIDs
	case pdu.TypeIDs, pdu.TypeChild, pdu.TypeTraverse:
		return pdu.TypeNames
	}
	return m.Type() + 1
}

// TestBadRequests checks that each request whose body is no such request is answered by one error,
// and that a message other than a request is not answered.
func TestBadRequests(t *testing.T) {
	for _, typ := range []pdu.Type{pdu.TypeFetch, pdu.TypeDescReq, pdu.TypeInstanceReq, pdu.TypeTextReq, pdu.TypeLabelReq, pdu.TypeResult,
		pdu.TypeNames, pdu.TypeIDs, pdu.TypeChild, pdu.TypeTraverse} {
		d := serve(t, &Server{Provider: newCounting(t)})
		d.write(bytesOf(t, fmt.Sprintf("00000011 %08x 00000000 ffffffff 01", int32(typ))))
		if got := d.answer(); got != errorWords(pmerr.IPC) {
			t.Errorf("%v: %s", typ, got)
		}
		d.end()
	}
	d := serve(t, &Server{Provider: newCounting(t)})
	for _, typ := range []pdu.Type{0, 0x7fffffff, 0x700a, 0x8000, pdu.TypeDesc, pdu.TypeInstance, pdu.TypeText, pdu.TypeLabel,
		pdu.TypeHighResFetch, pdu.TypeDescIDs, pdu.TypeDescs, pdu.TypeProfile, pdu.TypeAttr, pdu.TypeError, pdu.TypeCreds} {
		d.write(bytesOf(t, fmt.Sprintf("0000000d %08x 00000000 ff", int32(typ))))
		if typ == pdu.TypeCreds {
			continue
		}
		select {
		case <-d.logs:
		case <-time.After(30 * time.Second):
			t.Errorf("%v: no line in the log", typ)
		}
	}
	if got, want := d.ask(&pdu.DescReq{ID: 1}), errorWords(pmerr.PMID); got != want {
		t.Errorf("then: %s, want %s", got, want)
	}
}

// bare is a Provider that is nothing else.
type bare struct{ Provider }

// TestBareProvider checks the answers for a Provider with no other interface, and for one that does
// wrong.
func TestBareProvider(t *testing.T) {
	d := serve(t, &Server{Provider: bare{newCounting(t)}})
	for _, tt := range []struct {
		ask  pdu.Message
		want pmerr.Code
	}{
		{&pdu.TextReq{Ident: 0x3f400000, Kind: pcp.OneLine}, pmerr.Text},
		{storeOf(pcp.NewID(253, 0, 0), pcp.Uint32, -1, 1), pmerr.Permission},
		{&pdu.Names{Names: []string{"a"}}, pmerr.Name},
		{&pdu.IDs{IDs: []pcp.ID{1}}, pmerr.PMID},
		{&pdu.Child{Name: "a"}, pmerr.Name},
		{&pdu.Traverse{Name: "a"}, pmerr.Name},
		{&pdu.InstanceReq{InDom: pcp.NewInDom(253, 0), Inst: -1, Name: "redd"}, pmerr.Inst},
	} {
		if got := d.ask(tt.ask); got != errorWords(tt.want) {
			t.Errorf("%v: %s, want %v", tt.ask.Type(), got, tt.want)
		}
	}
	if got, want := d.ask(&pdu.InstanceReq{InDom: pcp.NewInDom(253, 0), Inst: -1, Name: "blue"}), "0000001c 00007007 00000000 3f400000 00000001 00000002 00000000"; got != want {
		t.Errorf("instance: %s, want %s", got, want)
	}
	if got, want := d.ask(&pdu.LabelReq{Ident: 253, Kind: pcp.DomainLabels}), "0000001c 00007013 00000000 000000fd 00000002 00000000 00000000"; got != want {
		t.Errorf("labels: %s, want %s", got, want)
	}
}

// scripted is a Provider whose fetches a test answers, and that records its calls.
type scripted struct {
	*counting
	fetch func(dst *pcp.Result) error
	check error
	ready chan error
	log   []string
}

func (s *scripted) Fetch(ctx context.Context, req *Request, dst *pcp.Result) error {
	s.log = append(s.log, fmt.Sprintf("fetch %d", req.Client.Number))
	if s.fetch != nil {
		return s.fetch(dst)
	}
	return s.counting.Fetch(ctx, req, dst)
}

func (s *scripted) Check(context.Context, *Client) error { return s.check }

func (s *scripted) SetAttr(c *Client, code pdu.AttrCode) {
	s.log = append(s.log, fmt.Sprintf("attr %d %d %q", c.Number, code, c.Attrs[code]))
}

func (s *scripted) EndClient(c *Client) {
	s.log = append(s.log, fmt.Sprintf("end %d %v", c.Number, c.Attrs))
}

func (s *scripted) SetProfile(c *Client, p *pcp.Profile) {
	exclude, entries := p.Entries()
	s.log = append(s.log, fmt.Sprintf("profile %d %v %v", c.Number, exclude, entries))
}

func (s *scripted) WaitReady(ctx context.Context) error { return <-s.ready }

// TestClients checks what a Provider learns about its clients.
func TestClients(t *testing.T) {
	s := &scripted{counting: newCounting(t)}
	d := serve(t, &Server{Provider: s})
	d.send(3, &pdu.Attr{Code: UserID, Value: []byte("1000\x00")})
	d.send(3, &pdu.Attr{Code: Container, Value: []byte("foo\x00\x00")})
	d.send(3, &pdu.Profile{Exclude: true, Entries: []pcp.ProfileEntry{{InDom: pcp.NewInDom(253, 0), Exclude: true, Insts: []int32{2, 1}}}})
	d.send(3, &pdu.Fetch{IDs: []pcp.ID{pcp.NewID(253, 0, 0)}})
	d.answer()
	d.send(3, &pdu.Error{Code: pmerr.NotConn})
	d.send(4, &pdu.Error{Code: pmerr.NotConn})
	d.send(3, &pdu.Fetch{IDs: []pcp.ID{pcp.NewID(253, 0, 0)}})
	d.answer()
	d.send(2, &pdu.Attr{Code: UserName, Value: []byte("x")})
	if err := d.end(); err != nil {
		t.Error(err)
	}
	want := []string{`attr 3 11 "1000"`, `attr 3 15 "foo"`, "profile 3 true [{253.0 true [2 1]}]", "fetch 3", "end 3 map[11:1000 15:foo]", "end 4 map[]", "fetch 3",
		`attr 2 5 "x"`, "end 2 map[5:x]", "end 3 map[]"}
	if !slices.Equal(s.log, want) {
		t.Errorf("log\n%s\nwant\n%s", strings.Join(s.log, "\n"), strings.Join(want, "\n"))
	}
}

// TestFetchAnswers checks answers to fetches that are not only values.
func TestFetchAnswers(t *testing.T) {
	s := &scripted{counting: newCounting(t), ready: make(chan error, 1)}
	d := serve(t, &Server{Provider: s})
	fetch := &pdu.Fetch{IDs: []pcp.ID{pcp.NewID(253, 0, 9)}}
	for _, tt := range []struct {
		name    string
		changes pcp.Changes
		sets    int
		err     error
		want    string
	}{
		{"no changes", 0, 1, nil, "00000020 00007001 00000000 00000000 00000000 00000001 ffffffff 00000000"},
		{"labels changed", pcp.LabelsChanged, 1, nil, "00000020 00007001 00000000 00000008 00000000 00000001 ffffffff 00000000"},
		{"names and more changed", pcp.NamesChanged | pcp.AgentAdded, 1, nil, "00000020 00007001 00000000 00000010 00000000 00000001 ffffffff 00000000"},
		{"refused", 0, 1, pmerr.Profile, errorWords(pmerr.Profile)},
		{"refused for a reason of its own", 0, 1, errors.New("x"), errorWords(pmerr.Generic)},
		{"refused without reason", 0, 1, pmerr.Code(0), errorWords(pmerr.Generic)},
		{"too few columns", 0, 0, nil, errorWords(pmerr.Generic)},
	} {
		s.fetch = func(dst *pcp.Result) error {
			dst.Reset(tt.sets)
			dst.Changes = tt.changes
			return tt.err
		}
		if got := d.ask(fetch); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	s.fetch = func(*pcp.Result) error { return fmt.Errorf("x: %w", ErrNotReady) }
	if got := d.ask(fetch); got != errorWords(pmerr.PMDANotReady) {
		t.Errorf("not ready: %s", got)
	}
	s.ready <- nil
	if got := d.answer(); got != errorWords(pmerr.PMDAReady) {
		t.Errorf("ready: %s", got)
	}
	s.check = pmerr.Again
	for _, m := range []pdu.Message{fetch, &pdu.DescReq{}, &pdu.LabelReq{}, storeOf(1, pcp.Int32, 0, 0)} {
		if got := d.ask(m); got != errorWords(pmerr.Again) {
			t.Errorf("check of %v: %s", m.Type(), got)
		}
	}
	s.check = nil
	d.send(7, fetch)
	d.answer()
	s.ready <- io.ErrClosedPipe
	if err := <-d.done; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("never ready: %v", err)
	}
}

// TestNotReady checks an agent that starts before it can answer, and one that cannot wait.
func TestNotReady(t *testing.T) {
	s := &scripted{counting: newCounting(t), ready: make(chan error, 1)}
	d := serve(t, &Server{Provider: s, NotReady: true})
	s.ready <- nil
	if got := d.answer(); got != errorWords(pmerr.PMDAReady) {
		t.Errorf("ready: %s", got)
	}
	d.end()
	failing := struct{ bare }{bare{&scripted{counting: newCounting(t), fetch: func(*pcp.Result) error { return ErrNotReady }}}}
	d = serve(t, &Server{Provider: failing, NotReady: true})
	if got := d.answer(); got != errorWords(pmerr.PMDAReady) {
		t.Errorf("ready: %s", got)
	}
	if got := d.ask(&pdu.Fetch{IDs: []pcp.ID{1}}); got != errorWords(pmerr.Again) {
		t.Errorf("not ready without WaitReady: %s", got)
	}
}

// TestCancel checks that the end of the context ends Serve, and that no goroutine is left of many
// runs.
func TestCancel(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		ours, theirs := net.Pipe()
		done := make(chan error)
		go func() { done <- Serve(ctx, newCounting(t), theirs) }()
		if _, err := pdu.NewReader(ours).Next(); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		ours.Close()
		d := serve(t, &Server{Provider: newCounting(t)})
		d.ask(&pdu.DescReq{})
		d.end()
	}
	for range 1500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestProfileOf checks that a message becomes the profile that it was made of.
func TestProfileOf(t *testing.T) {
	a, b, c := pcp.NewInDom(253, 1), pcp.NewInDom(253, 2), pcp.NewInDom(253, 3)
	for _, change := range []func(p *pcp.Profile){
		func(p *pcp.Profile) {},
		func(p *pcp.Profile) { p.DelAll() },
		func(p *pcp.Profile) { p.Add(a); p.Del(b) },
		func(p *pcp.Profile) { p.DelAll(); p.Add(a, 3, 1, 2); p.Add(b); p.Del(b, 7); p.Del(c) },
		func(p *pcp.Profile) { p.Del(a); p.Add(a, 5) },
	} {
		var p pcp.Profile
		change(&p)
		m := new(pdu.Profile)
		m.Exclude, m.Entries = p.Entries()
		exclude, entries := profileOf(m).Entries()
		if exclude != m.Exclude || !reflect.DeepEqual(entries, m.Entries) {
			t.Errorf("%v %v, want %v %v", exclude, entries, m.Exclude, m.Entries)
		}
	}
}

// FuzzServer gives a Server a stream of its own: it must not panic, and each message that it sends
// must be one.
func FuzzServer(f *testing.F) {
	var all []byte
	for _, m := range []pdu.Message{
		&pdu.Creds{Version: 2}, &pdu.Profile{Exclude: true, Entries: []pcp.ProfileEntry{{InDom: pcp.NewInDom(253, 0), Insts: []int32{1}}}},
		&pdu.Fetch{IDs: []pcp.ID{pcp.NewID(253, 0, 0), pcp.NewID(253, 0, 1), pcp.NewID(253, 1, 0), 9}}, &pdu.DescReq{ID: pcp.NewID(253, 0, 1)},
		&pdu.InstanceReq{InDom: pcp.NewInDom(253, 0), Inst: -1}, &pdu.InstanceReq{InDom: pcp.NewInDom(253, 0), Inst: -1, Name: "red"},
		&pdu.TextReq{Ident: 0x3f400000, Kind: pcp.OneLine}, &pdu.LabelReq{Ident: 253, Kind: pcp.DomainLabels}, &pdu.LabelReq{Ident: 0x3f400000, Kind: pcp.InstanceLabels},
		storeOf(pcp.NewID(253, 0, 0), pcp.Uint32, -1, 5), &pdu.Names{Names: []string{"a.b"}}, &pdu.IDs{IDs: []pcp.ID{5}}, &pdu.Child{Name: "dyn", Status: true}, &pdu.Traverse{Name: ""},
		&pdu.Attr{Code: UserID, Value: []byte("0\x00")}, &pdu.Error{Code: pmerr.NotConn},
	} {
		b, err := m.Encode(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		all = append(all, b...)
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, in []byte) {
		var out strings.Builder
		// How the stream ends does not matter here.
		_ = Serve(context.Background(), newCounting(t), struct {
			io.Reader
			io.Writer
		}{strings.NewReader(string(in)), &out})
		r := pdu.NewReader(strings.NewReader(out.String()))
		for {
			fr, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := pdu.New(fr.Type).Decode(fr.Body); err != nil {
				t.Fatalf("%v: %v", fr.Type, err)
			}
		}
	})
}
