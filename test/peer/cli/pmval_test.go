package cli

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/test/golden"
	"pmtools/test/peer/harness"
)

// A valued is a metric of an archive, with what decides how pmval shows it.
type valued struct {
	name, typ string
	singular  bool
	counter   bool
}

// valuedMetrics returns up to n metrics of an archive, of as many kinds as there are.
func valuedMetrics(t *testing.T, ours harness.Side, root, dir, archive string, n int, rng *rand.Rand) []valued {
	t.Helper()
	o, err := ours.Run(harness.Command{Args: []string{"pminfo", "-a", archive, "-1"}, Dir: dir}, root)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string][]valued{}
	for l := range bytes.Lines(o.Stdout) {
		f := strings.Split(strings.TrimSuffix(string(l), "\n"), "\t")
		if len(f) < 5 || strings.HasPrefix(f[0], "event.") {
			continue
		}
		v := valued{name: f[0], typ: f[1], singular: strings.HasPrefix(f[2], "PM_INDOM_NULL"), counter: f[3] == "counter"}
		kind := fmt.Sprint(v.typ, v.singular, v.counter)
		kinds[kind] = append(kinds[kind], v)
	}
	names := slices.Sorted(maps.Keys(kinds))
	for _, k := range names {
		vs := kinds[k]
		rng.Shuffle(len(vs), func(i, j int) { vs[i], vs[j] = vs[j], vs[i] })
	}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var chosen []valued
	for round := 0; len(chosen) < n; round++ {
		before := len(chosen)
		for _, k := range names {
			if round < len(kinds[k]) && len(chosen) < n {
				chosen = append(chosen, kinds[k][round])
			}
		}
		if len(chosen) == before {
			break
		}
	}
	return chosen
}

// pmvalSteps are intervals, pmvalOptions what may be added to any command line with which
// probability.
var pmvalSteps = []string{"0.1", "1", "7", "1min", "1hour", "2.5", "10"}

var pmvalOptions = []struct {
	chance  float64
	choices [][]string
}{
	{0.3, [][]string{{"-r"}}},
	{0.2, [][]string{{"-f", "0"}, {"-f", "1"}, {"-f", "2"}, {"-f", "3"}, {"-f", "9"}, {"-f", "12", "-w", "40"}}},
	{0.2, [][]string{{"-w", "1"}, {"-w", "2"}, {"-w", "3"}, {"-w", "4"}, {"-w", "5"}, {"-w", "8"}, {"-w", "12"}, {"-w", "20"}, {"-w", "30"}}},
	{0.15, [][]string{{"-X"}, {"-XX"}}},
	{0.2, [][]string{{"-z"}, {"-Z", "EST5EDT"}, {"-Z", "Asia/Tokyo"}, {"-Z", "AEST-10AEDT,M10.1.0,M4.1.0/3"}, {"-Z", "EST"}}},
	{0.1, [][]string{{"-v"}, {"-x", "1"}}},
	{0.25, [][]string{{"-S", "+1"}, {"-S", "+7.3"}, {"-S", "+30sec"}, {"-S", "+10min"}, {"-S", "-10"}, {"-S", "-1min"}, {"-S", "@12:00"}, {"-S", "1 hour ago"}, {"-S", "+3h"}}},
	{0.15, [][]string{{"-T", "+1"}, {"-T", "+7.3"}, {"-T", "+30sec"}, {"-T", "+10min"}, {"-T", "-10"}, {"-T", "@23:00"}, {"-T", "+100"}}},
	{0.15, [][]string{{"-A", "1"}, {"-A", "10"}, {"-A", "1min"}, {"-A", "1hour"}, {"-A", "0.5"}}},
	{0.1, [][]string{{"-O", "+1"}, {"-O", "+5"}, {"-O", "-3"}, {"-O", "+1min"}, {"-O", "-0"}}},
	{0.08, [][]string{{"-Dderive"}, {"-D", "derive,appl0"}, {"-D", "appl1,search"}, {"-D", "bogus"}, {"-D", "QED,misc,"}, {"-Dderive", "-D", "appl2"}}},
	{0.04, [][]string{{"-h", "localhost:1"}, {"-h", "unix:/no/such"}, {"-h", "x:y"}, {"-h", "a,b"}, {"-h", "x", "-h", "y"}, {"-h", ""}}},
}

// A place is an archive, with what may stand on its command lines.
type place struct {
	dir, archive string
	names        string   // a name space file, "" for none
	others       []string // archives that may be of the same host
}

// pmvalLine returns a random command line for a metric of an archive.
func pmvalLine(rng *rand.Rand, p place, metric string) []string {
	args := []string{"pmval", "-a", p.archive, "-t", pmvalSteps[rng.IntN(len(pmvalSteps))]}
	if rng.IntN(3) == 0 {
		args = []string{"pmval", "-U", p.archive}
	}
	args = append(args, "-s", strconv.Itoa([]int{2, 5, 12, 25}[rng.IntN(4)]))
	for _, o := range pmvalOptions {
		if rng.Float64() < o.chance {
			args = append(args, o.choices[rng.IntN(len(o.choices))]...)
		}
	}
	for range 2 {
		if len(p.others) > 0 && rng.Float64() < 0.1 {
			args = append(args, "-a", p.others[rng.IntN(len(p.others))])
		}
	}
	if p.names != "" && rng.Float64() < 0.15 {
		args = append(args, []string{"-n", "-n", "-N"}[rng.IntN(3)], p.names)
		if rng.IntN(3) == 0 {
			metric = "also." + metric
		}
	}
	return append(args, metric)
}

// kin returns the archives that begin as another does: parts of one recording, if there are some.
func kin(archives []string, archive string) []string {
	begin := archive[:min(len(archive), max(4, len(archive)-2))]
	return slices.DeleteFunc(slices.Clone(archives), func(a string) bool { return !strings.HasPrefix(a, begin) })
}

// TestPmval compares pmval over PCP's own test archives and ours: metrics of all kinds with random
// options. PMTOOLS_RUNS is how many, or 5200; the seed is in PMTOOLS_SEED, or 1.
func TestPmval(t *testing.T) {
	ours, _, root := harness.Setup(t)
	rng := rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), 2))
	suite, own := filepath.Join(root, "var/lib/pcp/testsuite/archives"), harness.Own(t, "all")
	files := t.TempDir()
	var places []place
	for _, dir := range []string{suite, own} {
		archives := harness.Suite(t, dir)
		for _, a := range archives {
			places = append(places, place{dir, a, harness.NameSpace(t, ours, root, files, "-a", filepath.Join(dir, a)), kin(archives, a)})
		}
	}
	runs := harness.Number("PMTOOLS_RUNS", 5200)
	var cs []harness.Command
	for i, p := range places {
		ms := valuedMetrics(t, ours, root, p.dir, p.archive, 10, rng)
		share := runs*(i+1)/len(places) - runs*i/len(places)
		for k := range share {
			name := "no.such"
			if len(ms) > 0 {
				name = ms[k%len(ms)].name
			}
			cs = append(cs, harness.Command{Args: pmvalLine(rng, p, name), Dir: p.dir})
		}
	}
	harness.Compare(t, cs)
}

// pmvalKnown are command lines that show a row of known.txt each, over archives of our own and over
// PCP's.
var pmvalKnown = [2][]string{
	{"-a alltypes -t 7 -s 6 t.d.ull", "-a alltypes -t 7 -s 6 -r t.ds.ull", "-a noindex -t 2.5 -s 25 t.d", "-a truncated -t 1min -s 2 -X -O -0 t.i",
		"-a gaps -S '-1 week' -s 2 t.i"},
	{"-a gfs -t 10 -s 2 -r gfs.inodes", "-a binning -t 1 -s 25 -f 1 -z -S -1min pmcd.pmlogger.host",
		"-U babylon.pmview_v2 -s 12 -r -f 0 -w 5 -O +1min disk.all.write"},
}

// TestPmvalKnown compares pmval where it differs from the reference.
func TestPmvalKnown(t *testing.T) {
	_, _, root := harness.Setup(t)
	var cs []harness.Command
	for i, dir := range []string{harness.Own(t, "alltypes", "noindex", "truncated", "gaps"), filepath.Join(root, "var/lib/pcp/testsuite/archives")} {
		for _, line := range pmvalKnown[i] {
			words, err := golden.Words("pmval " + line)
			if err != nil {
				t.Fatal(err)
			}
			cs = append(cs, harness.Command{Args: words, Dir: dir})
		}
	}
	harness.Compare(t, cs)
}

// pmvalExpressions are the expressions of TestPmvalDerived over two metrics.
var pmvalExpressions = []string{
	"%s + 1", "rate(%s)", "delta(%s)", "%s * 2", "sum(%s)", "count(%s)", "avg(%s)", "%s > 0 ? %[1]s : 0", "instant(%s)", "-%s",
	"%s", `rescale(%s, "Kbyte/sec")`, "defined(%s)", "%s / %s", "%s + %s", "scalar(%s)", "mkconst(3, type=u32)",
	"mkconst(3, type=double, semantics=counter)", "no.such + %s",
}

// TestPmvalDerived compares pmval of derived metrics, defined by the environment or by the option,
// some with -Dderive.
func TestPmvalDerived(t *testing.T) {
	ours, _, root := harness.Setup(t)
	rng := rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), 3))
	dir := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	archives := harness.Suite(t, dir)
	files := t.TempDir()
	var cs []harness.Command
	known := map[string][]valued{}
	for i := range harness.Number("PMTOOLS_RUNS", 5200) / 6 {
		a := archives[rng.IntN(len(archives))]
		ms, ok := known[a]
		if !ok {
			ms = valuedMetrics(t, ours, root, dir, a, 10, rng)
			known[a] = ms
		}
		if len(ms) == 0 {
			continue
		}
		expr := pmvalExpressions[rng.IntN(len(pmvalExpressions))]
		names := []any{ms[rng.IntN(len(ms))].name, ms[rng.IntN(len(ms))].name}
		names = names[:min(2, strings.Count(strings.ReplaceAll(expr, "%[1]s", ""), "%"))]
		expr = fmt.Sprintf(expr, names...)
		file := filepath.Join(files, fmt.Sprintf("%d.conf", i))
		if err := os.WriteFile(file, []byte("d.x = "+expr+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		c := harness.Command{Args: pmvalLine(rng, place{archive: a}, "d.x"), Dir: dir, Note: expr}
		if rng.IntN(2) == 0 {
			c.Env = []string{"PCP_DERIVED_CONFIG=" + file}
		} else {
			c.Args = slices.Insert(c.Args, 1, "--derived", file)
		}
		if rng.IntN(4) == 0 {
			c.Args = slices.Insert(c.Args, 1, "-Dderive")
		}
		cs = append(cs, c)
	}
	harness.Compare(t, cs)
}

// pmvalLive are the operands and options of TestPmvalLive: metrics whose values stand still, or
// that fail, and what only a live source does.
var pmvalLive = []string{
	"sample.bin", "-r sample.bin", "sample.bin -i bin-100,bin-900", "sample.bin[bin-300]", "-w 5 sample.bin", "-i nosuch sample.bin", "-i '' sample.bin",
	"sample.long.one", "sample.long.bin", "sample.long.bin_ctr", "-r sample.long.bin_ctr", "-f 3 sample.float.bin", "sample.double.bin", "sample.longlong.ten",
	"sample.ulonglong.million", "sample.string.hullo", "-w 5 sample.string.hullo", "sample.aggregate.hullo", "sample.aggregate.null", "sample.bogus_bin",
	"sample.noinst", "sample.bad.fetch.again", "sample.bad.nosupport", "sample.bad.unknown", "sample.nosuch", "sample", "sample.wrong_endian", "sample.hordes.one",
	"sample.ghosts.visible", "sample.part_bin", "sample.big", "hinv.ncpu", "hinv.map.cpu_num", "-z sample.bin", "-Z EST5EDT sample.bin", "-X sample.bin",
	"-x z sample.long.write_me", "-x 99999999999 sample.long.write_me", "-x 1 sample.aggregate.write_me", "-p 1 sample.bin", "-g sample.bin", "-d sample.bin",
	"-S 1 sample.bin", "-T -10s sample.bin", "-T 0.2 sample.bin", "-v sample.event.records -i nosuch", "-U nosuch sample.bin", "simple.nosuch",
}

// TestPmvalLive compares pmval of the reference's daemon, by its socket and by its port.
func TestPmvalLive(t *testing.T) {
	env := harness.Live(t)
	var cs []harness.Command
	for _, l := range pmvalLive {
		for _, host := range []string{"", "-h 127.0.0.1:45399", "-h local:"} {
			args := append([]string{"pmval", "-s", "2", "-t", "0.05"}, strings.Fields(host)...)
			for _, w := range strings.Fields(l) {
				args = append(args, strings.Trim(w, "'"))
			}
			cs = append(cs, harness.Command{Args: args, Env: env})
		}
	}
	rng := rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), 4))
	for range harness.Number("PMTOOLS_RUNS", 5200) / 80 {
		args := []string{"pmval", "-h", "127.0.0.1:45399", "-s", "2", "-t", "0.05"}
		for i, o := range pmvalOptions {
			if whole := i < 6 || i == 10; whole && rng.Float64() < o.chance { // those that are not about a window
				args = append(args, o.choices[rng.IntN(len(o.choices))]...)
			}
		}
		cs = append(cs, harness.Command{Args: append(args, strings.Fields(pmvalLive[rng.IntN(len(pmvalLive))])...), Env: env})
	}
	for _, l := range []string{"127.0.0.1:45399:sample.bin", "127.0.0.1:45399:sample.bin[bin-100]", "127.0.0.1:1:sample.bin", "no.such.host.invalid:sample.bin", "@x:sample.bin"} {
		cs = append(cs, harness.Command{Args: []string{"pmval", "-s", "1", l}, Env: env})
	}
	harness.Compare(t, cs)
}
