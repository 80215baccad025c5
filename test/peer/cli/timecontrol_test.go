package cli

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pmtools/internal/timecontrol"
	"pmtools/internal/timecontrol/timecontroltest"
	"pmtools/lib/pcp"
	"pmtools/test/peer/harness"
)

// outcomes are what came of one command line under a time control server: what it printed, and what
// it sent.
type outcomes struct {
	harness.Outcome
	Sent []timecontrol.Packet
}

// controlled runs a command line under a server. start gives the server's port to the command line.
// The content of fields that the reference does not set is left out.
func controlled(t *testing.T, s harness.Side, play func(*timecontroltest.Player), start func(port string) harness.Command) outcomes {
	t.Helper()
	_, _, root := harness.Setup(t)
	server, err := timecontroltest.Listen(play)
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(start(strconv.Itoa(server.Port)), root)
	if err != nil {
		t.Fatal(err)
	}
	sent := server.Close()
	for i := range sent {
		sent[i].Direction, sent[i].Speed = 0, 0
	}
	return outcomes{o, sent}
}

// compareControlled runs a command line under a server on both sides. what describes the server.
// The reference gets three tries: on a busy machine it may lose a race of its own.
func compareControlled(t *testing.T, what string, play func(*timecontroltest.Player), start func(port string) harness.Command) {
	t.Helper()
	ours, theirs, _ := harness.Setup(t)
	got := controlled(t, ours, play, start)
	var want outcomes
	for range 3 {
		want = controlled(t, theirs, play, start)
		if got.Outcome.Equal(want.Outcome) && cmp.Equal(got.Sent, want.Sent) {
			return
		}
	}
	t.Errorf("%s\n%s\n%s%s", start("PORT"), what, harness.Diff(got.Outcome, want.Outcome), cmp.Diff(want.Sent, got.Sent))
}

// onPort returns what starts a command line, in which PORT stands for the server's port.
func onPort(dir string, args ...string) func(port string) harness.Command {
	return func(port string) harness.Command {
		list := slices.Clone(args)
		list[slices.Index(list, "PORT")] = port
		return harness.Command{Args: list, Dir: dir}
	}
}

// playing returns a play that sends packets and waits for the answer to each step.
func playing(packets ...timecontrol.Packet) func(*timecontroltest.Player) {
	return func(p *timecontroltest.Player) {
		p.Greet()
		for i := range packets {
			p.Send(&packets[i])
			if packets[i].Command == timecontrol.Step && p.Receive() == nil {
				return
			}
		}
	}
}

// stepTo returns a step forward to a second after the start of the project's archives.
func stepTo(sec int64) timecontrol.Packet {
	return timecontrol.Packet{Command: timecontrol.Step, Kind: timecontrol.Recorded, Direction: timecontrol.Forward,
		Delta: time.Second, Position: pcp.Timestamp{Sec: archiveStart + sec}}
}

// archiveStart is when the project's archives begin.
const archiveStart = 1700000000

// randomPackets returns what a server might send about one of them. There are no zones: the reference
// damages its memory with them.
func randomPackets(r *rand.Rand) []timecontrol.Packet {
	at, delta := int64(0), time.Second
	var packets []timecontrol.Packet
	for range r.IntN(14) + 1 {
		p := stepTo(0)
		p.Speed = int32(r.IntN(3))
		switch r.IntN(12) {
		case 0:
			p.Command, p.Direction = timecontrol.Mode, timecontrol.Direction(r.IntN(3))
		case 1:
			p.Command, at = timecontrol.Drag, r.Int64N(40)-5
		case 2:
			p.Command, at = timecontrol.Set, r.Int64N(40)-5
		case 3:
			p.Command = []timecontrol.Command{timecontrol.Show, timecontrol.Bounds, 0, 512}[r.IntN(4)]
		case 4:
			delta = []time.Duration{time.Second, 2 * time.Second, 500 * time.Millisecond, 2500 * time.Millisecond, 10 * time.Second}[r.IntN(5)]
		case 5:
			p.Direction = timecontrol.Backward
		case 6:
			at = 1000
		case 7:
			p.Direction = timecontrol.Stopped
		}
		p.Delta, p.Position.Sec = delta, archiveStart+at
		at++
		packets = append(packets, p)
	}
	return packets
}

// TestTimeControl runs pmval under a time control server with random packets over the project's own
// archives.
func TestTimeControl(t *testing.T) {
	ours, _, root := harness.Setup(t)
	archives := []string{"interp", "volumes", "domains", "ta", "mini"}
	dir := harness.Own(t, archives...)
	metrics := make(map[string][]string)
	for _, a := range archives {
		o, err := ours.Run(harness.Command{Args: []string{"pminfo", "-a", a}, Dir: dir}, root)
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.FieldsSeq(string(o.Stdout)) {
			if !strings.HasPrefix(name, "t.d.") { // discrete: row A16 of the known differences
				metrics[a] = append(metrics[a], name)
			}
		}
	}
	options := []string{"", "", "", "-X", "-t 2", "-s 3", "-S 3", "-T 8", "-r", "-Z Asia/Tokyo", "-Z EST", "-z", "-w 12", "-f 2", "-t 0.5 -X"}
	seed := uint64(harness.Number("PMTOOLS_SEED", 1))
	r := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	for range harness.Number("PMTOOLS_RUNS", 300) {
		a := archives[r.IntN(len(archives))]
		args := append([]string{"pmval", "-p", "PORT", "-a", a}, strings.Fields(options[r.IntN(len(options))])...)
		args = append(args, metrics[a][r.IntN(len(metrics[a]))])
		packets := randomPackets(r)
		var script strings.Builder
		for _, p := range packets {
			fmt.Fprintf(&script, "%+v\n", p)
		}
		compareControlled(t, script.String(), playing(packets...), onPort(dir, args...))
		if t.Failed() {
			return
		}
	}
}

// TestTimeControlFaults: servers that lie, and what only some sources can do.
func TestTimeControlFaults(t *testing.T) {
	dir := harness.Own(t, "interp", "events", "wrap")
	raw := func(p timecontrol.Packet, change func(b []byte) []byte) []byte {
		b, err := p.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		return change(b)
	}
	length := func(n uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.NativeEndian.PutUint32(b[4:], n); return b }
	}
	ack := timecontrol.Packet{Command: timecontrol.Ack, Kind: timecontrol.Recorded}
	answer := func(b []byte) func(*timecontroltest.Player) {
		return func(p *timecontroltest.Player) {
			p.Receive()
			p.Raw(b)
			p.Receive()
		}
	}
	after := func(b []byte) func(*timecontroltest.Player) {
		return func(p *timecontroltest.Player) {
			p.Greet()
			p.Raw(b)
			p.Receive()
		}
	}
	same := func(b []byte) []byte { return b }
	live, zone := ack, timecontrol.Packet{Command: timecontrol.Zone, Zone: "EST5EDT", ZoneLabel: "ab"}
	live.Kind = timecontrol.Live
	bad := zone
	bad.Zone = "no zone"
	for what, play := range map[string]func(*timecontroltest.Player){
		"hangs up at once":      func(*timecontroltest.Player) {},
		"hangs up after SET":    func(p *timecontroltest.Player) { p.Receive() },
		"hangs up after ACK":    playing(),
		"another kind":          answer(raw(live, same)),
		"a step as answer":      answer(raw(stepTo(1), same)),
		"long answer":           answer(raw(ack, length(90))),
		"huge answer":           answer(raw(ack, length(1<<31))),
		"short answer":          answer(raw(ack, func(b []byte) []byte { return b[:50] })),
		"answer without magic":  answer(raw(ack, func(b []byte) []byte { b[0] = 0; return b })),
		"short packet":          after(raw(stepTo(10), length(87))),
		"huge packet":           after(raw(stepTo(10), length(1<<32-1))),
		"packet over the limit": after(raw(stepTo(10), func(b []byte) []byte { return append(length(169)(b), make([]byte, 81)...) })),
		"packet at the limit":   after(raw(stepTo(10), func(b []byte) []byte { return append(length(168)(b), make([]byte, 80)...) })),
		"half a packet":         after(raw(stepTo(10), func(b []byte) []byte { return b[:60] })),
		"step without magic":    after(raw(stepTo(10), func(b []byte) []byte { b[0] = 0; return b })),
		"zone":                  after(raw(zone, same)),
		"bad zone":              after(raw(bad, same)),
	} {
		compareControlled(t, what, play, onPort(dir, "pmval", "-p", "PORT", "-a", "interp", "t.i.d"))
	}
	steps := playing(stepTo(10), stepTo(11), stepTo(12))
	for _, line := range []string{
		"-a events e.records", "-U interp t.i.d", "-a interp -z t.i.d", "-a wrap -Z Europe/Paris sample.wrap.ulong", "-a wrap -z -s 2 sample.wrap.ulong",
		"-a interp -d t.i.d", "-a interp -s 0 t.i.d", "-a interp -f 30 t.i.d", "-a interp t.none",
	} {
		compareControlled(t, "", steps, onPort(dir, append([]string{"pmval", "-p", "PORT"}, strings.Fields(line)...)...))
	}
}

// TestTimeControlZone: the zone in the environment is the one that the server gets.
func TestTimeControlZone(t *testing.T) {
	dir := harness.Own(t, "interp")
	for _, tz := range []string{"TZ=", "TZ=Europe/Paris", "TZ=:Europe/Paris", "TZ=EST", "TZ=a..b", "TZ=/etc/x", "TZ=<+03>-3", "-TZ"} {
		compareControlled(t, tz, playing(stepTo(10)), func(port string) harness.Command {
			return harness.Command{Args: []string{"pmval", "-p", port, "-a", "interp", "t.i.d"}, Dir: dir, Env: []string{tz}}
		})
	}
}

// TestTimeControlStarted: pmval starts the server, a program pmtime found by PATH, which says what
// it likes. A last line without an end is left out: the reference may lose it.
func TestTimeControlStarted(t *testing.T) {
	dir := harness.Own(t, "interp")
	for _, script := range []string{
		"echo port=PORT", "echo $1 >&2; echo port=PORT", "echo port=1", "echo hello", "exit 3", "echo port=99999999", "echo port=x",
		"echo; echo port=PORT", "echo port=", "echo port=PORT more", "echo port=PORTx", "echo ' port=PORT'", "echo port= PORT",
	} {
		compareControlled(t, script, playing(stepTo(10)), func(port string) harness.Command {
			bin := t.TempDir()
			text := "#!/bin/sh\n" + strings.ReplaceAll(script, "PORT", port) + "\n"
			if err := os.WriteFile(filepath.Join(bin, "pmtime"), []byte(text), 0o777); err != nil {
				t.Fatal(err)
			}
			return harness.Command{Args: []string{"pmval", "-g", "-a", "interp", "t.i.d"}, Dir: dir, Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}}
		})
	}
}
