// Package install tries the packages of a release where users install them.
package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pmtools/test/env"
	"pmtools/test/peer/harness"
)

// TestPackages builds a release of this platform twice, in two clones, and installs it, in copies of two roots: that
// of the reference, beside PCP, in its place, and away again; and one of Debian without PCP.
func TestPackages(t *testing.T) {
	_, _, root := harness.Setup(t)
	here, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := env.Go("mod", "download", "-C", filepath.Join(here, "test/package")).CombinedOutput(); err != nil {
		t.Skipf("the modules that write packages cannot be fetched, no package is built: %s", b)
	}
	dist := build(t, here)
	sums := read(t, dist, "SHA256SUMS")
	t.Setenv("TZ", "Asia/Kathmandu")
	again := filepath.Join(t.TempDir(), "elsewhere")
	if b, _ := exec.Command("git", "-C", here, "status", "--porcelain").Output(); len(b) > 0 {
		again = here // what is not committed is not in a clone
	} else if b, err := exec.Command("git", "clone", "-q", "file://"+here, again).CombinedOutput(); err != nil {
		t.Fatalf("a release is built from a clone: %v\n%s", err, b)
	}
	if other := read(t, build(t, again), "SHA256SUMS"); sums != other {
		t.Errorf("two builds of one commit differ:\n%s\n%s", sums, other)
	}

	for _, m := range managers {
		name := m.packages
		if m.clean {
			name += " without PCP"
		}
		t.Run(name, func(t *testing.T) {
			lower := root
			if m.clean {
				lower = clean(t, root+".clean")
			}
			host := overlay(t, lower)
			for _, name := range strings.Fields(sums) {
				if strings.HasSuffix(name, "."+m.packages) {
					if err := os.WriteFile(filepath.Join(host, "tmp", name), []byte(read(t, dist, name)), 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got := inside(host, m.get); got != "" {
				t.Skipf("the package manager cannot be installed here, its packages are not tried: %s", got)
			}
			for _, s := range m.steps {
				if got := inside(host, s.script); !strings.Contains(got, s.want) {
					t.Errorf("%s\nprinted %q, expected %q", s.script, got, s.want)
				}
			}
		})
	}
}

// build builds a release for this platform, under an unusual umask.
func build(t *testing.T, clone string) string {
	t.Helper()
	dir := t.TempDir()
	c := env.Go("run", "-C", filepath.Join(clone, "test/package"), ".", "-o", dir, "-p", runtime.GOOS+"/"+runtime.GOARCH)
	c.Args = append([]string{"sh", "-c", `umask 077; exec "$@"`, "sh", c.Path}, c.Args[1:]...)
	c.Path = "/bin/sh"
	if b, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return dir
}

type step struct{ script, want string }

// managers lists the package managers: how to get one in the reference's root (nothing is printed
// if that works), and what a user does with it.
var managers = []struct {
	packages, get string
	clean         bool // in the root without PCP
	steps         []step
}{
	{packages: "deb", clean: true, steps: []step{
		{"touch /tmp/before; dpkg -i /tmp/*.deb && pminfo -V", "pminfo version 7.2.2"},
		{"pminfo -L -f hinv.ncpu", "hinv.ncpu\n    value "},
		{"pmderive -L 'hinv.ncpu * 0 + 7'", "7\n"},
		{"pmval -L -s 1 hinv.ncpu", "metric:    hinv.ncpu"},
		{"fish -c 'complete -C \"pmderive --unpack\"'", "--unpack-limit"},
		{"fish -c 'complete -C \"pminfo -L hinv.ncp\"'", "hinv.ncpu"},
		{zsh("pminfo -L hinv.ncp\t", "hinv.ncpu"), "hinv.ncpu"},
		{prompt, "\n7\n"},
		{manuals, "6\n"},
		{zsh("pmderive eval --output \t", "openmetrics"), "openmetrics"},
		{"dpkg --purge pmtools-commands pmtools >/tmp/log 2>&1; " + left, "left: 0\n"},
	}},
	{packages: "rpm", clean: true, steps: []step{
		{"touch /tmp/before; rpm -i --nodeps /tmp/*.rpm && pminfo -V", "pminfo version 7.2.2"},
		{"pminfo -L -f hinv.ncpu", "hinv.ncpu\n    value "},
		{prompt, "\n7\n"},
		{manuals, "6\n"},
		{"rpm -e --nodeps pmtools-commands pmtools; " + left, "left: 0\n"},
	}},
	{packages: "deb", steps: []step{
		{"dpkg -i /tmp/pmtools_*.deb && pmderive --version | head -1", "pmderive version 0."},
		{"readlink -f /usr/bin/pminfo", "/usr/bin/pminfo"},
		{"/usr/lib/pmtools/bin/pmerr -1", "-1"},
		{"readlink -f /usr/share/man/man1/pmderive.1", "/usr/lib/pmtools/share/man/man1/pmderive.1"},
		{"dpkg -i /tmp/pmtools-commands_*.deb", "conflicts with pcp"},
		{"dpkg --remove --force-depends pcp; dpkg -i /tmp/pmtools-commands_*.deb; readlink -f /usr/bin/pminfo", "/usr/lib/pmtools/bin/pminfo"},
		{"pminfo -V", "pminfo version 7.2.2"},
		{"dpkg --remove pmtools-commands pmtools; ls -d /usr/lib/pmtools /usr/bin/pmderive /usr/bin/pminfo 2>&1 | grep -c 'No such file'", "3"},
	}},
	{packages: "rpm", get: "apt-get install -y -qq --no-install-recommends rpm >/tmp/log 2>&1 || cat /tmp/log", steps: []step{
		{"dpkg --remove --force-depends pcp; rpm -i --nodeps /tmp/*.rpm; pmderive --version | head -1", "pmderive version 0."},
		{"pmval -V", "pmval version 7.2.2"},
		{"rpm -e --nodeps pmtools-commands pmtools; ls -d /usr/lib/pmtools/bin /usr/bin/pmderive /usr/bin/pminfo 2>&1 | grep -c 'No such file'", "3"},
	}},
}

// Steps of all package managers: the prompt, the manual pages of five commands and of the language, and how many files and
// directories there are that were not there before, logs and the database of the package manager aside.
const (
	prompt  = `printf 'x = hinv.ncpu * 0 + 7\nx\n' | HOME=/tmp/home pmderive -L`
	manuals = `for m in pminfo pmval pmstore pmerr pmderive pmderived; do man -P cat $m; done 2>&1 | grep -c '^NAME'`
	left    = `echo left: $(find / -xdev -newer /tmp/before '(' -iname '*pm*' -o -iname '*pcp*' ')' -not -path '/proc/*' -not -path '/tmp/*' \
  -not -path '/var/lib/dpkg/*' -not -path '/var/lib/rpm*' | wc -l)`
)

// zsh returns a script that types a line in zsh, on a terminal of its own, and waits for a text.
func zsh(line, want string) string {
	return `rm -f /tmp/typescript; mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts && ln -sf pts/ptmx /dev/ptmx
await() { for i in $(seq 200); do grep -q "$1" /tmp/typescript && return; sleep 0.1; done; }
(echo 'PS1=; autoload -Uz compinit; compinit -u -d /tmp/dump; echo rea""dy'; await ready; printf '` + line + `'; await '` + want + `'; printf '\003\n'; echo exit) | ` +
		`TERM=dumb script -qfc 'zsh -f -i' /tmp/typescript; umount /dev/pts`
}

// clean makes a root of Debian without PCP, but with the shells and the other package manager.
func clean(t *testing.T, root string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, "usr/bin/fish")); err == nil {
		return root
	}
	if b, err := exec.Command("debootstrap", "--variant=minbase", "--include=zsh,fish,rpm", "sid", root).CombinedOutput(); err != nil {
		t.Skipf("no root of Debian can be made here, nothing is installed without PCP: %v\n%s", err, b)
	}
	return root
}

// overlay mounts a copy of the root that is thrown away.
func overlay(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"upper", "work", "host"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	host := filepath.Join(dir, "host")
	options := "lowerdir=" + root + ",upperdir=" + filepath.Join(dir, "upper") + ",workdir=" + filepath.Join(dir, "work")
	if b, err := exec.Command("mount", "-t", "overlay", "overlay", "-o", options, host).CombinedOutput(); err != nil {
		t.Skipf("no overlay can be mounted here, nothing is installed: %s", b)
	}
	t.Cleanup(func() {
		if b, err := exec.Command("umount", host).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", b)
		}
	})
	return host
}

// inside runs a script in the root and returns what it printed.
func inside(root, script string) string {
	c := exec.Command("chroot", root, "sh", "-c", script)
	c.Env = environment()
	b, _ := c.CombinedOutput()
	return string(b)
}

// environment is what commands in a root see.
func environment() []string {
	return []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C"}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
