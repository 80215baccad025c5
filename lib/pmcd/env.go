package pmcd

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// DialerFromEnv returns a Dialer with the settings in PCP's environment variables: PMCD_PORT,
// PMCD_SOCKET, PMCD_CONNECT_TIMEOUT, PMCD_REQUEST_TIMEOUT, PMCD_RECONNECT_TIMEOUT, PMPROXY_HOST,
// PMPROXY_PORT, PCP_SECURE_SOCKETS, PCP_CONTAINER, PCP_CONSOLE and PCP_TLSCONF_PATH. getenv returns
// a variable and whether it is set; config returns an entry of PCP's configuration, "" if there is
// none. An invalid value is ignored; at its first use warn, which may be nil, is called with the
// reference's message.
//
// An empty port list, timeout, proxy or socket counts as not set.
func DialerFromEnv(getenv func(string) (string, bool), config func(string) string, warn func(string)) *Dialer {
	get := func(name string) string {
		v, _ := getenv(name)
		return v
	}
	d := &Dialer{Warn: warn, late: &lateWarnings{}}
	d.Ports = parsePorts(get("PMCD_PORT"))
	d.Proxy = get("PMPROXY_HOST")
	if ports := parsePorts(get("PMPROXY_PORT")); len(ports) > 0 {
		d.ProxyPort = ports[0]
	}
	d.Socket = get("PMCD_SOCKET")
	if d.Socket == "" && config("PCP_RUN_DIR") != "" {
		d.Socket = config("PCP_RUN_DIR") + "/pmcd.socket"
	}
	if d.Socket != "" && d.Socket[0] != '/' && !filepath.IsAbs(d.Socket) {
		d.Socket = "/" + d.Socket
	}
	d.TLSConfPath = cmp.Or(get("PCP_TLSCONF_PATH"), config("PCP_TLSCONF_PATH"))
	if dir := cmp.Or(config("PCP_SYSCONF_DIR"), "/etc/pcp"); d.TLSConfPath == "" {
		d.TLSConfPath = dir + "/tls.conf"
	}
	if v, ok := getenv("PCP_SECURE_SOCKETS"); ok {
		d.Secure = secureMode(v)
	}
	if v, ok := getenv("PCP_CONTAINER"); ok {
		d.Container = &v
	}
	d.Console = get("PCP_CONSOLE")
	d.timeouts(get)
	return d
}

func (d *Dialer) timeouts(get func(string) string) {
	v := get("PMCD_CONNECT_TIMEOUT")
	var ok bool
	if d.ConnectTimeout, ok = parseSeconds(v); !ok {
		d.late.text[lateConnect] = fmt.Sprintf("auxconnect.c:__pmAuxConnectPMCDPort: ignored bad PMCD_CONNECT_TIMEOUT = '%s'", v)
	}
	v = get("PMCD_REQUEST_TIMEOUT")
	if d.RequestTimeout, ok = parseSeconds(v); !ok {
		d.late.text[lateRequest] = fmt.Sprintf("ignored bad PMCD_REQUEST_TIMEOUT = '%s'", v)
	}
	v = get("PMCD_RECONNECT_TIMEOUT")
	if d.Delays, ok = parseDelays(v); !ok {
		d.late.text[lateReconnect] = fmt.Sprintf("pmReconnectContext: ignored bad PMCD_RECONNECT_TIMEOUT = '%s'", v)
	}
}

// lateWarnings are warnings about variables with bad values. Each is given at the first use of the
// variable: a program that does not get that far prints none.
type lateWarnings struct {
	mu   sync.Mutex
	text [lateReconnect + 1]string
}

// The moments of the warnings: connecting to an address, the first answer after that, reconnecting.
const (
	lateConnect = iota
	lateRequest
	lateReconnect
)

// emit gives the warning for a moment once. w may be nil.
func (w *lateWarnings) emit(d *Dialer, moment int) {
	if w == nil {
		return
	}
	w.mu.Lock()
	text := w.text[moment]
	w.text[moment] = ""
	w.mu.Unlock()
	if text != "" {
		d.warn(text)
	}
}

// parsePorts parses a comma list of ports as C reads numbers: leading blanks, a plus sign, octal after 0,
// hexadecimal after 0x. A bad element makes the list nil; empty elements are skipped.
func parsePorts(text string) []int {
	var ports []int
	for _, e := range strings.Split(text, ",") {
		if e == "" {
			continue
		}
		n, ok := parseInt(e)
		if !ok || n < 0 || n > math.MaxUint16 {
			return nil
		}
		ports = append(ports, n)
	}
	return ports
}

const blanks = " \t\n\v\f\r"

// parseInt parses a whole text as C does in base 0.
func parseInt(text string) (int, bool) {
	text = strings.TrimLeft(text, blanks)
	digits := strings.TrimLeft(text, "+-")
	if len(digits) > 1 && digits[0] == '0' && strings.ContainsRune("bBoO", rune(digits[1])) || strings.Contains(text, "_") {
		return 0, false // numbers of Go, not of C
	}
	n, err := strconv.ParseInt(text, 0, 32)
	return int(n), err == nil
}

// maxSeconds is the longest time limit; a longer one means no limit.
const maxSeconds = 1e9

// parseSeconds parses seconds, which may have a fraction, as C does. The empty text stands for the
// default, 0; "0" stands for the absence of a limit, -1.
func parseSeconds(text string) (time.Duration, bool) {
	if text == "" {
		return 0, true
	}
	number := strings.TrimLeft(text, blanks)
	if strings.Contains(number, "_") {
		return 0, false
	}
	if lower := strings.ToLower(number); strings.HasPrefix(strings.TrimLeft(lower, "+-"), "0x") && !strings.Contains(lower, "p") {
		number += "p0"
	}
	f, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil, f < 0, math.IsNaN(f), math.IsInf(f, 0):
		return 0, false
	case f == 0, f > maxSeconds:
		return -1, true
	}
	return max(time.Duration(f*float64(time.Second)), 1), true
}

func parseDelays(text string) ([]time.Duration, bool) {
	if text == "" {
		return nil, true
	}
	var delays []time.Duration
	for _, e := range strings.Split(text, ",") {
		n, ok := parseInt(e)
		if !ok || n <= 0 {
			return nil, false
		}
		delays = append(delays, time.Duration(n)*time.Second)
	}
	return delays, true
}
