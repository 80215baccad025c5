package live

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "pmtools/test/env"
	"pmtools/test/peer/harness"
)

// blocks divides what pminfo prints into what belongs to each metric: a line that begins with the
// name of one begins its part.
func blocks(out []byte, names map[string]bool) (order []string, text map[string]string) {
	text = make(map[string]string)
	name := ""
	for line := range strings.Lines(string(out)) {
		word := line
		if i := strings.IndexAny(line, " \t\n:"); i >= 0 {
			word = line[:i]
		}
		if names[word] {
			name = word
			if _, again := text[name]; !again {
				order = append(order, name)
			}
		}
		text[name] += line
	}
	return order, text
}

// A liveTally counts what the comparison of live metrics found.
type liveTally struct {
	equal, moving, near int
}

// compareLive runs a pminfo command line on the reference, on ours and on the reference again, and
// compares, metric by metric, what the reference printed twice the same. A value that it did not is a
// metric that moves; so is one whose numbers differ a little, as of a kernel that has one more
// process while ours runs. A metric that differs is compared again: it may have moved and come back.
func compareLive(t *testing.T, c harness.Command, names map[string]bool, n *liveTally) {
	t.Helper()
	ours, theirs, root := harness.Setup(t)
	run := func(s harness.Side) harness.Outcome {
		o, err := s.Run(c, root)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	var failed map[string]string
	for try := range 3 {
		before, got, after := run(theirs), run(ours), run(theirs)
		if got.Status != before.Status {
			t.Errorf("%s: status %d, theirs %d\n%s", c, got.Status, before.Status, got.Stderr)
		}
		if string(before.Stderr) == string(after.Stderr) && string(got.Stderr) != string(before.Stderr) {
			t.Errorf("%s: stderr %q, theirs %q", c, got.Stderr, before.Stderr)
		}
		order, want := blocks(before.Stdout, names)
		_, later := blocks(after.Stdout, names)
		ourOrder, have := blocks(got.Stdout, names)
		if strings.Join(order, " ") != strings.Join(ourOrder, " ") {
			t.Errorf("%s: the metrics come in another order, or are not the same: ours %d, theirs %d", c, len(ourOrder), len(order))
		}
		again := make(map[string]string)
		for _, name := range order {
			_, differed := failed[name]
			switch {
			case try > 0 && !differed:
			case want[name] == have[name]:
				n.equal++
			case want[name] != later[name]:
				n.moving++
			case !strings.HasPrefix(name, "sample.") && near(want[name], have[name]), harness.Moving.MatchString(name):
				n.near++
			default:
				again[name] = fmt.Sprintf("ours   %q\ntheirs %q", have[name], want[name])
			}
		}
		if failed = again; len(failed) == 0 {
			return
		}
	}
	for i, name := range slices.Sorted(maps.Keys(failed)) {
		if i == 10 {
			t.Errorf("%s: and %d more", c, len(failed)-10)
			break
		}
		t.Errorf("%s: %s\n%s", c, name, failed[name])
	}
}

// numeral is a numeral number.
var numeral = regexp.MustCompile(`\d+(\.\d+)?`)

// near reports whether two texts differ in numbers only, and these by less than a half of them, or
// by less than 100.
func near(a, b string) bool {
	if numeral.ReplaceAllString(a, "N") != numeral.ReplaceAllString(b, "N") {
		return false
	}
	x, y := numeral.FindAllString(a, -1), numeral.FindAllString(b, -1)
	for i := range x {
		v, err1 := strconv.ParseFloat(x[i], 64)
		w, err2 := strconv.ParseFloat(y[i], 64)
		if err1 != nil || err2 != nil || math.Abs(v-w) > max(100, 0.5*math.Max(v, w)) {
			return false
		}
	}
	return true
}

// TestLive compares pminfo over the whole name space of the reference's daemon. Where descriptions
// are shown without values the batch is one: in larger batches the reference shows those of the
// neighbours of a metric that has none (row L1 of the known differences).
func TestLive(t *testing.T) {
	env := harness.Live(t)
	_, theirs, root := harness.Setup(t)
	list, err := theirs.Run(harness.Command{Args: []string{"pminfo"}, Env: env}, root)
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for name := range strings.FieldsSeq(string(list.Stdout)) {
		names[name] = true
	}
	var sum liveTally
	for _, options := range []string{
		"", "-m", "-M", "-t", "-T", "-mt", "-d -b 1", "-dI -b 1", "-1 -b 1", "-l -b 1", "-s -b 1", "-dmMtTlsI -b 1",
		"-f", "-df", "-F", "-x", "-v", "-e", "-df -b 1", "-f -b 7", "-fl", "-fs", "-dfmMtTlsI",
	} {
		var n liveTally
		compareLive(t, harness.Command{Args: append([]string{"pminfo"}, strings.Fields(options)...), Env: env}, names, &n)
		t.Logf("pminfo %s: %d metrics equal, %d moving, %d near", options, n.equal, n.moving, n.near)
		sum.equal, sum.moving, sum.near = sum.equal+n.equal, sum.moving+n.moving, sum.near+n.near
	}
	t.Logf("%d metrics: %d comparisons equal, %d of values that move, %d near", len(names), sum.equal, sum.moving, sum.near)
	if sum.moving+sum.near > sum.equal/4 {
		t.Errorf("too few comparisons are equal")
	}
}

// TestLiveLines compares command lines over hosts: operands, specifications of hosts, errors,
// batches, names from files, derived metrics.
func TestLiveLines(t *testing.T) {
	env := harness.Live(t)
	_, _, root := harness.Setup(t)
	pmns := filepath.Join(root, "var/lib/pcp/pmns/root")
	lines := []string{
		"-h 127.0.0.1:45399 -d sample.bin", "-h localhost:45399 -f sample.bin", "-h pcp://127.0.0.1:45399/ -m sample.bin", "-h 127.0.0.1:1,45399 -m sample.bin",
		"-h 127.0.0.1 -m sample.bin", "-h local: -m sample.bin", "-h unix: -m sample.bin", "-h unix:SOCKET -f sample.bin", "-h local:SOCKET?x=y -m sample.bin",
		"-h local:/nosuch -m sample.bin", "-h unix:/nosuch -m sample.bin", "-h localhost:1 -f sample.bin", "-h 127.0.0.1:45399?container=foo -l sample.bin",
		"-h 127.0.0.1:45399?compress -m sample.bin", "-h 127.0.0.1:45399?container -m sample.bin", "-h pcps://127.0.0.1:45399 -m sample.bin",
		"-h pcps://127.0.0.1:45399?secure=relaxed -m sample.bin", "-h pcps://127.0.0.1:45399?secure=x -m sample.bin", "-h no.such.host.invalid -m sample.bin",
		"-h host:abc", "-h ::1", "-h :44321", "-h @proxy", "-h [::1", "-h [::1]x", "-h host:", "-h host:1,", "-h host:,1", "-h host:1,,2", "-h http://host", "-h PCP://host",
		"-h unix:/a/b:c", "-h fe80::1", "-h host?user=%zz", "-h pcp://", "-h 127.0.0.1:70000", "-h [127.0.0.1]:45399 -m sample.bin",
		"--container foo -l sample.bin", "--container foo -f sample.bin", "--container a/b -f sample.bin",
		"29.2 sample.bin 29.0.5", "-m sample.bin 29.2 sample.colour", "-dtTlsI 29.2 29.1 60.1 99.9 29", "-m 29.0.6", "29.0.999", "511.0.1 511.30.0", "-m 29.0.6x 29.0.6.7",
		"-f sample.bogus_bin", "-F sample.bogus_bin sample.needprofile", "-f sample.needprofile", "-F sample.needprofile sample.bin", "-b 1 -F sample.needprofile",
		"-df sample.bad", "-b 1 -df sample.bad", "-b 3 -df sample.bad sample.bin", "-b 1 -d sample.bad", "-b 1 -v sample.bad", "-v sample.bad", "-e sample.bad", "-F sample.bad",
		"-b 1 -t sample.bad", "-T sample.bad", "-m sample.bad", "-f sample.bad.unknown", "-d sample.bad.unknown", "-dl sample.bad.unknown sample.bin -b 1", "-b -1 -m sample.bin", "-b 0 -f sample.bin",
		"-b x", "-m nosuch sample.bin nosuch.x", "sample. .sample 29.0.999 29", "", "nosuch", "-f nosuch sample.bin",
		"-m sample.secret", "-f sample.secret", "-d sample.secret.foo.bar", "-m sample.dupnames", "-s -l sample.bin 29.1", "-z -m sample.bin", "-Z EST -m sample.bin", "-O +1 -h local: sample.bin",
		"-n PMNS -m sample", "-N PMNS -m sample", "-n PMNS -f sample.bin nfs", "-n PMNS -f -h 127.0.0.1:45399 sample.bin", "-n PMNS -dt sample.dynamic",
		"-f pmcd.version pmcd.build pmcd.numagents", "-d pmcd.agent", "-l pmcd.agent", "-f pmcd.agent.type", "-dlT simple trivial", "-s simple.color",
		"-f hinv.ncpu hinv.ndisk", "-f kernel.uname", "-dt kernel.all.load", "-D derive -f sample.bin",
	}
	var cs []harness.Command
	for _, l := range lines {
		l = strings.NewReplacer("PMNS", pmns, "SOCKET", filepath.Join(root, "run/pcp/peer.socket")).Replace(l)
		cs = append(cs, harness.Command{Args: append([]string{"pminfo"}, strings.Fields(l)...), Env: env})
	}
	for _, e := range []string{"PMCD_PORT=abc", "PMCD_PORT=1,45399", "PMCD_PORT=0xb157", "PMCD_PORT=", "PMCD_PORT=45399,x", "PMCD_SOCKET=/nosuch", "PMCD_SOCKET=nosuch",
		"PMCD_REQUEST_TIMEOUT=abc", "PMCD_CONNECT_TIMEOUT=x", "PMCD_RECONNECT_TIMEOUT=x", "PCP_CONTAINER=foo", "PCP_CONTAINER=", "PCP_CONTAINER=a/b", "PCP_SECURE_SOCKETS=relaxed",
		"PCP_SECURE_SOCKETS=1", "PCP_SECURE_SOCKETS=x", "PMPROXY_HOST=127.0.0.1"} {
		for _, h := range []string{"local:", "127.0.0.1", "unix:"} {
			cs = append(cs, harness.Command{Args: []string{"pminfo", "-h", h, "-fl", "sample.bin"}, Env: append(env[:len(env):len(env)], e)})
		}
	}
	cs = append(cs, derivedLines(env)...)
	harness.Compare(t, cs)
}

// derivedLines are command lines with derived metrics over the live daemon whose values do not
// move.
func derivedLines(env []string) []harness.Command {
	var cs []harness.Command
	for _, expr := range []string{
		"sample.bin*2", "sum(sample.bin)", "count(sample.many.int)", "sample.long.ten/sample.long.hundred", "delta(sample.long.million)", "rate(sample.bin)",
		"sample.nosuch+1", "sample.bin+sample.colour", "sample.bin+sample.part_bin", "matchinst(/bin-[1-3]/,sample.bin)", `sample.bin["bin-100"]`, "sample.bin[bin-500]+1",
		"sample.bad.novalues+1", "sample.bad.unknown", "sample.needprofile+1", "sample.string.hullo", "sample.hordes.one", "defined(sample.bin)?1:2", "defined(no.such)?sample.bin:7",
		"sample.bogus_bin*3", "avg(sample.bogus_bin)", "mkconst(3,indom=29.2)*sample.bin", "sample.dupnames.five.bin", "hinv.ncpu*2", "kernel.uname", "sample.aggregate.hullo",
		"rescale(sample.kbyte_ctr,\"Mbyte\")", "scalar(sample.bin)", "scalar(sample.bin[bin-100])", "novalue()", "pmcd.version",
	} {
		for _, options := range []string{"-df", "-dmtTls", "-F", "-v"} {
			cs = append(cs, harness.Command{Args: []string{"pminfo", options, "-r", "x.y=" + expr, "x.y"}, Env: env})
			cs = append(cs, harness.Command{Args: []string{"pminfo", options, "-r", "x.y=" + expr, "x.y", "sample.bin", "x"}, Env: env})
		}
	}
	// The reference takes the files of a directory in no order, so they are listed.
	shipped, _ := filepath.Glob(filepath.Join(os.Getenv("PMTOOLS_PEER"), "etc/pcp/derived/*.conf"))
	for _, options := range []string{"-m", "-dt -b 1", "-v", "-d -b 1", "-l -b 1"} {
		args := append([]string{"pminfo"}, strings.Fields(options)...)
		cs = append(cs, harness.Command{Args: append(args, "disk", "proc.memory", "kernel.cpu", "openmetrics"),
			Env: append(env[:len(env):len(env)], "PCP_DERIVED_CONFIG="+strings.Join(shipped, ":"))})
	}
	cs = append(cs, harness.Command{Args: []string{"pminfo", "-m", "-c", "/nosuch", "sample.bin"}, Env: env, Note: fmt.Sprint(len(cs))})
	return cs
}
