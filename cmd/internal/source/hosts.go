package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pmtools/internal/textwidth"
	"pmtools/lib/pmcd"
	"pmtools/lib/safefile"
)

// This file keeps the hosts that a person has asked for, which completion proposes after -h.

// keptHosts is how many hosts the file keeps, and mostHosts how long it may be.
const (
	keptHosts = 200
	mostHosts = 64 << 10
)

// StateFile returns the name of a file of ours in a directory of the user's: one that a variable names, or
// else one below the home directory. It is "" if there is neither.
func StateFile(lookup func(string) (string, bool), variable, below, name string) string {
	if dir, _ := lookup(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pmderive", name)
	}
	for _, home := range []string{"HOME", "USERPROFILE"} {
		if dir, _ := lookup(home); dir != "" {
			return filepath.Join(dir, below, "pmderive", name)
		}
	}
	return ""
}

// hostsFile returns the name of the file. PMDERIVE_HISTORY= keeps no history, and no hosts.
func hostsFile(lookup func(string) (string, bool)) string {
	if path, set := lookup("PMDERIVE_HISTORY"); set && path == "" {
		return ""
	}
	return StateFile(lookup, "XDG_STATE_HOME", filepath.Join(".local", "state"), "hosts")
}

// Hosts returns the hosts of the file that begin with a prefix, the latest first.
func Hosts(lookup func(string) (string, bool), prefix string) []string {
	hosts, _ := readHosts(hostsFile(lookup), prefix)
	return hosts
}

func readHosts(path, prefix string) (hosts []string, err error) {
	text, err := safefile.Read(path, mostHosts)
	for line := range strings.Lines(string(text)) {
		if host := strings.TrimRight(line, "\r\n"); host != "" && strings.HasPrefix(host, prefix) && textwidth.Clean(host) == host {
			hosts = append(hosts, host)
		}
	}
	return hosts, err
}

// NoteHost puts a host first in the file, unless it has a password. Errors are ignored: the file is
// optional. A file that cannot be read stays unchanged.
func NoteHost(lookup func(string) (string, bool), host string) {
	path := hostsFile(lookup)
	if path == "" || host == "" || strings.ContainsAny(host, "\r\n") || pmcd.Redact(host) != host {
		return
	}
	old, err := readHosts(path, "")
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(old) > 0 && old[0] == host {
		return
	}
	hosts := append([]string{host}, slices.DeleteFunc(old, func(h string) bool { return h == host })...)
	text := strings.Join(hosts[:min(len(hosts), keptHosts)], "\n") + "\n"
	if len(text) <= mostHosts && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = safefile.Keep(path, []byte(text), 0o600)
	}
}
