package export

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

// writeTo exports an archive, and returns the error.
func writeTo(t *testing.T, dir, path string, change ...func(*Config)) error {
	t.Helper()
	recs := open(t, path)
	cfg := &Config{Dir: dir, Name: filepath.Base(path)}
	for _, f := range change {
		f(cfg)
	}
	_, err := Write(t.Context(), recs, recs, cfg)
	return errors.Join(err, recs.Close())
}

func manifestOf(dir, host string) string {
	return filepath.Join(dir, manifestDir, "host="+host, manifestFile)
}

// TestManifestDamage: a manifest that is not as it was written is an error, and nothing changes.
func TestManifestDamage(t *testing.T) {
	path := archivetest.Path(t, "demo")
	replace := func(old, text string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, text, 1) }
	}
	for _, tt := range []struct {
		what   string
		change func(string) string
		want   string
	}{
		{"cut", func(s string) string { return s[:len(s)/2] }, "the manifest is damaged"},
		{"empty", func(string) string { return "" }, "the manifest is damaged"},
		{"a newer version", replace(`"version": 2`, `"version": 4`), "has version 4, this pmderive knows versions up to 3: update it"},
		{"an earlier version", replace(`"version": 2`, `"version": 1`), "have version 1, without columns that this pmderive writes (record, position, units): export into another directory"},
		{"edited", replace(`"records": 60`, `"records": 61`), "changed since it was written"},
		{"a path outside", replace(`"labels/host`, `"../labels/host`), "changed since it was written"},
		{"a field less", replace(",\n   \"labels\": \"records\"", ""), "changed since it was written"},
		{"another field", replace(`"host"`, `"hosts"`), "unknown field"},
		{"white space", func(s string) string { return s + " " }, "changed since it was written"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			dir := t.TempDir()
			if err := writeTo(t, dir, path); err != nil {
				t.Fatal(err)
			}
			name := manifestOf(dir, "demo")
			text, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(name, []byte(tt.change(string(text))), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			before := tree(t, dir)
			if err := writeTo(t, dir, path); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), name) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if after := tree(t, dir); !slices.Equal(before, after) {
				t.Errorf("files %q, were %q", after, before)
			}
		})
	}
}

// TestManifestPaths: a manifest with a valid checksum cannot name files elsewhere.
func TestManifestPaths(t *testing.T) {
	dir := t.TempDir()
	path := archivetest.Path(t, "demo")
	if err := writeTo(t, dir, path); err != nil {
		t.Fatal(err)
	}
	m, unlock, err := openManifest(t.Context(), Dir(dir), "demo")
	if err != nil {
		t.Fatal(err)
	}
	m.Commit.Remove = []string{"../precious"}
	if err := m.write(t.Context()); err != nil {
		t.Fatal(err)
	}
	unlock()
	if err := writeTo(t, dir, path); err == nil || !strings.Contains(err.Error(), `"../precious" leaves the directory`) {
		t.Error(err)
	}
}

// TestCrash: an export that is killed after its manifest was written has moved some of its files, or none, and
// has removed some of those that it replaces. The next one does the rest.
func TestCrash(t *testing.T) {
	path := archivetest.Path(t, "demo")
	for k := 0; ; k++ {
		dir := t.TempDir()
		if err := writeTo(t, dir, path, func(c *Config) { c.Metrics = []string{"disk"} }); err != nil {
			t.Fatal(err)
		}
		if err := writeTo(t, dir, path); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(manifestOf(dir, "demo"))
		var m manifest
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		if err != nil || len(m.Commit.Remove) == 0 {
			t.Fatal(m.Commit, err)
		}
		want := tree(t, dir)
		if k > len(m.Commit.Move) {
			return
		}
		for _, move := range m.Commit.Move[k:] {
			from, to := Dir(dir).Name(move[0]), Dir(dir).Name(move[1])
			if err := os.MkdirAll(filepath.Dir(from), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(to, from); err != nil {
				t.Fatal(err)
			}
		}
		for _, file := range m.Commit.Remove[min(k, len(m.Commit.Remove)-1):] {
			if err := os.WriteFile(Dir(dir).Name(file), []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(manifestOf(dir, "demo")+"123", nil, 0o666); err != nil { // nobody's
			t.Fatal(err)
		}
		os.Rename(manifestOf(dir, "demo")+"123", filepath.Join(filepath.Dir(manifestOf(dir, "demo")), "."+manifestFile+"123"))
		if err := writeTo(t, dir, path); err != nil {
			t.Fatal(err)
		}
		if got := tree(t, dir); !slices.Equal(got, want) {
			t.Errorf("%d files were moved: now there is %q, want %q", k, got, want)
		}
		if !slices.Equal(exported(t, filesOf(dir, "values")), recorded(t, path)) {
			t.Errorf("%d files were moved: not the values of the archive", k)
		}
	}
}

// TestBlocked: files that cannot be moved are moved by the next export.
func TestBlocked(t *testing.T) {
	dir, path := t.TempDir(), archivetest.Path(t, "demo")
	block := filepath.Join(dir, "values")
	if err := os.WriteFile(block, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := writeTo(t, dir, path); err == nil || !strings.Contains(err.Error(), "the next one of the host moves the rest") {
		t.Fatal(err)
	}
	if err := writeTo(t, dir, path); err == nil {
		t.Error("files go into a file")
	}
	if err := os.Remove(block); err != nil {
		t.Fatal(err)
	}
	if err := writeTo(t, dir, path); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(exported(t, filesOf(dir, "values")), recorded(t, path)) {
		t.Error("not the values of the archive")
	}
}

// A hanging store never gives files their names.
type hanging struct {
	Dir
	moving func()
}

func (h hanging) Move(ctx context.Context, list [][2]string) error {
	if len(list) == 0 {
		return nil
	}
	h.moving()
	<-ctx.Done()
	return ctx.Err()
}

// TestHanging: an interrupt ends an export that waits for a store, and the next export gives its files their names.
func TestHanging(t *testing.T) {
	defer func(d time.Duration) { moveWait = d }(moveWait)
	moveWait = 10 * time.Millisecond
	dir, path := t.TempDir(), archivetest.Path(t, "demo")
	ctx, interrupt := context.WithCancel(t.Context())
	recs := open(t, path)
	_, err := Write(ctx, recs, recs, &Config{Dir: dir, Store: hanging{Dir(dir), interrupt}, Name: "demo"})
	if err := errors.Join(err, recs.Close()); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the export is complete, and the next one") {
		t.Error(err)
	}
	if err := writeTo(t, dir, path); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(exported(t, filesOf(dir, "values")), recorded(t, path)) {
		t.Error("not the values of the archive")
	}
}

// TestLongNames: an export whose files cannot have their names is an error before it writes anything, and no other export, nor a
// compaction, notices it.
func TestLongNames(t *testing.T) {
	demo := archivetest.Path(t, "demo")
	for _, tt := range []struct {
		what, dir string
		change    func(*Config)
	}{
		{"the host in the names of files", t.TempDir(), func(c *Config) {
			c.Host, c.Partition = strings.Repeat("h", 240), Partition{NoHost: true}
		}},
		{"the host in that of a directory", t.TempDir(), func(c *Config) { c.Host = strings.Repeat("h", 251) }},
		{"a host of other letters", t.TempDir(), func(c *Config) { c.Host, c.Partition = strings.Repeat("ü", 40), Partition{NoHost: true} }},
		{"the archive", t.TempDir(), func(c *Config) { c.Name = strings.Repeat("a", 244) }},
	} {
		if err := writeTo(t, tt.dir, demo, tt.change); err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("%s: %v", tt.what, err)
		}
		if left, _ := os.ReadDir(tt.dir); len(left) > 0 {
			t.Errorf("%s: there is %q", tt.what, left)
		}
		if err := writeTo(t, tt.dir, demo); err != nil {
			t.Errorf("%s: another name: %v", tt.what, err)
		}
		compact(t, tt.dir)
	}
	longest := func(c *Config) { c.Name = strings.Repeat("a", 240) }
	dir := t.TempDir()
	for range 2 {
		if err := writeTo(t, dir, demo, longest); err != nil {
			t.Fatal(err)
		}
		compact(t, dir)
	}
}

// TestEarlier: tables without a manifest are those of an earlier version.
func TestEarlier(t *testing.T) {
	dir, path := t.TempDir(), archivetest.Path(t, "demo")
	for _, p := range []Partition{{}, {NoHost: true}} {
		partition := func(c *Config) { c.Partition = p }
		if err := writeTo(t, dir, path, partition); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(dir, manifestDir)); err != nil {
			t.Fatal(err)
		}
		if err := writeTo(t, dir, path, partition); err == nil || !strings.Contains(err.Error(), "demo have no manifest") {
			t.Error(err)
		}
	}
}

// small writes an archive of one metric with given values, and returns its name.
func small(t *testing.T, name, machine string, pid int32, start int64, values ...uint64) string {
	t.Helper()
	base := filepath.Join(t.TempDir(), name)
	w, err := archive.Create(base, &archive.WriterOptions{Host: "h", PID: pid})
	l := &logger{t: t, w: w}
	l.must(err)
	if machine != "" {
		l.must(w.SetLabels(pcp.Timestamp{Sec: start}, pcp.ContextLabels, 0, []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Name: "machineid", Value: `"` + machine + `"`}}}}))
	}
	id := pcp.NewID(60, 0, 1)
	l.must(w.AddMetric(pcp.Desc{ID: id, Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Counter}, "a.count"))
	for i, n := range values {
		at := pcp.Timestamp{Sec: start + int64(i)*10}
		l.must(w.Put(&pcp.Result{Time: at, Sets: []pcp.Values{{ID: id, Type: pcp.Uint64, Insts: []int32{pcp.NullInst}, Words: []uint64{n}}}}))
	}
	l.must(w.Close())
	return base
}

// TestMachines: recordings of one host name are told apart by the machine, and by their records.
func TestMachines(t *testing.T) {
	first := small(t, "first", "m1", 1, 1700000000, 1, 2, 3, 4)
	unknown := small(t, "unknown", "", 1, 1700000000, 1, 2, 3, 4)
	for _, tt := range []struct {
		what       string
		one, other string
		values     int    // in the end
		want       string // of the error
	}{
		{"another machine", first, small(t, "second", "m2", 2, 1800000000, 1, 2), 4, "two machines are called h: m1 is that of the tables, and m2 that of what is exported now; keep them apart by a name of your own, as in --label host=h-2"},
		{"another logger", first, small(t, "second", "m1", 2, 1700000005, 1, 2), 6, ""},
		{"another logger of an unknown machine", unknown, small(t, "second", "", 2, 1700000005, 1, 2), 4, "not both name their machine"},
		{"later, of an unknown machine", unknown, small(t, "second", "", 2, 1800000005, 1, 2), 6, ""},
		{"the same with more", unknown, small(t, "unknown", "", 1, 1700000000, 1, 2, 3, 4, 5), 5, ""},
		{"a part of it", unknown, small(t, "part", "", 2, 1700000010, 2, 3), 4, ""},
		{"a part of it and more", unknown, small(t, "part", "", 2, 1700000010, 2, 3, 4, 5, 6), 6, ""},
		{"rewritten", first, small(t, "first", "m1", 1, 1700000000, 1, 2, 3, 5), 4, ""},
		{"other values at the same times", first, small(t, "second", "m1", 2, 1700000000, 1, 2, 3, 5), 4, "an extract of it or was rewritten"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			dir := t.TempDir()
			if err := writeTo(t, dir, tt.one); err != nil {
				t.Fatal(err)
			}
			err := writeTo(t, dir, tt.other)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			got := exported(t, filesOf(dir, "values"))
			if len(got) != tt.values {
				t.Errorf("%d values, want %d: %q", len(got), tt.values, got)
			}
			if tt.what == "rewritten" && !slices.Equal(got, recorded(t, tt.other)) {
				t.Errorf("got %q", got)
			}
			if tt.what == "another logger of an unknown machine" {
				said := func(c *Config) { c.SetLabels([]string{"machineid=m"}) }
				if err := writeTo(t, dir, tt.other, said); err != nil || len(exported(t, filesOf(dir, "values"))) != 6 {
					t.Errorf("with --label machineid: %v", err)
				}
			}
			apart := func(c *Config) { c.SetLabels([]string{"host=h-2"}) }
			if err := writeTo(t, dir, tt.other, apart); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWindow: an archive that was rewritten can be exported from the time on that was not exported before.
func TestWindow(t *testing.T) {
	dir := t.TempDir()
	if err := writeTo(t, dir, small(t, "first", "m1", 1, 1700000000, 1, 2, 3)); err != nil {
		t.Fatal(err)
	}
	path := small(t, "second", "m1", 2, 1700000000, 1, 2, 4, 5, 6)
	if err := writeTo(t, dir, path); err == nil || !strings.Contains(err.Error(), "begin after it with -S") {
		t.Error(err)
	}
	recs := open(t, path)
	recs.Within(pcp.Timestamp{Sec: 1700000021}, pcp.Timestamp{})
	if _, err := Write(t.Context(), recs, recs, &Config{Dir: dir, Name: "second"}); err != nil {
		t.Error(err)
	}
	if got := exported(t, filesOf(dir, "values")); len(got) != 5 || !strings.HasSuffix(got[4], "=6") {
		t.Errorf("%q", got)
	}
}

// TestOtherMetrics: what was exported of records that are gone is not replaced by other metrics.
func TestOtherMetrics(t *testing.T) {
	dir := t.TempDir()
	one, two := small(t, "one", "m1", 1, 1700000000, 1, 2), small(t, "two", "m1", 2, 1700001000, 3, 4)
	if err := writeTo(t, dir, one+","+two); err != nil {
		t.Fatal(err)
	}
	other := func(c *Config) { c.Metrics = []string{"a.count"} }
	if err := writeTo(t, dir, two, other); err == nil || !strings.Contains(err.Error(), "of records that are not in the archive any more") {
		t.Error(err)
	}
	if err := writeTo(t, dir, one+","+two, other); err != nil {
		t.Error(err)
	}
	if got := exported(t, filesOf(dir, "values")); len(got) != 4 {
		t.Errorf("%q", got)
	}
}
