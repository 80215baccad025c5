package pmcd

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "pmtools/test/env"
)

func TestAttrs(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []Attr
	}{
		{"", nil},
		{"&&", nil},
		{"=", nil},
		{"=x", nil},
		{"compress", []Attr{{Key: "compress"}}},
		{"secure=", []Attr{{"secure", "", true}}},
		{"user=x", []Attr{{"username", "x", true}}},
		{"username=x", []Attr{{"username", "x", true}}},
		{"pass=x", []Attr{{"password", "x", true}}},
		{"password=x", []Attr{{"password", "x", true}}},
		{"method=x", []Attr{{"method", "x", true}}},
		{"authmeth=x", []Attr{{"method", "x", true}}},
		{"realm=x", []Attr{{"realm", "x", true}}},
		{"userauth", []Attr{{Key: "userauth"}}},
		{"authorise&authorize", []Attr{{Key: "userauth"}}},
		{"unix", []Attr{{Key: "unix"}}},
		{"unixsock&local", []Attr{{Key: "local"}, {Key: "unix"}}},
		{"uid=1&gid=2&pid=3", []Attr{{"groupid", "2", true}, {"processid", "3", true}, {"userid", "1", true}}},
		{"userid=1&groupid=2&processid=3", []Attr{{"groupid", "2", true}, {"processid", "3", true}, {"userid", "1", true}}},
		{"container", []Attr{{Key: "container"}}},
		{"container=&exclusive", []Attr{{"container", "", true}, {Key: "exclusive"}}},
		// The key ends at the last "=", so these keys are unknown.
		{"user=x=y", nil},
		{"user=a,pass=b", nil},
		{"authname=x", nil},
		{"protocol=pcps", nil},
		{"User=x", nil},
		{" user=x", nil},
		{"user =x", nil},
		{"?user=x", nil},
		{"foo=%zz", nil},
		// The last value of a key counts.
		{"user=a&user=b", []Attr{{"username", "b", true}}},
		{"user=a&username", []Attr{{Key: "username"}}},
		// Text from a slash on does not count.
		{"user=a/b&pass=c", []Attr{{"username", "a", true}}},
		{"user=a%2Fb%26c", []Attr{{"username", "a/b&c", true}}},
		{"user=x?y", []Attr{{"username", "x?y", true}}},
		{"user=x#y", []Attr{{"username", "x#y", true}}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			s, err := ParseSpec("h?" + tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, s.Attrs); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestDecodeForm(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		bad      int // -1: none
	}{
		{"", "", -1}, {"a+b", "a b", -1}, {"%41%6a%4A", "AjJ", -1}, {"%FF", "\xff", -1}, {"é", "é", -1},
		{"%", "", 0}, {"a%", "", 1}, {"ab%2", "", 2}, {"%2g", "", 0}, {"%g2", "", 0}, {"a%00", "", 1}, {"%+1", "", 0}, {"%%41", "", 0},
	} {
		got, bad, err := decodeForm(tt.in)
		if (err != nil) != (tt.bad >= 0) || err != nil && bad != tt.bad || got != tt.want {
			t.Errorf("%q: %q, %d, %v", tt.in, got, bad, err)
		}
	}
}
