package archive

import (
	"io/fs"
	"time"

	"pmtools/lib/archive/internal/content"
)

// Options control how an archive is read. Nil means the zero Options.
type Options struct {
	// FS has the files, by names in the form of fs.ValidPath. They are read into memory. Nil means
	// the files of the system.
	FS fs.FS
	// MemLimit is the number of unpacked bytes kept in memory for all compressed files that the
	// process has open; further bytes go to temporary files. 0 means 4 MiB.
	MemLimit int64
	// TempDir is the directory for temporary files; "" means os.TempDir().
	TempDir string
	// DiskLimit is the number of bytes for all temporary files of the process. Reading beyond it
	// fails with error number 28, no space left. 0 means half of the free space in TempDir.
	// Commands take it from PMTOOLS_UNPACK_LIMIT.
	DiskLimit int64
	// Warn is called with problems that were worked around. A message that begins with its level
	// ("Warning: ", "Error: ") belongs in the log, with time and program before it; others are
	// complete. Warn may be called until the Set is closed, by any goroutine that reads. Nil drops
	// the messages.
	Warn func(msg string)
	// CounterWrap makes interpolation treat a counter of 32 or 64 bits that falls as wrapped, like
	// PCP_COUNTER_WRAP in the environment of the reference. Without it such a counter is
	// interpolated downward.
	CounterWrap bool
	// MarkGap is the longest interruption of the recording that interpolation ignores
	// (PCP_IGNORE_MARK_RECORDS of the reference): marks between records at most that far apart are
	// ignored. If it is negative, all marks are ignored.
	MarkGap time.Duration
	// Directories keeps lists of directories for other opens that have it. Nil lists them each time.
	Directories *Directories
	// Observer is called for the records that are read.
	Observer Observer
}

func (o *Options) content() content.Options {
	return content.Options{FS: o.FS, MemLimit: o.MemLimit, TempDir: o.TempDir, DiskLimit: o.DiskLimit, Warn: o.Warn}
}
