package peer

import (
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"testing"
)

// suiteArchives returns the base names of the archives in one of PCP's test
// directories.
func suiteArchives(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	member := regexp.MustCompile(`^(.+)\.(?:meta|index|\d+)(?:\.(?:xz|lzma|bz2|bz|gz|Z|z|zst))?$`)
	seen := map[string]bool{}
	for _, e := range entries {
		if m := member.FindStringSubmatch(e.Name()); m != nil && !e.IsDir() {
			seen[m[1]] = true
		}
	}
	var names []string
	for n := range seen {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// options are the reporting options compared over each whole name space.
var options = [][]string{
	{}, {"-d"}, {"-m"}, {"-M"}, {"-t"}, {"-T"}, {"-l"}, {"-s"}, {"-f"}, {"-I"},
	{"-1"}, {"-v"}, {"-e"}, {"-x"}, {"-F"}, {"-dmMtTflsI"}, {"-fO", "+5"}, {"-zfx"},
}

// overArchives returns pminfo over each archive of dir with each set of options.
func overArchives(t *testing.T, dir string) []Command {
	t.Helper()
	var cs []Command
	for _, a := range suiteArchives(t, dir) {
		for _, o := range options {
			cs = append(cs, Command{Args: append([]string{"pminfo", "-a", a}, o...), Dir: dir})
		}
	}
	return cs
}

// TestArchives compares pminfo over PCP's own test archives.
func TestArchives(t *testing.T) {
	_, _, root := setup(t)
	compare(t, overArchives(t, filepath.Join(root, "var/lib/pcp/testsuite/archives")))
}

// TestBadArchives compares pminfo over PCP's damaged test archives.
func TestBadArchives(t *testing.T) {
	_, _, root := setup(t)
	compare(t, overArchives(t, filepath.Join(root, "var/lib/pcp/testsuite/badarchives")))
}

// TestSets compares pminfo over sets: the directories of archives, and lists.
func TestSets(t *testing.T) {
	_, _, root := setup(t)
	dir := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	var cs []Command
	for _, set := range []string{
		"multi", "multi-xz", "multi-xz-1k", "multi_v3", "multi_mixed", "multi-corrupted", "multi,multi_v3",
		"ok-foo,20041125", "ok-foo,ok-foo", "ok-foo,", ",ok-foo", "", "ok-foo,nosuch", "nosuch,nosuch2", "nosuch",
		"ok-foo.meta", "ok-foo.0", "ok-foo.1", "ok-foo.index", "./ok-foo",
	} {
		for _, o := range options {
			cs = append(cs, Command{Args: append([]string{"pminfo", "-a", set}, o...), Dir: dir})
		}
	}
	compare(t, cs)
}
