// Package archivetest makes archives for tests and demonstrations: small, always
// the same to the byte, each named for what it shows. [Build] writes one by its
// name, [Names] lists them, [Path] builds one for a test.
//
// Most start at second 1700000000 (2023-11-14 22:13:20 UTC) and come from the host
// "specbox". Names that end in _v2 are the same archive in version 2.
package archivetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Start is the time in seconds at which most of the archives begin.
const Start = 1700000000

// A maker is an archive that can be built: what its label says, and what is in it.
type maker struct {
	name string
	v2   bool // there is a version 2 twin
	opt  archive.WriterOptions
	fill func(k *kit)
	post func(base string) error // changes the finished files; may be nil
}

// makers returns all archives in the order of Names.
func makers() []maker {
	var all []maker
	all = append(all, derivedMakers()...)
	all = append(all, sampleMakers()...)
	all = append(all, valueMakers()...)
	all = append(all, timeMakers()...)
	all = append(all, metaMakers()...)
	all = append(all, setMakers()...)
	return append(all, demoMaker())
}

// Names returns the names that Build knows.
func Names() []string {
	var names []string
	for _, m := range makers() {
		names = append(names, m.name)
		if m.v2 {
			names = append(names, m.name+"_v2")
		}
	}
	return names
}

// Build makes the archive of that name in dir; its base is dir/name. An archive
// that is there already is an error.
func Build(dir, name string) error {
	for _, m := range makers() {
		switch {
		case m.name == name:
		case m.v2 && m.name+"_v2" == name:
			m.opt.Version = 2
		default:
			continue
		}
		return m.build(filepath.Join(dir, name))
	}
	return fmt.Errorf("archivetest: %w: archive %q", pmerr.ENOENT, name)
}

// A TB is the part of testing.TB that Path needs.
type TB interface {
	Helper()
	TempDir() string
	Fatal(args ...any)
}

// Path builds an archive in a temporary directory of the test and returns its
// base name.
func Path(tb TB, name string) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := Build(dir, name); err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// build makes the archive with base as its base name.
func (m *maker) build(base string) error {
	opt := m.opt
	if opt.Host == "" {
		opt.Host = "specbox"
	}
	if opt.PID == 0 {
		opt.PID = 4242
	}
	w, err := archive.Create(base, &opt)
	if err != nil {
		return fmt.Errorf("archivetest: %w", err)
	}
	k := &kit{w: w, version: opt.Version, t0: pcp.Timestamp{Sec: Start}}
	m.fill(k)
	if err := w.Close(); k.err == nil {
		k.err = err
	}
	if k.err == nil && m.post != nil {
		k.err = m.post(base)
	}
	if k.err != nil {
		return fmt.Errorf("archivetest: %s: %w", m.name, k.err)
	}
	return nil
}

// Remove deletes the files of the archive called name in dir, if there are any.
func Remove(dir, name string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		suffix, ok := strings.CutPrefix(e.Name(), name+".")
		if !ok || suffix != "meta" && suffix != "index" && strings.Trim(suffix, "0123456789") != "" {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
