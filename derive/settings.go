package derive

import (
	"sync/atomic"

	"pmtools/lib/pmerr"
)

// settings are what a Registry, its Sets and the Sources over these have in common.
type settings struct {
	warn     func(line string)
	observer Observer
	sources  atomic.Int32 // how many were made
	controls [numControls]control
}

// Warn passes a line to the warn function of NewRegistry.
func (s *settings) Warn(line string) {
	if s.warn != nil {
		s.warn(line)
	}
}

// Observer returns the Observer, or nil if no events are wanted.
func (s *settings) Observer() Observer {
	if s.observer != nil && s.observer.Enabled(0) {
		return s.observer
	}
	return nil
}

type control struct {
	value int
	fixed bool // set from the environment, which has priority
}

// Control returns a setting. The error is pmerr.NoContext for ContextLimit, of which each Source
// has its own, and pmerr.Name for numbers that are not controls.
func (s *settings) Control(c Control) (int, error) {
	switch {
	case c < 1 || c > numControls:
		return 0, pmerr.Name
	case c == ContextLimit:
		return 0, pmerr.NoContext
	}
	if o := s.observer; o != nil && c >= DebugSyntax && c <= DebugEval {
		if o.Enabled(c) {
			return 1, nil
		}
		return 0, nil
	}
	return s.controls[c-1].value, nil
}

// SetControl changes a setting (pmSetDerivedControl): pmerr.Arg for a value out of range,
// pmerr.Again for one that FixControl has set, otherwise as Control.
func (s *settings) SetControl(c Control, value int) error { return s.control(c, value, false) }

// FixControl is SetControl for the environment, whose settings SetControl cannot change afterwards.
func (s *settings) FixControl(c Control, value int) error { return s.control(c, value, true) }

func (s *settings) control(c Control, value int, fix bool) error {
	if err := s.assign(c, value, fix); err != nil {
		return err
	}
	if o := s.observer; o != nil {
		o.Controlled(c, value)
	}
	return nil
}

// assign changes a setting. If fix is set, only another fixed assignment can change it again.
func (s *settings) assign(c Control, value int, fix bool) error {
	if c < 1 || c > numControls {
		return pmerr.Name
	}
	p := &s.controls[c-1]
	switch {
	case p.fixed && !fix && p.value != value:
		return pmerr.Again
	case c <= ContextLimit && value != -1 && value <= 0, c > ContextLimit && value != 0 && value != 1:
		return pmerr.Arg
	case c == ContextLimit:
		return pmerr.NoContext
	}
	p.value, p.fixed = value, p.fixed || fix
	return nil
}
