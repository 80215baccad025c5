package agent

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pmtools/test/env"
	"pmtools/test/peer/harness"
)

// An agentWorld is a directory in the reference's root from which daemons and agents can be run: a
// copy of what they read and write, and the agents of test/agents.
type agentWorld struct {
	root   string
	dir    string // as this process sees it
	inside string // as the daemon sees it
	conf   string // of the daemon
	pmcd   *os.Process
}

// newAgentWorld makes an agentWorld with some of the agents.
func newAgentWorld(t *testing.T, root string, agents ...string) *agentWorld {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Join(root, "tmp"), "agents")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	w := &agentWorld{root: root, dir: dir, inside: strings.TrimPrefix(dir, root)}
	for _, d := range []string{"", "pmdas/simple", "pmdas/trivial", "var"} {
		// The agents of the reference run as a user of their own.
		err := os.MkdirAll(filepath.Join(dir, d), 0o777)
		if err == nil {
			err = os.Chmod(filepath.Join(dir, d), 0o777)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.write(t, "pmdas/simple/simple.conf", "sec,min,hour\n")
	for _, a := range agents {
		build := env.Go("build", "-o", filepath.Join(dir, "go"+a), "pmtools/test/agents/"+a)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if agentHelp[a] == "" {
			continue
		}
		help := exec.Command("chroot", root, "/usr/lib/pcp/bin/newhelp", "-n", "/var/lib/pcp/pmns/root", "-o", w.inside+"/pmdas/"+a+"/help", w.inside+"/help")
		w.write(t, "help", agentHelp[a])
		if out, err := help.CombinedOutput(); err != nil {
			t.Skipf("newhelp: %v\n%s", err, out)
		}
	}
	return w
}

// agentHelp are help texts for both sides.
var agentHelp = map[string]string{
	"simple": "@ 253.0 the colours\nThree of them.\n@ 253.1 the time\n\n@ simple.numfetch fetches\nHow often\nvalues were fetched.\n" +
		"@ simple.color numbers\nin three colours\n@ simple.now what time it is\nnow\n",
	"trivial": "@ trivial.time what time it is\nin seconds\n\nsince 1970\n",
}

// write writes a file in the world.
func (w *agentWorld) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// daemon starts a daemon of the reference with agents for the length of a test, and returns what
// tells commands of it. DIR stands for the world's directory in conf.
func (w *agentWorld) daemon(t *testing.T, conf string, args ...string) (env []string) {
	t.Helper()
	w.conf = conf
	port := freePort(t)
	w.write(t, "conf", strings.ReplaceAll(conf, "DIR", w.inside))
	cmd := exec.Command("chroot", append([]string{w.root, "/usr/lib/pcp/bin/pmcd", "-f", "-A", "-i", "127.0.0.1", "-p", port, "-n", "/var/lib/pcp/pmns/root",
		"-s", w.inside + "/socket", "-c", w.inside + "/conf", "-l", w.inside + "/log"}, args...)...)
	cmd.Env = append(os.Environ(), "PCP_PMDAS_DIR="+w.inside+"/pmdas", "PCP_VAR_DIR="+w.inside+"/var", "TZ=UTC")
	if err := cmd.Start(); err != nil {
		t.Skip("the reference's daemon does not start: ", err)
	}
	w.pmcd = cmd.Process
	t.Cleanup(func() {
		// It may have ended by itself.
		_ = cmd.Process.Signal(os.Interrupt)
		kill := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		kill.Stop()
	})
	for range 300 {
		if strings.Contains(w.log(), "request port") {
			return []string{"PMCD_SOCKET=" + filepath.Join(w.dir, "socket"), "PMCD_PORT=" + port}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("the reference's daemon is not ready after 10 s:\n%s", w.log())
	return nil
}

// log returns the daemon's log.
func (w *agentWorld) log() string {
	text, _ := os.ReadFile(filepath.Join(w.dir, "log"))
	return string(text)
}

// freePort returns an unused port.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// theirAgents are the reference's own agents, and pipeAgents ours in place of them.
const (
	agentAccess = "\n[access]\ndisallow \".*\" : store;\ndisallow \":*\" : store;\nallow \"local:*\" : all;\n"
	pmcdAgent   = "pmcd 2 dso pmcd_init /var/lib/pcp/pmdas/pmcd/pmda_pmcd.so\n"
	theirAgents = pmcdAgent + "simple 253 pipe binary /var/lib/pcp/pmdas/simple/pmdasimple -d 253\n" +
		"trivial 250 pipe binary /var/lib/pcp/pmdas/trivial/pmdatrivial -d 250\n" + agentAccess
	pipeAgents = pmcdAgent + "simple 253 pipe binary DIR/gosimple -d 253 -h DIR/pmdas/simple/help -l DIR/simple.log\n" +
		"trivial 250 pipe binary DIR/gotrivial -d 250 -h DIR/pmdas/trivial/help -l DIR/trivial.log\n" + agentAccess
)

// transports are configurations with our agents.
func transports(t *testing.T) map[string]string {
	ports := []string{freePort(t), freePort(t), freePort(t), freePort(t)}
	return map[string]string{
		"pipe": pipeAgents,
		"inet": strings.NewReplacer("simple 253 pipe binary", "simple 253 socket inet "+ports[0], "trivial 250 pipe binary", "trivial 250 socket inet "+ports[1],
			"-d 253", "-d 253 -i "+ports[0], "-d 250", "-d 250 -i "+ports[1]).Replace(pipeAgents),
		"ipv6": strings.NewReplacer("simple 253 pipe binary", "simple 253 socket ipv6 "+ports[2], "trivial 250 pipe binary", "trivial 250 socket ipv6 "+ports[3],
			"-d 253", "-d 253 -6 "+ports[2], "-d 250", "-d 250 -6 "+ports[3]).Replace(pipeAgents),
		"unix": strings.NewReplacer("simple 253 pipe binary", "simple 253 socket unix DIR/simple.sock", "trivial 250 pipe binary", "trivial 250 socket unix DIR/trivial.sock",
			"-d 253", "-d 253 -u DIR/simple.sock", "-d 250", "-d 250 -u DIR/trivial.sock").Replace(pipeAgents),
	}
}

// movingParts matches output that may differ between two agents: the time, and how long they have
// computed.
var movingParts = regexp.MustCompile(`(?m)(value 179\d{7}$|^\d\d:\d\d:\d\d\.\d{3}|host:.*|(sec|min|hour)"\] value \d+$|(?:^ +|value )0(\.\d\d)?$)`)

// agentLines are the command lines that are compared, each with the state that the ones before have
// left.
var agentLines = []string{
	"pminfo simple trivial", "pminfo -m simple trivial", "pminfo -dmtTlsIf simple trivial", "pminfo -F simple trivial", "pminfo -ls simple.color simple.now",
	"pminfo -f simple", "pminfo -f simple.color", "pminfo -f simple.numfetch simple.color simple.now", "pminfo -f simple.time", "pminfo -f simple.no.such", "pminfo -I 253.0 253.1 253.2 250.0",
	"pminfo -T simple trivial", "pminfo -t simple trivial", "pminfo -tT -I 253.0 253.1", "pminfo -b 1 -df simple trivial", "pminfo -M simple",
	"pmval -s 3 -t 0.05 simple.color", "pmval -s 3 -t 0.05 simple.color[red]", "pmval -s 2 -t 0.05 -i green,blue simple.color", "pmval -s 2 -t 0.05 -i nosuch simple.color",
	"pmval -s 4 -t 0.05 simple.numfetch", "pmval -s 2 -t 0.05 simple.time", "pmval -s 2 -t 0.05 -i hour simple.now",
	"pmstore simple.numfetch 42", "pminfo -f simple.numfetch", "pmstore simple.numfetch -- -3", "pminfo -f simple.numfetch",
	"pmstore simple.color 7", "pminfo -f simple.color", "pmstore simple.color 300", "pminfo -f simple.color", "pmstore simple.color -- -1", "pminfo -f simple.color",
	"pmstore -i red simple.color 99", "pmstore -i blue,green simple.color 3", "pmstore -i nosuch simple.color 3", "pminfo -f simple.color",
	"pmstore simple.now 3", "pmstore simple.time.user 3", "pmstore simple.time.sys 3", "pmstore trivial.time 1", "pmstore simple.no 1", "pmstore simple.color abc",
	"pmprobe -v simple.color", "pmprobe -I simple trivial", "pmprobe -i simple.now", "pminfo -f pmcd.agent.status", "pminfo -f pmcd.agent.type",
}

// TestAgents compares our simple and trivial agents with the reference's under the reference's
// daemon, by the reference's commands, over each kind of connection.
func TestAgents(t *testing.T) {
	for name, conf := range transports(t) {
		t.Run(name, func(t *testing.T) {
			if l, err := net.Listen("tcp6", "[::1]:0"); err == nil {
				l.Close()
			} else if name == "ipv6" {
				t.Skip("no IPv6 here: ", err)
			}
			s := harness.NewStand(t)
			s.Ours, s.Mask = s.Theirs, movingParts
			mine, their := newAgentWorld(t, s.Root, "simple", "trivial"), newAgentWorld(t, s.Root, "simple", "trivial")
			s.OursEnv, s.TheirsEnv = mine.daemon(t, conf), their.daemon(t, theirAgents)
			run := func(lines []string) {
				for _, l := range lines {
					if name != "pipe" && strings.Contains(l, "pmcd.agent.type") {
						continue
					}
					s.Compare(harness.Command{Args: strings.Fields(l)})
				}
			}
			run(agentLines)
			now := []string{"pminfo -f simple.now", "pminfo -I 253.1", "pmprobe -I simple.now", "pmval -s 1 simple.now"}
			for _, text := range []string{"hour,sec\n", "min", "bogus,hour\nsec\n", "\n", "hour,hour,min\n", "", "sec,min,hour\n"} {
				for _, w := range []*agentWorld{mine, their} {
					w.write(t, "pmdas/simple/simple.conf", text)
					changed(t, filepath.Join(w.dir, "pmdas/simple/simple.conf"))
				}
				run(now)
			}
			for _, w := range []*agentWorld{mine, their} {
				if err := os.Remove(filepath.Join(w.dir, "pmdas/simple/simple.conf")); err != nil {
					t.Fatal(err)
				}
			}
			run(now)
			s.Report(t)
			if t.Failed() {
				t.Logf("log:\n%s", mine.log())
			}
		})
	}
}

// changed gives a file a time of modification that it has not had.
func changed(t *testing.T, name string) {
	t.Helper()
	fi, err := os.Stat(name)
	if err == nil {
		at := time.Unix(1_700_000_000+time.Now().Unix()%1e8+fi.Size()*3600, 0)
		err = os.Chtimes(name, at, at)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// show returns what a command of the reference prints.
func (w *agentWorld) show(t *testing.T, env []string, line string) string {
	t.Helper()
	s := harness.Side{Bin: filepath.Join(w.root, "bin-host")}
	o, err := s.Run(harness.Command{Args: strings.Fields(line), Env: env}, w.root)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s%s", o.Stdout, o.Stderr)
}
