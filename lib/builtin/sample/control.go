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

// control is what makes the sample collector behave in special ways.
type control struct {
	errorCode    int32
	changed      map[uint32]bool // items that have a note about it: whether they were stored
	notReady     int32           // seconds
	notReadyMsec int32
	readyAt      time.Time // zero unless the waiting has begun
}

// addControl adds what controls the collector, and what goes wrong on purpose.
func (s *collector) addControl() {
	s.changed = map[uint32]bool{}
	s.define(0, pcp.String, pcp.Instant, "Debug options of the agent",
		"Always empty: this program has no debug options that could be set here.",
		pmda.One(func() string { return "" })).Store = storeControl
	s.define(1, pcp.Uint32, pcp.Instant, "Process number of the agent", "The number of the process that the metrics come from.",
		pmda.One(os.Getpid))
	s.define(9, pcp.Int32, pcp.Instant, "A metric without values", "There is never a value.", nil)
	s.define(39, pcp.Aggregate, pcp.Instant, "What the kernel says about the system",
		"The bytes of the answer of the system call sysinfo(2), in the layout of this\nmachine. Only Linux has it.", fetchSysinfo)
	s.define(55, pcp.NoSupport, 0, "A metric that is not supported", "There is a description, which says that this version has no such metric.", nil)
	s.int32s(56, "Seconds for which the agent will not be ready",
		"A number above zero that is stored here makes the agent say that it is not ready,\nand so that it is again after as many seconds. Then it is zero again.", &s.notReady).Store = storable(&s.notReady)
	s.int32s(169, "Milliseconds for which the agent will not be ready",
		"As sample.not_ready, but in milliseconds.", &s.notReadyMsec).Store = storable(&s.notReadyMsec)
	s.items[169].Units = pcp.Units{DimSpace: 1, ScaleSpace: pcp.Mbyte} // as the reference has it
	s.int32s(74, "The error that sample.error_check gives",
		"A number of an error, as pmerr(1) lists them, or 0. It can be set with pmstore(1).", &s.errorCode).Store = storable(&s.errorCode)
	s.int32s(75, "A metric that gives an error on demand",
		"If sample.error_code is below zero, a request for the values, the description or the\nhelp text of this metric is answered by that error. Otherwise it is 0.", new(int32))
	s.define(91, pcp.Uint32, pcp.Instant, "Memory that the agent has", "How much memory the process has for its data.",
		pmda.One(host.DataSize)).Units = pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}
	s.define(138, pcp.Int32, pcp.Instant, "A metric that never has values", "There are no values, and no error.", nil)
	s.define(154, pcp.Int32, pcp.Discrete, "A metric that cannot be had now", "In place of a value there is always the error PM_ERR_AGAIN.",
		func(*pmda.Column) error { return pmerr.Again })
}

// storeControl takes debug options, of which there are none.
func storeControl(_ *pmda.Client, v *pcp.Values) error {
	text, err := storedText(v)
	switch {
	case err != nil:
		return err
	case string(text) == "-1":
		return pmerr.Permission // it would end the program
	case len(text) > 0:
		return pmerr.Conv
	}
	return nil
}

// refuses returns the error that was asked for by a store, if id is the metric for it.
func (s *collector) refuses(id pcp.ID) error {
	if s.errorCode < 0 && id == pcp.NewID(s.opts.Domain, 0, 75) {
		return pmerr.Code(s.errorCode)
	}
	return nil
}

// Check implements pmda.Checker.
func (s *collector) Check(context.Context, *pmda.Client) error {
	var wait time.Duration
	switch {
	case s.notReady > 0:
		wait = time.Duration(s.notReady) * time.Second
	case s.notReadyMsec > 0:
		wait = time.Duration(s.notReadyMsec) * time.Millisecond
	default:
		return nil
	}
	now := s.opts.Now()
	if s.readyAt.IsZero() {
		s.readyAt = now.Add(wait)
	}
	if now.Before(s.readyAt) {
		return pmda.ErrNotReady
	}
	s.beReady()
	return nil
}

// beReady ends the waiting.
func (s *collector) beReady() { s.notReady, s.notReadyMsec, s.readyAt = 0, 0, time.Time{} }

// WaitReady implements pmda.Waiter.
func (s *collector) WaitReady(ctx context.Context) error {
	if s.readyAt.IsZero() {
		return nil
	}
	t := time.NewTimer(s.readyAt.Sub(s.opts.Now()))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		s.beReady()
		return nil
	}
}
