package derive_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A losable is a fake whose connection can be lost. Its metrics after a reconnection are next.
type losable struct {
	*fake
	next *fake
	err  error
}

func (d *losable) Reconnect(context.Context) error {
	if d.err != nil {
		return d.err
	}
	d.fake = d.next
	return nil
}

func (d *losable) Store(context.Context, []pcp.Values) error { return pmerr.TooSmall }

// TestReconnect covers a daemon that comes back with other metrics: derived ones are bound again,
// and have no history.
func TestReconnect(t *testing.T) {
	const before = "a|32|-|counter||5;8;13\nb|32|-|instant||1\n"
	const after = "a|32|-|counter||100;107\nc|32|-|instant||4\nx.mask|32|-|instant||6\n"
	d := &losable{fake: newFake(before), next: newFake(after)}
	var w lines
	src, reg := define(t, d, &w, "x.delta=delta(a)", "x.b=b+1", "x.c=c+1", "x.mask=7")
	delta, b, c, mask := lookup(t, src, "x.delta"), lookup(t, src, "x.b"), lookup(t, src, "x.c"), lookup(t, src, "x.mask")
	check := func(when, want string) {
		t.Helper()
		if got := strings.Join(fetch(t, d.fake, src, delta, b, c, mask), ", "); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	const unknown = "Error: Unknown or illegal metric identifier"
	check("first", "none, 2, "+unknown+", 7")
	check("second", "3, 2, "+unknown+", 7")

	d.err = pmerr.IPC
	if err := src.Reconnect(t.Context()); !errors.Is(err, pmerr.IPC) {
		t.Errorf("reconnect to nobody: %v", err)
	}
	check("still there", "5, 2, "+unknown+", 7")

	d.err = nil
	if err := src.Reconnect(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("first after the reconnection", "none, "+unknown+", 5, "+unknown)
	check("second after it", "7, "+unknown+", 5, "+unknown)
	if id := lookup(t, src, "x.mask"); id == mask {
		t.Errorf("x.mask is still %v, though the daemon has it", id)
	}
	if err := derive.NewSource(newFake(before), reg.Set(), nil).Reconnect(t.Context()); err != nil {
		t.Errorf("a source that cannot be lost: %v", err)
	}
}
