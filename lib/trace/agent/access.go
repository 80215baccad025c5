package agent

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"pmtools/lib/pmerr"
)

// A Rule admits hosts to an Agent, or refuses them. The most specific rule that matches a host
// counts, and the first of several equally specific ones. A host without a matching rule is
// admitted. A Rule belongs to one Agent.
type Rule struct {
	nets  []netip.Prefix
	allow bool
	max   int // simultaneous connections; 0 means no limit
	conns int // now
}

// ParseRule reads a rule in the form of the option -A of the reference's agent:
// "allow:HOST:MAXCONNS" or "disallow:HOST", where HOST is an address, the beginning of one and a
// star as in "10.1.*", ".*" for all addresses of IPv4, ":*" for all of IPv6, "*" for both, or a
// name, and 0 connections mean any number. The error is pmerr.EINVAL, with the mistake.
func ParseRule(spec string) (*Rule, error) {
	word, host, _ := strings.Cut(spec, ":")
	r := &Rule{allow: word == "allow"}
	if r.allow {
		i := strings.LastIndexByte(host, ':')
		if i < 0 {
			return nil, fmt.Errorf("%w: access %q: expected allow:HOST:MAXCONNS, as allow:%s:0", pmerr.EINVAL, spec, host)
		}
		n, err := strconv.ParseUint(host[i+1:], 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%w: access %q: expected a number of connections, not %q", pmerr.EINVAL, spec, host[i+1:])
		}
		host, r.max = host[:i], int(n)
	}
	if word != "allow" && word != "disallow" || host == "" {
		return nil, fmt.Errorf("%w: access %q: expected allow:HOST:MAXCONNS or disallow:HOST", pmerr.EINVAL, spec)
	}
	var err error
	if r.nets, err = parseHost(host); err != nil {
		return nil, fmt.Errorf("%w: access %q: %w", pmerr.EINVAL, spec, err)
	}
	return r, nil
}

func parseHost(host string) ([]netip.Prefix, error) {
	all4, all6 := netip.PrefixFrom(netip.IPv4Unspecified(), 0), netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	begin, star := strings.CutSuffix(host, "*")
	switch {
	case host == "*":
		return []netip.Prefix{all4, all6}, nil
	case host == ".*":
		return []netip.Prefix{all4}, nil
	case host == ":*":
		return []netip.Prefix{all6}, nil
	case star && strings.HasSuffix(begin, "."):
		n := strings.Count(begin, ".")
		if a, err := netip.ParseAddr(begin + strings.Repeat("0.", max(3-n, 0)) + "0"); err == nil && a.Is4() && n < 4 {
			return []netip.Prefix{netip.PrefixFrom(a, 8*n)}, nil
		}
	case star && strings.HasSuffix(begin, ":"):
		n := strings.Count(begin, ":")
		if a, err := netip.ParseAddr(begin + ":"); err == nil && n < 8 && !strings.Contains(begin, "::") {
			return []netip.Prefix{netip.PrefixFrom(a, 16*n)}, nil
		}
	case !star:
		return lookupHost(host)
	}
	return nil, fmt.Errorf("%q is not the beginning of an address; expected one such as 10.1.* or fe80:*", host)
}

func lookupHost(host string) ([]netip.Prefix, error) {
	list, err := net.DefaultResolver.LookupNetIP(context.Background(), "ip", host)
	if err != nil {
		return nil, err
	}
	var nets []netip.Prefix
	for _, a := range list {
		a = a.Unmap()
		nets = append(nets, netip.PrefixFrom(a, a.BitLen()))
	}
	return nets, nil
}

// match returns the length of the longest prefix of the rule that has an address, -1 for none.
func (r *Rule) match(a netip.Addr) int {
	best := -1
	for _, p := range r.nets {
		if p.Contains(a) {
			best = max(best, p.Bits())
		}
	}
	return best
}

// admit returns the rule that admits a host, which may be nil, or the error for it.
func (a *Agent) admit(from net.Addr) (*Rule, int32) {
	ap, err := netip.ParseAddrPort(from.String())
	if err != nil {
		return nil, 0 // no host
	}
	addr := ap.Addr().Unmap().WithZone("")
	var rule *Rule
	for best, rest := -1, a.opts.Access; len(rest) > 0; rest = rest[1:] {
		if m := rest[0].match(addr); m > best {
			best, rule = m, rest[0]
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case rule == nil:
		return nil, 0
	case !rule.allow:
		return nil, ackPermission
	case rule.max > 0 && rule.conns >= rule.max:
		return nil, ackConnLimit
	}
	rule.conns++
	return rule, 0
}

func (a *Agent) release(rule *Rule) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if rule != nil {
		rule.conns--
	}
}
