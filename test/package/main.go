// Command package builds the packages: an archive for each platform and, for Linux, packages for
// Debian's and Red Hat's package managers, with checksums and, with -key, their signature. make package
// runs it. The same commit gives the same bytes: file times are the commit's, and names are sorted.
package main

import (
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/version"
)

// platforms are what a release is built for.
var platforms = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64",
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("package: ")
	out := flag.String("o", "dist", "`directory` to write into")
	only := flag.String("p", strings.Join(platforms, ","), "`platforms` to build for")
	key := flag.String("key", "", "sign the checksums with this private `key` of ssh-keygen")
	flag.Parse()
	err := os.Chdir("../..") // go run -C begins here
	var dir string
	if err == nil {
		dir, err = filepath.Abs(*out)
	}
	if err == nil {
		err = release(dir, strings.Split(*only, ","))
	}
	if err == nil && *key != "" {
		err = run(nil, "ssh-keygen", "-Y", "sign", "-f", *key, "-n", "file", filepath.Join(dir, "SHA256SUMS"))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// release fills out with the packages of the platforms. The content that the directory had before
// is replaced, so that the checksums speak of this release only.
func release(out string, platforms []string) error {
	when, err := commitTime()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "package")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	installed := filepath.Join(tmp, "installed")
	if err := run(nil, "make", "-s", "install", "DESTDIR="+installed, "PREFIX=/"); err != nil {
		return err
	}
	for _, p := range platforms {
		system, arch, ok := strings.Cut(p, "/")
		if !ok {
			return fmt.Errorf("%q is no platform; expected SYSTEM/ARCHITECTURE, such as linux/amd64", p)
		}
		t := target{system: system, arch: arch, time: when, root: filepath.Join(tmp, system+"-"+arch), out: out}
		if err := t.build(installed); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return checksums(out)
}

// commitTime is the time that every packaged file carries: SOURCE_DATE_EPOCH, or the commit's.
func commitTime() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		b, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("no commit to take the time from (set SOURCE_DATE_EPOCH): %w", err)
		}
		text = strings.TrimSpace(string(b))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// A target is one platform with the tree of files that its packages hold: bin, share, and the
// papers.
type target struct {
	system, arch string
	time         time.Time
	root, out    string
}

// build compiles the commands for the target beside what make install laid out, and packs them.
func (t target) build(installed string) error {
	if err := os.CopyFS(filepath.Join(t.root, "share"), os.DirFS(filepath.Join(installed, "share"))); err != nil {
		return err
	}
	for _, paper := range []string{"README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"} {
		b, err := os.ReadFile(paper)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(t.root, paper), b, 0o644); err != nil {
			return err
		}
	}
	env := []string{"CGO_ENABLED=0", "GOOS=" + t.system, "GOARCH=" + t.arch}
	bin := filepath.Join(t.root, "bin") + string(filepath.Separator)
	if err := run(env, cmp.Or(os.Getenv("GO"), "go"), "build", "-trimpath", "-buildvcs=false", "-ldflags=-s", "-o", bin, "./cmd/pm..."); err != nil {
		return err
	}
	name := filepath.Join(t.out, "pmtools-"+version.Version+"-"+t.system+"-"+t.arch)
	if t.system == "windows" {
		return t.zip(name + ".zip")
	}
	if err := t.tar(name + ".tar.gz"); err != nil || t.system != "linux" {
		return err
	}
	return t.linux()
}

// checksums writes SHA256SUMS as sha256sum -c reads it.
func checksums(out string) error {
	files, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(out, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(b), f.Name())
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

func run(env []string, args ...string) error {
	c := exec.Command(args[0], args[1:]...)
	c.Env = append(os.Environ(), env...)
	if b, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, b)
	}
	return nil
}
