package procfs

import "strings"

// A way is what is known about a file that the kernel makes, and saves calls or their cost.
type way uint8

const (
	record way = 1 << iota // made in one piece, so that a read that does not fill the buffer is the last one
	lines                  // made of lines of at most longestLine bytes, as many as fit a page at once
)

const (
	longestLine = 512
	leastPage   = 4096
)

// ended reports whether nothing comes after n bytes in a buffer, of which the last read returned k.
func (w way) ended(buf []byte, n, k int) bool {
	return n < len(buf) && (w&record != 0 || w&lines != 0 && k <= leastPage-longestLine)
}

// wayOf returns what is known about a file.
func wayOf(name string) way {
	switch name {
	case "proc/net/tcp", "proc/net/tcp6": // the kernel looks through the table of all connections for the end, too
		return lines
	}
	rest, ok := strings.CutPrefix(name, "proc/")
	if !ok || rest == "" || rest[0] < '1' || rest[0] > '9' {
		return 0
	}
	_, rest, _ = strings.Cut(rest, "/")
	if task, ok := strings.CutPrefix(rest, "task/"); ok {
		_, rest, _ = strings.Cut(task, "/")
	}
	switch rest {
	case "stat", "statm", "status", "schedstat", "oom_score", "wchan", "autogroup", "cmdline", "io", "cgroup", "smaps_rollup", "environ", "attr/current":
		return record
	}
	if strings.HasPrefix(rest, "fdinfo/") {
		return record
	}
	return 0
}
