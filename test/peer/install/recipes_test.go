package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/version"
	"pmtools/test/peer/harness"
)

// TestRecipes builds the release's packages of distributions from its source, without network, in copies of a root of Debian
// without PCP, and installs them. The compilers have to be fetched, and all is compiled three times: only with PMTOOLS_RECIPES.
func TestRecipes(t *testing.T) {
	if os.Getenv("PMTOOLS_RECIPES") == "" {
		t.Skip("PMTOOLS_RECIPES is not set: the recipes of distributions are not built")
	}
	_, _, root := harness.Setup(t)
	here, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dist := build(t, here)
	host := overlay(t, clean(t, root+".clean"))
	source := "pmtools-" + version.Version + ".tar.gz"
	for _, name := range []string{source, "pmtools.spec", "debian.tar"} {
		if err := os.WriteFile(filepath.Join(host, "tmp", name), []byte(read(t, dist, name)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := exec.Command("mount", "--bind", "/proc", filepath.Join(host, "proc")).CombinedOutput(); err != nil {
		t.Fatalf("mount: %s", b)
	}
	t.Cleanup(func() {
		if b, err := exec.Command("umount", filepath.Join(host, "proc")).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", b)
		}
	})
	resolver, err := os.ReadFile("/etc/resolv.conf")
	if err == nil {
		err = os.WriteFile(filepath.Join(host, "etc/resolv.conf"), resolver, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	const get = "apt-get install -y -qq --no-install-recommends golang-go make debhelper build-essential rpm >/tmp/log 2>&1 || cat /tmp/log"
	if got := inside(host, get); got != "" {
		t.Skipf("compilers cannot be installed here, the recipes are not built: %s", got)
	}
	for _, s := range []step{
		{"cd /tmp; tar xzf pmtools-$V.tar.gz && cd pmtools-$V && GOFLAGS=-mod=vendor make && bin/pmderive --version", "pmderive version 0."},
		{"mkdir -p /tmp/rpm/SOURCES && cp /tmp/pmtools-$V.tar.gz /tmp/rpm/SOURCES && " +
			"rpmbuild --nodeps --define '_topdir /tmp/rpm' -ba /tmp/pmtools.spec && echo built", "built"},
		{"mkdir /tmp/deb && cd /tmp/deb && cp ../pmtools-$V.tar.gz pmtools_$V.orig.tar.gz && tar xzf pmtools_$V.orig.tar.gz && " +
			"cd pmtools-$V && tar xf ../../debian.tar && dpkg-buildpackage -us -uc && echo built", "built"},
		{"touch /tmp/before; dpkg -i /tmp/deb/*.deb && pmderive -L 'hinv.ncpu * 0 + 7'", "7\n"},
		{"dpkg --purge pmtools >/tmp/log 2>&1; " + left, "left: 0\n"},
		{"touch /tmp/before; rpm -i --nodeps /tmp/rpm/RPMS/*/*.rpm && pmderive -L 'hinv.ncpu * 0 + 7'", "7\n"},
		{"rpm -e --nodeps pmtools; " + left, "left: 0\n"},
	} {
		c := exec.Command("unshare", "-n", "chroot", host, "sh", "-c", s.script)
		c.Env = append(environment(), "GOTOOLCHAIN=local", "V="+version.Version)
		b, err := c.CombinedOutput()
		if got := string(b); !strings.Contains(got, s.want) {
			t.Fatalf("%s\n%v, printed %q, expected %q", s.script, err, got[max(0, len(got)-2000):], s.want)
		}
	}
}
