package live

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// userScript starts processes of three users in namespaces of their own, and asks both sides for
// everything as one of these users. Its arguments are the value of hidepid, two commands with the
// files for their output, and names of metrics.
const userScript = `
mount -o remount,hidepid=$1 /proc || exit 3
for uid in 0 0 1000 65534; do setpriv --reuid=$uid --regid=$uid --clear-groups sleep 99 & done
until [ "$(cat /proc/[0-9]*/comm | grep -c sleep)" = 4 ]; do :; done
ours=$2 theirs=$3 out=$4
shift 4
for side in ours theirs; do
	eval "command=\$$side"
	setpriv --reuid=65534 --regid=65534 --clear-groups $command -L -K clear \
		-K add,60,linux/pmda_linux.so,linux_init -K add,3,proc/pmda_proc.so,proc_init -b 1 -f "$@" >$out/$side 2>$out/$side.errors
done
`

// userKnown are the metrics whose answers to a user differ, beside liveKnown.
var userKnown = []struct{ re, reason string }{
	{`^proc\.nprocs$|^proc\.runq\.|^kernel\.all\.pressure`, "they count the two commands themselves, or change"},
	{`^proc\.smaps\.pss`, "a process shares memory with others, which end"},
	{`^proc\.delayacct\.swapin_time$`, "the agent has another error than for its neighbours"},
	{`^(hotproc|acct)\.`, "the predicate has no values at first; the agent opens accounting of its own"},
}

// TestBuiltinUser compares what the collectors and the reference's agents tell a user who is not the
// superuser, about processes of his and of others, with /proc that hides nothing, contents, and
// processes: statuses, instances and values of processes that sleep; elsewhere whether there are
// values.
func TestBuiltinUser(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	if os.Geteuid() != 0 || exec.Command("unshare", "-pfm", "--mount-proc", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "true").Run() != nil {
		t.Skip("no other users or namespaces here")
	}
	public, err := os.MkdirTemp("", "user")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(public)
	text, err := os.ReadFile(filepath.Join(ours.Bin, "pminfo"))
	if err == nil {
		err = os.Chmod(public, 0o777)
	}
	if err == nil {
		err = os.WriteFile(public+"/pminfo", text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	o, err := ours.Run(harness.Command{Args: []string{"pminfo", "-L", "-K", "clear", "-K", "add,60,linux/pmda_linux.so,linux_init", "-K", "add,3,proc/pmda_proc.so,proc_init"}}, root)
	names := strings.Fields(string(o.Stdout))
	if err != nil || len(names) < 2000 {
		t.Fatal(len(names), err)
	}
	known := map[string]bool{}
	for _, n := range names {
		known[n] = true
	}
	modes := []string{"0", "1"}
	if harness.Number("PMTOOLS_RUNS", 0) > 0 {
		modes = append(modes, "2")
	}
	for _, hide := range modes {
		cmd := exec.Command("unshare", append([]string{"-pfm", "--mount-proc", "sh", "-c", userScript, "sh", hide, public + "/pminfo", filepath.Join(theirs.Bin, "pminfo"), public}, names...)...)
		cmd.Env = append(os.Environ(), "TZ=UTC", "PCP_DERIVED_CONFIG=", "HOME=/nonexistent", "PCP_CONF="+root+"/etc/pcp.conf", "PCP_VAR_DIR="+root+"/var/lib/pcp",
			"PCP_SYSCONF_DIR="+root+"/etc/pcp", "PCP_BINADM_DIR="+root+"/bin-host", "PCP_PMDAS_DIR="+root+"/usr/lib/pcp/pmdas")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("hidepid=%s: %v: %s", hide, err, out)
		}
		var answers [2]map[string]string
		for i, side := range []string{"ours", "theirs"} {
			text, err := os.ReadFile(filepath.Join(public, side))
			if err != nil || len(text) == 0 {
				errors, _ := os.ReadFile(filepath.Join(public, side+".errors"))
				t.Fatalf("hidepid=%s: %s: %v: %s", hide, side, err, errors)
			}
			_, answers[i] = blocks(text, known)
		}
		equal := 0
		for _, n := range names {
			a, b := userAnswer(n, answers[0][n]), userAnswer(n, answers[1][n])
			if a == b {
				equal++
				continue
			}
			row := func(k struct{ re, reason string }) bool { return regexp.MustCompile(k.re).MatchString(n) }
			if !slices.ContainsFunc(liveKnown, row) && !slices.ContainsFunc(userKnown, row) {
				t.Errorf("hidepid=%s: %s: ours %.300q, theirs %.300q", hide, n, a, b)
			}
		}
		t.Logf("hidepid=%s: %d answers agree", hide, equal)
		if equal < 1700 {
			t.Errorf("hidepid=%s: only %d answers agree", hide, equal)
		}
	}
}

// userAnswer returns the part of an answer that both commands see alike.
func userAnswer(metric, text string) string {
	if !strings.HasPrefix(metric, "proc.") {
		return fmt.Sprint(strings.Contains(text, " value "), regexp.MustCompile(`(?m)^.*(?:Error|No value|rror:).*$`).FindString(text))
	}
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.Contains(line, "inst [") && !strings.Contains(line, ` sleep"]`)
	})
	slices.Sort(lines) // the agent has processes in the order of its hash table
	return strings.Join(lines, "\n")
}
