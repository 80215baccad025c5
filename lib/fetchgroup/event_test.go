package fetchgroup

import (
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
)

// TestEvents has FG17.9, over the records that the sample collector has in its first fetches.
func TestEvents(t *testing.T) {
	g, _ := sampleGroup(t)
	strs, err := AddEvent[string](t.Context(), g, "sample.event.records", "fungus", "sample.event.param_string", "")
	if err != nil {
		t.Fatal(err)
	}
	types, err := AddEvent[int32](t.Context(), g, "sample.event.records", "fungus", "sample.event.type", "")
	if err != nil {
		t.Fatal(err)
	}
	doubles, err := AddEvent[float32](t.Context(), g, "sample.event.records", "fungus", "sample.event.param_double", "instant")
	if err != nil {
		t.Fatal(err)
	}
	flags, err := AddEvent[uint32](t.Context(), g, "sample.event.records", "fungus", "event.flags", "")
	if err != nil {
		t.Fatal(err)
	}
	missed, err := AddEvent[int32](t.Context(), g, "sample.event.records", "fungus", "event.missed", "")
	if err != nil {
		t.Fatal(err)
	}
	bogus, err := AddEvent[string](t.Context(), g, "sample.event.records", "bogus", "sample.event.param_32", "")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 4 {
		if _, err := g.Fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		seen["strings "+values(strs)] = true
		seen["types "+values(types)] = true
		seen["doubles "+values(doubles)] = true
		seen["flags "+values(flags)] = true
		seen["missed "+values(missed)] = true
		seen["bogus "+values(bogus)] = true
	}
	for _, want := range []string{
		`strings "6" "twelve" "thirteen"`, `types 4 7 10 16`, `doubles 8 -9`, `flags 26 1 4 2147483648 1`, `missed 7`, `types `,
	} {
		if !seen[want] {
			t.Errorf("never %s; seen %v", want, seen)
		}
	}
}

// values returns the values of an Events.
func values[T Type](e *Events[T]) string {
	var list []string
	for x := range e.All() {
		if x.Time.IsZero() {
			return "a value without time"
		}
		list = append(list, show(x.Value, x.Err))
	}
	if e.Err() != nil {
		list = append(list, fmt.Sprint(e.Err()))
	}
	return strings.Join(list, " ")
}

// TestEventsRefused has the errors of FG10.1.
func TestEventsRefused(t *testing.T) {
	g, _ := sampleGroup(t)
	for _, tt := range []struct {
		metric, inst, field, scale string
		want                       pmerr.Code
	}{
		{"sample.event.records", "fungus", "sample.event.param_u64", "rate", pmerr.Conv},
		{"sample.event.records", "fungus", "sample.event.param_aggregate", "", pmerr.Type},
		{"sample.event.records", "fungus", "sample.bin", "", pmerr.InDom},
		{"sample.event.records", "fungus", "no.such", "", pmerr.Name},
		{"sample.event.records", "", "sample.event.type", "", pmerr.InDom},
		{"sample.event.records", "no", "sample.event.type", "", pmerr.Inst},
		{"sample.long.one", "", "sample.event.type", "", pmerr.Type},
	} {
		if _, err := AddEvent[string](t.Context(), g, tt.metric, tt.inst, tt.field, tt.scale); pmerr.Of(err) != tt.want {
			t.Errorf("%+v: got %v", tt, err)
		}
	}
}
