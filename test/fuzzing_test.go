package test

import (
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pmtools/test/env"
)

// Limits of the files below testdata/fuzz: plain go test runs them all.
const (
	maxCorpus = 1 << 20
	maxInput  = 16 << 10
)

// fuzzTargets returns the fuzz targets, each as the directory of its package and its name, with the comment
// above it.
func fuzzTargets(t *testing.T) map[string]string {
	t.Helper()
	targets := make(map[string]string)
	_, dirs := testFiles(t)
	for dir, files := range dirs {
		for _, f := range files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && strings.HasPrefix(d.Name.Name, "Fuzz") {
					targets[strings.TrimPrefix(filepath.ToSlash(dir), "../")+" "+d.Name.Name] = d.Doc.Text()
				}
			}
		}
	}
	if len(targets) < 100 {
		t.Fatalf("%d fuzz targets", len(targets))
	}
	return targets
}

// TestFuzzComments: the comment above a fuzz target says what the target holds.
func TestFuzzComments(t *testing.T) {
	t.Parallel()
	for target, comment := range fuzzTargets(t) {
		if len(comment) < 40 {
			t.Errorf("%s: the comment %q does not say what the target holds", target, comment)
		}
	}
}

// TestCorpora: each target has inputs as files, which are small, and no other files are there.
func TestCorpora(t *testing.T) {
	t.Parallel()
	targets := fuzzTargets(t)
	total, found := int64(0), make(map[string]bool)
	for _, top := range []string{"cmd", "derive", "internal", "lib"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(name string, d os.DirEntry, err error) error {
			dir, file, ok := strings.Cut(filepath.ToSlash(name), "/testdata/fuzz/")
			if err != nil || !ok || d.IsDir() {
				return err
			}
			target := strings.TrimPrefix(dir, "../") + " " + path.Dir(file)
			if _, ok := targets[target]; !ok {
				t.Errorf("%s is of no target", name)
			}
			found[target] = true
			info, err := d.Info()
			if err != nil {
				return err
			}
			if total += info.Size(); info.Size() > maxInput {
				t.Errorf("%s has %d bytes, at most %d are wanted", name, info.Size(), maxInput)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, target := range slices.Sorted(maps.Keys(targets)) {
		if !found[target] {
			t.Errorf("%s has no file in testdata/fuzz", target)
		}
	}
	if total > maxCorpus {
		t.Errorf("the files of testdata/fuzz have %d bytes, at most %d are wanted", total, maxCorpus)
	}
}

// TestOSSFuzz runs OSS-Fuzz's build script, with programs that note how they are called in the place
// of those of its image: each target is compiled once, beside no test of another package, and gets its files. With
// PMTOOLS_RUNS=all the packages that the script makes are compiled, too.
func TestOSSFuzz(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash here: the script of OSS-Fuzz is not run")
	}
	dir := t.TempDir()
	all := os.Getenv("PMTOOLS_RUNS") == "all"
	copied := []string{".ci", "cmd", "derive", "internal", "lib"}
	if all {
		copied = append(copied, "docs", "man", "test")
	}
	for _, name := range copied {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("..", name))); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	module := regexp.MustCompile(`(?m)^module (.*)$`).FindSubmatch(text)[1]
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{filepath.Join(dir, "go.mod"): string(text)}
	for _, name := range []string{"go", "compile_native_go_fuzzer_v2", "corpus2ossfuzz"} {
		files[filepath.Join(bin, name)] = "#!/bin/sh\necho " + name + ` "$@" >>"$OUT/log"` + "\n"
	}
	files[filepath.Join(bin, "compile_native_go_fuzzer_v2")] += `grep -l "^package .*_test$" *_test.go >>"$OUT/log"; ` +
		`grep -q "^func $2(" *_test.go && test "$(pwd)" = "$(cd "$OUT" && pwd)/${1#` + string(module) + `/}" || echo "no $2 in $(pwd)" >>"$OUT/log"` + "\n"
	if all {
		sum, err := os.ReadFile("../go.sum")
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Join(dir, "go.sum")] = string(sum)
		files[filepath.Join(bin, "compile_native_go_fuzzer_v2")] += "rm -f " + dir + "/lib/version/oss_fuzz.go\n" + // its import is of that image
			"case $1 in */ossfuzz) test -e vetted || { " + env.Go().Path + " vet . && touch vetted; } ;; esac\n"
	}
	for name, text := range files {
		syscall.ForkLock.RLock() // a process that starts meanwhile would hold the program open
		err := os.WriteFile(name, []byte(text), 0o777)
		syscall.ForkLock.RUnlock()
		if err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("bash", ".ci/oss-fuzz.sh")
	c.Dir, c.Env = dir, append(env.Go().Env, "OUT="+dir, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	if bad := regexp.MustCompile(`(?m)^(no |\S+_test\.go).*`).Find(log); bad != nil {
		t.Errorf("a target is not in its directory, or a test of another package is: %s", bad)
	}
	for target := range fuzzTargets(t) {
		pkg, name, _ := strings.Cut(target, " ")
		out := strings.ReplaceAll(pkg, "/", "_") + "_" + name
		for _, want := range []string{
			fmt.Sprintf(`compile_native_go_fuzzer_v2 %s/%s(/ossfuzz)? %s %s\n`, module, pkg, name, out),
			fmt.Sprintf(`corpus2ossfuzz -o %s/%s_seed_corpus.zip -corpus %s/testdata/fuzz/%s\n`, regexp.QuoteMeta(dir), out, pkg, name),
		} {
			if n := len(regexp.MustCompile(want).FindAll(log, -1)); n != 1 {
				t.Errorf("the script ran %d times %s", n, want)
			}
		}
	}
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(filepath.Base(path), "ossfuzz") || strings.HasSuffix(path, ".hidden") {
			if filepath.Dir(path) != bin {
				t.Error("the script left ", path)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
