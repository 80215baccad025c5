package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/test/peer/harness"

	"pmtools/test/env"
)

// TestAgentFiles installs and removes an agent by the files that it writes, with the reference's
// scripts under the reference's daemon, in a copy of its root.
func TestAgentFiles(t *testing.T) {
	_, _, root := harness.Setup(t)
	host := overlay(t, root)
	dir := filepath.Join(host, "var/lib/pcp/pmdas/spool")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	build := env.Go("build", "-o", filepath.Join(dir, "pmdaspool"), "pmtools/test/agents/spool")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script := `mount -t proc proc /proc
export PCP_DIR= TZ=UTC SPOOL_DIR=/tmp/spool
mkdir -p /tmp/spool/mail; cd /tmp
/usr/lib/pcp/bin/pmcd -A -l /tmp/pmcd.log 2>/dev/null
for i in 1 2 3 4 5 6 7 8 9 10; do pminfo pmcd.version >/dev/null 2>&1 && break; sleep 1; done
cd /var/lib/pcp/pmdas/spool
./pmdaspool --install-files . >/dev/null
./Install </dev/null; echo "Install: $?"
pminfo -t spool
chkhelp=/usr/lib/pcp/bin/chkhelp; $chkhelp -O -n root help spool.queue.files; $chkhelp -Oi help
grep -o '^spool.*pmdaspool' /etc/pcp/pmcd/pmcd.conf
./Remove </dev/null; echo "Remove: $?"
pminfo spool
grep spool /etc/pcp/pmcd/pmcd.conf
`
	if err := os.WriteFile(filepath.Join(host, "tmp/try"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	// The scripts send signals to every pmcd they find: they must find the one here only.
	c := exec.Command("unshare", "--net", "--mount", "--pid", "--fork", "chroot", host, "sh", "/tmp/try")
	c.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"}
	out, err := c.CombinedOutput()
	if err != nil && strings.Contains(string(out), "unshare") {
		t.Skipf("no name spaces for processes here: %s", out)
	}
	got := regexp.MustCompile(`(?m)^\[.*\] pmcd.*\n`).ReplaceAllString(string(out), "")
	const want = `Updating the Performance Metrics Name Space (PMNS) ...
Terminate PMDA if already installed ...
Updating the PMCD control file, and notifying PMCD ...
Check spool metrics have appeared ... 3 metrics and 3 values
Install: 0
spool.directory [The spool directory]
spool.queue.files [Number of files in each queue]
spool.queue.size [Size of the files in each queue]

PMID 450.1.0 spool.queue.files: Number of files in each queue

InDom 450.0: The queues of the spool directory
spool	450	pipe	binary 		/var/lib/pcp/pmdas/spool/pmdaspool
Culling the Performance Metrics Name Space ...
spool ... done
Updating the PMCD control file, and notifying PMCD ...
Check spool metrics have gone away ... OK
Remove: 0
Error: spool: Unknown metric name
`
	if got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}
