package agent

import (
	"context"
	"os/exec"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmda/pmdatest"
	"pmtools/lib/pmda/remote"
	"pmtools/test/peer/harness"
)

// TestConformance checks that the reference's simple agent keeps to the rules by which ours are
// checked. Its trivial agent does not: a request that is too short ends it by a signal.
func TestConformance(t *testing.T) {
	_, _, root := harness.Setup(t)
	w := newAgentWorld(t, root, "simple")
	id := func(domain, cluster, item uint32) pcp.ID { return pcp.NewID(domain, cluster, item) }
	names := []pmda.Name{{Name: "simple.numfetch", ID: id(253, 0, 0)}, {Name: "simple.color", ID: id(253, 0, 1)}, {Name: "simple.now", ID: id(253, 2, 4)}}
	pmdatest.Run(t, func(ctx context.Context) (*remote.Agent, error) {
		cmd := exec.Command("chroot", root, "/bin/sh", "-c", "cd "+w.inside+" && exec /var/lib/pcp/pmdas/simple/pmdasimple -l theirs.log")
		cmd.Env = append(cmd.Environ(), "PCP_PMDAS_DIR="+w.inside+"/pmdas", "PCP_VAR_DIR="+w.inside+"/var")
		return remote.Start(ctx, cmd, &remote.Options{Domain: 253, Names: names})
	})
}
