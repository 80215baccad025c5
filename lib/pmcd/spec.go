package pmcd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/internal/hostattr"
	"pmtools/lib/pmerr"
)

// A host specification names a daemon and the way to connect to it (wire.md W2.1):
//
//	spec  = [ "pcp:" *"/" | "pcps:" *"/" ] hosts [ "?" attrs | "/" ignored ]
//	      | ( "unix:" | "local:" ) *"/" [ path ] [ "?" attrs ]
//	hosts = host *( "@" host )              the daemon, its proxy, others without a use
//	host  = ( name | "[" name "]" ) [ ":" port *( "," port ) ]
//	attrs = attr *( "&" attr )              up to the end or the next "/"
//	attr  = key [ "=" value ]

// defaultSocket is the default path of pmcd's Unix socket.
const defaultSocket = "/run/pcp/pmcd.socket"

const (
	schemePCP   = "pcp"
	schemePCPS  = "pcps"
	schemeUnix  = "unix"
	schemeLocal = "local"
)

// A Spec is a parsed host specification. It is not changed by anything in this package, so
// goroutines may share it. Make one with [ParseSpec].
type Spec struct {
	Scheme string // one of the schemes, or "" when the text has none
	Path   string // absolute path of the socket for unix: and local:; "" is the default one
	Hosts  []Host // the daemon, its proxy, further hosts without a use; at least one unless Local
	Attrs  []Attr // sorted by key, each key once
}

// A Host is one host of a specification with the ports to try in order; with no ports, the default
// ones.
type Host struct {
	Name  string // without brackets and passwords; an empty or unknown name fails when the Dialer connects
	Ports []int  // 0 to 65535
}

// local reports whether s names a Unix socket: unix: or local:.
func (s *Spec) local() bool {
	return s.Scheme == schemeUnix || s.Scheme == schemeLocal
}

// Host returns the name that stands for the daemon's host in a context: the first host, or the
// socket's path.
func (s *Spec) Host() string {
	switch {
	case len(s.Hosts) > 0:
		return s.Hosts[0].Name
	case s.local():
		return Redact(cmp.Or(s.Path, defaultSocket))
	}
	return ""
}

// A SpecError describes a mistake in a host specification. It wraps [pmerr.Generic] for a syntax
// error, [pmerr.EINVAL] for an attribute value that cannot be decoded, and [pmerr.NotHost] for a
// specification without any host.
type SpecError struct {
	Spec   string // without passwords
	Pos    int    // in bytes
	Reason string // "" for an error without a place
	Code   pmerr.Code
}

// Error describes the error in one line.
func (e *SpecError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("host specification %q: %v", e.Spec, e.Code)
	}
	return fmt.Sprintf("host specification %q: column %d: %s", e.Spec, e.Pos+1, e.Reason)
}

// Unwrap returns the code.
func (e *SpecError) Unwrap() error {
	return e.Code
}

// Message returns the lines that a command prints before its own message, as the reference's
// library does: the specification, and a caret under the mistake with the reason. It is empty for
// an error without a place.
func (e *SpecError) Message() string {
	if e.Reason == "" {
		return ""
	}
	return "pmNewContext: bad host specification\n" + e.Spec + "\n" + strings.Repeat(" ", e.Pos) + "^ -- " + e.Reason + "\n"
}

func specError(text string, pos int, reason string, code pmerr.Code) error {
	return &SpecError{Spec: Redact(text), Pos: len(Redact(text[:pos])), Reason: reason, Code: code}
}

// Redact replaces the passwords of host specifications in a text by xxxxx. Use it for every text in
// messages, histories, reports and files that may be a specification, even an invalid one. A password
// ends at the next known attribute, or with the text.
func Redact(text string) string { return hostattr.Redact(text) }

// Public returns the canonical text of s without the attributes that identify the user. It is safe to show.
func (s *Spec) Public() string {
	public := *s
	public.Attrs = slices.DeleteFunc(slices.Clone(s.Attrs), func(a Attr) bool {
		return slices.Contains([]string{attrUserAuth, attrUserName, attrPassword, attrMethod, attrRealm}, a.Key)
	})
	return public.String()
}

// ParseSpec parses a host specification. The error is a [*SpecError].
func ParseSpec(text string) (*Spec, error) {
	p := specParser{text: text, spec: new(Spec)}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.spec, nil
}

type specParser struct {
	text string
	pos  int
	spec *Spec
}

func (p *specParser) fail(reason string) error {
	return specError(p.text, p.pos, reason, pmerr.Generic)
}

// until returns the text up to the first byte that is in stop, and moves there.
func (p *specParser) until(stop string) string {
	rest := p.text[p.pos:]
	if i := strings.IndexAny(rest, stop); i >= 0 {
		rest = rest[:i]
	}
	p.pos += len(rest)
	return rest
}

// next returns the next byte, 0 at the end. A zero byte within the text also ends it.
func (p *specParser) next() byte {
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

func (p *specParser) parse() error {
	if i := strings.IndexByte(p.text, 0); i >= 0 {
		p.pos = i
		return p.fail("unexpected terminal character")
	}
	for _, scheme := range []string{schemePCP, schemePCPS, schemeUnix, schemeLocal} {
		if strings.HasPrefix(p.text, scheme+":") {
			p.spec.Scheme = scheme
			p.pos = len(scheme) + 1
			for p.next() == '/' {
				p.pos++
			}
		}
	}
	rest := p.hosts
	if p.spec.local() {
		rest = p.path
	}
	if err := rest(); err != nil {
		return err
	}
	if p.next() == '?' {
		p.pos++
		if err := p.attrs(); err != nil {
			return err
		}
	}
	if len(p.spec.Hosts) == 0 && !p.spec.local() {
		return specError(p.text, 0, "", pmerr.NotHost)
	}
	return nil
}

func (p *specParser) path() error {
	if path := p.until(":?"); path != "" {
		p.spec.Path = "/" + path
	}
	if p.next() == ':' {
		return p.fail("unexpected terminal character")
	}
	return nil
}

func (p *specParser) hosts() error {
	if c := p.next(); c == 0 || c == '/' || c == '?' {
		return nil
	}
	for {
		h, err := p.host()
		if err != nil {
			return err
		}
		p.spec.Hosts = append(p.spec.Hosts, h)
		if p.next() != '@' {
			return nil
		}
		p.pos++
	}
}

func (p *specParser) host() (Host, error) {
	var h Host
	if p.next() == '[' {
		p.pos++
		h.Name = Redact(p.until("]"))
		if p.next() == 0 {
			return h, p.fail("missing closing ']' for host spec")
		}
		p.pos++
		if c := p.next(); c != 0 && !strings.ContainsRune(":@/?", rune(c)) {
			return h, p.fail("extra characters after host spec")
		}
	} else if h.Name = Redact(p.until(":@/?")); h.Name == "" {
		return h, p.fail("unexpected terminal character")
	}
	for sep := byte(':'); p.next() == sep; sep = ',' {
		p.pos++
		port, err := p.port()
		if err != nil {
			return h, err
		}
		h.Ports = append(h.Ports, port)
	}
	return h, nil
}

func (p *specParser) port() (int, error) {
	start := p.pos
	for c := p.next(); '0' <= c && c <= '9'; c = p.next() {
		p.pos++
	}
	switch c := p.next(); {
	case c != 0 && !strings.ContainsRune(",@/?", rune(c)):
		return 0, p.fail("non-numeric port")
	case p.pos == start:
		return 0, p.fail("missing port")
	}
	n, err := strconv.ParseUint(p.text[start:p.pos], 10, 16)
	if err != nil {
		p.pos = start
		return 0, p.fail("port out of range")
	}
	return int(n), nil
}

// String returns the canonical text of s: full names of attributes, sorted,
// values encoded, brackets only where they are needed.
func (s *Spec) String() string {
	var b strings.Builder
	switch {
	case s.local():
		b.WriteString(s.Scheme + ":/" + s.Host())
	case s.Scheme != "":
		b.WriteString(s.Scheme + "://")
	}
	for i, h := range s.Hosts {
		if i > 0 {
			b.WriteByte('@')
		}
		h.write(&b)
	}
	for i, a := range s.Attrs {
		b.WriteByte("?&"[min(i, 1)])
		a.write(&b)
	}
	return b.String()
}

func (h Host) write(b *strings.Builder) {
	switch {
	case h.Name == "", h.Name[0] == '[', strings.ContainsAny(h.Name, ":@/?"),
		h.Name == schemePCP, h.Name == schemePCPS, h.Name == schemeUnix, h.Name == schemeLocal:
		b.WriteString("[" + h.Name + "]")
	default:
		b.WriteString(h.Name)
	}
	for i, p := range h.Ports {
		b.WriteByte(":,"[min(i, 1)])
		b.WriteString(strconv.Itoa(p))
	}
}
