package pmcd

import (
	"crypto/tls"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseTLSConf(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       tlsConf
	}{
		{"empty", "", tlsConf{}},
		{"comments", "# a = b\n#tls-cert-file = x\n\n   # y", tlsConf{}},
		{"equals", "tls-ca-cert-file = /a/ca.pem\n", tlsConf{CAFile: "/a/ca.pem"}},
		{"colon", "tls-ca-cert-dir: /a/certs", tlsConf{CADir: "/a/certs"}},
		{"no blanks", "tls-key-file=/k", tlsConf{KeyFile: "/k"}},
		{"first word only", "tls-cert-file = /c d e", tlsConf{CertFile: "/c"}},
		{"comment behind", "tls-cert-file = /c# d", tlsConf{CertFile: "/c"}},
		{"tabs and CR", "\ttls-client-cert-file\t=\t/c\r\n", tlsConf{ClientCertFile: "/c"}},
		{"colon in the value", "tls-client-key-file = c:/k", tlsConf{ClientKeyFile: "c:/k"}},
		{"last one counts", "tls-key-file = a\ntls-key-file = b", tlsConf{KeyFile: "b"}},
		{"no value", "tls-key-file =\ntls-cert-file\n=\n", tlsConf{}},
		{"other keys", "tls-ciphers = DEFAULT\ntls-verify-clients = true\nfoo = bar", tlsConf{}},
		{"verify no", "tls-verify-servers = no", tlsConf{VerifyServers: verifyNone}},
		{"verify false", "tls-verify-servers = false", tlsConf{VerifyServers: verifyNone}},
		{"verify yes", "tls-verify-servers = no\ntls-verify-servers = yes", tlsConf{}},
		{"verify chain", "tls-verify-servers: chain", tlsConf{VerifyServers: verifyChain}},
		{"verify full", "tls-verify-servers: full", tlsConf{VerifyServers: verifyFull}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseTLSConf(strings.NewReader(tt.text))
			if err != nil || *got != tt.want {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	for _, text := range []string{"\n\ntls-verify-servers = maybe", strings.Repeat("x", maxConfLine+1)} {
		if _, err := parseTLSConf(strings.NewReader(text)); err == nil {
			t.Errorf("%.40q: no error", text)
		}
	}
}

func TestLoadTLSConf(t *testing.T) {
	dir := t.TempDir()
	if c, err := loadTLSConf(filepath.Join(dir, "none")); err != nil || *c != (tlsConf{}) {
		t.Errorf("missing file: %v, %v", c, err)
	}
	if _, err := loadTLSConf(dir); err == nil {
		t.Error("directory: no error")
	}
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("x = y\ntls-verify-servers = maybe\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := loadTLSConf(bad)
	if err == nil || !strings.Contains(err.Error(), bad+": line 2: ") {
		t.Errorf("bad file: %v", err)
	}
}

// TestTLSConfig checks the trust and the certificates of a configuration.
func TestTLSConfig(t *testing.T) {
	dir, caDir, empty := t.TempDir(), t.TempDir(), t.TempDir()
	ca := newAuthority(t, "ca")
	caFile := ca.file(dir)
	ca.file(caDir)
	cert, key := files(t, dir, ca.client())
	junk := filepath.Join(dir, "junk")
	for _, path := range []string{junk, filepath.Join(caDir, "junk")} {
		if err := os.WriteFile(path, []byte("junk"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	none := filepath.Join(dir, "none")
	for _, tt := range []struct {
		name       string
		conf       tlsConf
		ok         bool
		roots      bool // of our own
		cert, skip bool
	}{
		{"zero", tlsConf{}, true, false, false, false},
		{"no check", tlsConf{VerifyServers: verifyNone}, true, false, false, true},
		{"chain of the system's", tlsConf{VerifyServers: verifyChain}, true, false, false, true},
		{"authority", tlsConf{CAFile: caFile}, true, true, false, false},
		{"authority, chain", tlsConf{CAFile: caFile, VerifyServers: verifyChain}, true, true, false, true},
		{"authority and name", tlsConf{CAFile: caFile, VerifyServers: verifyFull}, true, true, false, false},
		{"authorities", tlsConf{CADir: caDir}, true, true, false, false},
		{"both", tlsConf{CAFile: caFile, CADir: empty}, true, true, false, false},
		{"authority missing", tlsConf{CAFile: none}, false, false, false, false},
		{"authority missing, no check", tlsConf{CAFile: none, VerifyServers: verifyNone}, false, false, false, false},
		{"authority is junk", tlsConf{CAFile: junk}, false, false, false, false},
		{"no authorities", tlsConf{CADir: empty}, false, false, false, false},
		{"authorities missing", tlsConf{CADir: none}, false, false, false, false},
		{"client", tlsConf{ClientCertFile: cert, ClientKeyFile: key}, true, false, true, false},
		{"client's before daemon's", tlsConf{ClientCertFile: cert, ClientKeyFile: key, CertFile: none, KeyFile: none}, true, false, true, false},
		{"daemon's", tlsConf{CertFile: cert, KeyFile: key}, true, false, true, false},
		{"daemon's missing", tlsConf{CertFile: none, KeyFile: key}, true, false, false, false},
		{"daemon's is junk", tlsConf{CertFile: junk, KeyFile: key}, false, false, false, false},
		{"client's missing", tlsConf{ClientCertFile: none, ClientKeyFile: key}, false, false, false, false},
		{"client's key missing", tlsConf{ClientCertFile: cert}, false, false, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.conf.config("host", false)
			if (err == nil) != tt.ok {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			if got.ServerName != "host" || got.MinVersion != tls.VersionTLS12 || !got.DynamicRecordSizingDisabled {
				t.Errorf("name %q, version %#x", got.ServerName, got.MinVersion)
			}
			if (got.RootCAs != nil) != tt.roots || (len(got.Certificates) > 0) != tt.cert || got.InsecureSkipVerify != tt.skip {
				t.Errorf("roots %v, certificates %d, skip %v", got.RootCAs != nil, len(got.Certificates), got.InsecureSkipVerify)
			}
			if tt.skip && tt.conf.VerifyServers != verifyNone && got.VerifyConnection == nil {
				t.Error("nothing is checked")
			}
		})
	}
	if conf, err := (&tlsConf{CAFile: caFile}).config("vm", true); err != nil || conf.VerifyConnection == nil {
		t.Errorf("a socket has no name to check, but a chain: %+v, %v", conf, err)
	}
	if err := checkChain(tls.ConnectionState{}, nil); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("no certificate: %v", err)
	}
}

// TestTLSFiles has the errors of files that cannot be used, in the order in which they are looked
// at.
func TestTLSFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key := files(t, dir, newAuthority(t, "ca").client())
	none, junk := filepath.Join(dir, "none"), filepath.Join(dir, "junk")
	if err := os.WriteFile(junk, []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		conf tlsConf
		want string
	}{
		{tlsConf{ClientCertFile: cert, CAFile: none}, "Client certificate and key must be configured together"},
		{tlsConf{ClientKeyFile: key, KeyFile: key}, "Client certificate and key must be configured together"},
		{tlsConf{CAFile: none, ClientCertFile: junk, ClientKeyFile: junk}, "Cannot load the CA Certificate list from " + none},
		{tlsConf{CAFile: key}, "Cannot load the CA Certificate list from " + key},
		{tlsConf{ClientCertFile: none, ClientKeyFile: none}, "Cannot load client certificate chain from " + none},
		{tlsConf{ClientCertFile: junk, ClientKeyFile: none}, "Cannot load client certificate chain from " + junk},
		{tlsConf{ClientCertFile: key, ClientKeyFile: key}, "Cannot load client certificate chain from " + key},
		{tlsConf{ClientCertFile: cert, ClientKeyFile: none}, "Cannot load client private key from " + none},
		{tlsConf{ClientCertFile: cert, ClientKeyFile: cert}, "Cannot load client private key from " + cert},
		{tlsConf{CertFile: junk, KeyFile: key}, "Cannot load certificate chain from " + junk},
		{tlsConf{CertFile: cert, KeyFile: junk}, "Cannot load private key from " + junk},
	} {
		_, err := tt.conf.config("host", false)
		bad, ok := errors.AsType[*TLSFileError](err)
		if !ok || bad.Text != tt.want {
			t.Errorf("%+v: %v, want %s", tt.conf, err, tt.want)
		}
	}
}

// FuzzParseTLSConf: settings have no comments or spaces, and a mode that exists.
func FuzzParseTLSConf(f *testing.F) {
	f.Add("tls-ca-cert-file = /a\ntls-verify-servers: no # x\n")
	f.Add("=\n:\n#\n==:\r\n\x00")
	f.Add("tls-verify-servers = maybe")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseTLSConf(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, v := range []string{c.CAFile, c.CADir, c.CertFile, c.KeyFile, c.ClientCertFile, c.ClientKeyFile} {
			if strings.ContainsAny(v, "# \t\n") {
				t.Errorf("value %q", v)
			}
		}
		switch c.VerifyServers {
		case verifyDefault, verifyFull, verifyChain, verifyNone:
		default:
			t.Errorf("mode %q", c.VerifyServers)
		}
	})
}
