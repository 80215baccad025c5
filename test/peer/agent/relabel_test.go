package agent

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/test/peer/harness"
)

// TestRelabelled: groups by labels follow an agent that changes a label and announces it, under the reference's
// daemon, from the fetch on that brings the announcement.
func TestRelabelled(t *testing.T) {
	_, _, root := harness.Setup(t)
	w := newAgentWorld(t, root, "relabel")
	names, err := exec.Command(filepath.Join(w.dir, "gorelabel"), "-d", "452", "--pmns").Output()
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "pmns", string(names))
	env := w.daemon(t, pmcdAgent+"relabel 452 pipe binary DIR/gorelabel -d 452 -l DIR/relabel.log\n"+agentAccess, "-n", w.inside+"/pmns")
	_, port, _ := strings.Cut(env[1], "=")
	host, err := pmapi.OpenHost(t.Context(), "127.0.0.1:"+port, &pmcd.Dialer{})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	p, err := derive.CompileIn(check.Extended, "", "sum(relabel.value) by (kind)")
	if err != nil {
		t.Fatal(err)
	}
	src := derive.NewSource(host, nil, nil)
	req := &pmapi.Request{IDs: src.Define(p)}
	found, err := src.Check(t.Context(), req.IDs...)
	if err != nil || found[0].Err != nil {
		t.Fatal(err, found[0].Err)
	}
	for _, tt := range []struct{ store, want string }{
		{"", "first other"}, {"second", "other second"}, {"third", "other third"}, {"", "other third"},
		{"silent", "other third"}, // which nobody tells
		{"fourth", "fourth other"},
	} {
		if tt.store != "" {
			w.show(t, env, "pmstore relabel.kind "+tt.store)
		}
		var r pcp.Result
		if err := src.Fetch(t.Context(), req, &r); err != nil || r.Sets[0].Err != nil {
			t.Fatal(err, r.Sets[0].Err)
		}
		var groups []string
		for _, inst := range r.Sets[0].Insts {
			name, err := src.InstName(t.Context(), found[0].Info.Root.InDom, inst)
			if err != nil {
				t.Fatal(err)
			}
			groups = append(groups, name)
		}
		if slices.Sort(groups); strings.Join(groups, " ") != tt.want {
			t.Errorf("after storing %q the groups are %q, want %s", tt.store, groups, tt.want)
		}
	}
}
