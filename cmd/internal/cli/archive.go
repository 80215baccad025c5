package cli

import (
	"errors"
	"fmt"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/when"
)

// archiveOptions returns how archives are read, by the environment.
func (c *Command) archiveOptions() *archive.Options {
	opt := &archive.Options{Warn: c.Env.Notify}
	_, opt.CounterWrap = c.Env.LookupEnv("PCP_COUNTER_WRAP")
	if gap, ok := c.Env.LookupEnv("PCP_IGNORE_MARK_RECORDS"); ok && c.Interpolates {
		opt.MarkGap = c.Env.markGap(gap)
	}
	return opt
}

// markGap returns how long an interruption of the recording may be that is not
// noticed; a negative one is for any. A text that is none is told of, and does not
// count.
func (env *Env) markGap(text string) time.Duration {
	if text == "" {
		return -1
	}
	gap, err := when.ParseInterval(text)
	switch bad, ok := errors.AsType[*when.SyntaxError](err); {
	case ok:
		fmt.Fprintf(env.Stderr, "%s: Warning: bad $PCP_IGNORE_MARK_RECORDS: not in pmParseInterval(3) format:\n%s\n", env.Prog, bad.Caret())
		return 0
	case gap == 0:
		return -1
	}
	return gap
}
