package export

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"pmtools/lib/safefile"
)

// An Expired says what Expire has removed, or would remove.
type Expired struct {
	Hosts, Files int
	Left         []string // hosts that were left as they are, and why
}

// Expire removes the rows of all dates before one, a midnight in UTC, from the tables in a Store, or if dry only counts
// their files: those of these dates, and all of exports that have no later records. Where paths have no dates, an export is
// removed as a whole, when all of its records are older. The manifests still know what was exported, so that the same
// archives add nothing. Exports and readers may run meanwhile.
func Expire(ctx context.Context, in Store, before time.Time, dry bool) (*Expired, error) {
	names, err := in.List(ctx, manifestDir)
	if err != nil {
		return nil, err
	}
	if names = slices.DeleteFunc(names, func(name string) bool { return !isHost(name) }); len(names) == 0 {
		return nil, fmt.Errorf("%s: these are not tables that export has written", in.Name(""))
	}
	x := new(Expired)
	for _, name := range names {
		host, err := partitioned(strings.Trim(strings.TrimPrefix(name, "host="), "/"))
		if err == nil {
			err = x.host(ctx, in, host, before, dry)
		}
		if ctx.Err() != nil {
			return x, ctx.Err()
		}
		if err != nil {
			x.Left = append(x.Left, fmt.Sprintf("%s: %v", in.Name(path.Join(manifestDir, name)), err))
		}
	}
	return x, nil
}

// host removes what a host has of the dates.
func (x *Expired) host(ctx context.Context, in Store, host string, before time.Time, dry bool) error {
	m, unlock, err := seeManifest(ctx, in, host, dry)
	if err != nil {
		return err
	}
	if m.expire(before); len(m.Commit.Remove) > 0 {
		x.Hosts, x.Files = x.Hosts+1, x.Files+len(m.Commit.Remove)
		if !dry {
			err = m.forget(ctx)
		}
	}
	return errors.Join(err, unlock())
}

// forget writes the manifest, removes the files that it does not have any more, and directories that are empty then.
func (m *manifest) forget(ctx context.Context) error {
	if err := m.write(ctx); err != nil {
		return err
	}
	if err := m.Commit.apply(ctx, m.store); err != nil {
		return err
	}
	if d, ok := m.store.(Dir); ok {
		for _, file := range m.Commit.Remove {
			if dir := path.Dir(file); strings.Contains(dir, "/host=") && dateOf(file) != "" { // no other host has files there
				_ = safefile.RemoveFile(d.Name(dir)) // unless it has others
			}
		}
	}
	return nil
}

// expire makes the files of dates before one those that the next change of the manifest removes.
func (m *manifest) expire(before time.Time) {
	date := before.UTC().Format(time.DateOnly)
	m.Commit = change{}
	for i := range m.Exports {
		u := &m.Exports[i]
		old := func(file string) bool { d := dateOf(file); return d != "" && d < date }
		if u.ends(before, old) {
			old = func(string) bool { return true }
		}
		rest := slices.DeleteFunc(slices.Clone(u.Files), old)
		if len(rest) == len(u.Files) {
			continue
		}
		for _, file := range u.Files {
			if old(file) {
				m.Commit.Remove = append(m.Commit.Remove, file)
				m.number(file)
			}
		}
		u.Files, u.Merged = rest, true
	}
	slices.Sort(m.Commit.Remove)
	m.Commit.Remove = slices.Compact(m.Commit.Remove)
}

// ends reports whether a unit has no records after a time, and no files with dates but old ones. Files without dates may
// have rows of other units if they are shared.
func (u *unit) ends(before time.Time, old func(file string) bool) bool {
	dated := 0
	for _, file := range u.Files {
		switch {
		case old(file):
			dated++
		case dateOf(file) != "", u.Shared && strings.HasPrefix(file, "values/"):
			return false
		}
	}
	for i := range u.Pieces {
		if int64(u.Pieces[i].To) >= before.UnixNano() {
			return false
		}
	}
	return dated > 0 || len(u.Pieces) > 0 // live values have no other times
}

// dateOf returns the date in the path of a file, "" if it has none.
func dateOf(file string) string {
	_, below, _ := strings.Cut(file, "/date=")
	date, _, _ := strings.Cut(below, "/")
	return date
}

// Report returns a line about what was removed.
func (x *Expired) Report(place string, before time.Time, dry bool) string {
	text := fmt.Sprintf("%s: %d files of %d hosts", place, x.Files, x.Hosts)
	switch {
	case x.Files == 0:
		return fmt.Sprintf("%s: nothing before %s", place, before.UTC().Format(time.DateOnly))
	case dry:
		return text + " would be removed"
	}
	return text + " removed"
}
