// Package hostfile reads lists of hosts: a line each, or in the JSON of Prometheus's file_sd_configs. A Watch notices when such a
// file changes.
package hostfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"pmtools/lib/safefile"
)

// A Host is one of a list.
type Host struct {
	Name   string            // its specification, as for -h
	Labels map[string]string // of its group in JSON
}

// Names returns the names of hosts.
func Names(list []Host) (names []string) {
	for _, h := range list {
		names = append(names, h.Name)
	}
	return names
}

const (
	maxHosts = 100_000
	maxSize  = 64 << 20
)

// Read reads a list to the end of a stream.
func Read(r io.Reader) ([]Host, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("it has more than %d bytes", maxSize)
	}
	if err != nil {
		return nil, err
	}
	return Parse(text)
}

// Parse reads a list. In lines, "#" begins a comment. Labels that begin with "__" are left out: they are Prometheus's own.
func Parse(text []byte) ([]Host, error) {
	var list []Host
	var err error
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '[' {
		list, err = parseJSON(trimmed)
	} else {
		list = parseLines(string(text))
		if len(list) == 0 {
			err = errors.New("it names no host")
		}
	}
	if err == nil && len(list) > maxHosts {
		err = fmt.Errorf("it has more than %d hosts", maxHosts)
	}
	return list, err
}

func parseLines(text string) (list []Host) {
	for line := range strings.Lines(text) {
		host, _, _ := strings.Cut(line, "#")
		if host = strings.TrimSpace(host); host != "" {
			list = append(list, Host{Name: host})
		}
	}
	return list
}

func parseJSON(text []byte) (list []Host, err error) {
	var groups []struct {
		Targets []string
		Labels  map[string]string
	}
	if err := json.Unmarshal(text, &groups); err != nil {
		return nil, fmt.Errorf("it is not a list of hosts in JSON, such as [{\"targets\": [\"web1\"], \"labels\": {\"env\": \"test\"}}]: %w", err)
	}
	for _, g := range groups {
		maps.DeleteFunc(g.Labels, func(name, _ string) bool { return strings.HasPrefix(name, "__") })
		for _, name := range g.Targets {
			if name = strings.TrimSpace(name); name == "" {
				return nil, errors.New("a target is empty")
			}
			list = append(list, Host{Name: name, Labels: g.Labels})
		}
	}
	return list, nil
}

// A Watch notices changes of a file.
type Watch struct {
	Name  string
	Check func(names []string) error // is asked of each new list

	text   []byte
	next   time.Time // when the file is read again
	broken string    // the error that has been reported
}

// pause is the least time between two looks at the file.
const pause = time.Second

func (w *Watch) parse(text []byte) ([]Host, error) {
	list, err := Parse(text)
	if err == nil && w.Check != nil {
		err = w.Check(Names(list))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Name, err)
	}
	return list, nil
}

// Changed returns the list if the file has another one than before. A file that is damaged, or that cannot be read, changes
// nothing; the error is returned once.
func (w *Watch) Changed(now time.Time) (list []Host, changed bool, err error) {
	if now.Before(w.next) {
		return nil, false, nil
	}
	w.next = now.Add(pause)
	text, err := safefile.Read(w.Name, maxSize)
	changed = w.text == nil || !bytes.Equal(text, w.text)
	if err == nil && changed {
		list, err = w.parse(text)
	}
	if err == nil {
		w.text, w.broken = text, ""
		return list, changed, nil
	}
	if err.Error() == w.broken {
		return nil, false, nil
	}
	w.broken = err.Error()
	return nil, false, err
}
