// Command trace is the trace agent, lib/trace/agent, as an agent of the daemon.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/trace/agent"
	"pmtools/lib/when"
)

// usage is what is printed about a wrong option; the options of all agents are pmda.Main's.
const usage = `Usage: %s [options]

Options of this agent, beside those of all agents (--help), of which -U is called -M:
  -A ACCESS   allow:HOST:MAXCONNS or disallow:HOST
  -I PORT     the port for programs, a number or a name (default PCP_TRACE_PORT, or 4323)
  -M USER     run the agent as this user
  -N BUCKETS  into how many parts the period is divided (default 5)
  -T PERIOD   how far averages reach back (default 60 seconds)
  -U UNITS    units of observations, six numbers joined by commas
  -V UNITS    units of counters
  --listen=ADDRESS
              the address of this host at which programs report, * for all (default: the loopback
              addresses); may be repeated
`

func main() {
	args, hosts, err := addresses(os.Args)
	var o *agent.Options
	if err == nil {
		args, o, err = parse(args, os.Getenv)
	}
	if err != nil {
		name := filepath.Base(os.Args[0])
		fmt.Fprintf(os.Stderr, "%s: %v\n"+usage, name, err, name)
		os.Exit(1)
	}
	if slices.Contains(args, "-?") || slices.Contains(args, "--help") {
		fmt.Fprintf(os.Stderr, usage, filepath.Base(os.Args[0]))
	}
	os.Args = args
	os.Exit(pmda.Main(func(m *pmda.Options) (pmda.Provider, error) {
		o.Domain, o.Debug, o.Logf = m.DomainOr(agent.Domain), m.Debug, m.Logf
		a, err := agent.New(o)
		if err != nil || m.NamesOnly {
			return a, err
		}
		list, err := listen(hosts, o.Port)
		for _, l := range list {
			go func() { _ = a.Serve(l) }() // it has no error
		}
		return a, err
	}))
}

// addresses takes the options --listen from a command line.
func addresses(args []string) (rest, hosts []string, err error) {
	for ; len(args) > 0; args = args[1:] {
		host, found := strings.CutPrefix(args[0], "--listen=")
		if args[0] == "--listen" && len(args) > 1 {
			found, host, args = true, args[1], args[1:]
		}
		switch {
		case !found && args[0] != "--listen":
			rest = append(rest, args[0])
			continue
		case !found || host == "":
			return nil, nil, errors.New("--listen requires an address of this host, or * for all")
		}
		hosts = append(hosts, strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	}
	return rest, hosts, nil
}

// listen opens a port at addresses of this host. Programs on other hosts reach it only if an address
// says so: there is no password, and whoever reaches it may report anything.
func listen(hosts []string, port int) (list []net.Listener, err error) {
	loopback := len(hosts) == 0
	if loopback {
		hosts = []string{"127.0.0.1", "::1"}
	}
	for _, host := range hosts {
		if host == "*" {
			host = ""
		}
		l, failed := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if failed == nil {
			list = append(list, l)
			continue
		}
		err = errors.Join(err, failed)
	}
	if loopback && len(list) > 0 {
		return list, nil // a host may have only one of them
	}
	return list, err
}

// parse takes the agent's own options from a command line.
func parse(args []string, getenv func(string) string) (rest []string, o *agent.Options, err error) {
	o = new(agent.Options)
	if err := set(o, 'I', cmp.Or(getenv("PCP_TRACE_PORT"), strconv.Itoa(agent.DefaultPort))); err != nil {
		return nil, nil, fmt.Errorf("PCP_TRACE_PORT: %w", err)
	}
	rest = args[:1:1]
	for args = args[1:]; len(args) > 0; args = args[1:] {
		arg := args[0]
		if len(arg) < 2 || arg[0] != '-' || !strings.ContainsRune("AIMNTUVDdlhiu6", rune(arg[1])) {
			rest = append(rest, arg)
			continue
		}
		value := arg[2:]
		if value == "" {
			if len(args) == 1 {
				return nil, nil, fmt.Errorf("option requires an argument -- '%c'", arg[1])
			}
			args = args[1:]
			value = args[0]
		}
		switch arg[1] {
		case 'M':
			rest = append(rest, "-U", value)
		case 'A', 'I', 'N', 'T', 'U', 'V':
			if err := set(o, arg[1], value); err != nil {
				return nil, nil, err
			}
		default:
			rest = append(rest, arg[:2], value)
		}
	}
	return rest, o, nil
}

// set sets one option.
func set(o *agent.Options, option byte, value string) error {
	var err error
	switch option {
	case 'A':
		var r *agent.Rule
		r, err = agent.ParseRule(value)
		o.Access = append(o.Access, r)
	case 'I':
		if o.Port, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", value); err != nil || o.Port == 0 {
			return fmt.Errorf("-I requires a port number from 1 to 65535 or the name of a service, not %q", value)
		}
	case 'N':
		if o.Buckets, err = strconv.Atoi(value); err != nil || o.Buckets <= 0 {
			return fmt.Errorf("-N requires a positive number, not %q", value)
		}
	case 'T':
		if o.Period, err = when.ParseInterval(value); err != nil {
			return fmt.Errorf("-T requires a time interval: %w", err)
		}
		if o.Period <= 0 {
			return fmt.Errorf("-T requires an interval of at least one second, not %q", value)
		}
	case 'U':
		o.ObserveUnits, err = parseUnits(value)
	case 'V':
		o.CounterUnits, err = parseUnits(value)
	}
	return err
}

// parseUnits reads units: the dimensions of space, time and count, and their scales.
func parseUnits(text string) (pcp.Units, error) {
	var u pcp.Units
	fields := []struct {
		to        *int8
		what      string
		low, high int
	}{
		{&u.DimSpace, "dimension of space", -8, 7}, {&u.DimTime, "dimension of time", -8, 7}, {&u.DimCount, "dimension of count", -8, 7},
		{&u.ScaleSpace, "scale of space", int(pcp.Byte), int(pcp.Ebyte)}, {&u.ScaleTime, "scale of time", int(pcp.Nsec), int(pcp.Hour)},
		{&u.ScaleCount, "power of ten of count", -8, 7},
	}
	words := strings.Split(text, ",")
	if len(words) != len(fields) {
		return u, fmt.Errorf("units %q: expected six numbers joined by commas, as 1,-1,0,1,3,0 for Kbyte/sec, not %d", text, len(words))
	}
	for i, f := range fields {
		n, err := strconv.Atoi(strings.TrimSpace(words[i]))
		if err != nil || n < f.low || n > f.high {
			return u, fmt.Errorf("units %q: the %s is %d to %d, not %q", text, f.what, f.low, f.high, words[i])
		}
		*f.to = int8(n)
	}
	return u, nil
}
