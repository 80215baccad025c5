package live

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// asUser is what runs a command as a user who may read nothing of others.
const asUser = "setpriv --reuid=65534 --regid=65534 --clear-groups "

// asUserIn returns a directory with a pminfo that runs that of a side as a user.
func asUserIn(t *testing.T, bin string) string {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join(bin, "pminfo"))
	if err == nil {
		err = os.WriteFile(dir+"/run", text, 0o755)
	}
	if err == nil {
		err = os.WriteFile(dir+"/pminfo", fmt.Appendf(nil, "#!/bin/sh\nexec %s %s/run \"$@\"\n", asUser, dir), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// forbid takes the permission from some files and directories of a tree, and says from which.
func forbid(t *testing.T, r *rand.Rand, dir string) (changes []string) {
	t.Helper()
	modes := map[string]fs.FileMode{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.Count(name, "/") > 1 && r.IntN(25) == 0:
			modes[path] = []fs.FileMode{0, 0o444, 0o111}[r.IntN(3)]
		case d.Type().IsRegular() && r.IntN(5) == 0:
			modes[path] = 0
		default:
			return nil
		}
		changes = append(changes, name+": unreadable")
		return nil
	})
	for path, mode := range modes {
		bad := os.Chmod(path, mode)
		err = cmp.Or(err, bad)
	}
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// TestBuiltinUnreadable compares the linux and proc collectors with the reference's agents over files
// and directories of which a user may not read some.
func TestBuiltinUnreadable(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	if os.Geteuid() != 0 || exec.Command("sh", "-c", asUser+"true").Run() != nil {
		t.Skip("no other users here")
	}
	if err := os.Chmod(filepath.Dir(t.TempDir()), 0o755); err != nil {
		t.Fatal(err)
	}
	ours.Bin, theirs.Bin = asUserIn(t, ours.Bin), asUserIn(t, theirs.Bin)
	runs, seed := harness.Number("PMTOOLS_RUNS", 2), harness.Number("PMTOOLS_SEED", 1)
	equal := 0
	for i := range runs {
		dir := inventedTree(t)
		changes := forbid(t, rand.New(rand.NewPCG(uint64(seed), uint64(i))), dir)
		for agent, domain := range map[string]string{"linux": "60", "proc": "3"} {
			vars := recordedVars(t, root)
			if err := os.Chmod(vars+"/config/pmda", 0o777); err != nil {
				t.Fatal(err)
			}
			same, problems := compareRecorded(t, ours, theirs, root, harness.Command{
				Env: []string{
					"PCP_VAR_DIR=" + vars, "PCP_PMDAS_DIR=" + root + "/usr/lib/pcp/pmdas", "LINUX_MDADM=/bin/true", strings.ToUpper(agent) + "_STATSPATH=" + dir, "LINUX_NCPUS=2", "LINUX_HERTZ=100",
				},
				Args: []string{"pminfo", "-L", "-K", "clear", "-K", "add," + domain + "," + agent + "/pmda_" + agent + ".so," + agent + "_init"},
			})
			equal += same
			for metric, diff := range problems {
				if !explained(metric, "unreadable", diff, changes) {
					t.Errorf("run %d: %s: %s", i, metric, diff)
				}
			}
		}
		if t.Failed() {
			t.Logf("run %d: %s", i, strings.Join(changes, "; "))
		}
	}
	if t.Logf("%d answers agree", equal); equal < 1900*runs {
		t.Errorf("only %d answers agree", equal)
	}
}
