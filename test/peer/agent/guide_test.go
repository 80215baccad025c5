package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// TestAgentGuide follows docs/writing-an-agent.md, with a copy of the reference's name space and
// configuration.
func TestAgentGuide(t *testing.T) {
	ours, _, root := harness.Setup(t)
	w := newAgentWorld(t, root, "spool")
	for name, text := range map[string]string{"mail/a": "12345", "mail/b": "6", "cron/c": "", "file": "x"} {
		file := filepath.Join(w.dir, "spool", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	conf := pmcdAgent + "spool 450 pipe binary DIR/gospool -d 450 -l DIR/spool.log\n" + agentAccess
	w.write(t, "conf", strings.ReplaceAll(conf, "DIR", w.inside))
	steps := `cp -r /var/lib/pcp/pmns var/ && ./gospool --pmns >var/pmns/root_spool && cd var/pmns && PCP_VAR_DIR=` + w.inside + `/var PCP_PMCDCONF_PATH=` + w.inside + `/conf ./Rebuild`
	if out, err := exec.Command("chroot", root, "/bin/sh", "-c", "cd "+w.inside+" && "+steps).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("SPOOL_DIR", w.inside+"/spool")
	env := w.daemon(t, conf, "-n", w.inside+"/var/pmns/root")
	host := regexp.MustCompile(`host: .*`)
	for _, tt := range []struct{ line, want string }{
		{"pminfo -dfmtT spool", `
spool.directory PMID: 450.0.0 [The spool directory]
    Data Type: string  InDom: PM_INDOM_NULL 0xffffffff
    Semantics: discrete  Units: none
Help:
The spool directory
    value "` + w.inside + `/spool"

spool.queue.files PMID: 450.1.0 [Number of files in each queue]
    Data Type: 64-bit unsigned int  InDom: 450.0 0x70800000
    Semantics: instant  Units: count
Help:
Directories within a queue are not counted, nor what is in them.
    inst [0 or "cron"] value 1
    inst [1 or "mail"] value 2

spool.queue.size PMID: 450.1.1 [Size of the files in each queue]
    Data Type: 64-bit unsigned int  InDom: 450.0 0x70800000
    Semantics: instant  Units: byte
Help:
Size of the files in each queue
    inst [0 or "cron"] value 0
    inst [1 or "mail"] value 6
`},
		{"pminfo -tI 450.0", "\nInDom: 450.0 = 1887436800 = 0x70800000\n    [The queues of the spool directory]\n"},
		{"pmprobe -i spool.queue.size", "spool.queue.size 2 ?0 ?1\n"},
		{"pmval -s 1 -t 0.05 -i mail spool.queue.size",
			"\nmetric:    spool.queue.size\nHOST\nsemantics: instantaneous value\nunits:     byte\nsamples:   1\n\n                 mail \n                    6 \n"},
	} {
		if got := host.ReplaceAllString(w.show(t, env, tt.line), "HOST"); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.line, got, tt.want)
		}
		if strings.HasPrefix(tt.line, "pmprobe") {
			continue
		}
		// Without the daemon, by -L and -K, our commands say the same.
		o, err := ours.Run(harness.Command{Args: strings.Fields(tt.line), Env: []string{
			"PCP_LOCALMODE=1", "PCP_SPECLOCAL=add,450," + filepath.Join(w.dir, "gospool"), "SPOOL_DIR=" + filepath.Join(w.dir, "spool"),
		}}, root)
		got := strings.ReplaceAll(host.ReplaceAllString(string(o.Stdout), "HOST"), w.dir, w.inside)
		if err != nil || got != tt.want || len(o.Stderr) > 0 {
			t.Errorf("-L %s: %v\n%s%s\nwant\n%s", tt.line, err, got, o.Stderr, tt.want)
		}
	}
}
