package source

import (
	"errors"
	"fmt"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pmapi"
	"pmtools/lib/when"
)

// WithArchives makes o open archives too. Only commands that call it link the readers of archives.
func (o *Opener) WithArchives() *Opener {
	o.archive = openArchive
	return o
}

// openArchive opens a list of archives.
func openArchive(o *Opener, list string) (pmapi.Source, error) {
	a, err := pmapi.OpenArchive(list, o.archiveOptions())
	if err != nil {
		return nil, err
	}
	if o.names != nil && !o.KeepNames {
		o.names.Cull(a.Has)
	}
	return a, nil
}

// archiveOptions returns how archives are read, by the environment.
func (o *Opener) archiveOptions() *archive.Options {
	opt := &archive.Options{Warn: o.env.Notify, Observer: o.printer().Archive()}
	_, opt.CounterWrap = o.env.LookupEnv("PCP_COUNTER_WRAP")
	if gap, ok := o.env.LookupEnv("PCP_IGNORE_MARK_RECORDS"); ok && o.Interpolates {
		opt.MarkGap = o.markGap(gap)
	}
	return opt
}

// markGap returns how long an interruption of the recording may be that is ignored; a negative one
// is for any. A text that is not an interval is reported, and ignored.
func (o *Opener) markGap(text string) time.Duration {
	if text == "" {
		return -1
	}
	gap, err := when.ParseInterval(text)
	switch bad, ok := errors.AsType[*when.SyntaxError](err); {
	case ok:
		fmt.Fprintf(o.env.Stderr, "%s: Warning: bad $PCP_IGNORE_MARK_RECORDS: not in pmParseInterval(3) format:\n%s\n", o.env.Prog, bad.Caret())
		return 0
	case gap == 0:
		return -1
	}
	return gap
}
