package pmcd

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"pmtools/lib/pmerr"
)

func TestParseOldIPv4(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"127.1", "127.0.0.1"}, {"2130706433", "127.0.0.1"}, {"0x7f000001", "127.0.0.1"}, {"0177.0.0.1", "127.0.0.1"}, {"127.0.0.01", "127.0.0.1"},
		{"1.2.3", "1.2.0.3"}, {"1.2.65535", "1.2.255.255"}, {"1.16777215", "1.255.255.255"}, {"0", "0.0.0.0"}, {"4294967295", "255.255.255.255"}, {"0x7f.1", "127.0.0.1"},
		{"", ""}, {"1.2.3.4.5", ""}, {"1.2.3.256", ""}, {"256.1", ""}, {"1.2.65536", ""}, {"4294967296", ""}, {"127.0.0.1.", ""}, {".1", ""}, {"1..2", ""}, {"-1", ""}, {"+1", ""},
		{"1.x", ""}, {"0b1", ""}, {"0o7", ""}, {"1_0", ""}, {"08", ""}, {"host", ""}, {"0x", ""}, {"1 ", ""},
	} {
		got, ok := parseOldIPv4(tt.text)
		if ok != (tt.want != "") || ok && got.String() != tt.want {
			t.Errorf("%q: %v, %v", tt.text, got, ok)
		}
	}
}

func TestLookup(t *testing.T) {
	failing := func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no") }
	away := func(context.Context, string) ([]netip.Addr, error) {
		return nil, &net.DNSError{Err: "server misbehaving", Name: "host"}
	}
	mapped := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("::ffff:1.2.3.4"), netip.MustParseAddr("::5")}, nil
	}
	for _, tt := range []struct {
		host string
		find func(context.Context, string) ([]netip.Addr, error)
		want []string
		code pmerr.Code // unreachable if there are none and no other code
	}{
		{"1.2.3.4", failing, []string{"1.2.3.4"}, 0},
		{"127.1", failing, []string{"127.0.0.1"}, 0},
		{"::1", failing, []string{"::1"}, 0},
		{"fe80::1%eth0", failing, []string{"fe80::1%eth0"}, 0},
		{"host", mapped, []string{"1.2.3.4", "::5"}, 0},
		{"host", failing, nil, 0},
		{"host", away, nil, pmerr.Again},
		{"", mapped, nil, 0},
	} {
		got, err := (&Dialer{Lookup: tt.find}).lookup(t.Context(), tt.host)
		if len(tt.want) == 0 && tt.code == 0 {
			tt.code = codeHostUnreach
		}
		if len(tt.want) == 0 {
			checkCode(t, err, tt.code)
		} else if err != nil {
			t.Error(err)
		}
		if len(got) != len(tt.want) {
			t.Errorf("%q: %v", tt.host, got)
			continue
		}
		for i, a := range got {
			if a.String() != tt.want[i] {
				t.Errorf("%q: %v", tt.host, got)
			}
		}
	}
}

func TestAddress(t *testing.T) {
	for _, tt := range []struct {
		host string
		port int
		want string
	}{{"h", 1, "h:1"}, {"::1", 44321, "[::1]:44321"}} {
		if got := address(tt.host, tt.port); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// FuzzParseOldIPv4: an address of today is read as the same in the old forms.
func FuzzParseOldIPv4(f *testing.F) {
	for _, s := range []string{"127.1", "0x7f.1", "0177.0.0.1", "1.2.3.4.5", "4294967296", "0x", "08"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, ok := parseOldIPv4(text)
		if exact, err := netip.ParseAddr(text); err == nil && exact.Is4() && (!ok || a != exact) {
			t.Errorf("%q: %v, want %v", text, a, exact)
		}
	})
}
