package main

import (
	"strconv"
	"testing"
	"time"

	"pmtools/internal/timecontrol"
	"pmtools/internal/timecontrol/timecontroltest"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

// TestControlled: a time control server moves through an archive, changes the interval and the
// zone, goes back, beyond the end, and away. The text is the reference's for the same server.
func TestControlled(t *testing.T) {
	base := archivetest.Path(t, "interp")
	server, err := timecontroltest.Listen(func(p *timecontroltest.Player) {
		p.Greet()
		step := func(d timecontrol.Direction, sec int64, delta time.Duration) {
			p.Send(&timecontrol.Packet{Command: timecontrol.Step, Direction: d, Position: pcp.Timestamp{Sec: archivetest.Start + sec}, Delta: delta})
			p.Receive()
		}
		step(timecontrol.Forward, 10, time.Second)
		step(timecontrol.Forward, 11, time.Second)
		p.Send(&timecontrol.Packet{Command: timecontrol.Zone, Zone: "EST5EDT", ZoneLabel: "nyhost"})
		p.Send(&timecontrol.Packet{Command: timecontrol.Mode, Direction: timecontrol.Stopped})
		step(timecontrol.Forward, 20, 2*time.Second)
		step(timecontrol.Forward, 22, 2*time.Second)
		step(timecontrol.Backward, 20, 2*time.Second)
		step(timecontrol.Forward, 1000, time.Second)
		step(timecontrol.Forward, 1001, time.Second)
	})
	if err != nil {
		t.Skip("no port here: ", err)
	}
	got := run([]string{"-p", strconv.Itoa(server.Port), "-a", base, "t.i.d"}, map[string]string{"TZ": "UTC"})
	sent := server.Close()
	const want = `22:13:30.000              15.00  
22:13:31.000              15.00  
new timezone: EST5EDT (nyhost)

[Time Control] Resume ...
new interval:  2.00 sec
17:13:40.000              40.00  
17:13:42.000              40.00  

[Time Control] Rewind/Reverse ...

[Time Control] Repositioned in archive ...
new interval:  1.00 sec

[Time Control] End of Archive ...
`
	if below(got.Stdout) != want || got.Stderr != "\npmval: Time Control dialog exited, goodbye.\n" || got.Status != 1 {
		t.Errorf("got %s\n%s, %d", got.Stdout, got.Stderr, got.Status)
	}
	if len(sent) != 9 {
		t.Errorf("sent %+v", sent)
	} else if sent[0].Zone != "UTC" || sent[0].ZoneLabel != "specbox" || sent[0].Kind != timecontrol.Recorded {
		t.Errorf("sent %+v", sent)
	}
}

// TestControlledForms: forms that programs read have the samples alone.
func TestControlledForms(t *testing.T) {
	base := archivetest.Path(t, "interp")
	server, err := timecontroltest.Listen(func(p *timecontroltest.Player) {
		p.Greet()
		p.Send(&timecontrol.Packet{Command: timecontrol.Zone, Zone: "EST5EDT", ZoneLabel: "nyhost"})
		p.Send(&timecontrol.Packet{Command: timecontrol.Step, Direction: timecontrol.Forward, Delta: time.Second,
			Position: pcp.Timestamp{Sec: archivetest.Start + 10}})
		p.Receive()
	})
	if err != nil {
		t.Skip("no port here: ", err)
	}
	got := run([]string{"--output", "csv", "-p", strconv.Itoa(server.Port), "-a", base, "t.i.d"}, map[string]string{"TZ": "UTC"})
	server.Close()
	if want := "time,t.i.d\r\n2023-11-14T22:13:30Z,15\r\n"; got.Stdout != want {
		t.Errorf("got %q", got.Stdout)
	}
}

// TestNoControl: there is no time control server.
func TestNoControl(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	f := &fakeSource{desc: singular(pcp.Int32, pcp.Instant), script: []fakeSample{one(1, 7)}}
	out, errs, status := live(t, f, "-p", "1", "m")
	if out != "\n" || errs != "pmval: pmTimeConnect: Interrupted system call\n" || status != 1 {
		t.Errorf("-p: got %q, %q, %d", out, errs, status)
	}
	out, errs, status = live(t, f, "-g", "m")
	if out != "\n" || errs != "execvp: No such file or directory\npmval: pmTimeConnect: No such file or directory\n" || status != 1 {
		t.Errorf("-g: got %q, %q, %d", out, errs, status)
	}
	out, _, status = live(t, f, "-p", "x", "-s", "1", "m")
	if below(out) != "          7\n" || status != 0 {
		t.Errorf("-p x: got %q, %d", out, status)
	}
}

// TestControlledAbsurd: a server that sends times and spans that no archive has.
func TestControlledAbsurd(t *testing.T) {
	base := archivetest.Path(t, "interp")
	secs := []int64{-1 << 63, -1 << 62, -1, 0, archivetest.Start + 10, 1<<31 - 1, 1 << 33, 1 << 62, 1<<63 - 1}
	server, err := timecontroltest.Listen(func(p *timecontroltest.Player) {
		p.Greet()
		for _, delta := range []time.Duration{-1 << 63, -time.Second, 0, time.Microsecond, 1<<63 - 1} {
			for _, sec := range secs {
				p.Send(&timecontrol.Packet{Command: timecontrol.Drag})
				for range 3 {
					p.Send(&timecontrol.Packet{Command: timecontrol.Step, Direction: timecontrol.Forward, Position: pcp.Timestamp{Sec: sec, Nsec: 999_999_000}, Delta: delta})
					if p.Receive() == nil {
						return
					}
				}
			}
		}
	})
	if err != nil {
		t.Skip("no port here: ", err)
	}
	got := run([]string{"-p", strconv.Itoa(server.Port), "-a", base, "t.c.ul"}, map[string]string{"TZ": "UTC"})
	sent := server.Close()
	if got.Stderr != "\npmval: Time Control dialog exited, goodbye.\n" || got.Status != 1 || len(sent) < 5*3*len(secs) {
		t.Errorf("%d packets, %q, %d\n%s", len(sent), got.Stderr, got.Status, got.Stdout)
	}
}
