// Package history keeps the items typed at a prompt in a file.
package history

import (
	"os"
	"path/filepath"
	"pmtools/cmd/internal/files"
	"strings"

	"pmtools/cmd/internal/source"
	"pmtools/lib/pmcd"
	"pmtools/lib/safefile"
)

// Limit is the number of items kept.
const Limit = 10000

// A History is the items of this session and of earlier ones. It is kept in a file that only its
// owner can read, with an item on each line.
type History struct {
	path  string // "" to keep none
	Items []string
}

// Open reads the history. Errors are ignored: history is optional.
func Open(lookup func(string) (string, bool)) *History {
	h := &History{path: pathOf(lookup)}
	if h.path == "" {
		return h
	}
	text, err := files.FS{}.ReadFile(h.path)
	if err != nil {
		return h
	}
	torn := false
	for line := range strings.Lines(string(text)) {
		// A loss of power may have taken a part of the last lines.
		if !strings.HasSuffix(line, "\n") || strings.Contains(line, "\x00") {
			torn = true
			continue
		}
		h.push(strings.TrimRight(line, "\r\n"))
	}
	if torn || len(h.Items) > Limit {
		h.Items = h.Items[max(0, len(h.Items)-Limit):]
		_ = safefile.Replace(h.path, []byte(strings.Join(h.Items, "\n")+"\n"))
	}
	return h
}

// pathOf returns the name of the file: PMDERIVE_HISTORY, or pmderive/history in the directory
// for the state of programs.
func pathOf(lookup func(string) (string, bool)) string {
	if path, set := lookup("PMDERIVE_HISTORY"); set {
		return path
	}
	return source.StateFile(lookup, "XDG_STATE_HOME", filepath.Join(".local", "state"), "history")
}

// push adds an item in memory, unless it is empty or equal to the last one.
func (h *History) push(item string) bool {
	if item == "" || len(h.Items) > 0 && h.Items[len(h.Items)-1] == item {
		return false
	}
	h.Items = append(h.Items, item)
	return true
}

// Add adds an item, on one line and without the passwords in it, and reports whether it differs from the last one.
func (h *History) Add(item string) bool {
	item = pmcd.Redact(strings.TrimSpace(strings.NewReplacer("\r", " ", "\n", " ").Replace(item)))
	if !h.push(item) {
		return false
	}
	if h.path != "" && os.MkdirAll(filepath.Dir(h.path), 0o700) == nil {
		// Errors are ignored: history is optional.
		_ = safefile.Append(h.path, []byte(item+"\n"), 0o600)
	}
	return true
}
