package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pmtools/lib/builtin/simple"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmda"
	"pmtools/lib/pmda/remote"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// TestMain makes this program an agent where a test says so.
func TestMain(m *testing.M) {
	switch os.Getenv("REMOTE_TEST_AGENT") {
	case "":
		os.Exit(m.Run())
	case "simple":
		os.Args = append(os.Args[:1:1], "-l", os.DevNull)
		os.Exit(pmda.Main(func(o *pmda.Options) (pmda.Provider, error) { return newSimple() }))
	case "names":
		fmt.Print("root {\n\tspool\n}\nspool {\n\tsize 450:0:1\n\tdyn 450:*:*\n}\n")
	case "deaf":
		time.Sleep(time.Hour)
	case "orphan":
		child := program("deaf")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			os.Exit(4)
		}
		fmt.Println("root {\n\tspool 450:0:1\n}")
		os.WriteFile(os.Getenv("REMOTE_TEST_PID"), []byte(strconv.Itoa(child.Process.Pid)), 0o666)
	case "failing":
		out, _ := (&pdu.Creds{Version: 2}).Encode(nil)
		os.Stdout.Write(out)
		io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}
}

// newSimple returns the simple agent.
func newSimple() (pmda.Provider, error) { return simple.New(&simple.Options{Domain: 253}) }

// program returns a command that runs this program as an agent.
func program(kind string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "REMOTE_TEST_AGENT="+kind)
	return cmd
}

// agents are ways to reach the simple agent.
var agents = map[string]func(t *testing.T) (*remote.Agent, error){
	"provider": func(t *testing.T) (*remote.Agent, error) {
		p, err := newSimple()
		if err != nil {
			return nil, err
		}
		return remote.Serve(t.Context(), &pmda.Server{Provider: p}, nil)
	},
	"pipe": func(t *testing.T) (*remote.Agent, error) {
		return remote.Start(t.Context(), program("simple"), &remote.Options{Domain: 253})
	},
	"socket": func(t *testing.T) (*remote.Agent, error) {
		p, err := newSimple()
		if err != nil {
			return nil, err
		}
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		go func() {
			defer l.Close()
			if c, err := l.Accept(); err == nil {
				pmda.Serve(context.Background(), p, c)
			}
		}()
		return remote.Dial(t.Context(), "tcp4", l.Addr().String(), &remote.Options{Domain: 253})
	},
}

// TestQuestions asks an agent everything, over each kind of connection, and compares the answers
// with those of the provider itself.
func TestQuestions(t *testing.T) {
	color, inDom := pcp.NewID(253, 0, 1), pcp.NewInDom(253, 0)
	client := &pmda.Client{Number: 3}
	profile := new(pcp.Profile)
	profile.Del(inDom)
	profile.Add(inDom, 1)
	type asked interface {
		pmda.Provider
		pmda.Texter
		pmda.Labeler
		pmda.Storer
		pmda.Namer
	}
	answers := func(p asked) (list []any) {
		ctx := t.Context()
		add := func(v any, err error) { list = append(list, v, pmerr.Of(err)) }
		for _, id := range []pcp.ID{color, pcp.NewID(253, 0, 0), pcp.NewID(253, 7, 7)} {
			add(p.Desc(ctx, client, id))
		}
		add(p.Instances(ctx, client, inDom))
		add(p.Instances(ctx, client, pcp.NewInDom(253, 9)))
		for _, name := range []string{"red", "green", "mauve"} {
			add(pmda.FindInstance(ctx, p, client, inDom, name))
		}
		for _, req := range []*pmda.Request{
			{Client: client, IDs: []pcp.ID{color, pcp.NewID(253, 7, 7), color}},
			{Client: client, IDs: []pcp.ID{color}, Profile: profile},
			{Client: client, IDs: []pcp.ID{color}},
		} {
			var r pcp.Result
			add(nil, p.Fetch(ctx, req, &r))
			for _, v := range r.Sets {
				if v.Err != nil {
					v.Type = pcp.Unknown // that of an unknown metric is of no use
				}
				list = append(list, fmt.Sprint(v.ID, v.Type, v.Err, v.Insts, v.Words))
			}
		}
		for _, kind := range []pcp.TextKind{pcp.OneLine, pcp.Help} {
			add(p.Text(ctx, client, color, kind))
			add(p.InDomText(ctx, client, inDom, kind))
		}
		for _, kind := range []pcp.LabelKind{pcp.DomainLabels, pcp.InDomLabels, pcp.ItemLabels} {
			ident := map[pcp.LabelKind]uint32{pcp.DomainLabels: 253, pcp.InDomLabels: uint32(inDom), pcp.ItemLabels: uint32(color)}[kind]
			sets, err := p.Labels(ctx, client, kind, ident)
			add(pmda.MarkLabels(sets, kind), err)
		}
		add(nil, p.Store(ctx, client, []pcp.Values{{ID: color, Type: pcp.Int32, Insts: []int32{1}, Words: []uint64{7}}}))
		add(nil, p.Store(ctx, client, []pcp.Values{{ID: color, Type: pcp.Int32, Insts: []int32{1}, Words: []uint64{700}}}))
		add(p.LookupName(ctx, client, "simple.color"))
		add(p.NamesOf(ctx, client, color))
		add(p.Children(ctx, client, "simple"))
		add(p.Leaves(ctx, client, "simple"))
		return list
	}
	own, err := newSimple()
	if err != nil {
		t.Fatal(err)
	}
	want := answers(own.(asked))
	for name, open := range agents {
		a, err := open(t)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := answers(a)
		for i := range want {
			if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
				t.Errorf("%s: answer %d is %v, want %v", name, i, got[i], want[i])
			}
		}
		if one, err := a.InstanceName(t.Context(), client, inDom, 2); one != "blue" || err != nil {
			t.Errorf("%s: instance 2 is %q, error %v", name, one, err)
		}
		a.EndClient(client)
		if err := a.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := a.Desc(t.Context(), client, color); !errors.Is(err, pmerr.NoAgent) {
			t.Errorf("%s: after Close: %v", name, err)
		}
	}
}

// TestEnds checks how agents fail that do not introduce themselves, do not answer or end badly.
func TestEnds(t *testing.T) {
	if _, err := remote.Start(t.Context(), exec.Command("/no/such/agent"), nil); err == nil {
		t.Error("a program that is not there was started")
	}
	short := &remote.Options{CredsTimeout: 50 * time.Millisecond, Timeout: 50 * time.Millisecond}
	a, err := remote.Start(t.Context(), program("failing"), &remote.Options{Timeout: short.Timeout}) // a program takes its time to start
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Desc(t.Context(), nil, 1)
	if !errors.Is(err, pmerr.NoAgent) || !strings.Contains(err.Error(), "nothing in 50ms") {
		t.Errorf("no answer: %v", err)
	}
	if err := a.Close(); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("Close: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	near, far := net.Pipe()
	defer far.Close()
	if _, err := remote.New(t.Context(), near, short); !errors.Is(err, pmerr.NoAgent) {
		t.Errorf("silence: %v", err)
	}
	for _, first := range []pdu.Message{&pdu.Error{Code: -1}, &pdu.Creds{Version: 1}} {
		near, far := net.Pipe()
		go func() {
			b, _ := first.Encode(nil)
			far.Write(b)
		}()
		if _, err := remote.New(t.Context(), near, nil); !errors.Is(err, pmerr.IPC) {
			t.Errorf("%v first: %v", first.Type(), err)
		}
		far.Close()
	}
}

// scripted returns an Agent whose other end answers each request with the next of the messages.
func scripted(t *testing.T, opts *remote.Options, answers ...any) *remote.Agent {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { far.Close() })
	send := func(answer any) {
		b, ok := answer.([]byte)
		if m, is := answer.(pdu.Message); is {
			b, _ = m.Encode(nil)
			ok = true
		}
		if ok {
			far.Write(b)
		}
	}
	go func() {
		send(&pdu.Creds{Version: 2, Flags: pmda.FlagAttrs})
		r := pdu.NewReader(far)
		for _, answer := range append([]any{nil}, answers...) {
			if _, err := r.Next(); err != nil {
				return
			}
			send(answer)
		}
	}()
	a, err := remote.New(t.Context(), near, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// TestBadAnswers: what breaks the protocol ends the conversation, what is only wrong does not.
func TestBadAnswers(t *testing.T) {
	good := &pdu.Desc{Desc: pcp.Desc{ID: 7}}
	for _, tt := range []struct {
		name   string
		answer any
		want   pmerr.Code
		alive  bool
	}{
		{"refusal", &pdu.Error{Code: pmerr.PMID}, pmerr.PMID, true},
		{"another metric", &pdu.Desc{Desc: pcp.Desc{ID: 8}}, pmerr.Generic, true},
		{"another type", &pdu.Text{}, pmerr.NoAgent, false},
		{"success", &pdu.Error{}, pmerr.NoAgent, false},
		{"too short", []byte{0, 0, 0, 16, 0, 0, 0x70, 5, 0, 0, 0, 0, 0, 0, 0, 7}, pmerr.NoAgent, false},
		{"no message", bytes.Repeat([]byte{255}, 32), pmerr.NoAgent, false},
	} {
		a := scripted(t, nil, tt.answer, good)
		if _, err := a.Desc(t.Context(), nil, 7); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if _, err := a.Desc(t.Context(), nil, 7); (err == nil) != tt.alive {
			t.Errorf("%s: then %v", tt.name, err)
		}
	}
	two := &pdu.Instance{Instances: make([]pcp.Instance, 2)}
	a := scripted(t, nil, two, &pdu.IDs{}, &pdu.Names{Names: []string{"a"}}, &pdu.Desc{Desc: pcp.Desc{ID: 7}}, &pdu.Result{})
	if _, err := a.FindInstance(t.Context(), nil, 1, "x"); !errors.Is(err, pmerr.Inst) {
		t.Errorf("two instances: %v", err)
	}
	if _, err := a.LookupName(t.Context(), nil, "x"); !errors.Is(err, pmerr.Name) {
		t.Errorf("no identifier: %v", err)
	}
	if _, err := a.Children(t.Context(), nil, "x"); !errors.Is(err, pmerr.IPC) {
		t.Errorf("children without states: %v", err)
	}
	if err := a.Fetch(t.Context(), &pmda.Request{IDs: []pcp.ID{7}}, new(pcp.Result)); !errors.Is(err, pmerr.Generic) {
		t.Errorf("no values: %v", err)
	}
}

// TestNotReady follows an agent that is not ready at first, and again later (collector.md C1.5).
func TestNotReady(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	messages := make(chan pdu.Message)
	go func() {
		for m := range messages {
			b, _ := m.Encode(nil)
			far.Write(b)
		}
	}()
	requests := make(chan pdu.Type, 10)
	go func() {
		for r := pdu.NewReader(far); ; {
			f, err := r.Next()
			if err != nil {
				return
			}
			requests <- f.Type
		}
	}()
	defer close(messages)
	go func() { messages <- &pdu.Creds{Version: 2} }()
	a, err := remote.New(t.Context(), near, &remote.Options{NotReady: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	<-requests // its greeting
	ready := func() {
		messages <- &pdu.Error{Code: pmerr.PMDAReady}
		if err := a.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	describe := func(answer pdu.Message) error {
		go func() {
			<-requests
			messages <- answer
		}()
		_, err := a.Desc(t.Context(), nil, 7)
		return err
	}
	if _, err := a.Desc(t.Context(), nil, 7); !errors.Is(err, pmerr.Again) {
		t.Errorf("at first: %v", err)
	}
	ready()
	if err := describe(&pdu.Desc{Desc: pcp.Desc{ID: 7}}); err != nil {
		t.Errorf("ready: %v", err)
	}
	if err := describe(&pdu.Error{Code: pmerr.PMDANotReady}); !errors.Is(err, pmerr.Again) {
		t.Errorf("not ready: %v", err)
	}
	if _, err := a.Desc(t.Context(), nil, 7); !errors.Is(err, pmerr.Again) {
		t.Errorf("still not ready: %v", err)
	}
	ready()
	if err := describe(&pdu.Desc{Desc: pcp.Desc{ID: 7}}); err != nil {
		t.Errorf("ready again: %v", err)
	}
}

// TestProfiles: a profile is sent when it differs from the one that the agent has, also by its
// client, and attributes only to agents that want them.
func TestProfiles(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	seen := make(chan string, 20)
	go func() {
		b, _ := (&pdu.Creds{Version: 2, Flags: pmda.FlagAttrs}).Encode(nil)
		far.Write(b)
		for r := pdu.NewReader(far); ; {
			f, err := r.Next()
			if err != nil {
				close(seen)
				return
			}
			seen <- fmt.Sprint(f.Type, f.From)
			if f.Type == pdu.TypeFetch {
				b, _ := (&pdu.Result{}).Encode(nil)
				far.Write(b)
			}
		}
	}()
	a, err := remote.New(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	some := new(pcp.Profile)
	some.Add(1, 2)
	one, two := &pmda.Client{Number: 1, Attrs: map[pdu.AttrCode]string{pmda.UserID: "7"}}, &pmda.Client{Number: 2}
	a.SetAttr(one, pmda.UserID)
	for _, req := range []*pmda.Request{{Client: one}, {Client: one, Profile: some}, {Client: one, Profile: some}, {Client: two, Profile: some}, {Client: one}, {Client: one}} {
		if err := a.Fetch(t.Context(), req, new(pcp.Result)); err != nil {
			t.Fatal(err)
		}
	}
	a.EndClient(two)
	a.Close()
	var got []string
	for s := range seen {
		got = append(got, s)
	}
	want := strings.Fields("CREDS0 ATTR1 FETCH1 PROFILE1 FETCH1 FETCH1 PROFILE2 FETCH2 PROFILE1 FETCH1 FETCH1 ERROR2")
	for i, w := range want {
		for _, digit := range "0123" {
			w = strings.Replace(w, string(digit), " "+string(digit), 1)
		}
		want[i] = w
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
}

// TestProgramNames reads the names that a program prints.
func TestProgramNames(t *testing.T) {
	t.Setenv("REMOTE_TEST_AGENT", "names")
	got, err := remote.ProgramNames(t.Context(), os.Args[0])
	want := []pmda.Name{{Name: "spool.size", ID: pcp.NewID(450, 0, 1)}, {Name: "spool.dyn", ID: pmda.RootID(450)}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, error %v", got, err)
	}
	t.Setenv("REMOTE_TEST_AGENT", "failing")
	if got, err := remote.ProgramNames(t.Context(), os.Args[0]); err == nil {
		t.Errorf("names %v of a program that fails", got)
	}
}

// checkOrphan waits for the end of the process whose number is in a file.
func checkOrphan(t *testing.T, file string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return // processes have no groups there
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := strconv.Atoi(string(text))
	p, err := os.FindProcess(pid)
	for range 300 {
		if err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("process %d lives on", pid)
	p.Kill()
}

// TestProgramNamesBounded asks programs for names that do not end, or leave a process that holds their
// output open. Their processes may not stay.
func TestProgramNamesBounded(t *testing.T) {
	for _, tt := range []struct{ kind, want string }{
		{"deaf", "it does not end within 5s"},
		{"orphan", "WaitDelay expired"},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			orphan := filepath.Join(t.TempDir(), "pid")
			t.Setenv("REMOTE_TEST_AGENT", tt.kind)
			t.Setenv("REMOTE_TEST_PID", orphan)
			begun := time.Now()
			_, err := remote.ProgramNames(t.Context(), os.Args[0])
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if took := time.Since(begun); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
			if tt.kind == "orphan" {
				checkOrphan(t, orphan)
			}
		})
	}
}
