package agent

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"pmtools/test/peer/harness"
)

// TestAgentKinds runs the agent test/agents/kinds under the reference's daemon, with the name space
// that the agent prints, and checks what the reference's commands make of it.
func TestAgentKinds(t *testing.T) {
	_, _, root := harness.Setup(t)
	w := newAgentWorld(t, root, "kinds")
	names, err := exec.Command(filepath.Join(w.dir, "gokinds"), "-d", "451", "--pmns").Output()
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "pmns", string(names))
	env := w.daemon(t, pmcdAgent+"kinds 451 pipe binary notready DIR/gokinds -d 451 -l DIR/kinds.log\n"+agentAccess, "-n", w.inside+"/pmns")
	if got, want := w.show(t, env, "pminfo -f kinds.type.i32"), "Error: kinds.type.i32: Try again. Information not currently available\n"; got != want {
		t.Errorf("before the agent is ready: %s, want %s", got, want)
	}
	time.Sleep(2 * time.Second)
	labels := w.show(t, env, "pminfo -l kinds.type.i32")
	if !regexp.MustCompile(`"agent":"kinds","cluster":0,.*"item":"type.i32"`).MatchString(labels) {
		t.Errorf("labels %s", labels)
	}
	for _, tt := range []struct{ line, want string }{
		{"pminfo kinds", "kinds.type.i32\nkinds.type.u32\nkinds.type.i64\nkinds.type.u64\nkinds.type.float\nkinds.type.double\n" +
			"kinds.type.string\nkinds.type.aggregate\nkinds.error.profile\nkinds.error.none\nkinds.error.version\nkinds.who\nkinds.ended\n" +
			"kinds.event.point\nkinds.event.highres\nkinds.dyn.a\nkinds.dyn.sub.b\nkinds.dyn.sub.same\nkinds.elsewhere\n" +
			"kinds.control.not_ready\nkinds.control.late\n"},
		{"pminfo -f kinds.type", "\nkinds.type.i32\n    value -2147483648\n\nkinds.type.u32\n    value 4294967295\n\nkinds.type.i64\n    value -9223372036854775808\n" +
			"\nkinds.type.u64\n    value 18446744073709551615\n\nkinds.type.float\n    value 1.5\n\nkinds.type.double\n    value 3.141592653589793\n" +
			"\nkinds.type.string\n    value \"hullo\"\n\nkinds.type.aggregate\n    value [010203]\n"},
		{"pminfo -f kinds.error", "\nkinds.error.profile\nError: Explicit instance identifier(s) required\n\nkinds.error.none\nNo value(s) available!\n\nkinds.error.version\n" +
			"Error: Metric not supported by this version of monitored application\n"},
		{"pminfo -mt kinds.dyn", "kinds.dyn.a PMID: 451.0.20 [the one of dyn.a]\nkinds.dyn.sub.b PMID: 451.0.21 [the one of dyn.sub.b]\nkinds.dyn.sub.same PMID: 451.0.21 [the one of dyn.sub.b]\n"},
		{"pminfo -m 451.0.21 451.0.22", "kinds.dyn.sub.b PMID: 451.0.21\nError: 451.0.22: Unknown or illegal metric identifier\n"},
		{"pminfo -m kinds.dyn.no kinds.dyn.sub kinds.elsewhere", "kinds.dyn.sub.b PMID: 451.0.21\nkinds.dyn.sub.same PMID: 451.0.21\nkinds.elsewhere PMID: 2.0.9\n" +
			"Error: kinds.dyn.no: Unknown metric name\n"},
		{"pminfo -x kinds.event", "\nkinds.event.point\n    value [2 event records timestamps 01:46:40.123...01:46:41.000]\n" +
			"    --- event record [0] timestamp 01:46:40.123 flags 0xa (start,id) ---\n    kinds.type.i32 (451.0.0)\n        value 7\n" +
			"    kinds.type.string (451.0.6)\n        value \"text\"\n    --- event record [1] timestamp 01:46:41.000 flags 0x80000000 (missed) ---\n" +
			// The reference reads no number of missed records in these.
			"        ==> 3 missed event records\n\nkinds.event.highres\n    value [2 event records timestamps 01:46:40.123456789...01:46:41.000000000]\n" +
			"    --- event record [0] timestamp 01:46:40.123456789 flags 0xa (start,id) ---\n    kinds.type.i32 (451.0.0)\n        value 7\n" +
			"    kinds.type.string (451.0.6)\n        value \"text\"\n    --- event record [1] timestamp 01:46:41.000000000 flags 0x80000000 (missed) ---\n" +
			"        ==> 0 missed event records\n"},
		{"pminfo -f kinds.who", "\nkinds.who\n    value \"user 0 group 0 process true\"\n"},
		{"pmstore kinds.control.late 1", "kinds.control.late old value=0 new value=1\n"},
		{"pminfo -f kinds.dyn.late", "\nkinds.dyn.late\n    value 22\n"},
		{"pmstore kinds.control.not_ready 800", "kinds.control.not_ready old value=0 new value=800\n"},
		{"pminfo -f kinds.dyn.late", "Error: kinds.dyn.late: Try again. Information not currently available\n"},
	} {
		if got := w.show(t, env, tt.line); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.line, got, tt.want)
		}
	}
	time.Sleep(1500 * time.Millisecond)
	if got := w.show(t, env, "pminfo -f kinds.control.not_ready"); got != "\nkinds.control.not_ready\n    value 0\n" {
		t.Errorf("after the delay: %s", got)
	}
	if got := w.show(t, env, "pmprobe -v kinds.ended"); !regexp.MustCompile(`^kinds\.ended 1 [1-9]\d*\n$`).MatchString(got) {
		t.Errorf("clients that have ended: %s", got)
	}
	if t.Failed() {
		t.Logf("log:\n%s", w.log())
	}
}
