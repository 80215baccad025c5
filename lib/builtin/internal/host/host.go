// Package host reads facts about this machine and this process for several collectors.
package host

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"pmtools/lib/pcp"
)

// A Host has the root of the files, and the functions of the system. The zero value is the default.
type Host struct {
	// Root is the directory below which the system's files are; "" means "/".
	Root string
	// Hostname returns the name of the host; nil means os.Hostname.
	Hostname func() (string, error)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Name returns the name of the host.
func (h *Host) Name() string {
	f := h.Hostname
	if f == nil {
		f = os.Hostname
	}
	name, err := f()
	if err != nil || name == "" {
		return "localhost"
	}
	return name
}

// Time returns the time.
func (h *Host) Time() time.Time {
	if h.Now == nil {
		return time.Now()
	}
	return h.Now()
}

// Dir returns the directory below which the system's files are.
func (h *Host) Dir() string {
	if h.Root == "" {
		return string(filepath.Separator)
	}
	return h.Root
}

// Word returns the first word in a file below the root, or other if the file does not exist, or
// holds only none.
func (h *Host) Word(file, none, other string) string {
	text, err := os.ReadFile(filepath.Join(h.Dir(), filepath.FromSlash(file)))
	if err != nil {
		return other
	}
	words := bytes.Fields(text)
	if len(words) == 0 || string(words[0]) == none {
		return other
	}
	return string(words[0])
}

// Labels returns the labels of the host that are in files, in the order in which they win.
func (h *Host) Labels() [][]pcp.Label {
	const flags = uint8(pcp.ContextLabels) | pcp.LabelCompound
	dir := filepath.Join(h.Dir(), "etc", "pcp", "labels")
	return append(labelFiles(dir, flags), labelFiles(filepath.Join(dir, "optional"), flags|pcp.LabelOptional)...)
}

const maxLabelFile = 1 << 16 // bytes

// labelFiles returns the labels in the files of a directory, in the order of their names. A file
// that cannot be read, or is not a JSON object, is left out.
func labelFiles(dir string, flags uint8) [][]pcp.Label {
	entries, _ := os.ReadDir(dir) // without the directory the host has no labels
	var sets [][]pcp.Label
	for _, e := range entries {
		if fi, err := e.Info(); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxLabelFile || e.Name()[0] == '.' {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		if labels, err := pcp.ParseLabels(string(text), flags); err == nil {
			sets = append(sets, labels)
		}
	}
	return sets
}

// DataSize returns the memory for the program's data, in kilobytes.
func DataSize() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return uint32(m.HeapSys / 1024)
}
