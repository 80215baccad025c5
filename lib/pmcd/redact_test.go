package pmcd

import (
	"errors"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	tests := []struct{ text, want string }{
		{"host", "host"},
		{"pcps://h?user=ann&pass=SECRET", "pcps://h?user=ann&pass=xxxxx"},
		{"h?password=SECRET&container=c", "h?password=xxxxx&container=c"},
		{"h?pass=SEC/RET=SECRET", "h?pass=xxxxx"},
		{":source host h?pass=SECRET and more", ":source host h?pass=xxxxx and more"},
		{"a h?pass=SECRET b h?pass=SECRET", "a h?pass=xxxxx b h?pass=xxxxx"},
		{"h?pass=", "h?pass=xxxxx"},
		{"h?compass=north", "h?compass=north"},
	}
	for _, tt := range tests {
		if got := Redact(tt.text); got != tt.want {
			t.Errorf("Redact(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestRedactedErrors: errors about a specification show its place, and not its password.
func TestRedactedErrors(t *testing.T) {
	for _, spec := range []string{"h?pass=SECRET&user=%zz", "h?pass=SECRET%zz", "?pass=SECRET", "h:x?pass=SECRET", "h?user=a%zz&pass=SECRET"} {
		_, err := ParseSpec(spec)
		bad, ok := errors.AsType[*SpecError](err)
		if !ok {
			t.Errorf("%q: %v", spec, err)
			continue
		}
		if text := bad.Error() + bad.Message(); strings.Contains(text, "SECRET") {
			t.Errorf("%q: %s", spec, text)
		}
		if at := strings.Index(bad.Spec, "%zz"); at >= 0 && at != bad.Pos {
			t.Errorf("%q: %s: column %d", spec, bad.Spec, bad.Pos)
		}
	}
}
