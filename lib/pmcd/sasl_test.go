package pmcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/xdg-go/scram"

	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

func TestChoose(t *testing.T) {
	const all = "PLAIN LOGIN DIGEST-MD5 SCRAM-SHA-256 CRAM-MD5"
	for _, tt := range []struct {
		name, offered, method string
		private               bool
		want                  string
		code                  pmerr.Code
	}{
		{"strongest", all, "", false, "SCRAM-SHA-256", 0},
		{"stronger yet", all + " SCRAM-SHA-512", "", true, "SCRAM-SHA-512", 0},
		{"case", "plain scram-sha-256", "", true, "SCRAM-SHA-256", 0},
		{"only PLAIN", "PLAIN LOGIN", "", true, "PLAIN", 0},
		{"only PLAIN, in clear", "PLAIN LOGIN", "", false, "", codeEncryption},
		{"method", all, "plain", true, "PLAIN", 0},
		{"method in clear", all, "PLAIN", false, "", codeEncryption},
		{"method not offered", "PLAIN", "SCRAM-SHA-256", true, "", codeNoMech},
		{"method not known", all, "DIGEST-MD5", true, "", codeNoMech},
		{"nothing in common", "GSSAPI", "", true, "", codeNoMech},
		{"nothing offered", "", "", true, "", codeNoMech},
		{"part of a name", "SCRAM-SHA-2567", "", true, "", codeNoMech},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := choose(tt.offered, tt.method, tt.private)
			checkCode(t, err, tt.code)
			if m.name != tt.want {
				t.Errorf("chose %q, want %q", m.name, tt.want)
			}
		})
	}
}

// scramServer answers the client's steps for user bob with password sekrit.
func scramServer(t *testing.T, iterations int) *scram.ServerConversation {
	t.Helper()
	client, err := scram.SHA256.NewClient("bob", "sekrit", "")
	if err != nil {
		t.Fatal(err)
	}
	creds, err := client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: "salt", Iters: iterations})
	if err != nil {
		t.Fatal(err)
	}
	server, err := scram.SHA256.NewServer(func(user string) (scram.StoredCredentials, error) {
		if user != "bob" {
			return creds, errors.New("who?")
		}
		return creds, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return server.NewConversation()
}

// saslDaemon offers mechanisms, and hands over to rest after the first message of the client.
func saslDaemon(t *testing.T, offered string, rest func(p *peer, first string)) int {
	return listen(t, func(p *peer) {
		if flags := p.greet(featureAuth); flags != featureAuth {
			t.Errorf("flags %#x", flags)
		}
		if first := p.sasl([]byte(offered)); len(first) > 0 {
			rest(p, string(first))
		}
		drain(p)
	})
}

func TestSCRAM(t *testing.T) {
	for _, tt := range []struct {
		name, user, password string
		iterations           int
		code                 pmerr.Code
	}{
		{"good", "bob", "sekrit", 4096, 0},
		{"many iterations", "bob", "sekrit", 20000, 0},
		{"too few iterations", "bob", "sekrit", 4095, codeTooWeak},
		{"bad password", "bob", "wrong", 4096, codeBadAuth},
		{"unknown user", "eve", "sekrit", 4096, codeBadAuth},
		{"bad name", "b\u0001b", "sekrit", 4096, codeBadParam},
	} {
		t.Run(tt.name, func(t *testing.T) {
			port := saslDaemon(t, "LOGIN SCRAM-SHA-256 PLAIN", func(p *peer, first string) {
				mech, text, _ := strings.Cut(first, "\x00")
				if mech != "SCRAM-SHA-256" || !strings.HasPrefix(text, "n,a=") {
					t.Errorf("first message %q", first)
				}
				conv := scramServer(t, tt.iterations)
				for !conv.Done() {
					answer, err := conv.Step(text)
					if err != nil {
						p.send(&pdu.Error{Code: codeBadAuth})
						return
					}
					text = string(p.sasl([]byte(answer)))
				}
				if text != "" {
					t.Errorf("last message %q", text)
				}
				p.confirm()
			})
			var steps strings.Builder
			d := testDialer(port)
			d.Step = func(topic, text string) { steps.WriteString(topic + ": " + text + "\n") }
			_, err := dialText(t, d, fmt.Sprintf("host?user=%s&pass=%s", tt.user, tt.password))
			checkCode(t, err, tt.code)
			if text := steps.String(); !strings.Contains(text, `chose "SCRAM-SHA-256"`) || strings.Contains(text, tt.password) {
				t.Errorf("steps:\n%s", text)
			}
		})
	}
}

// TestSCRAMDaemons checks daemons that do not do as they should.
func TestSCRAMDaemons(t *testing.T) {
	honest := func(p *peer, first string) (final string) {
		conv := scramServer(p.t, 4096)
		_, text, _ := strings.Cut(first, "\x00")
		answer, _ := conv.Step(text)
		final, _ = conv.Step(string(p.sasl([]byte(answer))))
		return final
	}
	for _, tt := range []struct {
		name string
		rest func(p *peer, first string)
		code pmerr.Code
	}{
		{"without a proof", func(p *peer, first string) {
			honest(p, first)
			p.send(&pdu.Names{})
		}, pmerr.IPC},
		{"bad proof", func(p *peer, first string) {
			honest(p, first)
			p.sasl([]byte("v=AAAA"))
		}, codeBadServer},
		{"empty proof", func(p *peer, first string) {
			honest(p, first)
			p.sasl([]byte{})
		}, codeBadServer},
		{"error for a proof", func(p *peer, first string) {
			honest(p, first)
			p.sasl([]byte("e=invalid-proof"))
		}, codeBadAuth},
		{"junk", func(p *peer, first string) { p.sasl([]byte("junk")) }, codeBadProt},
		{"other nonce", func(p *peer, first string) { p.sasl([]byte("r=abc,s=AAAA,i=4096")) }, codeBadProt},
		{"very many iterations", func(p *peer, first string) { p.sasl([]byte("r=abc,s=AAAA,i=2000000000")) }, codeTooWeak},
		{"iterations are no number", func(p *peer, first string) { p.sasl([]byte("r=abc,s=AAAA,i=x")) }, codeBadProt},
		{"another attribute", func(p *peer, first string) { p.send(&pdu.Attr{Code: pdu.AttrContainer}) }, pmerr.IPC},
		{"refusal later", func(p *peer, first string) {
			p.sasl([]byte(honest(p, first)))
			p.receive(&pdu.Child{})
			p.send(&pdu.Error{Code: codeBadAuth}, &pdu.Names{})
		}, codeBadAuth},
	} {
		t.Run(tt.name, func(t *testing.T) {
			port := saslDaemon(t, "SCRAM-SHA-256", tt.rest)
			_, err := dialText(t, testDialer(port), "host?user=bob&pass=sekrit")
			checkCode(t, err, tt.code)
		})
	}
}

func TestPLAIN(t *testing.T) {
	ca := newAuthority(t, "ca")
	tlsPort := func(good bool) int {
		return listen(t, func(p *peer) {
			p.greet(offerTLS)
			if p.encrypt(&tls.Config{Certificates: []tls.Certificate{ca.server("host")}}, true) != nil {
				t.Error("no TLS")
			}
			if got := string(p.sasl([]byte("PLAIN"))); got != "PLAIN\x00bob\x00bob\x00sek rit" {
				t.Errorf("got %q", got)
			}
			if !good {
				p.send(&pdu.Error{Code: codeBadAuth})
			}
			p.confirm()
			drain(p)
		})
	}
	for _, good := range []bool{true, false} {
		d := testDialer(tlsPort(good))
		d.TLSConfig = &tls.Config{RootCAs: ca.pool()}
		_, err := dialText(t, d, "pcps://host?user=bob&pass=sek+rit")
		if good {
			checkCode(t, err, 0)
		} else {
			checkCode(t, err, codeBadAuth)
		}
	}
	t.Run("unix", func(t *testing.T) {
		path := listenUnix(t, func(p *peer) {
			p.greet(featureAuth)
			p.sasl([]byte("PLAIN"))
			p.confirm()
			drain(p)
		})
		_, err := dialText(t, testDialer(), "unix:"+path+"?user=bob&pass=sekrit")
		checkCode(t, err, 0)
	})
	t.Run("clear", func(t *testing.T) {
		port := saslDaemon(t, "PLAIN", func(p *peer, first string) { t.Errorf("got %q", first) })
		_, err := dialText(t, testDialer(port), "host?user=bob&pass=sekrit")
		checkCode(t, err, codeEncryption)
		if !strings.Contains(Reason(err), "pcps:") || strings.Contains(err.Error(), "sekrit") {
			t.Errorf("error %v", err)
		}
	})
}

func TestPrompt(t *testing.T) {
	var asked []string
	d := &Dialer{Console: "/dev/x", Prompt: func(_ context.Context, console, text string, echo bool) (string, error) {
		asked = append(asked, fmt.Sprintf("%s %s%v", console, text, echo))
		return "typed", nil
	}}
	spec, err := ParseSpec("h?userauth")
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.newSetup(spec)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time from memory
		for key, prompt := range map[string]string{attrUserName: "Username: ", attrPassword: "Password: "} {
			if got, err := s.credential(t.Context(), key, prompt, key == attrUserName); got != "typed" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
	}
	if len(asked) != 2 || !strings.Contains(strings.Join(asked, "|"), "/dev/x Username: true") || !strings.Contains(strings.Join(asked, "|"), "/dev/x Password: false") {
		t.Errorf("asked %q", asked)
	}
	for _, tt := range []struct {
		name   string
		change func(*Dialer)
		key    string
		code   pmerr.Code
	}{
		{"no console, name", func(d *Dialer) { d.Console = "none" }, attrUserName, codeBadParam},
		{"no console, password", func(d *Dialer) { d.Console = "none" }, attrPassword, codeBadAuth},
		{"nobody to ask", func(d *Dialer) { d.Prompt = nil }, attrUserName, codeBadParam},
		{"no answer", func(d *Dialer) {
			d.Prompt = func(context.Context, string, string, bool) (string, error) { return "", errors.New("gone") }
		}, attrUserName, codeBadParam},
		{"zero byte", func(d *Dialer) {
			d.Prompt = func(context.Context, string, string, bool) (string, error) { return "a\x00b", nil }
		}, attrUserName, codeBadParam},
	} {
		t.Run(tt.name, func(t *testing.T) {
			own := *d
			tt.change(&own)
			_, err := (&setup{d: &own, spec: spec, answers: map[string]string{}}).credential(t.Context(), tt.key, "", true)
			checkCode(t, err, tt.code)
		})
	}
}

// TestCredsRequired checks daemons that insist on authentication: TCP goes through it unasked, a
// Unix socket does not.
func TestCredsRequired(t *testing.T) {
	port := listen(t, func(p *peer) {
		if flags := p.greet(featureCredsReqd | featureAuth); flags != featureCredsReqd {
			t.Errorf("flags %#x", flags)
		}
		p.sasl([]byte("GSSAPI"))
	})
	_, err := dialText(t, testDialer(port), "host")
	checkCode(t, err, codeNoMech)
	path := listenUnix(t, func(p *peer) {
		if flags := p.greet(featureCredsReqd | featureAuth); flags != featureCredsReqd {
			t.Errorf("flags %#x", flags)
		}
		drain(p)
	})
	for _, scheme := range []string{"unix:", "local:"} {
		_, err := dialText(t, testDialer(), scheme+path)
		checkCode(t, err, 0)
	}
}

// FuzzSASL gives a client any messages of a daemon.
func FuzzSASL(f *testing.F) {
	f.Add("PLAIN SCRAM-SHA-256", "r=abc,s=AAAA,i=4096", "v=AAAA")
	f.Add("SCRAM-SHA-512", "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", "e=other-error")
	f.Add("", "m=x,r=,s=,i=", "")
	f.Add("SCRAM-SHA-256", "r=\x00,s=%,i=-1", "v=")
	f.Fuzz(func(t *testing.T, offered, first, final string) {
		m, err := choose(offered, "", true)
		if err != nil {
			checkCode(t, err, codeNoMech)
			return
		}
		conv, err := m.begin("bob", "sekrit")
		if err != nil {
			t.Fatal(err)
		}
		answer, done, err := conv.step(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !m.clear {
			// A nonce that begins with ours gets further.
			first = strings.Replace(first, "r=", answerNonce(t, string(answer)), 1)
		}
		for _, text := range []string{first, final} {
			if done {
				return
			}
			if _, done, err = conv.step([]byte(text)); err != nil {
				if pmerr.Of(err) >= pmerr.NYI {
					t.Errorf("error without a code: %v", err)
				}
				return
			}
		}
		if done {
			t.Errorf("a daemon without the password was believed: %q, %q", first, final)
		}
	})
}

// answerNonce returns the nonce field of a client's first message.
func answerNonce(t *testing.T, message string) string {
	_, nonce, ok := strings.Cut(message, ",r=")
	if !ok {
		t.Fatalf("no nonce in %q", message)
	}
	return "r=" + nonce
}
