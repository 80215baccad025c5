package live

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/builtin/linux"
	"pmtools/lib/builtin/pmcd"
	"pmtools/lib/builtin/proc"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/test/peer/harness"
)

// linuxKnown are the metrics whose values differ from those of the reference's agents on purpose,
// or because the agents run in a root of their own.
var linuxKnown = []struct{ re, reason string }{
	{`^(filesys|tmpfs)\.|^hinv\.nfilesys$`, "the agent's root has other mounts"},
	{`^kernel\.uname\.distro$`, "the agent's root is another distribution"},
	{`^proc\.id\.\w+_nm$|^ipc\.\w+\.owner$`, "the agent's root has other users"},
	{`^(hot)?proc\.psinfo\.(exe|cwd)$`, "the agent's root is not ours"},
	{`^proc\.memory\.maps$|^proc\.psinfo\.environ$`, "values have several lines"},
	{`^proc\.psinfo\.ttyname$`, "the agent's root has no terminals"},
	{`^network\.interface\.(speed|baudrate)$`, "an unknown speed is no value"},
	{`^proc\.psinfo\.(priority|rt_priority|policy|policy_s|delayacct_blkio_time|guest_time|cguest_time)$`, "the agent is one field late"},
	{`^proc\.(id\.gid|psinfo\.ngid)$`, "the agent shows another number"},
	{`^proc\.runq\.kernel$`, "the agent has always 0"},
	{`^mem\.vmstat\.(balloon_(in|de)flate|pg(scan|steal)_khugepaged)$`, "the agent shows other lines"},
	{`^mem\.zoneinfo\.nr_free_pages$`, "the agent misses the line"},
	{`^rpc\.server\.ra_`, "the agent has 0 without an NFS server"},
	{`^mem\.hugepages\.overcommit$`, "the agent has always 0"},
}

// liveKnown are the metrics that differ for the reason that the agents run in a root of their own,
// beside linuxKnown. TestBuiltinRecorded compares them.
var liveKnown = append([]struct{ re, reason string }{
	{`^(hyperv\.|mem\.vmmemctl\.)`, "the agent has 0 without such a hypervisor"},
	{`^network\.interface\.type$`, "the agent has 0 for lo in a fetch with others"},
	{`^cgroup\.`, "the agent's root has no hierarchies mounted"},
}, linuxKnown...)

// linuxNumbered are the instance domains whose instances have numbers that mean something; in
// others they have numbers in the order in which they were first seen.
var linuxNumbered = []string{"60.0", "60.2", "60.19", "60.23", "60.37", "3.9"}

// linuxValues are the values of a metric by the names of their instances.
type linuxValues map[string]string

// linuxIDs are the numbers of instances by their names.
type linuxIDs map[string]string

// linuxPminfo runs the reference's pminfo over names and returns what it prints for each.
func linuxPminfo(t *testing.T, env []string, flags string, names []string) map[string]string {
	t.Helper()
	_, theirs, root := harness.Setup(t)
	known := make(map[string]bool, len(names))
	for _, n := range names {
		known[n] = true
	}
	socket := "unix://" + filepath.Join(root, "run/pcp/peer.socket")
	args := append([]string{"pminfo", "-h", socket, flags}, names...)
	o, err := theirs.Run(harness.Command{Args: args, Env: env}, root)
	if err != nil {
		t.Fatal(err)
	}
	_, text := blocks(o.Stdout, known)
	return text
}

// linuxLine matches a value in the output of pminfo -f.
var linuxLine = regexp.MustCompile(`(?m)^    (?:inst \[(-?\d+) or "(.*?)"\] )?value (.*)$`)

// linuxParse returns the values in the output of pminfo -f for a metric, and the numbers of their
// instances.
func linuxParse(text string) (linuxValues, linuxIDs) {
	v, ids := linuxValues{}, linuxIDs{}
	for _, m := range linuxLine.FindAllStringSubmatch(text, -1) {
		v[linuxKey(m[2])], ids[linuxKey(m[2])] = m[3], m[1]
	}
	return v, ids
}

// linuxKey returns what stands for an instance: its name, the number of a process, whose name may
// change.
func linuxKey(name string) string {
	if m := linuxPID.FindString(name); m != "" {
		return m
	}
	return name
}

// linuxPID matches the beginning of the name of a process.
var linuxPID = regexp.MustCompile(`^\d{6,} `)

// linuxOurs fetches metrics from a provider.
func linuxOurs(t *testing.T, p pmda.Provider, names []pmda.Name) (map[string]linuxValues, map[string]linuxIDs) {
	t.Helper()
	ctx := context.Background()
	req := &pmda.Request{}
	for _, n := range names {
		req.IDs = append(req.IDs, n.ID)
	}
	var res pcp.Result
	if err := p.Fetch(ctx, req, &res); err != nil {
		t.Fatal(err)
	}
	out, ids := map[string]linuxValues{}, map[string]linuxIDs{}
	instances := map[pcp.InDom]map[int32]string{pcp.NullInDom: {}}
	for i, n := range names {
		d, err := p.Desc(ctx, nil, n.ID)
		if err != nil {
			t.Fatalf("%s: %v", n.Name, err)
		}
		if instances[d.InDom] == nil {
			instances[d.InDom] = map[int32]string{}
			list, err := p.Instances(ctx, nil, d.InDom)
			if err != nil {
				t.Fatalf("%s: %v", d.InDom, err)
			}
			for _, in := range list {
				instances[d.InDom][in.ID] = in.Name
			}
		}
		v, id := linuxValues{}, linuxIDs{}
		for k, inst := range res.Sets[i].Insts {
			opts := format.Options{}
			key := linuxKey(instances[d.InDom][inst])
			if id[key] = strconv.Itoa(int(inst)); inst == pcp.NullInst {
				id[key] = ""
			}
			v[key] = strings.TrimSpace(string(opts.AppendValue(nil, &res.Sets[i], k, 1)))
		}
		out[n.Name] = v
		if slices.Contains(linuxNumbered, d.InDom.String()) {
			ids[n.Name] = id
		}
	}
	return out, ids
}

// linuxBetween reports whether ours is what theirs was before or after, or, if it is a number that
// moves, about in between.
func linuxBetween(before, ours, after string) bool {
	if ours == before || ours == after {
		return true
	}
	a, err1 := strconv.ParseFloat(before, 64)
	x, err2 := strconv.ParseFloat(ours, 64)
	b, err3 := strconv.ParseFloat(after, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return false
	}
	slack := max(200, 0.3*math.Max(math.Abs(a), math.Abs(b)))
	return x >= min(a, b)-slack && x <= max(a, b)+slack
}

// linuxCompare compares the values of one metric. Instances that come or go count for nothing.
func linuxCompare(before, ours, after linuxValues) (problems []string, instances int) {
	for name, v := range ours {
		b, ok1 := before[name]
		a, ok2 := after[name]
		switch {
		case name == "" && len(ours) > 1: // an instance that is gone
		case !ok1 && !ok2 && len(before) != len(after):
		case !ok1 && !ok2:
			problems = append(problems, fmt.Sprintf("[%s] ours %s, theirs none", name, v))
		case !ok1 || !ok2:
		case !linuxBetween(b, v, a) && (b == a || !isNumber(a)):
			problems = append(problems, fmt.Sprintf("[%s] ours %s, theirs %s and %s", name, v, b, a))
		default:
			instances++
		}
	}
	for name, b := range before {
		if _, ok := ours[name]; !ok && after[name] != "" {
			problems = append(problems, fmt.Sprintf("[%s] ours none, theirs %s", name, b))
		}
	}
	slices.Sort(problems)
	return problems, instances
}

// isNumber reports whether s is a number.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// TestBuiltinLinux compares the built-in linux and proc collectors with the reference's agents:
// descriptions to the byte, instances by their names, values as far as they stand still. Of
// processes a few may have come, gone or changed.
func TestBuiltinLinux(t *testing.T) {
	env := harness.Live(t)
	if _, err := exec.LookPath("uname"); err != nil {
		t.Skip("not a system like those of the reference")
	}
	about, err := pmcd.New(&pmcd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		provider pmda.Provider
	}{{"pmcd", about}, {"linux", linux.New(&linux.Options{Root: "/"})}, {"proc", proc.New(&proc.Options{Root: "/"})}} {
		t.Run(c.name, func(t *testing.T) {
			names := c.provider.Names()
			words := make([]string, len(names))
			for i, n := range names {
				words[i] = n.Name
			}
			t.Run("descriptions", func(t *testing.T) {
				text := linuxPminfo(t, env, "-dmM", words)
				for _, n := range names {
					d, err := c.provider.Desc(context.Background(), nil, n.ID)
					if err != nil {
						t.Fatal(err)
					}
					got := fmt.Sprintf("%s PMID: %s = %d = %#x\n%s", n.Name, n.ID, uint32(n.ID), uint32(n.ID), format.AppendDesc(nil, &d, false))
					if want := text[n.Name]; strings.TrimSpace(got) != strings.TrimSpace(want) {
						t.Errorf("ours\n%s\ntheirs\n%s", got, want)
					}
				}
				t.Logf("%d descriptions", len(names))
			})
			t.Run("values", func(t *testing.T) {
				if c.name == "pmcd" {
					t.Skip("the values are of two programs")
				}
				compareLinuxValues(t, env, c.provider, names, words)
			})
		})
	}
}

// compareLinuxValues compares the values of metrics: ours between two fetches of the reference.
func compareLinuxValues(t *testing.T, env []string, p pmda.Provider, names []pmda.Name, words []string) {
	t.Helper()
	linuxOurs(t, p, names) // files that are read for the first time take longer
	before := linuxPminfo(t, env, "-f", words)
	ours, ids := linuxOurs(t, p, names)
	after := linuxPminfo(t, env, "-f", words)
	equal, known, values, none, numbers := 0, 0, 0, 0, 0
	for _, n := range names {
		b, theirs := linuxParse(before[n.Name])
		a, _ := linuxParse(after[n.Name])
		for name, id := range ids[n.Name] {
			if want, ok := theirs[name]; ok && name != "" {
				if numbers++; id != want {
					t.Errorf("%s: instance %s is %s, theirs %s", n.Name, name, id, want)
				}
			}
		}
		problems, instances := linuxCompare(b, ours[n.Name], a)
		values += instances
		switch i := slices.IndexFunc(liveKnown, func(k struct{ re, reason string }) bool {
			return regexp.MustCompile(k.re).MatchString(n.Name)
		}); {
		case len(problems) == 0, strings.HasPrefix(n.Name, "proc.") && len(problems) <= max(5, instances/8):
			if equal++; instances == 0 {
				none++
			}
		case i >= 0:
			known++
		default:
			t.Errorf("%s: %d: %s", n.Name, len(problems), strings.Join(problems[:min(3, len(problems))], "; "))
		}
	}
	t.Logf("%d metrics agree (%d of them without values), %d values, %d numbers of instances; %d differ for known reasons", equal, none, values, numbers, known)
}

// TestBuiltinNumbers compares the numbers of instances that the reference's agent keeps in files with
// those of the linux collector that finds these files: they are the same.
func TestBuiltinNumbers(t *testing.T) {
	env := harness.Live(t)
	_, _, root := harness.Setup(t)
	p := linux.New(&linux.Options{Root: root})
	var names []pmda.Name
	var words []string
	for _, n := range p.Names() {
		if slices.Contains([]string{"hinv.map.scsi_id", "network.interface.in.bytes", "kernel.all.interrupts.total", "mem.slabinfo.objects.size", "kernel.all.softirqs.total"}, n.Name) {
			names, words = append(names, n), append(words, n.Name)
		}
	}
	theirs := linuxPminfo(t, env, "-f", words)
	equal := 0
	for name, ids := range allNumbers(t, p, names) {
		_, want := linuxParse(theirs[name])
		for inst, id := range ids {
			switch w, ok := want[inst]; {
			case ok && w != id:
				t.Errorf("%s: instance %s is %s, theirs %s", name, inst, id, w)
			case ok:
				equal++
			}
		}
	}
	if equal < 20 {
		t.Errorf("only %d numbers were compared", equal)
	}
	t.Logf("%d numbers are the same", equal)
}

// allNumbers returns the numbers of the instances of metrics by their names.
func allNumbers(t *testing.T, p pmda.Provider, names []pmda.Name) map[string]linuxIDs {
	t.Helper()
	out := map[string]linuxIDs{}
	for _, n := range names {
		d, err := p.Desc(context.Background(), nil, n.ID)
		if err != nil {
			t.Fatal(err)
		}
		list, err := p.Instances(context.Background(), nil, d.InDom)
		if err != nil {
			t.Fatal(err)
		}
		out[n.Name] = linuxIDs{}
		for _, in := range list {
			out[n.Name][in.Name] = strconv.Itoa(int(in.ID))
		}
	}
	return out
}

// TestSmaps: PCP's agent has no values of proc.smaps before another metric of processes was asked for, ours has them.
func TestSmaps(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	for _, side := range []struct {
		harness.Side
		values bool
	}{{ours, true}, {theirs, false}} {
		o, err := side.Run(harness.Command{
			Env:  []string{"PCP_VAR_DIR=" + recordedVars(t, root), "PCP_PMDAS_DIR=" + root + "/usr/lib/pcp/pmdas"},
			Args: []string{"pminfo", "-L", "-K", "clear", "-K", "add,3,proc/pmda_proc.so,proc_init", "-f", "proc.smaps.rss"},
		}, root)
		if err != nil || strings.Contains(string(o.Stdout), " value ") != side.values {
			t.Errorf("%v: %.300s", err, o.Stdout)
		}
	}
}
