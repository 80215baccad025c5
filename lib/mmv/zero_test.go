package mmv_test

import (
	"errors"
	"testing"
	"time"

	"pmtools/lib/mmv"
)

// TestZero uses values that no registry knows: they count for themselves.
func TestZero(t *testing.T) {
	var n mmv.Number[uint64]
	n.Add(2)
	n.Add(3)
	if got := n.Get(); got != 5 {
		t.Errorf("number %d", got)
	}
	n.At("x").Add(1)
	n.Clear()
	if got := n.Get(); got != 0 {
		t.Errorf("cleared number %d", got)
	}
	var r mmv.Number[float32]
	r.Set(1.5)
	if got := r.Get(); got != 1.5 {
		t.Errorf("real %v", got)
	}
	var w mmv.Stopwatch
	w.Start()()
	w.Add(time.Second)
	w.At("x").Add(time.Second)
	if got := w.Get(); got < time.Second {
		t.Errorf("stopwatch %v", got)
	}
	var s mmv.String
	s.Set("up")
	s.At("x").Set("down")
	if got := s.Get(); got != "up" {
		t.Errorf("string %q", got)
	}
	var d mmv.Domain
	d.Add("a").Instance(7, "b")
	var reg mmv.Registry
	mmv.Gauge[int64](&reg, "depth", mmv.Per(&d)).Set(1)
	reg.Batch(func() { mmv.Text(&reg, "state").Set("up") })
	reg.Label("a", 1)
	if err := reg.Err(); !errors.Is(err, mmv.ErrClosed) {
		t.Errorf("registry: %v", err)
	}
	if err := reg.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}
