// Package debug prints what the debug options of -D ask for, but for those of derived metrics, which
// package derive/debug has. A [Printer] observes: it hooks itself into what connects to daemons and
// what reads archives, and wraps a source to see the calls and their answers. Where nothing is asked
// for there is no hook and no wrapper.
//
// The lines are those of the reference where it prints the same from run to run. Its addresses,
// descriptors of files and states of memory are left out (commands.md T1.8).
package debug

import (
	"fmt"
	"io"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmcd"
)

// A Printer prints for the debug options that are on.
type Printer struct {
	// On reports whether a debug option is on.
	On func(option string) bool
	// Out gets the lines.
	Out io.Writer
	// Zone is that of times.
	Zone *time.Location
}

func (p *Printer) any(options ...string) bool {
	for _, o := range options {
		if p.On(o) {
			return true
		}
	}
	return false
}

func (p *Printer) printf(option, format string, args ...any) {
	if p.On(option) {
		fmt.Fprintf(p.Out, format+"\n", args...)
	}
}

func (p *Printer) clock(t pcp.Timestamp) []byte { return format.AppendTimeNanos(nil, t, p.Zone) }

// Dialer makes d report its connections: each message for pdu, the steps of connecting for context,
// tls, auth and attr.
func (p *Printer) Dialer(d *pmcd.Dialer) {
	if p.On("pdu") {
		d.Trace = func(direction string, f pdu.Frame) { _ = pdu.Trace(p.Out, direction, f) }
	}
	if p.any("context", "tls", "auth", "attr") {
		d.Step = func(topic, text string) { p.printf(topic, "%s", text) }
	}
}

// Archive returns what observes the reading of archives: files, positions and records for log, the
// metadata for logmeta, samples around a time for interp.
func (p *Printer) Archive() archive.Observer {
	var o archive.Observer
	if p.On("log") {
		o.File = p.file
		o.Seek = func(m pcp.Mode, t pcp.Timestamp, volume int32, offset int64) {
			p.printf("log", "__pmLogSetTime: mode=%s %s: volume %d posn=%d", mode(m), p.clock(t), volume, offset)
		}
		o.Record = func(back bool, volume int32, offset, size int64, t pcp.Timestamp) {
			direction := "forw"
			if back {
				direction = "back"
			}
			p.printf("log", "__pmLogRead: mode=%s vol=%d posn=%d @%s len=header+%d+trailer", direction, volume, offset, p.clock(t), size-8)
		}
	}
	if p.On("logmeta") {
		o.Metadata = func(base string, c archive.Counts) {
			p.printf("logmeta", "__pmLogLoadMeta(%s): records desc:%d indom:%d label:%d text:%d", base, c.Descs, c.InDoms, c.Labels, c.Texts)
		}
	}
	if p.On("interp") {
		o.Between = func(id pcp.ID, inst int32, at pcp.Timestamp, low, high *pcp.Timestamp) {
			p.printf("interp", "pmid %s inst %d @%s: prior: %s next: %s", id, inst, p.clock(at), p.sample(low), p.sample(high))
		}
	}
	return o
}

func (p *Printer) sample(t *pcp.Timestamp) string {
	if t == nil {
		return "<undefined>"
	}
	return string(p.clock(*t))
}

func (p *Printer) file(path string, l *archive.Label) {
	what := map[int32]string{-1: " (meta)", -2: " (index)"}[l.Volume]
	p.printf("log", "__pmLogChkLabel: %s [magic=0x500526%02x version=%d vol=%d%s pid=%d start=%s host=%s tz=%s] version=%d",
		path, l.Version, l.Version, l.Volume, what, l.PID, p.clock(l.Start), l.Host, l.Zone, l.Version)
}

func mode(m pcp.Mode) string {
	switch m {
	case pcp.Forward:
		return "FORW"
	case pcp.Back:
		return "BACK"
	case pcp.Interp:
		return "INTERP"
	}
	return "LIVE"
}
