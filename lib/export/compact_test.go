package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/safefile"
	"pmtools/lib/safefile/safefiletest"
)

// compact merges the files of a directory. Where directories cannot be exchanged, the test is skipped.
func compact(t *testing.T, dir string) *Compacted {
	t.Helper()
	done, err := Compact(t.Context(), dir, false)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return done
}

// TestCompact: the files of hosts and days become few with the same rows, and an export again finds them.
func TestCompact(t *testing.T) {
	demo, labels := archivetest.Path(t, "demo"), archivetest.Path(t, "labels")
	for _, by := range []Partition{{}, {NoHost: true}, {NoHost: true, NoDate: true}, {NoDate: true}} {
		t.Run(strings.ReplaceAll(by.String(), ",", " and "), func(t *testing.T) {
			dir := t.TempDir()
			with := func(c *Config) { c.Partition = by }
			for _, path := range []string{demo, labels, small(t, "one", "m", 1, 1700000000, 1, 2), small(t, "two", "m", 2, 1700000005, 3, 4)} {
				if err := writeTo(t, dir, path, with); err != nil {
					t.Fatal(err)
				}
			}
			other := filepath.Join(filepath.Dir(filesOf(dir, "values")[0]), "of another program.parquet")
			if err := os.WriteFile(other, []byte("x"), 0o666); err != nil {
				t.Fatal(err)
			}
			values := func() []string {
				list := filesOf(dir, "values")
				return exported(t, slices.DeleteFunc(list, func(file string) bool { return file == other }))
			}
			before, files := values(), len(filesOf(dir, "values"))
			if dry, err := Compact(t.Context(), dir, true); err != nil || dry.Before < 4 || len(filesOf(dir, "values")) != files {
				t.Errorf("dry: %+v, %v", dry, err)
			}
			done := compact(t, dir)
			if after := values(); !slices.Equal(after, before) {
				t.Errorf("%d values, were %d", len(after), len(before))
			}
			if got := len(filesOf(dir, "values")); got >= files || done.Before <= done.After || len(done.Left) > 0 {
				t.Errorf("%d files, were %d; %+v", got, files, done)
			}
			if text, err := os.ReadFile(other); string(text) != "x" {
				t.Errorf("the other file: %q, %v", text, err)
			}
			if list := tree(t, filepath.Join(dir, compactDir)); len(list) > 0 {
				t.Errorf("left: %q", list)
			}
			for _, path := range []string{demo, labels} {
				if err := writeTo(t, dir, path, with); err != nil {
					t.Error(err)
				}
			}
			if again := compact(t, dir); again.Dirs != 0 || !slices.Equal(values(), before) {
				t.Errorf("again: %+v", again)
			}
			replaces(t, dir, demo, by, before)
		})
	}
}

// replaces checks an export with other arguments: it replaces files of its own, and none that have other rows too.
func replaces(t *testing.T, dir, path string, by Partition, before []string) {
	t.Helper()
	err := writeTo(t, dir, path, func(c *Config) { c.Partition, c.Metrics = by, []string{"disk"} })
	after := tree(t, filepath.Join(dir, "values"))
	if by.NoHost {
		if err == nil || !strings.Contains(err.Error(), "since compact has merged them") {
			t.Errorf("other arguments: %v", err)
		}
	} else if err != nil || len(after) == 0 || !slices.ContainsFunc(after, func(file string) bool { return strings.HasSuffix(file, "demo-0001.parquet") }) {
		t.Errorf("other arguments: %v, %q", err, after)
	}
}

// TestCompactMistakes: what is damaged or not known is an error, and the tables stay.
func TestCompactMistakes(t *testing.T) {
	path := archivetest.Path(t, "demo")
	for _, tt := range []struct {
		what   string
		change func(t *testing.T, dir string) error
		want   string
	}{
		{"no tables", func(_ *testing.T, dir string) error { return os.RemoveAll(filepath.Join(dir, manifestDir)) }, "not tables that export has written"},
		{"another compaction", func(t *testing.T, dir string) error {
			err := safefile.MakeDir(filepath.Join(dir, compactDir), 0o777)
			lock, e := safefile.Lock(filepath.Join(dir, compactDir))
			t.Cleanup(func() { lock.Close() })
			return errors.Join(err, e)
		}, "another compaction is running"},
		{"a manifest", func(_ *testing.T, dir string) error { return os.WriteFile(manifestOf(dir, "demo"), []byte("{"), 0o666) }, "the manifest is damaged"},
		{"a table", func(t *testing.T, dir string) error {
			return os.WriteFile(filesOf(dir, "values")[0], []byte("PAR1"), 0o666)
		}, "demo-0000.parquet: 4 bytes are not a Parquet file"},
		{"a table of another kind", func(t *testing.T, dir string) error {
			text, err := os.ReadFile(filesOf(dir, "records")[0])
			return errors.Join(err, os.WriteFile(filesOf(dir, "values")[0], text, 0o666))
		}, "the columns are not those of values"},
		{"an interrupted one", func(t *testing.T, dir string) error {
			name := filepath.Join(dir, compactDir, "run-1", swapFile)
			return errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(`{"version": 2}`), 0o666))
		}, "what an interrupted compaction says is damaged"},
		{"a later one", func(t *testing.T, dir string) error {
			name := filepath.Join(dir, compactDir, "run-1", swapFile)
			return errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(`{"version": 3}`), 0o666))
		}, "has version 3"},
		{"a directory among the files", func(t *testing.T, dir string) error {
			return os.Mkdir(filepath.Join(filepath.Dir(filesOf(dir, "values")[0]), "x"), 0o777)
		}, "there is a directory, x, among the files"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			dir := t.TempDir()
			if err := errors.Join(writeTo(t, dir, path), tt.change(t, dir)); err != nil {
				t.Fatal(err)
			}
			before := tree(t, filepath.Join(dir, "values"))
			done, err := Compact(t.Context(), dir, false)
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			}
			if done != nil && len(done.Left) > 0 {
				err = errors.New(done.Left[0])
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if after := tree(t, filepath.Join(dir, "values")); !slices.Equal(after, before) {
				t.Errorf("files %q, were %q", after, before)
			}
		})
	}
}

// TestCompactOthers: the files of a host whose manifest is damaged stay as they are, and those of the others are merged.
func TestCompactOthers(t *testing.T) {
	for _, by := range []Partition{{}, {NoHost: true}} {
		dir := t.TempDir()
		write := func(host, name string, pid int32, start int64) {
			t.Helper()
			err := writeTo(t, dir, small(t, name, "", pid, start, 1, 2), func(c *Config) { c.Host, c.Partition = host, by })
			if err != nil {
				t.Fatal(err)
			}
		}
		for i, host := range []string{"bad", "good"} {
			write(host, "a", int32(10*i), 1700000000+int64(i)*2000)
			write(host, "b", int32(10*i+1), 1700001000+int64(i)*2000)
		}
		before := exported(t, filesOf(dir, "values"))
		text, err := os.ReadFile(manifestOf(dir, "bad"))
		if err := errors.Join(err, os.WriteFile(manifestOf(dir, "bad"), []byte("{"), 0o666)); err != nil {
			t.Fatal(err)
		}
		done := compact(t, dir)
		if len(done.Left) != 1 || !strings.Contains(done.Left[0], "host=bad") || done.Dirs == 0 {
			t.Errorf("%v: %+v", by, done)
		}
		if got := filesOf(dir, "values"); len(got) != 3 {
			t.Errorf("%v: there is %q", by, got)
		}
		if err := os.WriteFile(manifestOf(dir, "bad"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		if done := compact(t, dir); len(done.Left) > 0 || done.Dirs == 0 || !slices.Equal(exported(t, filesOf(dir, "values")), before) {
			t.Errorf("%v: restored: %+v", by, done)
		}
	}
}

// TestCompactExports: exports of a month become one, with one file of each table, and the same archives add nothing.
func TestCompactExports(t *testing.T) {
	dir, list := t.TempDir(), []string{}
	for i := range 5 {
		list = append(list, small(t, string(rune('a'+i)), "m", int32(i), 1700000000+int64(i)*500_000, 1, 2)) // the last one in December
	}
	write := func() {
		t.Helper()
		for _, path := range list {
			if err := writeTo(t, dir, path); err != nil {
				t.Fatal(err)
			}
		}
	}
	write()
	before := exported(t, filesOf(dir, "values"))
	for range 2 {
		compact(t, dir)
		for table, want := range map[string]int{"records": 2, "labels": 2, "values": 5} {
			if got := filesOf(dir, table); len(got) != want {
				t.Errorf("%s: %q, want %d", table, got, want)
			}
		}
		m, err := readManifest(t.Context(), Dir(dir), "h")
		if err != nil {
			t.Fatal(err)
		}
		if u := m.Exports[0]; len(m.Exports) != 2 || len(u.Pieces) != 3 || u.Values != 6 {
			t.Errorf("%+v", m)
		}
		write()
		if got := exported(t, filesOf(dir, "values")); !slices.Equal(got, before) {
			t.Errorf("%q, want %q", got, before)
		}
	}
	// Records of an archive of which some are left are known, too.
	u := &unit{Files: []string{}}
	for _, file := range filesOf(dir, "records") {
		name, _ := filepath.Rel(dir, file)
		u.Files = append(u.Files, filepath.ToSlash(name))
	}
	if known, err := identities(t.Context(), Dir(dir), u, 0, 1<<62); err != nil || len(known) != 10 {
		t.Errorf("%d records, %v", len(known), err)
	}
}

// TestReduce: more runs than can be read at once are merged in steps, without a loss, and in order.
func TestReduce(t *testing.T) {
	dir := t.TempDir()
	list := make([]run, 3*mergeRows/pageRows)
	for i := range list {
		list[i] = run{path: "x", rows: pageRows}
	}
	if n := batch(list); n != mergeRows/pageRows {
		t.Errorf("%d at once", n)
	}
	if err := writeTo(t, dir, archivetest.Path(t, "demo")); err != nil {
		t.Fatal(err)
	}
	file := filesOf(dir, "values")[0]
	want := exported(t, []string{file})
	m := &merger{dir: t.TempDir(), temp: t.TempDir(), name: "merged", table: "values", row: valueRow{}, place: place{host: "demo"}, infos: make(map[string]fs.FileInfo)}
	runs, err := m.runsOf(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		runs[i].rows = pageRows // as if it were long
	}
	all := slices.Repeat(runs, 3*mergeRows/pageRows)
	m.keys()
	short, err := m.reduce(t.Context(), slices.Clone(all))
	if err != nil || len(short) >= len(all) {
		t.Fatalf("%d runs of %d, %v", len(short), len(all), err)
	}
	m.w = &mergeWriter{m: m}
	if err := errors.Join(m.mergeRuns(t.Context(), short, m.w.write), m.w.close()); err != nil {
		t.Fatal(err)
	}
	if m.rows != int64(len(all)*len(want)) {
		t.Errorf("%d rows, want %d times %d", m.rows, len(all), len(want))
	}
	again, err := m.runsOf(filepath.Join(m.dir, m.w.files[0]))
	if err != nil || len(again) != 1 || again[0].group != -1 {
		t.Errorf("the file is not sorted as a whole: %v, %v", again, err)
	}
}

// TestCompactPower: after a loss of power at any time of a compaction the tables hold each value once, and the next export works.
func TestCompactPower(t *testing.T) {
	c := newCrashed(t)
	if err := c.step(t, c.dir, 0); err != nil {
		t.Fatal(err)
	}
	tr, err := safefiletest.Record(c.dir, func(mark func(string)) {
		compact(t, c.dir)
		mark("compacted")
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 6, func(dir string, marks []string) error {
		before := filesOf(dir, "values")
		if len(marks) > 0 && len(before) != 1 {
			return fmt.Errorf("there are the files %q", before)
		}
		return c.check(t, dir, 1)
	})
}

// TestCompactFaults: calls of the file system fail during a compaction. The tables have the same values after it, after an
// export, and after the next compaction, which leaves nothing else.
func TestCompactFaults(t *testing.T) {
	c := newCrashed(t)
	if err := c.step(t, c.dir, 0); err != nil {
		t.Fatal(err)
	}
	probe := t.TempDir()
	if err := os.CopyFS(probe, os.DirFS(c.dir)); err != nil {
		t.Fatal(err)
	}
	compact(t, probe)
	for f := range safefiletest.Faults(t, 5) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(c.dir)); err != nil {
			t.Fatal(err)
		}
		var failed error
		f.During(func() { _, failed = Compact(t.Context(), dir, false) })
		for _, after := range []func() error{
			func() error { return nil },
			func() error { return c.check(t, dir, 1) },
			func() error { compact(t, dir); return c.check(t, dir, 1) },
		} {
			if err := after(); err != nil {
				t.Fatalf("%v (%v): %v", f, failed, err)
			}
			if got := fmt.Sprint(exported(t, filesOf(dir, "values"))); got != c.want[1] {
				t.Fatalf("%v (%v): there is %s, want %s", f, failed, got, c.want[1])
			}
		}
		for _, name := range tree(t, dir) {
			if base := filepath.Base(name); filepath.Ext(base) != ".parquet" && base != manifestFile {
				t.Errorf("%v: %s is left", f, name)
			}
		}
	}
}
