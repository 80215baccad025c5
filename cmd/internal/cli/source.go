package cli

import (
	"errors"
	"fmt"

	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
)

// A SourceKind says what kind of source a command reads from.
type SourceKind int

// The kinds of sources.
const (
	DefaultHost SourceKind = iota // nothing was asked for: the local daemon
	Host
	Archive
	Local // agents inside the process
)

// Source returns where the options say that metrics come from, and the host or
// the list of archives. -L beats a host, and a host an archive.
func (o *Options) Source() (kind SourceKind, name string) {
	switch {
	case o.Local:
		return Local, ""
	case o.HasHost:
		return Host, o.Host
	case o.HasArchive:
		return Archive, o.Archive
	}
	return DefaultHost, "local:"
}

// SourceError returns the message for a source that cannot be opened (commands.md
// T1.4). The commands differ in what they say about -L; that is local, such as
// "Cannot make standalone connection on localhost".
func SourceError(kind SourceKind, name, local string, err error) error {
	what := local
	switch kind {
	case Archive:
		what = fmt.Sprintf("Cannot open archive \"%s\"", name)
	case Host, DefaultHost:
		what = fmt.Sprintf("Cannot connect to PMCD on host \"%s\"", name)
	}
	return &sourceError{what, err}
}

// sourceError is the error of SourceError.
type sourceError struct {
	what string
	err  error
}

func (e *sourceError) Error() string {
	text := e.what + ": " + errorText(e.err)
	if c := pmerr.Of(e.err); c == pmerr.TLS || c == pmerr.NeedClientCert || c < pmerr.NYI {
		// One code stands for many ways to fail here, and the way is what helps.
		if reason := pmcd.Reason(e.err); reason != "" {
			text += " (" + reason + ")"
		}
	}
	return text
}

func (e *sourceError) Unwrap() error { return e.err }

// CheckSource does the checks that need to know the source: it takes the
// machine's own archives if there is an origin but no source, and reports options
// that the source has no use for. Only a command with LateChecks calls it, after
// its operand may have put a source into Options. Then it calls further, which may
// Complain of more.
func (c *Command) CheckSource(further ...func()) error {
	c.checkSource()
	for _, f := range further {
		f()
	}
	return c.finish()
}

// Complain adds a text, as it is, to the messages after which CheckSource ends the
// command with the usage text.
func (c *Command) Complain(text string) {
	c.errors = true
	c.Env.Messages.Print(text)
}

func (c *Command) checkSource() {
	o := &c.Options
	kind, _ := o.Source()
	if kind == DefaultHost && o.HasOrigin {
		o.Archive, o.HasArchive = c.ownArchives(), true
		kind = Archive
	}
	if kind != Archive && (o.HasStart || o.HasAlign || o.HasOrigin) {
		c.report(errors.New("time window options are supported for archives only"))
	}
	if o.HostZone && (kind == Local || kind == DefaultHost && !c.LateChecks) {
		c.report(errors.New("use of timezone from metric source requires a source"))
	}
}

// ownArchives returns the directory of the archives that are recorded on this
// machine about itself.
func (c *Command) ownArchives() string {
	host, err := c.Env.Hostname()
	if err != nil {
		host = "localhost"
	}
	return c.Env.Config().Get("PCP_ARCHIVE_DIR") + "/" + host
}
