package agent

import (
	"fmt"
	"io"
	"math/rand"
	"os/exec"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
	"pmtools/test/peer/harness"
)

// An agentPipe is an agent that a test talks to in the daemon's place.
type agentPipe struct {
	in  io.Writer
	out *pdu.Reader
}

// talkTo starts an agent in the reference's root.
func (w *agentWorld) talkTo(t *testing.T, command string) *agentPipe {
	t.Helper()
	cmd := exec.Command("chroot", w.root, "/bin/sh", "-c", "cd "+w.inside+" && exec "+command)
	cmd.Env = append(cmd.Environ(), "PCP_PMDAS_DIR="+w.inside+"/pmdas", "PCP_VAR_DIR="+w.inside+"/var", "TZ=UTC")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		kill := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		kill.Stop()
	})
	p := &agentPipe{in, pdu.NewReader(out)}
	f, err := p.out.Next()
	if err != nil || f.Type != pdu.TypeCreds {
		t.Fatalf("%s: %v, %v", command, f.Type, err)
	}
	return p
}

// ask sends a message and returns the answer, if there is one, as text.
func (p *agentPipe) ask(t *testing.T, m pdu.Message, from int32) string {
	t.Helper()
	b, err := m.Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	pdu.SetFrom(b, from)
	if _, err := p.in.Write(b); err != nil {
		t.Fatal(err)
	}
	switch m.Type() {
	case pdu.TypeProfile, pdu.TypeError, pdu.TypeAttr, pdu.TypeCreds:
		return ""
	}
	f, err := p.out.Next()
	if err != nil {
		t.Fatalf("no answer to %v: %v", m.Type(), err)
	}
	if f.Type == pdu.TypeText {
		f.Body = f.Body[4:] // the reference's has the identifier in its machine's order
	}
	return fmt.Sprintf("%v from %d %x", f.Type, f.From, f.Body)
}

// randomRequest returns a message of the daemon to a simple agent.
func randomRequest(r *rand.Rand) pdu.Message {
	pick := func(n int) uint32 { return uint32(r.Intn(n)) }
	inDom := pcp.NewInDom(253, pick(4))
	id := pcp.NewID(253, pick(4), pick(6))
	names := []string{"red", "green", "blue", "red x", "re", "", "sec", "min", "hour", "sec x", "hourly", " ", "blue "}
	switch r.Intn(12) {
	case 0, 1, 2:
		f := &pdu.Fetch{Slot: 1}
		for range 1 + r.Intn(4) {
			ids := []pcp.ID{pcp.NewID(253, 0, 0), pcp.NewID(253, 0, 1), pcp.NewID(253, 0, 1), pcp.NewID(253, 0, 2+pick(5)), pcp.NewID(253, 3+pick(9), pick(5))}
			f.IDs = append(f.IDs, ids[r.Intn(len(ids))])
		}
		return f
	case 3:
		p := &pdu.Profile{Slot: 1, Exclude: r.Intn(2) == 0}
		for serial := range pick(3) {
			e := pcp.ProfileEntry{InDom: pcp.NewInDom(253, serial), Exclude: r.Intn(2) == 0}
			for i := range int32(4) {
				if r.Intn(2) == 0 {
					e.Insts = append(e.Insts, i)
				}
			}
			p.Entries = append(p.Entries, e)
		}
		return p
	case 4:
		return &pdu.DescReq{ID: id}
	case 5:
		return &pdu.InstanceReq{InDom: inDom, Inst: int32(pick(5)) - 1}
	case 6:
		return &pdu.InstanceReq{InDom: inDom, Inst: -1, Name: names[r.Intn(len(names))]}
	case 7:
		if r.Intn(2) == 0 {
			return &pdu.TextReq{Ident: uint32(inDom), InDom: true, Kind: pcp.TextKind(1 + pick(2))}
		}
		return &pdu.TextReq{Ident: uint32(id), Kind: pcp.TextKind(1 + pick(2))}
	case 8:
		kind := pcp.LabelKind(1 << pick(7))
		ident := map[pcp.LabelKind]uint32{pcp.ContextLabels: pdu.NullIdent, pcp.DomainLabels: 253, pcp.InDomLabels: uint32(inDom), pcp.InstanceLabels: uint32(inDom)}[kind]
		if ident == 0 {
			ident = uint32(id)
		}
		return &pdu.LabelReq{Ident: ident, Kind: kind}
	case 9:
		return randomStore(r)
	case 10:
		return []pdu.Message{&pdu.Names{Names: []string{"simple.color"}}, &pdu.IDs{IDs: []pcp.ID{id}}, &pdu.Child{Name: "simple", Status: r.Intn(2) == 0},
			&pdu.Traverse{Name: "simple"}}[r.Intn(4)]
	}
	return []pdu.Message{&pdu.Error{Code: pmerr.NotConn}, &pdu.Attr{Code: pdu.AttrUserID, Value: []byte("1\x00")}}[r.Intn(2)]
}

// randomStore returns a request to store values.
func randomStore(r *rand.Rand) pdu.Message {
	word := []uint64{0, 1, 7, 255, 256, 300, 1<<31 - 1, 1<<32 - 1, 1<<32 - 5}[r.Intn(9)]
	one := pcp.Values{ID: pcp.NewID(253, uint32(r.Intn(4)), uint32(r.Intn(5))), Type: pcp.Uint32, Insts: []int32{-1}, Words: []uint64{word}}
	if r.Intn(2) == 0 {
		one.ID, one.Insts, one.Words = pcp.NewID(253, 0, 1), nil, nil
		for i := range int32(4) {
			if i == int32(r.Intn(4)) || len(one.Insts) == 0 && i == 3 {
				one.Insts, one.Words = append(one.Insts, i), append(one.Words, word+uint64(i))
			}
		}
	}
	return &pdu.Result{Values: &pcp.Result{Sets: []pcp.Values{one}}}
}

// TestAgentDialogue plays random dialogues with the reference's simple agent and ours, and compares
// the answers byte by byte.
func TestAgentDialogue(t *testing.T) {
	_, _, root := harness.Setup(t)
	w := newAgentWorld(t, root, "simple")
	asked, answers := 0, 0
	for seed := range int64(8) {
		r := rand.New(rand.NewSource(seed))
		w.write(t, "pmdas/simple/simple.conf", []string{"sec,min,hour\n", "hour,sec\n", "\n", "min"}[seed%4])
		theirs := w.talkTo(t, "/var/lib/pcp/pmdas/simple/pmdasimple -d 253 -l theirs.log")
		ours := w.talkTo(t, "./gosimple -d 253 -l ours.log -h "+w.inside+"/pmdas/simple/help")
		theirs.ask(t, &pdu.Creds{Version: 2}, 1)
		ours.ask(t, &pdu.Creds{Version: 2}, 1)
		for range 1500 {
			m, from := randomRequest(r), int32(r.Intn(3))
			want, got := theirs.ask(t, m, from), ours.ask(t, m, from)
			if asked++; got != "" {
				answers++
			}
			if got != want {
				t.Errorf("seed %d: %v %+v:\nours   %s\ntheirs %s", seed, m.Type(), m, got, want)
				break
			}
		}
	}
	t.Logf("%d messages, %d answers", asked, answers)
}
