package cli

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// nameSpaces are name space files of which each has one fault, or none.
var nameSpaces = []string{
	"root {\n\tbar\t29:0:6\n}\n", "root {\n\tbar\t29:0:600000\n}\n", "root {\n\tbar \t 29:0:600000\n}\n", "root {\n bar\t29:0:1 foo\t\t29 :\t0 : 600000\t\n}\n",
	"root {\n\tbar\v29:0:600000 \t x\n}\n", "root {\n\tfoo\f\tbar 1.2\n}\n", "root {\n\tfoo\tb!r\f12\n}\n", "root {\n\tfoo {\tbar\n}\n", "root {\n\tfoo\tbar\n}\n",
	"root {\n\tfoo\n}\nfoo {\n\tbar\t1:2:3\n\tbar\t1:2:4\n}\n", "root {\n\tfoo\t1:2:3\n}\nroot {\n}\n", "\troot\t{\n}\n", "root {\n\tfoo\t1:4096:3\t\n}\n",
	"#include \"nosuch\"\n", "#define X\t1:2:3\nroot {\n\tfoo\tX\n}\n", "#define X 600\nroot {\n\tfoo\tX:1:2\n}\n", "root {\n\tdyn\t29:*:*\t\n\tdyn2\t600:*:*\n}\n", "", "root",
}

// white is white space within a line.
var white = regexp.MustCompile(`[ \t\v\f]+`)

// TestNameSpaces compares pminfo -n and -N over nameSpaces, as they are and with random white
// space: the messages above all.
func TestNameSpaces(t *testing.T) {
	_, _, root := harness.Setup(t)
	files := map[string]string{}
	for i, text := range nameSpaces {
		files[fmt.Sprint("plain", i)] = text
	}
	rng := rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), 3))
	for i := range harness.Number("PMTOOLS_RUNS", 200) {
		text, spaces := nameSpaces[rng.IntN(len(nameSpaces))], 8
		if strings.HasPrefix(text, "#") {
			spaces = 5 // in the preprocessor's lines
		}
		text = white.ReplaceAllStringFunc(text, func(string) string {
			return []string{" ", "\t", " \t", "\t\t ", "  ", "\v", "\r", "\f\t"}[rng.IntN(spaces)]
		})
		files[fmt.Sprint("changed", i)] = text
	}
	var cs []harness.Command
	dir := harness.WriteFiles(t, files)
	for name := range files {
		for _, o := range []string{"-n", "-N"} {
			cs = append(cs, harness.Command{Args: []string{"pminfo", o, name, "-m", "-a", filepath.Join(root, "var/lib/pcp/testsuite/archives/ace_v2")}, Dir: dir, Note: fmt.Sprintf("%q", files[name])})
		}
	}
	harness.Compare(t, cs)
}
