package derive_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pmerr"
)

// TestRegistryIsShared registers and looks up from several goroutines.
func TestRegistryIsShared(t *testing.T) {
	reg := derive.NewRegistry(nil)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			src := derive.NewSource(newFake(small), reg, nil)
			for k := range 50 {
				name := string(rune('a'+i)) + "." + strings.Repeat("x", k+1)
				if err := reg.Register(name, "c + 1"); err != nil {
					t.Error(err)
				}
				if r, err := src.Lookup(context.Background(), []string{name}); err != nil || r[0].Err != nil {
					t.Error(r, err)
				}
			}
		})
	}
	wg.Wait()
	n := 0
	for range reg.All() {
		n++
	}
	if n != 202 {
		t.Errorf("%d definitions", n)
	}
	if id, err := reg.Lookup("event.missed"); id.String() != "511.0.2" || err != nil {
		t.Errorf("event.missed is %v, %v", id, err)
	}
	if _, err := reg.Lookup("nosuch"); !errors.Is(err, pmerr.Name) {
		t.Errorf("nosuch: %v", err)
	}
	for range reg.All() {
		break
	}
}
