package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
	"pmtools/test/peer/harness"
)

// securePort is the first port of the daemons that secure-up starts.
const securePort = 45501

// secure runs secure-up, and stops what it started when the test ends. It skips where that is
// impossible.
func secure(t *testing.T) (root string) {
	t.Helper()
	_, _, root = harness.Setup(t)
	was := false
	if nc, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", securePort)); err == nil {
		was = true
		nc.Close()
	}
	// Its daemons outlive it, and would hold a pipe open.
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command("../secure-up", root, fmt.Sprint(securePort))
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Run()
	text, _ := os.ReadFile(log.Name())
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 {
		t.Skipf("no daemons with TLS and authentication: %s", text)
	}
	if err != nil {
		t.Fatalf("secure-up: %v: %s", err, text)
	}
	if !was {
		t.Cleanup(func() {
			if err := exec.Command("../secure-up", "--stop", root).Run(); err != nil {
				t.Error("secure-up --stop:", err)
			}
		})
	}
	return root
}

// secureConfs are the clients' TLS configurations; DIR is where secure-up puts its certificates.
var secureConfs = map[string]string{
	"none":   "",
	"ca":     "tls-ca-cert-file = DIR/ca.pem\n",
	"full":   "tls-ca-cert-file = DIR/ca.pem\ntls-verify-servers = full\n",
	"client": "tls-ca-cert-file = DIR/ca.pem\ntls-client-cert-file = DIR/client.pem\ntls-client-key-file = DIR/client.key\n",
	"both":   "tls-ca-cert-file = DIR/ca.pem\ntls-cert-file = DIR/client.pem\ntls-key-file = DIR/client.key\n",
	"other":  "tls-ca-cert-file = DIR/other.pem\n",
	"strict": "tls-ca-cert-file = DIR/other.pem\ntls-verify-clients = yes\n",
	"no":     "tls-verify-servers = no\n",

	"key twice":         "tls-ca-cert-file = DIR/ca.pem\ntls-client-cert-file = DIR/client.key\ntls-client-key-file = DIR/client.key\n",
	"certificate twice": "tls-ca-cert-file = DIR/ca.pem\ntls-client-cert-file = DIR/client.pem\ntls-client-key-file = DIR/client.pem\n",
	"half":              "tls-ca-cert-file = DIR/ca.pem\ntls-client-cert-file = DIR/client.pem\n",
	"no authority":      "tls-ca-cert-file = DIR/client.key\n",
}

// A secureCase is a connection. Both sides must end with the same status, unless differs says why
// ours ends with code.
type secureCase struct {
	name, spec, conf string
	env              string
	differs          string
	code             pmerr.Code // ours, where it differs
}

// secureCases are connections in clear and with every kind of protection. They are written with P0
// to P4 for the ports, and RUN for the directory of the sockets.
var secureCases = []secureCase{
	{name: "clear", spec: "localhost:P0"},
	{name: "second port", spec: "localhost:1,P0"},
	{name: "last port", spec: "localhost:P0,1"},
	{name: "no port", spec: "localhost:1,2"},
	{name: "port 0", spec: "localhost:0"},
	{name: "ports of the environment", spec: "localhost", env: "PMCD_PORT=1,P0"},
	{name: "ports of the environment, one bad", spec: "localhost", env: "PMCD_PORT=P0,x"},
	{name: "ports of the environment, one empty", spec: "localhost", env: "PMCD_PORT=1,,P0"},
	{name: "ports of the environment, signed", spec: "localhost", env: "PMCD_PORT=+P0"},
	{name: "address", spec: "[127.0.0.1]:P0"},
	{name: "short address", spec: "127.1:P0"},
	{name: "address as a number", spec: "0x7f000001:P0"},
	{name: "octal address", spec: "0177.0.0.1:P0"},
	{name: "address with a dot behind", spec: "127.0.0.1.:P0"},
	{name: "unknown host", spec: "nosuch.invalid:P0"},
	{name: "impossible host", spec: "no such:P0"},
	{name: "empty host", spec: "[]:P0"},
	{name: "no host", spec: "pcp://"},
	{name: "bad specification", spec: "localhost:x"},
	{name: "attributes without effect", spec: "localhost:P0?exclusive&unix&local&uid=7&foo=%zz"},
	{name: "attributes behind a slash", spec: "localhost:P0/?compress"},
	{name: "no such socket", spec: "unix:/no/such"},
	{name: "local, no such socket", spec: "local:/no/such", env: "PMCD_PORT=P0"},
	{name: "socket of the environment", spec: "unix:", env: "PMCD_SOCKET=RUN/secure-P0.socket"},
	{name: "bad timeouts", spec: "localhost:P0", env: "PMCD_CONNECT_TIMEOUT=x PMCD_REQUEST_TIMEOUT=-1"},

	{name: "TLS, good authority", spec: "pcps://localhost:P0", conf: "ca"},
	{name: "TLS, address", spec: "pcps://127.0.0.1:P0", conf: "ca"},
	{name: "TLS, host name checked", spec: "pcps://localhost:P0", conf: "full"},
	{name: "TLS, relaxed", spec: "pcps://localhost:P0?secure=relaxed", conf: "ca"},
	{name: "TLS by the environment", spec: "localhost:P0", conf: "ca", env: "PCP_SECURE_SOCKETS=1"},
	{name: "TLS over a socket", spec: "unix:RUN/secure-P0.socket", conf: "ca", env: "PCP_SECURE_SOCKETS="},
	{name: "TLS, client certificate", spec: "pcps://localhost:P0", conf: "client"},
	{name: "TLS, wrong authority", spec: "pcps://localhost:P0", conf: "other", differs: "daemons are checked", code: pmerr.TLS},
	{name: "TLS, wrong authority, relaxed", spec: "pcps://localhost:P0?secure=relaxed", conf: "other", differs: "daemons are checked", code: pmerr.TLS},
	{name: "TLS, wrong authority, checked by both", spec: "pcps://localhost:P0", conf: "strict"},
	{name: "TLS, no authority", spec: "pcps://localhost:P0", conf: "none", differs: "daemons are checked", code: pmerr.TLS},
	{name: "TLS, unchecked", spec: "pcps://localhost:P0", conf: "no"},
	{name: "no TLS wanted", spec: "localhost:P0", conf: "none"},

	{name: "TLS, client certificate is none", spec: "pcps://localhost:P0", conf: "key twice"},
	{name: "TLS, client key is none", spec: "pcps://localhost:P0", conf: "certificate twice"},
	{name: "TLS, client key missing", spec: "pcps://localhost:P0", conf: "half"},
	{name: "TLS, authority is none", spec: "pcps://localhost:P0", conf: "no authority"},
	{name: "certificate required, given", spec: "pcps://127.0.0.1:P2", conf: "client"},
	{name: "certificate required, given as the daemon's", spec: "pcps://127.0.0.1:P2", conf: "both"},
	{name: "certificate required, this host", spec: "localhost:P2", conf: "none"},
	{name: "certificate required, clear", spec: "127.0.0.1:P2", conf: "client"},
	{name: "certificate required, none", spec: "pcps://127.0.0.1:P2", conf: "ca", differs: "said when connecting", code: pmerr.NeedClientCert},
	{name: "certificate required, none, this host", spec: "pcps://localhost:P2", conf: "ca", differs: "said when connecting", code: pmerr.NeedClientCert},

	{name: "SCRAM", spec: "localhost:P0?user=bob&pass=sekrit"},
	{name: "SCRAM by name", spec: "localhost:P0?user=bob&pass=sekrit&method=scram-sha-256"},
	{name: "SCRAM over TLS", spec: "pcps://localhost:P0?user=bob&pass=sekrit", conf: "ca"},
	{name: "SCRAM, bad password", spec: "localhost:P0?user=bob&pass=wrong"},
	{name: "SCRAM, unknown user", spec: "localhost:P0?user=eve&pass=sekrit"},
	{name: "SCRAM over a socket", spec: "unix:RUN/secure-P0.socket?user=bob&pass=sekrit"},
	{name: "SCRAM over a socket, bad password", spec: "unix:RUN/secure-P0.socket?user=bob&pass=wrong"},
	{name: "PLAIN over TLS", spec: "pcps://localhost:P0?user=bob&pass=sekrit&method=plain", conf: "ca"},
	{name: "PLAIN over TLS, bad password", spec: "pcps://localhost:P0?user=bob&pass=wrong&method=plain", conf: "ca"},
	{name: "PLAIN over a socket", spec: "unix:RUN/secure-P0.socket?user=bob&pass=sekrit&method=plain"},
	{name: "PLAIN in clear", spec: "localhost:P0?user=bob&pass=sekrit&method=plain", differs: "no password in clear", code: pmerr.NYI - 16},
	{name: "no password", spec: "localhost:P0?user=bob"},
	{name: "no user", spec: "localhost:P0?userauth"},
	{name: "unknown method", spec: "localhost:P0?user=bob&pass=sekrit&method=nosuch"},
	{name: "method of theirs", spec: "localhost:P0?user=bob&pass=sekrit&method=digest-md5", differs: "not known here", code: pmerr.NYI - 4},

	{name: "authentication required, nobody", spec: "localhost:P1"},
	{name: "authentication required", spec: "localhost:P1?user=bob&pass=sekrit"},
	{name: "authentication required, bad password", spec: "localhost:P1?user=bob&pass=wrong"},
	{name: "authentication required, socket", spec: "unix:RUN/secure-P1.socket"},

	{name: "container", spec: "localhost:P0?container=foo"},
	{name: "container, bad name", spec: "localhost:P0?container=a+b"},
	{name: "container, empty name", spec: "localhost:P0?container="},
	{name: "container, no name", spec: "localhost:P0?container"},
	{name: "container by the environment", spec: "localhost:P0", env: "PCP_CONTAINER=foo"},
	{name: "container by the environment, bad", spec: "localhost:P0", env: "PCP_CONTAINER=a/b"},
	{name: "compression", spec: "localhost:P0?compress"},
	{name: "everything", spec: "pcps://localhost:P0?user=bob&pass=sekrit&container=foo", conf: "client"},

	{name: "proxy", spec: "localhost:P0@localhost:P3"},
	{name: "proxy of the environment", spec: "127.0.0.1:P0", env: "PMPROXY_HOST=localhost PMPROXY_PORT=P3"},
	{name: "proxy and TLS", spec: "pcps://localhost:P0@localhost:P3", conf: "ca"},
	{name: "proxy, TLS and PLAIN", spec: "pcps://localhost:P0@localhost:P3?user=bob&pass=sekrit&method=plain", conf: "ca"},
	{name: "proxy, nobody there", spec: "localhost:1@localhost:P3"},
	{name: "proxy not there", spec: "localhost:P0@localhost:1"},
	{name: "old proxy", spec: "localhost:P0@localhost:P4"},
	{name: "old proxy and SCRAM", spec: "localhost:P0@localhost:P4?user=bob&pass=sekrit"},
	{name: "old proxy and TLS", spec: "pcps://localhost:P0@localhost:P4", conf: "ca"},
	{name: "old proxy, nobody there", spec: "localhost:1@localhost:P4"},
}

// TestSecure connects as each case says, on both sides.
func TestSecure(t *testing.T) {
	root := secure(t)
	own := filepath.Join(root, "srv/secure")
	dir := t.TempDir()
	for name, text := range secureConfs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(text, "DIR", own)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ports := []string{"RUN", filepath.Join(root, "run/pcp")}
	for i := range 5 {
		ports = append(ports, fmt.Sprintf("P%d", i), fmt.Sprint(securePort+i))
	}
	fill := strings.NewReplacer(ports...)
	for _, c := range secureCases {
		t.Run(c.name, func(t *testing.T) {
			conf := c.conf
			if conf == "" {
				conf = "none"
			}
			env := append(strings.Fields(fill.Replace(c.env)), "PCP_CONSOLE=none", "PCP_TLSCONF_PATH="+filepath.Join(dir, conf))
			spec := fill.Replace(c.spec)
			ours, reason := dialStatus(t, spec, env)
			theirs := pminfoStatus(t, root, spec, env)
			want := theirs
			if c.differs != "" {
				want = c.code.Error()
				if theirs == want {
					t.Errorf("%s, but theirs ends alike: %q", c.differs, theirs)
				}
			}
			if ours != want {
				t.Errorf("%s: ours %q (%s), theirs %q", spec, ours, reason, theirs)
			}
		})
	}
}

// environ returns a getenv for a list of settings.
func environ(env []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, e := range env {
			if v, ok := strings.CutPrefix(e, name+"="); ok {
				return v, true
			}
		}
		return "", false
	}
}

// dialOurs connects to a specification and uses the connection.
func dialOurs(t *testing.T, text string, env []string) (*pmcd.Conn, error) {
	t.Helper()
	spec, err := pmcd.ParseSpec(text)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c, err := pmcd.DialerFromEnv(environ(env), func(string) string { return "" }, nil).Dial(ctx, spec)
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, err
}

// dialStatus returns the text of the status with which our side connects, and what is behind it.
func dialStatus(t *testing.T, text string, env []string) (status, reason string) {
	t.Helper()
	c, err := dialOurs(t, text, env)
	if err != nil {
		return pmerr.Of(err).Error(), pmcd.Reason(err)
	}
	// A fetch sends two messages without a pause, which shows records of TLS that are not as the
	// daemon wants them.
	found, err := c.Lookup(t.Context(), []string{"sample.bin"})
	if err != nil || found[0].Err != nil {
		return fmt.Sprintf("lookup: %v %v", err, found), ""
	}
	var result pcp.Result
	if err := c.Fetch(t.Context(), []pcp.ID{found[0].Value}, nil, func(pcp.ID) pcp.Type { return pcp.Int32 }, &result); err != nil {
		return fmt.Sprintf("fetch: %v", err), ""
	}
	return "", ""
}

// pminfoStatus returns the text of the status with which their pminfo ends.
func pminfoStatus(t *testing.T, root, spec string, env []string) string {
	t.Helper()
	o, err := harness.Side{Bin: filepath.Join(root, "bin-host")}.Run(harness.Command{Args: []string{"pminfo", "-f", "-h", spec, "sample.bin"}, Env: env}, root)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(o.Stdout), `inst [100 or "bin-100"] value 100`) {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(o.Stdout)+string(o.Stderr)), "\n")
	last := lines[len(lines)-1]
	for _, sep := range []string{`": `, "sample.bin: "} {
		if i := strings.LastIndex(last, sep); i >= 0 {
			return last[i+len(sep):]
		}
	}
	return last
}

// TestSecureContainer checks that the daemon knows of the container.
func TestSecureContainer(t *testing.T) {
	secure(t)
	c, err := dialOurs(t, fmt.Sprintf("localhost:%d?container=foo", securePort), nil)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := c.Labels(t.Context(), pcp.ContextLabels, []uint32{0})
	if err != nil || !strings.Contains(fmt.Sprint(sets), `{container "foo"`) {
		t.Errorf("labels %v, %v", sets, err)
	}
}

// TestSecureLocal checks that local: does without more authentication than the kernel's. Theirs
// waits ten seconds for the daemon's mechanisms, and gives up.
func TestSecureLocal(t *testing.T) {
	root := secure(t)
	env := []string{"PMCD_PORT=1", fmt.Sprintf("PMCD_SOCKET=%s/run/pcp/secure-%d.socket", root, securePort+1)}
	if status, reason := dialStatus(t, "local:", env); status != "" {
		t.Errorf("%s: %s", status, reason)
	}
}

// TestSecureMany checks replies that are longer than a record of TLS, and requests that do not wait
// for each other: the daemon sees each only as a record of its own.
func TestSecureMany(t *testing.T) {
	root := secure(t)
	conf := filepath.Join(t.TempDir(), "tls.conf")
	if err := os.WriteFile(conf, []byte("tls-ca-cert-file = "+root+"/srv/secure/ca.pem\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all [2][]string
	for i, scheme := range []string{"pcp", "pcps"} {
		c, err := dialOurs(t, fmt.Sprintf("%s://localhost:%d", scheme, securePort), []string{"PCP_TLSCONF_PATH=" + conf, "PMCD_REQUEST_TIMEOUT=5"})
		if err != nil {
			t.Fatal(err)
		}
		if all[i], err = c.Traverse(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		unknown := make([]string, 200)
		for j := range unknown {
			unknown[j] = fmt.Sprintf("no.such.metric%d", j)
		}
		found, err := c.Lookup(t.Context(), unknown)
		if err != nil || len(found) != len(unknown) || !errors.Is(found[150].Err, pmerr.Name) {
			t.Errorf("%s: %v", scheme, err)
		}
	}
	if len(all[0]) < 1000 || !slices.Equal(all[0], all[1]) {
		t.Errorf("%d and %d names", len(all[0]), len(all[1]))
	}
}
