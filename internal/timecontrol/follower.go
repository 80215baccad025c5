package timecontrol

import (
	"context"
	"time"
)

// An Event is an action for a client, or a message for its user.
type Event int

// The events.
const (
	Stepped      Event = iota // take the next sample; if Moved, at Position and in steps of Delta
	Rewound                   // time goes backward: the client waits until it goes forward again
	Resumed                   // time goes forward again after a stop; the samples do not follow the earlier ones
	Repositioned              // time goes forward again, from another position
	NewInterval               // Delta has changed
	NewZone                   // times are to be shown in Zone
)

type state int

const (
	beginning state = iota
	standing
	forward
	backward
	moving
	restarting
	ended
)

// A Follower turns the packets of a server into events, in the order of the reference's programs
// (values.md V25.3).
type Follower struct {
	Moved bool // the next Stepped needs a new position in the archive

	conn    *Conn
	live    bool
	shown   bool
	state   state
	packet  Packet  // the last
	waiting []Event // its events after the first one
	pending bool    // the step is not acknowledged
	delta   time.Duration
}

// Follow returns a Follower of the connection. set is the argument of Connect.
func (c *Conn) Follow(set *Packet) *Follower {
	return &Follower{conn: c, live: set.Kind == Live, delta: set.Delta}
}

// Packet returns the packet of the last event.
func (f *Follower) Packet() *Packet { return &f.packet }

// Next acknowledges the step before, if there was one, and returns the next event. The first call
// shows the server's window. A server that has gone is an error.
func (f *Follower) Next(ctx context.Context) (Event, error) {
	if !f.shown {
		f.shown = true
		if err := f.conn.ShowDialog(true); err != nil {
			return 0, err
		}
	}
	for len(f.waiting) == 0 {
		if err := f.Acknowledge(); err != nil {
			return 0, err
		}
		packet, err := f.conn.Receive(ctx)
		if err != nil {
			return 0, err
		}
		f.packet = *packet
		f.take()
	}
	e := f.waiting[0]
	f.waiting = f.waiting[1:]
	return e, nil
}

// Acknowledge acknowledges the last step, unless that has been done.
func (f *Follower) Acknowledge() error {
	if !f.pending {
		return nil
	}
	f.pending = false
	return f.conn.Acknowledge(f.packet.Position)
}

// End notes that the step led beyond the end of the archive: until time is moved, steps are not
// events. It reports whether that is new.
func (f *Follower) End() bool {
	known := f.state == ended
	f.state = ended
	return !known
}

func (f *Follower) take() {
	f.waiting = f.waiting[:0]
	switch f.packet.Command {
	case Set:
		switch f.state {
		case ended:
			f.state = standing
		case forward:
			f.state = restarting
		}
	case Step:
		f.pending = true
		f.step()
	case Zone:
		f.note(NewZone)
	case Mode:
		f.state = restarting
		if f.packet.Direction == Stopped {
			f.state = standing
		}
	case Drag:
		f.state = moving
	}
}

func (f *Follower) note(e Event) { f.waiting = append(f.waiting, e) }

func (f *Follower) step() {
	if f.packet.Direction == Backward {
		if f.state != backward {
			f.state = backward
			f.note(Rewound)
		}
		return
	}
	if f.state == ended {
		return
	}
	if f.Moved = f.state != forward; f.Moved {
		f.turnForward()
	}
	f.note(Stepped)
}

func (f *Follower) turnForward() {
	switch {
	case f.state == beginning:
	case f.live || f.state == standing:
		f.note(Resumed)
	default:
		f.note(Repositioned)
	}
	if f.packet.Delta != f.delta && f.state != beginning {
		f.note(NewInterval)
	}
	f.delta, f.state = f.packet.Delta, forward
}
