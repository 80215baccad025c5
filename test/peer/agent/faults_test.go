package agent

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pmtools/test/peer/harness"
)

// agentPID returns the number of the process that the daemon runs as an agent, as its log told
// last.
func (w *agentWorld) agentPID(t *testing.T, agent string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^`+agent+` +\d+ +(\d+) `).FindAllStringSubmatch(w.log(), -1)
	if m == nil {
		t.Fatalf("no agent %s in the log:\n%s", agent, w.log())
	}
	pid, err := strconv.Atoi(m[len(m)-1][1])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// signal sends a signal to an agent.
func (w *agentWorld) signal(t *testing.T, agent string, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(w.agentPID(t, agent), sig); err != nil {
		t.Fatal(err)
	}
}

// restart makes the daemon start the agents anew that have died, and waits until it has.
func (w *agentWorld) restart(t *testing.T, agent string) {
	t.Helper()
	before := w.agentPID(t, agent)
	w.write(t, "conf", strings.ReplaceAll(w.conf, "DIR", w.inside)+"# changed\n")
	changed(t, filepath.Join(w.dir, "conf"))
	if err := w.pmcd.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		if w.agentPID(t, agent) != before {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s is not started again:\n%s", agent, w.log())
}

// gone waits until a process has ended, one that is a child of the daemon or not.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 600 {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		threads, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task") // the others may still hold connections
		if err != nil || strings.Contains(string(text), ") Z ") && len(threads) <= 1 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("process %d still runs", pid)
}

// simpleOver returns configurations in which the simple agents, ours and theirs, are reached over a
// kind of connection.
func simpleOver(t *testing.T, kind string) (ours, theirs string) {
	t.Helper()
	over := func(conf string) string {
		switch kind {
		case "inet":
			port := freePort(t)
			return strings.NewReplacer("simple 253 pipe binary", "simple 253 socket inet "+port, "-d 253", "-d 253 -i "+port).Replace(conf)
		case "unix":
			return strings.NewReplacer("simple 253 pipe binary", "simple 253 socket unix DIR/simple.sock", "-d 253", "-d 253 -u DIR/simple.sock").Replace(conf)
		}
		return conf
	}
	return over(pipeAgents), over(theirAgents)
}

// TestAgentFaults compares how the daemon treats agents that die, that are stopped for longer than
// it waits, and that are started again.
func TestAgentFaults(t *testing.T) {
	for _, name := range []string{"pipe", "inet", "unix"} {
		t.Run(name, func(t *testing.T) {
			s := harness.NewStand(t)
			conf, theirConf := simpleOver(t, name)
			s.Ours, s.Mask = s.Theirs, movingParts
			mine, their := newAgentWorld(t, s.Root, "simple", "trivial"), newAgentWorld(t, s.Root, "simple", "trivial")
			// Without this the daemon starts agents again on its own, once a minute.
			t.Setenv("PMCD_RESTART_AGENTS", "0")
			s.OursEnv, s.TheirsEnv = mine.daemon(t, conf, "-t", "1"), their.daemon(t, theirConf, "-t", "1")
			run := func(lines ...string) {
				for _, l := range lines {
					s.Compare(harness.Command{Args: strings.Fields(l)})
				}
			}
			fetches := []string{"pminfo -f simple.color simple.numfetch", "pminfo -f simple trivial", "pminfo -dmls simple", "pmstore simple.color 9"}
			each := func(f func(w *agentWorld)) { f(mine); f(their) }
			run(fetches...)
			killed := []int{mine.agentPID(t, "simple"), their.agentPID(t, "simple")}
			each(func(w *agentWorld) { w.signal(t, "simple", syscall.SIGKILL) })
			for _, pid := range killed {
				gone(t, pid)
			}
			run(fetches...)
			run("pminfo -f pmcd.agent.status")
			each(func(w *agentWorld) { w.restart(t, "simple") })
			run(fetches...)
			pid := mine.agentPID(t, "simple")
			each(func(w *agentWorld) { w.signal(t, "simple", syscall.SIGSTOP) })
			run("pminfo -f simple.color trivial.time", "pminfo -f simple.color", "pminfo -d simple.color")
			each(func(w *agentWorld) { w.signal(t, "simple", syscall.SIGCONT) })
			// Its connection was closed, so it ends.
			gone(t, pid)
			each(func(w *agentWorld) { w.restart(t, "simple") })
			run(fetches...)
			pids := []int{mine.agentPID(t, "simple"), mine.agentPID(t, "trivial")}
			if err := mine.pmcd.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			for _, pid := range pids {
				gone(t, pid)
			}
			s.Report(t)
			if log, err := os.ReadFile(filepath.Join(mine.dir, "simple.log")); err != nil || !strings.Contains(string(log), "Log finished") {
				t.Errorf("log of simple: %v\n%s", err, log)
			}
			if t.Failed() {
				t.Logf("log:\n%s", mine.log())
			}
		})
	}
}

// TestAgentRestart checks that the daemon starts our agent again on its own after it was too slow,
// as it does with the reference's.
func TestAgentRestart(t *testing.T) {
	s := harness.NewStand(t)
	s.Ours, s.Mask = s.Theirs, movingParts
	mine, their := newAgentWorld(t, s.Root, "simple", "trivial"), newAgentWorld(t, s.Root, "simple", "trivial")
	s.OursEnv, s.TheirsEnv = mine.daemon(t, pipeAgents, "-t", "1"), their.daemon(t, theirAgents, "-t", "1")
	run := func(line string) { s.Compare(harness.Command{Args: strings.Fields(line)}) }
	run("pminfo -f simple.color")
	pid, pids := mine.agentPID(t, "simple"), []int{mine.agentPID(t, "simple"), their.agentPID(t, "simple")}
	for _, p := range pids {
		if err := syscall.Kill(p, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	run("pminfo -f simple.color")
	for _, p := range pids {
		// The daemon may have killed it.
		_ = syscall.Kill(p, syscall.SIGCONT)
		gone(t, p)
	}
	for range 5 {
		// The daemon looks after its agents once a request.
		run("pminfo -f trivial")
		time.Sleep(500 * time.Millisecond)
	}
	run("pminfo -f simple.color simple.numfetch")
	run("pminfo -f simple.color simple.numfetch")
	s.Report(t)
	if mine.agentPID(t, "simple") == pid {
		t.Errorf("the agent was not started again:\n%s", mine.log())
	}
}

// TestAgentUser: an agent that is started with -U runs as that user, and with one that does not
// exist it ends, so that the daemon has no agent.
func TestAgentUser(t *testing.T) {
	_, _, root := harness.Setup(t)
	w := newAgentWorld(t, root, "simple", "trivial")
	env := w.daemon(t, strings.NewReplacer("-d 253", "-d 253 -U pcp", "-d 250", "-d 250 -U nosuchuser").Replace(pipeAgents))
	if got, want := w.show(t, env, "pminfo -f simple.numfetch"), "\nsimple.numfetch\n    value 1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(w.agentPID(t, "simple")) + "/status")
	if err != nil || !regexp.MustCompile(`(?m)^Uid:\s+[1-9]\d*\s`).Match(text) {
		t.Errorf("the agent runs as\n%s%v", text, err)
	}
	if got, want := w.show(t, env, "pminfo -f trivial.time"), "trivial.time: pmLookupDesc: No PMCD agent for domain of request\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
