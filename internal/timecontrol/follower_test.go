package timecontrol_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pmtools/internal/timecontrol"
	"pmtools/internal/timecontrol/timecontroltest"
	"pmtools/lib/pcp"
)

// script returns packets by their names: > and < are steps forward and backward, each a second
// further, z a zone, s a jump, d dragging, = and ! the server's display that stands still or moves,
// 2 an interval of two seconds from now on.
func script(text string) []timecontrol.Packet {
	p := timecontrol.Packet{Kind: timecontrol.Recorded, Delta: time.Second}
	var packets []timecontrol.Packet
	for _, c := range text {
		p.Command, p.Direction = timecontrol.Step, timecontrol.Forward
		switch c {
		case '<':
			p.Direction = timecontrol.Backward
		case 'z':
			p.Command = timecontrol.Zone
		case 's':
			p.Command = timecontrol.Set
		case 'd':
			p.Command = timecontrol.Drag
		case '=':
			p.Command, p.Direction = timecontrol.Mode, timecontrol.Stopped
		case '!':
			p.Command = timecontrol.Mode
		case '2':
			p.Delta = 2 * time.Second
			continue
		}
		p.Position.Sec++
		packets = append(packets, p)
	}
	return packets
}

// TestFollower checks the events of packets: > is a sample that follows, S one that begins anew,
// and the rest are the events' first letters; e is the end of the archive, which the client meets
// at the step with that number.
func TestFollower(t *testing.T) {
	const names = ">wrpiz"
	for _, c := range []struct {
		kind         timecontrol.Kind
		packets      string
		end          int64
		want, events string
	}{
		{timecontrol.Recorded, ">>>", 0, "1 2 3", "S>>"},
		{timecontrol.Recorded, ">><<>>", 0, "1 2 3 4 5 6", "S>wpS>"},
		{timecontrol.Recorded, ">=>>!>", 0, "1 3 4 6", "SrS>pS"},
		{timecontrol.Recorded, ">d>z>", 0, "1 3 5", "SpSz>"},
		{timecontrol.Recorded, ">2>>=>", 0, "1 2 3 5", "S>>riS"},
		{timecontrol.Recorded, "s>s>", 0, "2 4", "SpS"},
		{timecontrol.Recorded, ">>>>s>", 2, "1 2 3 4 6", "S>erS"},
		{timecontrol.Recorded, ">><>", 2, "1 2 3 4", "S>ewpS"},
		{timecontrol.Live, ">=>!>d>", 0, "1 3 5 7", "SrSrSrS"},
	} {
		s := listen(t, func(p *timecontroltest.Player) {
			p.Greet()
			for _, packet := range script(c.packets) {
				p.Send(&packet)
				if packet.Command == timecontrol.Step && p.Receive() == nil {
					return
				}
			}
		})
		first := set
		first.Kind = c.kind
		conn, err := timecontrol.Connect(context.Background(), s.Port, &first)
		if err != nil {
			t.Fatal(err)
		}
		f := conn.Follow(&first)
		var events strings.Builder
		for {
			e, err := f.Next(context.Background())
			if err != nil {
				break
			}
			if e == timecontrol.Stepped && f.Moved {
				events.WriteByte('S')
			} else {
				events.WriteByte(names[e])
			}
			if e == timecontrol.Stepped && f.Packet().Position.Sec == c.end && f.End() {
				events.WriteByte('e')
			}
		}
		conn.Close()
		var acks []string
		for _, p := range s.Close() {
			if p.Command == timecontrol.Ack {
				acks = append(acks, fmt.Sprint(p.Position.Sec))
			}
		}
		if got := strings.Join(acks, " "); got != c.want || events.String() != c.events {
			t.Errorf("%s: steps %s, want %s; events %s, want %s", c.packets, got, c.want, &events, c.events)
		}
	}
}

func Example() {
	server, err := timecontroltest.Listen(func(p *timecontroltest.Player) {
		p.Greet()
		p.Send(&timecontrol.Packet{Command: timecontrol.Step, Direction: timecontrol.Forward, Position: pcp.Timestamp{Sec: 60}, Delta: time.Minute})
		p.Receive()
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	ctx := context.Background()
	set := &timecontrol.Packet{Kind: timecontrol.Recorded, Delta: time.Second, Zone: "UTC", ZoneLabel: "myhost"}
	conn, err := timecontrol.Connect(ctx, server.Port, set)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	follower := conn.Follow(set)
	for {
		event, err := follower.Next(ctx)
		if err != nil {
			fmt.Println("the server has gone")
			return
		}
		if event == timecontrol.Stepped {
			p := follower.Packet()
			fmt.Println("fetch at", p.Position.Sec, "in steps of", p.Delta, follower.Moved)
		}
	}
	// Output:
	// fetch at 60 in steps of 1m0s true
	// the server has gone
}
