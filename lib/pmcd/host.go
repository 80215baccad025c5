package pmcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/pmerr"
)

// loopbacks returns the addresses of localhost where no file and no name server knows it, as in a container
// without /etc/hosts (RFC 6761, 6.3).
func loopbacks() []netip.Addr {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
}

// localLookup bounds the time that a name server has for localhost, which files know at once.
const localLookup = time.Second

// lookup returns the addresses of a host. A name without addresses is unreachable; a silent name server is
// a temporary failure.
func (d *Dialer) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if host != "localhost" {
		return d.resolve(ctx, host)
	}
	short, cancel := context.WithTimeout(ctx, localLookup)
	defer cancel()
	addrs, err := d.resolve(short, host)
	if err != nil && ctx.Err() == nil {
		return loopbacks(), nil
	}
	return addrs, err
}

// resolve is lookup as the system answers.
func (d *Dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	if a, ok := parseOldIPv4(host); ok {
		return []netip.Addr{a}, nil
	}
	if host == "" {
		return nil, because(codeHostUnreach, errors.New("empty host name"))
	}
	find := d.Lookup
	if find == nil {
		find = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	addrs, err := find(ctx, host)
	switch {
	case err == nil && len(addrs) > 0:
		for i, a := range addrs {
			addrs[i] = a.Unmap()
		}
		return addrs, nil
	case err == nil:
		err = fmt.Errorf("no address of %q", host)
	}
	var de *net.DNSError
	if errors.As(err, &de) && !de.IsNotFound {
		return nil, because(pmerr.Again, err)
	}
	return nil, because(codeHostUnreach, err)
}

// parseOldIPv4 parses the older notations that C's libraries read: "127.1", "2130706433", "0177.0.0.1",
// "0x7f.1". The last part stands for all remaining bytes.
func parseOldIPv4(text string) (netip.Addr, bool) {
	parts := strings.Split(text, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var bytes [4]byte
	for i, p := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (4 - i)
		}
		if p == "" || p[0] < '0' || p[0] > '9' || len(p) > 1 && strings.ContainsRune("bBoO", rune(p[1])) || strings.Contains(p, "_") {
			return netip.Addr{}, false
		}
		n, err := strconv.ParseUint(p, 0, bits)
		if err != nil {
			return netip.Addr{}, false
		}
		for b := bits - 8; b >= 0; b -= 8 {
			bytes[i] = byte(n >> b)
			i++
		}
	}
	return netip.AddrFrom4(bytes), true
}

func address(host string, port int) string {
	return net.JoinHostPort(host, fmt.Sprint(port))
}
