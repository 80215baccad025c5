package export

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/safefile/safefiletest"
)

const midnight = 1700006400 // 2023-11-15

// nights are archives before a midnight, over it and after it.
func nights(t *testing.T) []string {
	return []string{
		small(t, "a", "", 1, midnight-3000, 1, 2, 3), small(t, "b", "", 2, midnight-15, 4, 5, 6), small(t, "c", "", 3, midnight+3000, 7, 8, 9),
	}
}

func expire(t *testing.T, dir string, before int64) *Expired {
	t.Helper()
	x, err := Expire(t.Context(), Dir(dir), time.Unix(before, 0), false)
	if err != nil || len(x.Left) > 0 {
		t.Fatal(x, err)
	}
	return x
}

// TestExpire: the rows of dates before one are gone, with all of exports that have no others; what was exported before
// adds nothing, and later records are added.
func TestExpire(t *testing.T) {
	list := nights(t)
	rows := func(dir string) (n int) {
		for _, file := range filesOf(dir, "values") {
			f, table, err := openTable(t.Context(), Dir(""), file)
			if err != nil {
				t.Fatal(err)
			}
			n += int(table.NumRows())
			f.Close()
		}
		return n
	}
	later := small(t, "d", "", 4, midnight+86400, 10, 11)
	for _, by := range []Partition{{}, {NoHost: true}, {NoHost: true, NoDate: true}, {NoDate: true}} {
		for _, merged := range []bool{false, true} {
			name := fmt.Sprint(strings.ReplaceAll(by.String(), ",", " and "), ", merged: ", merged)
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				write := func(host, path string) {
					t.Helper()
					if err := writeTo(t, dir, path, func(c *Config) { c.Host, c.Partition = host, by }); err != nil {
						t.Fatal(err)
					}
				}
				for _, host := range []string{"h", "i"} {
					for _, path := range list {
						write(host, path)
					}
				}
				if merged {
					compact(t, dir)
				}
				want := 8 // of 18
				switch {
				case by.NoDate && merged:
					want = 18
				case by.NoDate:
					want = 12
				}
				files := len(tree(t, dir))
				dry, err := Expire(t.Context(), Dir(dir), time.Unix(midnight, 0), true)
				if err != nil || len(tree(t, dir)) != files || (dry.Files > 0) == (want == 18) {
					t.Errorf("dry: %+v, %v; files %d, were %d", dry, err, len(tree(t, dir)), files)
				}
				done := expire(t, dir, midnight)
				if done.Files != dry.Files || !merged && len(filesOf(dir, "records")) != 4 {
					t.Errorf("%+v, there is %q", done, filesOf(dir, "records"))
				}
				if got := rows(dir); got != want {
					t.Errorf("%d rows, want %d", got, want)
				}
				for range 2 {
					for _, path := range list {
						write("h", path)
						write("i", path)
					}
					if got := rows(dir); got != want {
						t.Errorf("exported again: %d rows, want %d", got, want)
					}
					compact(t, dir)
				}
				write("h", later)
				if got := rows(dir); got != want+2 {
					t.Errorf("a later one: %d rows, want %d and two", got, want)
				}
				expire(t, dir, 1<<31)
				if got := tree(t, filepath.Join(dir, "values")); len(got) > 0 && !by.NoDate {
					t.Errorf("there is %q", got)
				}
				if again := expire(t, dir, 1<<31); again.Files > 0 {
					t.Errorf("again: %+v", again)
				}
			})
		}
	}
}

// TestExpireMistakes: no tables are an error, and a manifest that cannot be read keeps its files.
func TestExpireMistakes(t *testing.T) {
	dir := t.TempDir()
	if _, err := Expire(t.Context(), Dir(dir), time.Now(), false); err == nil || !strings.Contains(err.Error(), "not tables that export has written") {
		t.Errorf("no tables: %v", err)
	}
	if err := writeTo(t, dir, nights(t)[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifestOf(dir, "h"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	x, err := Expire(t.Context(), Dir(dir), time.Now(), false)
	if err != nil || len(x.Left) != 1 || !strings.Contains(x.Left[0], "the manifest is damaged") {
		t.Errorf("%+v, %v", x, err)
	}
	if got := filesOf(dir, "values"); len(got) != 1 {
		t.Errorf("there is %q", got)
	}
}

// expiring returns tables of nights, their values, and those that are left.
func expiring(t *testing.T) (dir string, list []string, all, left string) {
	dir, list = t.TempDir(), nights(t)
	for _, path := range list {
		if err := writeTo(t, dir, path); err != nil {
			t.Fatal(err)
		}
	}
	values := exported(t, filesOf(dir, "values"))
	return dir, list, fmt.Sprint(values), fmt.Sprint(values[5:])
}

// holds exports archives again, which finishes what was interrupted, and finds the values of all dates or of those that
// are left.
func holds(t *testing.T, dir string, list []string, want ...string) error {
	t.Helper()
	var err error
	for _, path := range list {
		if safefiletest.Quiet(func() { err = writeTo(t, dir, path) }); err != nil {
			return fmt.Errorf("the next export: %w", err)
		}
	}
	if got := fmt.Sprint(exported(t, filesOf(dir, "values"))); !slices.Contains(want, got) {
		return fmt.Errorf("there is %s, want one of %q", got, want)
	}
	return nil
}

// TestExpirePower: after a loss of power at any time the tables hold all values or those that are left.
func TestExpirePower(t *testing.T) {
	dir, list, all, left := expiring(t)
	tr, err := safefiletest.Record(dir, func(mark func(string)) {
		expire(t, dir, midnight)
		mark("expired")
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 6, func(dir string, marks []string) error {
		if len(marks) > 0 {
			return holds(t, dir, list, left)
		}
		return holds(t, dir, list, left, all)
	})
}

// TestExpireFaults: calls of the file system fail. The next run does the rest, and leaves nothing else.
func TestExpireFaults(t *testing.T) {
	from, list, all, left := expiring(t)
	for f := range safefiletest.Faults(t, 5) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		done := false
		f.During(func() {
			x, err := Expire(t.Context(), Dir(dir), time.Unix(midnight, 0), false)
			done = err == nil && len(x.Left) == 0
		})
		want := []string{left, all}
		if done {
			want = want[:1]
		}
		if err := holds(t, dir, list, want...); err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		expire(t, dir, midnight)
		if err := holds(t, dir, list, left); err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		for _, name := range tree(t, dir) {
			if base := filepath.Base(name); filepath.Ext(base) != ".parquet" && base != manifestFile && base != "lock" { // which Windows has
				t.Errorf("%v: %s is left", f, name)
			}
		}
	}
}
