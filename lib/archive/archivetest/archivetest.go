// Package archivetest builds archives for tests and demonstrations: small, reproducible to the
// byte, each named for its trait. [Build] writes one by its name, [Names] lists them, [Path] builds
// one for a test.
//
// Most start at second 1700000000 (2023-11-14 22:13:20 UTC) and come from the host "specbox". Names
// that end in _v2 are the same archive in version 2.
package archivetest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Start is the time in seconds at which most of the archives begin.
const Start = 1700000000

type maker struct {
	name string
	v2   bool // there is a version 2 twin
	opt  archive.WriterOptions
	fill func(k *kit)
	post func(base string) error // changes the finished files; may be nil
}

var makers = []maker{
	// Derived metrics are evaluated over these.
	{name: "ta", v2: true, fill: fillTA},
	{name: "wrap", v2: true, opt: archive.WriterOptions{Host: "wrapper", Zone: "EST-10"}, fill: fillWrap},
	{name: "derived", opt: archive.WriterOptions{Host: "deriver", Zone: "AEST-10", ZoneInfo: ":Australia/Melbourne"}, fill: fillDerived},
	{name: "scrambled", fill: fillScrambled},
	// The metrics of PCP's sample agent, whose names and values the examples of the specification
	// use.
	{name: "sample", v2: true, opt: archive.WriterOptions{Host: "bozo", Zone: "EST-11", PID: 3931}, fill: fillSample},
	{name: "extra", opt: archive.WriterOptions{Host: "bozo.localdomain", Zone: "AEST-10", ZoneInfo: ":Australia/Melbourne"}, fill: fillExtra},
	{name: "agent", fill: fillAgent},
	// Values of all kinds.
	{name: "alltypes", v2: true, opt: archive.WriterOptions{ZoneInfo: ":UTC"}, fill: fillAllTypes},
	{name: "events", v2: true, fill: fillEvents},
	{name: "units", v2: true, fill: fillUnits},
	{name: "oldfloat", v2: true, opt: archive.WriterOptions{FloatInSitu: true}, fill: fillOldFloat},
	// Time: interpolation, marks, gaps, volumes.
	{name: "mini", v2: true, opt: archive.WriterOptions{ZoneInfo: ":UTC"}, fill: fillMini},
	{name: "interp", v2: true, fill: fillInterp},
	{name: "marks", v2: true, fill: fillMarks},
	{name: "gaps", v2: true, fill: fillGaps},
	{name: "domains", v2: true, fill: fillDomains},
	{name: "volumes", v2: true, opt: archive.WriterOptions{VolumeBytes: 6500}, fill: fillVolumes},
	{name: "noindex", v2: true, fill: fillMarks, post: func(base string) error { return os.Remove(base + ".index") }},
	{name: "truncated", v2: true, fill: fillMarks, post: func(base string) error { return cut(base+".0", 10) }},
	// Metadata.
	{name: "indoms", v2: true, fill: fillInDoms},
	{name: "labels", v2: true, fill: fillLabels},
	{name: "names", v2: true, fill: fillNames},
	// Sets: setB follows setA, the others conflict with setA in the way of their names (archive.md
	// A3).
	{name: "setA", fill: set(0, nil)},
	{name: "setB", v2: true, fill: set(10, nil)},
	{name: "overlap", fill: set(1, nil)},
	{name: "samestart", fill: set(0, nil)},
	{name: "otherhost", opt: archive.WriterOptions{Host: "elsewhere"}, fill: set(20, nil)},
	{name: "othertype", fill: set(20, func(d *pcp.Desc) { d.Type = pcp.Uint32 })},
	{name: "othersem", fill: set(20, func(d *pcp.Desc) { d.Sem = pcp.Discrete })},
	{name: "otherindom", fill: set(20, func(d *pcp.Desc) { d.InDom = testInDom })},
	{name: "otherunits", fill: set(20, func(d *pcp.Desc) { d.Units = count })},
	// A host with two disks, for demonstrations.
	{name: "demo", opt: archive.WriterOptions{Host: "demo", Zone: "UTC", ZoneInfo: ":UTC"}, fill: fillDemo},
}

// Names returns the names that Build knows.
func Names() []string {
	var names []string
	for _, m := range makers {
		names = append(names, m.name)
		if m.v2 {
			names = append(names, m.name+"_v2")
		}
	}
	return names
}

// Build makes the archive of that name in dir; its base is dir/name. If the archive exists, that is
// an error.
func Build(dir, name string) error {
	for _, m := range makers {
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

// Path builds an archive in a temporary directory of the test and returns its base name.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := Build(dir, name); err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(dir, name)
}

func (m *maker) build(base string) error {
	opt := m.opt
	opt.Host, opt.PID = cmp.Or(opt.Host, "specbox"), cmp.Or(opt.PID, 4242)
	w, err := archive.Create(base, &opt)
	if err != nil {
		return fmt.Errorf("archivetest: %w", err)
	}
	k := &kit{w: w, version: opt.Version, t0: pcp.Timestamp{Sec: Start}}
	m.fill(k)
	k.do(w.Close())
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
