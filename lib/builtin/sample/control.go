package sample

import (
	"context"
	"os"
	"time"

	"pmtools/lib/builtin/internal/host"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// control are the settings for special behaviour of the sample collector.
type control struct {
	errorCode    int32
	changed      map[uint32]bool // items that have a note about it: whether they were stored
	notReady     int32           // seconds
	notReadyMsec int32
	readyAt      time.Time // zero unless the waiting has begun
}

func (s *collector) addControl() {
	s.control.changed = map[uint32]bool{}
	s.define(0, pmda.One(func() string { return "" })).Store = storeControl
	s.define(1, pmda.One(os.Getpid))
	s.define(9, nil)
	s.define(39, fetchSysinfo)
	s.define(55, nil)
	s.int32s(56, &s.control.notReady).Store = storable(&s.control.notReady)
	s.int32s(169, &s.control.notReadyMsec).Store = storable(&s.control.notReadyMsec)
	s.int32s(74, &s.control.errorCode).Store = storable(&s.control.errorCode)
	s.int32s(75, new(int32))
	s.define(91, pmda.One(host.DataSize))
	s.define(138, nil)
	s.define(154, func(*pmda.Column) error { return pmerr.Again })
}

// storeControl accepts debug options and ignores them.
func storeControl(_ *pmda.Client, v *pcp.Values) error {
	text, err := storedText(v)
	switch {
	case err != nil:
		return err
	case string(text) == "-1":
		return pmerr.Permission // the value would end the program
	case len(text) > 0:
		return pmerr.Conv
	}
	return nil
}

// refuses returns the error that was asked for by a store, if id is the metric for it.
func (s *collector) refuses(id pcp.ID) error {
	if s.control.errorCode < 0 && id == pcp.NewID(s.opts.Domain, 0, 75) {
		return pmerr.Code(s.control.errorCode)
	}
	return nil
}

// Check implements pmda.Checker.
func (s *collector) Check(context.Context, *pmda.Client) error {
	var wait time.Duration
	switch {
	case s.control.notReady > 0:
		wait = time.Duration(s.control.notReady) * time.Second
	case s.control.notReadyMsec > 0:
		wait = time.Duration(s.control.notReadyMsec) * time.Millisecond
	default:
		return nil
	}
	now := s.opts.Now()
	if s.control.readyAt.IsZero() {
		s.control.readyAt = now.Add(wait)
	}
	if now.Before(s.control.readyAt) {
		return pmda.ErrNotReady
	}
	s.beReady()
	return nil
}

func (s *collector) beReady() {
	s.control.notReady, s.control.notReadyMsec, s.control.readyAt = 0, 0, time.Time{}
}

// WaitReady implements pmda.Waiter.
func (s *collector) WaitReady(ctx context.Context) error {
	if s.control.readyAt.IsZero() {
		return nil
	}
	t := time.NewTimer(s.control.readyAt.Sub(s.opts.Now()))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		s.beReady()
		return nil
	}
}
