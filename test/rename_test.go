package test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"pmtools/lib/version"
	"pmtools/test/env"
)

// TestRename gives a copy of the module another path. Then every import must resolve, and the old
// path must be gone.
func TestRename(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make here")
	}
	dir := t.TempDir()
	for _, name := range []string{"cmd", "derive", "docs", "internal", "lib", "test"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("..", name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "Makefile", "README.md"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env.Go().Env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		return string(out)
	}
	run("make", "rename", "MODULE=example.org/x/renamed")
	imports := run("go", "list", "-deps", "-test", "./...")
	if strings.Contains("\n"+imports, "\npmtools") || !strings.Contains(imports, "\nexample.org/x/renamed/lib/pcp\n") {
		t.Errorf("packages after make rename:\n%s", imports)
	}
	if nested := run("go", "list", "-C", "lib/prom", "-deps", "-test", "./..."); strings.Contains("\n"+nested, "\npmtools") {
		t.Errorf("packages of lib/prom after make rename:\n%s", nested)
	}
	if text := run("cat", "README.md", "test/arrows_test.go"); strings.Contains(text, `"pmtools/`) {
		t.Error("README.md or test/arrows_test.go still name the old path")
	}
	t.Run("proxy", func(t *testing.T) { fromProxy(t, dir) })
}

// fromProxy serves the module in dir and the one of lib/prom from a directory, as a proxy has them
// after the tags of a release. A module elsewhere gets both by their versions, without a replacement,
// and go install makes pmderive.
func fromProxy(t *testing.T, dir string) {
	const path, v = "example.org/x/renamed", "v" + version.Version
	proxy, user, gopath := t.TempDir(), t.TempDir(), t.TempDir()
	serve(t, proxy, path, v, dir)
	serve(t, proxy, path+"/lib/prom", v, filepath.Join(dir, "lib", "prom"))
	cache, err := env.Go("env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	others := "file://" + filepath.ToSlash(filepath.Join(strings.TrimSpace(string(cache)), "cache", "download"))
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = user, append(env.Go().Env, "GOPROXY=file://"+filepath.ToSlash(proxy)+","+others, "GOSUMDB=off", "GONOPROXY=", "GOPRIVATE=",
			"GOPATH="+gopath, "GOMODCACHE="+filepath.Join(gopath, "mod"), "GOBIN="+user, "GOFLAGS=-buildvcs=false -trimpath -modcacherw -mod=mod")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		return string(out)
	}
	program := "package main\n\nimport (\n\t\"fmt\"\n\n\t_ \"" + path + "/lib/prom\"\n\t\"" + path + "/lib/pmerr\"\n)\n\nfunc main() { fmt.Println(pmerr.Code(-12345)) }\n"
	if err := os.WriteFile(filepath.Join(user, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	run("go", "mod", "init", "example.org/user")
	run("go", "get", path+"@"+v, path+"/lib/prom@"+v)
	want := run("go", "run", "-C", dir, "./cmd/pmerr", "-12345")
	if got := run("go", "run", "."); !strings.Contains(want, strings.TrimSpace(got)) {
		t.Errorf("the program says %q, pmerr %q", got, want)
	}
	run("go", "install", path+"/cmd/pmderive@"+v)
	if got := run(filepath.Join(user, "pmderive"), "--version"); !strings.Contains(got, version.Version) {
		t.Errorf("pmderive --version: %q", got)
	}
}

// serve writes the module in dir, without the modules below it, as a proxy in the directory proxy
// serves it.
func serve(t *testing.T, proxy, path, version, dir string) {
	t.Helper()
	at := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := zip.CreateFromDir(&packed, module.Version{Path: path, Version: version}, dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": []byte(`{"Version":"` + version + `"}`),
		version + ".mod": mod, version + ".zip": packed.Bytes()} {
		if err := os.WriteFile(filepath.Join(at, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
