package trace

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"
)

// A State is a set of flags, with the values that the reference has for them.
type State int32

// The flags. The first four choose the records for the Logger.
const (
	API     State = 1 << iota // calls
	Comms                     // connections
	PDU                       // messages
	PDUBuf                    // the bytes of messages
	NoAgent                   // reports go nowhere, and no connection is made
	Async                     // calls do not wait for the agent
)

const (
	defaultPort    = "4323"
	defaultTimeout = 3 * time.Second
	defaultRequest = 10 * time.Second
)

// Options say how a Client finds and serves the agent. The zero value is the default.
type Options struct {
	// Addr is the agent's host and port; "" means "localhost:4323".
	Addr string
	// Timeout limits how long it may take to connect; 0 means 3 seconds.
	Timeout time.Duration
	// RequestTimeout limits how long a call waits for its acknowledgement, and in asynchronous mode
	// how long the agent may take no reports; 0 means 10 seconds.
	RequestTimeout time.Duration
	// Reconnect are the times to wait after each failure to connect before the next attempt; the
	// last is repeated. Empty means 5, 10, 20, 40 and 80 seconds.
	Reconnect []time.Duration
	// State are the flags at the start.
	State State
	// Logger takes the records that API, Comms, PDU and PDUBuf choose, at slog.LevelDebug; nil drops
	// them.
	Logger *slog.Logger
	// Dial makes connections; nil means net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// OptionsFromEnv returns the options set by PCP's environment variables: PCP_TRACE_HOST,
// PCP_TRACE_PORT, PCP_TRACE_TIMEOUT, PCP_TRACE_REQTIMEOUT, PCP_TRACE_RECONNECT and
// PCP_TRACE_NOAGENT, which is set by any value. getenv is [os.LookupEnv]. For an invalid value,
// warn, which may be nil, gets an error that matches EnvFormat, and the default is used.
func OptionsFromEnv(getenv func(name string) (string, bool), warn func(error)) *Options {
	get := func(name string) string {
		v, _ := getenv(name)
		return v
	}
	bad := func(name, want string) {
		if warn != nil {
			warn(fmt.Errorf("trace: %w: %s=%q: expected %s, ignored", EnvFormat, name, get(name), want))
		}
	}
	seconds := func(name string) time.Duration {
		v := get(name)
		if v == "" {
			return 0
		}
		d, ok := parseSeconds(v)
		if !ok {
			bad(name, "a number of seconds above 0")
		}
		return d
	}
	o := &Options{Timeout: seconds("PCP_TRACE_TIMEOUT"), RequestTimeout: seconds("PCP_TRACE_REQTIMEOUT")}
	host, port := cmp.Or(get("PCP_TRACE_HOST"), "localhost"), defaultPort
	if v := get("PCP_TRACE_PORT"); v != "" {
		if n, err := strconv.ParseUint(v, 10, 16); err != nil || n == 0 {
			bad("PCP_TRACE_PORT", "a port from 1 to 65535")
		} else {
			port = v
		}
	}
	o.Addr = net.JoinHostPort(host, port)
	if list := get("PCP_TRACE_RECONNECT"); list != "" {
		for v := range strings.SplitSeq(list, ",") {
			d, ok := parseSeconds(strings.TrimSpace(v))
			if !ok {
				bad("PCP_TRACE_RECONNECT", "numbers of seconds above 0, joined by commas")
				o.Reconnect = nil
				break
			}
			o.Reconnect = append(o.Reconnect, d)
		}
	}
	if _, set := getenv("PCP_TRACE_NOAGENT"); set {
		o.State |= NoAgent
	}
	return o
}

// parseSeconds parses a time in seconds, from a nanosecond to ten years.
func parseSeconds(text string) (time.Duration, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 1e-9 && f <= 10*365*86400) {
		return 0, false
	}
	return time.Duration(f * float64(time.Second)), true
}
