package archive

import (
	"compress/gzip"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ulikunitz/xz/lzma"

	"pmtools/lib/archive/archivetest"
	_ "pmtools/test/env"
	"pmtools/test/peer/harness"
)

// options are the reporting options compared over each whole name space.
var options = [][]string{
	{}, {"-d"}, {"-m"}, {"-M"}, {"-t"}, {"-T"}, {"-l"}, {"-s"}, {"-f"}, {"-I"},
	{"-1"}, {"-v"}, {"-e"}, {"-x"}, {"-F"}, {"-dmMtTflsI"}, {"-fO", "+5"}, {"-zfx"},
}

// overArchives returns pminfo over each archive of dir with each set of options.
func overArchives(t *testing.T, dir string) []harness.Command {
	t.Helper()
	var cs []harness.Command
	for _, a := range harness.Suite(t, dir) {
		for _, o := range options {
			cs = append(cs, harness.Command{Args: append([]string{"pminfo", "-a", a}, o...), Dir: dir})
		}
	}
	return cs
}

// TestArchives compares pminfo over PCP's own test archives.
func TestArchives(t *testing.T) {
	_, _, root := harness.Setup(t)
	harness.Compare(t, overArchives(t, filepath.Join(root, "var/lib/pcp/testsuite/archives")))
}

// TestBadArchives compares pminfo over PCP's damaged test archives.
func TestBadArchives(t *testing.T) {
	_, _, root := harness.Setup(t)
	harness.Compare(t, overArchives(t, filepath.Join(root, "var/lib/pcp/testsuite/badarchives")))
}

// lzmaFile writes a file of .lzma, with its size in the head, or else with a marker at its end.
func lzmaFile(t *testing.T, b []byte, size bool) string {
	t.Helper()
	var out strings.Builder
	w, err := lzma.WriterConfig{SizeInHeader: size, Size: int64(len(b))}.NewWriter(&out)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestCompressed compares pminfo and pmval over archives of compress(1) and of gzip, under each name
// that they may have, and of lzma; with zeros behind them, and with an empty member.
func TestCompressed(t *testing.T) {
	packed, err := archivetest.ReadFiles("../../../lib/archive/testdata/compressed/mini")
	if err != nil {
		t.Fatal(err)
	}
	mini, err := archivetest.ReadFiles(filepath.Join(harness.Own(t, "mini"), "mini"))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	var cs []harness.Command
	for _, suffix := range []string{".gz", ".Z", ".z"} {
		for name, b := range packed {
			files["compress"+suffix[1:]+"."+strings.TrimSuffix(name, ".Z")+suffix] = string(b)
		}
		for name, b := range mini {
			var zipped strings.Builder
			w := gzip.NewWriter(&zipped)
			_, err := w.Write(b)
			if err = errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
			files["gzip"+suffix[1:]+"."+name+suffix] = zipped.String()
			files["zeros."+name+".gz"] = zipped.String() + strings.Repeat("\x00", 700)
			files["empty."+name+".gz"] = zipped.String() + "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
			files["marker."+name+".lzma"] = lzmaFile(t, b, false)
			files["size."+name+".lzma"] = lzmaFile(t, b, true)
		}
	}
	dir := harness.WriteFiles(t, files)
	for _, base := range []string{"compressgz", "compressZ", "compressz", "gzipgz", "gzipZ", "gzipz", "zeros", "empty", "marker", "size"} {
		for _, o := range options {
			cs = append(cs, harness.Command{Args: append([]string{"pminfo", "-a", base}, o...), Dir: dir})
		}
		cs = append(cs, harness.Command{Args: []string{"pmval", "-t", "0.3", "-a", base, "mini.x"}, Dir: dir})
	}
	harness.Compare(t, cs)
}

// TestSets compares pminfo over sets: the directories of archives, and lists.
func TestSets(t *testing.T) {
	_, _, root := harness.Setup(t)
	dir := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	var cs []harness.Command
	for _, set := range []string{
		"multi", "multi-xz", "multi-xz-1k", "multi_v3", "multi_mixed", "multi-corrupted", "multi,multi_v3",
		"ok-foo,20041125", "ok-foo,ok-foo", "ok-foo,", ",ok-foo", "", "ok-foo,nosuch", "nosuch,nosuch2", "nosuch",
		"ok-foo.meta", "ok-foo.0", "ok-foo.1", "ok-foo.index", "./ok-foo",
	} {
		for _, o := range options {
			cs = append(cs, harness.Command{Args: append([]string{"pminfo", "-a", set}, o...), Dir: dir})
		}
	}
	harness.Compare(t, cs)
}
