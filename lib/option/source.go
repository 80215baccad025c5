package option

import (
	"errors"

	"pmtools/lib/when"
)

// A SourceKind is a kind of source of metrics.
type SourceKind int

// The kinds of sources.
const (
	DefaultHost SourceKind = iota // the default: the local daemon
	Host
	Archive
	Local // agents inside the process
)

// Source returns the kind of source that the options ask for, and the host or the list of archives.
// -L overrides a host, and a host an archive.
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

// SetSource sets the source of the options to that of a metric specification. It fails if they
// would have both a host and an archive.
func (o *Options) SetSource(m Metric) error {
	switch {
	case m.Kind == Local:
		o.Local = true
	case m.Kind == Host && o.HasArchive, m.Kind == Archive && o.HasHost:
		return errOneSource
	case m.Kind == Host:
		o.Host, o.HasHost = m.Source, true
	case m.Kind == Archive:
		o.Archive, o.HasArchive = m.Source, true
	}
	return nil
}

func (p *Parser) checkSource() {
	o := &p.Options
	if kind, _ := o.Source(); kind == DefaultHost && o.HasOrigin {
		o.Archive, o.HasArchive = p.ownArchives(), true
	}
	if err := o.CheckWindow(); err != nil {
		p.report(err)
	}
	kind, _ := o.Source()
	if o.HostZone && (kind == Local || kind == DefaultHost && !p.LateChecks) {
		p.report(errors.New("use of timezone from metric source requires a source"))
	}
}

// A windowError has the reference's message about a time of a window.
type windowError struct{ *when.SyntaxError }

func (e *windowError) Error() string { return "invalid time window.\n" + e.Caret() }

func (e *windowError) Unwrap() error { return e.SyntaxError }

// Window returns the time window that -S, -T, -A and -O ask for.
func (o *Options) Window(b when.Base) (when.Window, error) {
	spec := when.Spec{Start: o.Start, Finish: o.Finish, Align: o.Align, Origin: o.Origin}
	for _, part := range []struct {
		empty bool
		part  when.Part
	}{
		{o.HasStart && o.Start == "", when.PartStart}, {o.HasFinish && o.Finish == "", when.PartFinish},
		{o.HasAlign && o.Align == "", when.PartAlign}, {o.HasOrigin && o.Origin == "", when.PartOrigin},
	} {
		if part.empty {
			spec.Empty |= part.part
		}
	}
	w, err := spec.Window(b)
	if bad, ok := errors.AsType[*when.SyntaxError](err); ok {
		return w, &windowError{bad}
	}
	return w, err
}

// CheckWindow returns an error if there are options of a window, but the source is not an archive.
func (o *Options) CheckWindow() error {
	if kind, _ := o.Source(); kind != Archive && (o.HasStart || o.HasAlign || o.HasOrigin) {
		return errors.New("time window options are supported for archives only")
	}
	return nil
}
