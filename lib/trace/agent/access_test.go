package agent

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
)

// TestAccess decides about hosts by rules. The words of a case are rules, then hosts that connect
// and stay, each with the answer: "+" for admission, "-" for permission, "#" for the limit.
func TestAccess(t *testing.T) {
	for _, tt := range []string{
		"1.2.3.4+ [::1]+",
		"disallow:1.2.3.4 1.2.3.4- 1.2.3.5+ [::ffff:1.2.3.4]- [::1]+",
		"allow:10.*:0 1.2.3.4+ 10.1.1.1+",
		"disallow:* allow:1.2.3.4:0 1.2.3.4+ 1.2.3.5- [::1]-",
		"disallow:.* [::1]+ 1.2.3.4-",
		"disallow::* [::1]- 1.2.3.4+ [fe80::1%eth0]-",
		"disallow:127.* allow:127.0.0.2:1 127.0.0.1- 127.0.0.2+ 127.0.0.2# 127.9.9.9-",
		"allow:127.*:2 127.0.0.1+ 127.0.0.2+ 127.0.0.3# 128.0.0.1+",
		"allow:127.*:2 allow:127.0.0.1:1 127.0.0.1+ 127.0.0.1# 127.0.0.2+ 127.0.0.2+ 127.0.0.2#",
		"allow:1.2.3.4:1 disallow:1.2.3.4 1.2.3.4+ 1.2.3.4#",
		"disallow:1.2.3.4 allow:1.2.3.4:1 1.2.3.4-",
		"disallow:1.2.3.* allow:1.2.*:0 disallow:1.* 1.2.3.4- 1.2.4.4+ 1.3.0.0- 2.0.0.0+",
		"disallow:fe80:* allow:fe80:1:*:0 [fe80::1]- [fe80:1::1]+ [fe81::]+",
		"disallow:::1 [::1]- [::2]+",
		"allow:::1:1 [::1]+ [::1]#",
	} {
		a, _ := newAgent(t, Options{})
		for _, w := range strings.Fields(tt) {
			if strings.Contains(w, "allow") {
				r, err := ParseRule(w)
				if err != nil {
					t.Fatalf("%s: %v", tt, err)
				}
				a.opts.Access = append(a.opts.Access, r)
				continue
			}
			host, want := w[:len(w)-1], w[len(w)-1:]
			from := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(host + ":5"))
			_, code := a.admit(from)
			if got := map[int32]string{0: "+", ackPermission: "-", ackConnLimit: "#"}[code]; got != want {
				t.Errorf("%s: %s is %s, want %s", tt, host, got, want)
			}
		}
	}
}

// TestRelease frees a place.
func TestRelease(t *testing.T) {
	r, err := ParseRule("allow:127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	a, _ := newAgent(t, Options{Access: []*Rule{r}})
	from := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	for range 3 {
		rule, code := a.admit(from)
		if rule != r || code != 0 {
			t.Fatalf("%v, %d", rule, code)
		}
		a.release(rule)
	}
	if rule, code := a.admit(new(net.UnixAddr)); rule != nil || code != 0 {
		t.Errorf("a path: %v, %d", rule, code)
	}
}

// TestParseRule reads rules that are wrong.
func TestParseRule(t *testing.T) {
	for spec, want := range map[string]string{
		"":                           "expected allow:HOST:MAXCONNS or disallow:HOST",
		"foo":                        "expected allow:HOST:MAXCONNS or disallow:HOST",
		"deny:1.2.3.4":               "expected allow:HOST:MAXCONNS or disallow:HOST",
		"disallow:":                  "expected allow:HOST:MAXCONNS or disallow:HOST",
		"allow":                      "expected allow:HOST:MAXCONNS, as allow",
		"allow:1.2.3.4":              "expected allow:HOST:MAXCONNS, as allow:1.2.3.4:0",
		"allow:1.2.3.4:abc":          `expected a number of connections, not "abc"`,
		"allow:1.2.3.4:-1":           `expected a number of connections, not "-1"`,
		"allow::0":                   "expected allow:HOST:MAXCONNS or disallow:HOST",
		"disallow:1.2.3.4.*":         "not the beginning of an address",
		"disallow:1.300.*":           "not the beginning of an address",
		"disallow:1.2*":              "not the beginning of an address",
		"disallow:::1.*":             "not the beginning of an address",
		"disallow:fe80::*":           "not the beginning of an address",
		"disallow:1:2:3:4:5:6:7:8:*": "not the beginning of an address",
		"disallow:no such host":      "no such host",
	} {
		if _, err := ParseRule(spec); !errors.Is(err, pmerr.EINVAL) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want one about %q", spec, err, want)
		}
	}
	r, err := ParseRule("disallow:localhost")
	if err != nil {
		t.Skip("localhost has no address here: ", err)
	}
	if r.match(netip.MustParseAddr("127.0.0.1")) != 32 && r.match(netip.MustParseAddr("::1")) != 128 {
		t.Errorf("localhost is %v", r.nets)
	}
}

// FuzzHost reads the beginnings of addresses. An accepted beginning names one network or both
// families, and all its addresses begin so.
func FuzzHost(f *testing.F) {
	for _, begin := range []string{"", ".", ":", "10.", "10.1.2.", "1.2.3.4.", "fe80:", "1:2:3:4:5:6:7:", "::", "010.", "1..", "fe80::1%eth0:"} {
		f.Add(begin)
	}
	f.Fuzz(func(t *testing.T, begin string) {
		nets, err := parseHost(begin + "*")
		if err != nil {
			return
		}
		if len(nets) == 0 || len(nets) > 2 {
			t.Fatalf("%q: %v", begin, nets)
		}
		for _, n := range nets {
			if !n.IsValid() || n != n.Masked() {
				t.Fatalf("%q: %v", begin, n)
			} else if !n.Contains(n.Addr()) || n.Addr().Zone() != "" {
				t.Fatalf("%q: %v", begin, n)
			}
		}
	})
}
