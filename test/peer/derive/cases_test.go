package derive

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pmtools/derive/cases"
	"pmtools/derive/syntax"
	"pmtools/test/peer/harness"
)

// shippedCases returns the files of cases for the definitions that the reference ships.
func shippedCases(t *testing.T) (files []*cases.File) {
	t.Helper()
	names, _ := filepath.Glob("../../derived/*" + cases.Suffix)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := cases.Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) < 10 {
		t.Fatalf("only %d files of cases", len(files))
	}
	return files
}

// TestShippedCases runs the cases for the definitions that the reference ships, and puts each of
// their questions to the reference: the values of pmval and the descriptions of pminfo over the same
// archive are the same on both sides.
func TestShippedCases(t *testing.T) {
	_, _, root := harness.Setup(t)
	conf, kept := filepath.Join(root, "etc/pcp/derived"), t.TempDir()
	tested := make(map[string]bool)
	var commands []harness.Command
	n := 0
	for _, f := range shippedCases(t) {
		r, err := f.Run(t.Context(), &cases.Options{Definitions: conf, Keep: kept})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Results {
			if n++; len(r.Results[i].Failures) > 0 {
				t.Error(r.Results[i].Text())
			}
		}
		archive := filepath.Join(kept, strings.TrimSuffix(filepath.Base(f.Name), cases.Suffix), "input")
		env := []string{"PCP_DERIVED_CONFIG=" + filepath.Join(conf, f.Definitions[0])}
		step := strconv.FormatFloat(f.Step.Seconds(), 'f', -1, 64)
		info := harness.Command{Args: []string{"pminfo", "-a", archive, "-dm"}, Env: env}
		for _, name := range f.Exprs() {
			tested[name] = true
			info.Args = append(info.Args, name)
			commands = append(commands, harness.Command{Args: []string{"pmval", "-r", "-z", "-a", archive, "-t", step, "-w", "40", "-f", "12", name}, Env: env})
		}
		commands = append(commands, info)
	}
	for _, f := range shippedDefinitions(t, conf) {
		if !tested[f.name] {
			t.Errorf("%s, which the reference ships, has no case", f.name)
		}
	}
	harness.Compare(t, commands)
	t.Logf("%d cases", n)
}

// shippedDefinitions returns the definitions in the files of the reference, in their order.
func shippedDefinitions(t *testing.T, conf string) (list []formula) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(conf, "*.conf"))
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, _ := syntax.ParseFile(name, text)
		for _, it := range file.Items {
			if d, ok := it.(*syntax.Definition); ok {
				list = append(list, formula{d.Name, d.Expr()})
			}
		}
	}
	if len(list) < 60 {
		t.Fatalf("only %d definitions", len(list))
	}
	return list
}
