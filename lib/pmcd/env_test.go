package pmcd

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func fromEnv(env, config map[string]string, warn func(string)) *Dialer {
	return DialerFromEnv(func(n string) (string, bool) { v, ok := env[n]; return v, ok }, func(n string) string { return config[n] }, warn)
}

func TestDialerFromEnv(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, tt := range []struct {
		name        string
		env, config map[string]string
		want        Dialer
	}{
		{"nothing", nil, nil, Dialer{TLSConfPath: "/etc/pcp/tls.conf"}},
		{"configuration", nil, map[string]string{"PCP_RUN_DIR": "/r", "PCP_SYSCONF_DIR": "/c"}, Dialer{Socket: "/r/pmcd.socket", TLSConfPath: "/c/tls.conf"}},
		{"configured path", nil, map[string]string{"PCP_TLSCONF_PATH": "/t", "PCP_SYSCONF_DIR": "/c"}, Dialer{TLSConfPath: "/t"}},
		{"environment first", map[string]string{"PCP_TLSCONF_PATH": "/e", "PMCD_SOCKET": "/s"}, map[string]string{"PCP_TLSCONF_PATH": "/t", "PCP_RUN_DIR": "/r"},
			Dialer{TLSConfPath: "/e", Socket: "/s"}},
		{"everything", map[string]string{
			"PMCD_PORT": "1,44321", "PMCD_SOCKET": "run/s", "PMCD_CONNECT_TIMEOUT": "1.5", "PMCD_REQUEST_TIMEOUT": "0", "PMCD_RECONNECT_TIMEOUT": "1,2",
			"PMPROXY_HOST": "p", "PMPROXY_PORT": "7,8", "PCP_SECURE_SOCKETS": "relaxed", "PCP_CONTAINER": "c", "PCP_CONSOLE": "none", "PCP_TLSCONF_PATH": "/t",
		}, nil, Dialer{
			Ports: []int{1, 44321}, Socket: "/run/s", ConnectTimeout: 1500 * time.Millisecond, RequestTimeout: -1, Delays: []time.Duration{time.Second, 2 * time.Second},
			Proxy: "p", ProxyPort: 7, Secure: SecureRelaxed, Container: text("c"), Console: "none", TLSConfPath: "/t",
		}},
		{"empty", map[string]string{
			"PMCD_PORT": "", "PMCD_SOCKET": "", "PMCD_CONNECT_TIMEOUT": "", "PMCD_REQUEST_TIMEOUT": "", "PMCD_RECONNECT_TIMEOUT": "", "PMPROXY_HOST": "",
			"PMPROXY_PORT": "", "PCP_SECURE_SOCKETS": "", "PCP_CONTAINER": "", "PCP_CONSOLE": "", "PCP_TLSCONF_PATH": "",
		}, nil, Dialer{Secure: SecureEnforce, Container: text(""), TLSConfPath: "/etc/pcp/tls.conf"}},
		{"bad", map[string]string{"PMCD_PORT": "abc", "PMCD_CONNECT_TIMEOUT": "x", "PMCD_REQUEST_TIMEOUT": "-1", "PMCD_RECONNECT_TIMEOUT": "0", "PCP_SECURE_SOCKETS": "yes"},
			nil, Dialer{TLSConfPath: "/etc/pcp/tls.conf"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := fromEnv(tt.env, tt.config, nil)
			if d := cmp.Diff(&tt.want, got, cmpopts.IgnoreUnexported(Dialer{})); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestLateWarnings checks when the warnings come: connecting, after the first handshake,
// reconnecting; and once each.
func TestLateWarnings(t *testing.T) {
	var got []string
	d := fromEnv(map[string]string{"PMCD_CONNECT_TIMEOUT": "x", "PMCD_REQUEST_TIMEOUT": "abc", "PMCD_RECONNECT_TIMEOUT": "5,", "PMCD_SOCKET": "/no/such"}, nil,
		func(s string) { got = append(got, s) })
	d.Lookup = loopback
	check := func(when string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", when, diff)
		}
		got = nil
	}
	dialText(t, d, "nosuch")
	check("unknown host")
	dialText(t, d, "unix:")
	check("first connection", "auxconnect.c:__pmAuxConnectPMCDPort: ignored bad PMCD_CONNECT_TIMEOUT = 'x'")
	d.Ports = []int{listen(t, func(p *peer) { p.greet(0); drain(p) })}
	dialText(t, d, "host")
	check("first success", "ignored bad PMCD_REQUEST_TIMEOUT = 'abc'")
	dialText(t, d, "host")
	check("second success")
	for range 2 {
		if delays := d.ReconnectDelays(); len(delays) != 5 || delays[4] != 80*time.Second {
			t.Errorf("delays %v", delays)
		}
	}
	check("reconnecting", "pmReconnectContext: ignored bad PMCD_RECONNECT_TIMEOUT = '5,'")
	if delays := (&Dialer{Delays: []time.Duration{1}}).ReconnectDelays(); len(delays) != 1 {
		t.Errorf("delays %v", delays)
	}
}

func TestParsePorts(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []int
	}{
		{"", nil}, {"1", []int{1}}, {"1,44321", []int{1, 44321}}, {" 45399", []int{45399}}, {"45399 ", nil}, {"1,,2", []int{1, 2}}, {"1,", []int{1}}, {",1", []int{1}},
		{",", nil}, {"0xad21", []int{44321}}, {"0XAD21", []int{44321}}, {"070", []int{56}}, {"+5", []int{5}}, {"0", []int{0}}, {"-1", nil}, {"1,-1", nil}, {"65535", []int{65535}},
		{"65536", nil}, {"99999999999999", nil}, {"1x", nil}, {"abc", nil}, {"1,abc", nil}, {"0b1", nil}, {"0o7", nil}, {"1_0", nil}, {"089", nil}, {"1 ,2", nil}, {" ", nil}, {"0x", nil},
	} {
		if d := cmp.Diff(tt.want, parsePorts(tt.text)); d != "" {
			t.Errorf("%q: %s", tt.text, d)
		}
	}
}

func TestParseSeconds(t *testing.T) {
	for _, tt := range []struct {
		text string
		want time.Duration
		ok   bool
	}{
		{"", 0, true}, {"2", 2 * time.Second, true}, {" 2", 2 * time.Second, true}, {"1.5", 1500 * time.Millisecond, true}, {"1e1", 10 * time.Second, true}, {".5", time.Second / 2, true},
		{"0x5", 5 * time.Second, true}, {"0x1p1", 2 * time.Second, true}, {"+3", 3 * time.Second, true}, {"0", -1, true}, {"0.0", -1, true}, {"-0", -1, true}, {"1e-12", 1, true}, {"1e30", -1, true},
		{"-1", 0, false}, {"abc", 0, false}, {"2x", 0, false}, {"2 ", 0, false}, {"inf", 0, false}, {"nan", 0, false}, {"1e400", 0, false}, {"1_0", 0, false}, {"0x_5", 0, false}, {"0x", 0, false}, {" ", 0, false},
	} {
		if got, ok := parseSeconds(tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("%q: %v, %v", tt.text, got, ok)
		}
	}
}

func TestParseDelays(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
		ok   bool
	}{
		{"", 0, true}, {"5", 1, true}, {"1,2,3", 3, true}, {"0", 0, false}, {"1,0", 0, false}, {"-1", 0, false}, {"1,", 0, false}, {"1.5", 0, false}, {"x", 0, false},
	} {
		if got, ok := parseDelays(tt.text); len(got) != tt.want || ok != tt.ok {
			t.Errorf("%q: %v, %v", tt.text, got, ok)
		}
	}
}
