package pmcdtest

import (
	"bytes"
	"fmt"
	"sync"

	"pmtools/lib/pdu"
)

// A Step is a request that is expected, and the replies to it.
type Step struct {
	Want pdu.Message   // nil is any request
	Send []pdu.Message // none for a request that has no reply
}

// A Script is a Handler that expects requests in an order, over all connections.
// What a client says about itself first is not one of them. A request that is not
// expected is answered by an error. A Script may be shared by goroutines.
type Script struct {
	mu    sync.Mutex
	steps []Step
	next  int
	err   error
}

// NewScript returns a Script of steps.
func NewScript(steps ...Step) *Script { return &Script{steps: steps} }

// Handle implements Handler.
func (s *Script) Handle(_ *Session, f pdu.Frame) []pdu.Message {
	if f.Type == pdu.TypeCreds {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == len(s.steps) {
		s.fail(fmt.Errorf("%v after the last step", f.Type))
		return refuse(ipcError)
	}
	step := &s.steps[s.next]
	if step.Want != nil {
		want, err := step.Want.Encode(nil)
		if err != nil {
			s.fail(err)
		} else if f.Type != step.Want.Type() || !bytes.Equal(f.Body, want[pdu.HeaderSize:]) {
			s.fail(fmt.Errorf("step %d: %v %x, want %v %x", s.next, f.Type, f.Body, step.Want.Type(), want[pdu.HeaderSize:]))
			return refuse(ipcError)
		}
	}
	s.next++
	return step.Send
}

// fail remembers the first thing that was wrong.
func (s *Script) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Err returns the first request that was not as expected, or how many steps are
// left.
func (s *Script) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.next < len(s.steps) {
		return fmt.Errorf("%d steps of %d were made", s.next, len(s.steps))
	}
	return s.err
}
