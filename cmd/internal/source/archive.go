package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/when"
)

// WithArchives makes o open archives too. Only commands that call it link the readers of archives.
func (o *Opener) WithArchives() *Opener {
	o.archive, o.archives, o.dirs = openArchive, archiveNames, new(archive.Directories)
	return o
}

func openArchive(ctx context.Context, o *Opener, list string) (pmapi.Source, error) {
	a, err := pmapi.OpenArchive(ctx, list, o.archiveOptions())
	if err != nil {
		return nil, err
	}
	if o.names != nil && !o.KeepNames {
		o.names.Cull(a.Has)
	}
	return a, nil
}

// archiveNames returns the archives, and the directories, whose names begin with a prefix.
func archiveNames(prefix string) (names []string) {
	dir, base := filepath.Split(prefix)
	inside, _ := archive.List(cmp.Or(dir, ".")) // without any archive there are only directories
	for _, name := range inside {
		if name = filepath.Base(name); strings.HasPrefix(name, base) {
			names = append(names, dir+name)
		}
	}
	entries, _ := os.ReadDir(cmp.Or(dir, "."))
	for _, e := range entries {
		hidden := strings.HasPrefix(e.Name(), ".") && base == ""
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && info.IsDir() && strings.HasPrefix(e.Name(), base) && !hidden {
			names = append(names, dir+e.Name()+"/")
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (o *Opener) archiveOptions() *archive.Options {
	warn := func(text string) { o.env.Notify(pmcd.Redact(text)) } // it may name a host that was taken for an archive
	opt := &archive.Options{Warn: warn, Observer: o.printer().Archive(), DiskLimit: o.UnpackLimit, Directories: o.dirs}
	if text, ok := o.env.LookupEnv("PMTOOLS_UNPACK_LIMIT"); ok && opt.DiskLimit == 0 {
		var err error
		if opt.DiskLimit, err = ParseSize(text); err != nil {
			fmt.Fprintf(o.env.Stderr, "%s: Warning: bad $PMTOOLS_UNPACK_LIMIT: %v\n", o.env.Prog, err)
		}
	}
	_, opt.CounterWrap = o.env.LookupEnv("PCP_COUNTER_WRAP")
	if gap, ok := o.env.LookupEnv("PCP_IGNORE_MARK_RECORDS"); ok && o.Interpolates {
		opt.MarkGap = o.markGap(gap)
	}
	return opt
}

// ParseSize returns a number of bytes: a positive number, with K, M, G or T for a power of 1024.
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "KMGT")
	shift := 10 * (strings.Index("KMGT", text[len(digits):]) + 1)
	if digits == text {
		shift = 0
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || len(text)-len(digits) > 1 || n <= 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is not a size such as 500M, 20G or 1T", text)
	}
	return n << shift, nil
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
