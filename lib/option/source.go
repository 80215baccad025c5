package option

import "errors"

// A SourceKind is a kind of source of metrics.
type SourceKind int

// The kinds of sources.
const (
	DefaultHost SourceKind = iota // nothing was asked for: the local daemon
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

// SetSource makes the source of a metric specification that of the options. It fails if that would
// be a host and an archive.
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

// checkSource does the checks of CheckSource.
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
