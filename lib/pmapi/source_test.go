package pmapi_test

import (
	"testing"

	"pmtools/lib/pmapi"
	"pmtools/lib/pmns"
)

// A shell is a Source over another that hides its optional interfaces.
type shell struct{ pmapi.Source }

// A wrapper is a shell that can be unwrapped.
type wrapper struct{ shell }

func (w wrapper) Unwrap() pmapi.Source { return w.Source }

// A redialer is a wrapper with a connection of its own.
type redialer struct {
	wrapper
	pmapi.Live
}

func TestAs(t *testing.T) {
	a := open(t, "ta")
	named := pmapi.WithNames(a, new(pmns.Tree))
	tests := []struct {
		name           string
		src            pmapi.Source
		timeline, live any // results that must be found
	}{
		{"nil", nil, nil, nil},
		{"itself", a, a, nil},
		{"other names", named, a, nil},
		{"two layers", wrapper{shell{named}}, a, nil},
		{"no way in", shell{a}, nil, nil},
		{"no way in further down", wrapper{shell{shell{a}}}, nil, nil},
		{"names alone", pmapi.WithNames(nil, new(pmns.Tree)), nil, nil},
		{"empty wrapper", wrapper{}, nil, nil},
		{"a wrapper", redialer{wrapper{shell{a}}, nil}, a, redialer{wrapper{shell{a}}, nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tl, ok := pmapi.As[pmapi.Timeline](tt.src)
			if any(tl) != tt.timeline || ok != (tt.timeline != nil) {
				t.Errorf("Timeline %T, %t; want %T", tl, ok, tt.timeline)
			}
			live, ok := pmapi.As[pmapi.Live](tt.src)
			if any(live) != tt.live || ok != (tt.live != nil) {
				t.Errorf("Live %T, %t; want %T", live, ok, tt.live)
			}
			if _, ok := pmapi.As[interface{ Nothing() }](tt.src); ok {
				t.Error("found what nothing has")
			}
		})
	}
	if got, ok := pmapi.As[*pmapi.Archive](wrapper{shell{named}}); got != a || !ok {
		t.Errorf("As a struct: %v, %t", got, ok)
	}
}
