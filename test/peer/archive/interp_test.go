package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/test/peer/harness"
)

// stepped is one metric of one archive at equal steps of time.
type stepped struct {
	dir, set, metric string
	from, step       time.Duration // from the start of the archive
	samples          int
}

// command returns how the reference shows it.
func (x *stepped) command() harness.Command {
	return harness.Command{Dir: x.dir, Args: []string{"pmval", "-r", "-f", "9", "-w", "40", "-a", x.set,
		"-S", fmt.Sprintf("+%.3fsec", x.from.Seconds()), "-t", fmt.Sprintf("%.3fsec", x.step.Seconds()),
		"-s", fmt.Sprint(x.samples), x.metric}}
}

// sampleLine is a line of values.
var sampleLine = regexp.MustCompile(`(?m)^(\d\d:\d\d:\d\d\.\d+)(.*)$`)

// theirs returns what the reference shows: the time and the values of each sample.
func (x *stepped) theirs(side harness.Side, root string) ([]string, error) {
	o, err := side.Run(x.command(), root)
	if err != nil || o.Crashed() {
		return nil, fmt.Errorf("%w: status %d", errors.Join(err, errUnsteady), o.Status)
	}
	var lines []string
	for _, m := range sampleLine.FindAllStringSubmatch(string(o.Stdout), -1) {
		lines = append(lines, m[1]+" "+strings.Join(strings.Fields(m[2]), " "))
	}
	return lines, nil
}

// errUnsteady means that the reference does not answer the same each time.
var errUnsteady = errors.New("reference crashed")

// column describes the metric of a stepped.
type column struct {
	desc  pcp.Desc
	insts []int32 // ascending
}

// ours returns our answer for so many samples.
func (x *stepped) ours(samples int) (lines []string, col column, err error) {
	ctx := context.Background()
	names := strings.Split(x.set, ",")
	for i := range names {
		names[i] = filepath.Join(x.dir, names[i])
	}
	a, err := pmapi.OpenArchive(ctx, strings.Join(names, ","), nil)
	if err != nil {
		return nil, col, err
	}
	defer a.Close()
	if col, err = describeColumn(ctx, a, x.metric); err != nil {
		return nil, col, err
	}
	start, _, _ := a.Bounds(ctx)
	when := start.Add(x.from)
	when.Nsec -= when.Nsec % 1000 // as pmval does
	if err := a.SetMode(pcp.Interp, &when, x.step); err != nil {
		return nil, col, err
	}
	var r pcp.Result
	for range samples {
		if err := a.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{col.desc.ID}}, &r); err != nil {
			return append(lines, err.Error()), col, nil
		}
		lines = append(lines, col.line(&r))
	}
	return lines, col, nil
}

// describeColumn asks for the description and the instances of a metric.
func describeColumn(ctx context.Context, a *pmapi.Archive, metric string) (col column, err error) {
	found, err := a.Lookup(ctx, []string{metric})
	if err == nil {
		err = found[0].Err
	}
	if err != nil {
		return col, err
	}
	descs, err := a.Describe(ctx, []pcp.ID{found[0].Value})
	if err == nil {
		err = descs[0].Err
	}
	if err != nil {
		return col, err
	}
	col.desc = descs[0].Value
	if col.desc.InDom == pcp.NullInDom {
		col.insts = []int32{pcp.NullInst}
		return col, nil
	}
	all, err := pmapi.InstancesOf(ctx, a, col.desc.InDom, pmapi.Ever())
	for _, inst := range all {
		col.insts = append(col.insts, inst.ID)
	}
	slices.Sort(col.insts)
	return col, err
}

// line returns a result as pmval shows it.
func (col *column) line(r *pcp.Result) string {
	sec := ((r.Time.Sec % 86400) + 86400) % 86400
	parts := []string{fmt.Sprintf("%02d:%02d:%02d.%03d", sec/3600, sec/60%60, sec%60, r.Time.Nsec/1e6)}
	v := &r.Sets[0]
	if v.Len() == 0 {
		return parts[0] + " No values available"
	}
	for _, inst := range col.insts {
		text := "?"
		if i := v.Find(inst); i >= 0 {
			text = col.value(v, i)
		}
		parts = append(parts, text)
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// value returns a value as pmval -f 9 shows it.
func (col *column) value(v *pcp.Values, i int) string {
	real := func(x float64) string {
		if col.desc.Sem == pcp.Counter && x < 0 {
			return "!"
		}
		return fmt.Sprintf("%.9f", x)
	}
	switch v.Type {
	case pcp.String:
		return fmt.Sprintf("%q", v.Blobs[i])
	case pcp.Float:
		return real(float64(math.Float32frombits(uint32(v.Words[i]))))
	case pcp.Double:
		return real(math.Float64frombits(v.Words[i]))
	case pcp.Uint64:
		return fmt.Sprint(v.Words[i])
	default:
		return fmt.Sprint(int64(v.Words[i]))
	}
}

// interpTally counts what was compared.
type interpTally struct {
	sync.Mutex
	equal, samples, differ int
	why                    map[string]int
	failures               []string
}

// compare compares one metric on both sides.
func (tl *interpTally) compare(x stepped, side harness.Side, root string) {
	theirs, err := x.theirs(side, root)
	why := ""
	var ours []string
	var col column
	if err == nil {
		ours, col, err = x.ours(len(theirs))
	}
	switch {
	case errors.Is(err, errUnsteady):
		why = "crash"
	case err == nil && slices.Equal(ours, theirs):
	case err == nil:
		why = x.explain(ours, theirs, &col, side, root)
	}
	tl.Lock()
	defer tl.Unlock()
	switch {
	case err == nil && slices.Equal(ours, theirs):
		tl.equal++
		tl.samples += len(ours)
	case why != "":
		tl.why[why]++
	default:
		tl.differ++
		text := fmt.Sprintf("%s (in %s): %v", x.command(), x.dir, err)
		for i := range theirs {
			if err == nil && ours[min(i, len(ours)-1)] != theirs[i] {
				text += "\n" + lineDiff(ours[min(i, len(ours)-1)], theirs[i])
				break
			}
		}
		tl.failures = append(tl.failures, text)
	}
}

// lineDiff shows where two lines differ.
func lineDiff(ours, theirs string) string {
	a, b := strings.Fields(ours), strings.Fields(theirs)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("at %s column %d of %d: ours %s, theirs %s", b[0], i, len(b), a[i], b[i])
		}
	}
	return fmt.Sprintf("ours   %.300s\ntheirs %.300s", ours, theirs)
}

// explain returns the reason for a difference, if it is known:
// "index": it loses marks, or goes astray, when it positions by the temporal index,
// and agrees without (archive.md A14.2);
// "gap": it loses the mark between two archives if a sample was at just the end of
// the first, and so has values for the time between them (A15.2);
// "stale": a discrete metric keeps a value that is not the last (A14.1);
// "unsigned": numbers from 2^63 on (A22.5);
// "crash", "unsteady": it does not answer twice the same.
func (x *stepped) explain(ours, theirs []string, col *column, side harness.Side, root string) string {
	if again, err := x.theirs(side, root); err != nil || !slices.Equal(again, theirs) {
		return "unsteady"
	}
	plain := *x
	dir, err := os.MkdirTemp("", "interp")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(dir)
	plain.dir = dir
	for _, name := range strings.Split(x.set, ",") {
		files, _ := filepath.Glob(filepath.Join(x.dir, name) + ".*")
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil && !strings.Contains(filepath.Base(f), ".index") {
				_ = os.WriteFile(filepath.Join(dir, filepath.Base(f)), b, 0o666) // missed if it fails
			}
		}
	}
	if lines, err := plain.theirs(side, root); err == nil && slices.Equal(lines, ours) {
		return "index"
	}
	switch {
	case x.atEnd(ours, theirs):
		return "gap"
	case col.desc.Type == pcp.Uint64 && slices.ContainsFunc(ours, func(l string) bool { return len(l) > 30 && col.desc.Sem == pcp.Counter && hasHuge(l) }):
		return "unsigned"
	case col.desc.Sem == pcp.Discrete && onlyStale(ours, theirs):
		return "stale"
	}
	return ""
}

// atEnd reports whether the first sample that differs, or the one before it, is at just the end of
// an archive of a set.
func (x *stepped) atEnd(ours, theirs []string) bool {
	names := strings.Split(x.set, ",")
	i := 0
	for i < min(len(ours), len(theirs)) && ours[i] == theirs[i] {
		i++
	}
	var first pcp.Timestamp
	for k, name := range names[:len(names)-1] {
		a, err := pmapi.OpenArchive(context.Background(), filepath.Join(x.dir, name), nil)
		if err != nil {
			return false
		}
		start, end, err := a.Bounds(context.Background())
		a.Close()
		if k == 0 {
			first = start
		}
		at := first.Add(x.from + time.Duration(i)*x.step)
		if err == nil && (at == end || at.Add(-x.step) == end) {
			return true
		}
	}
	return false
}

// hasHuge reports whether a line has a number from 2^63 on.
func hasHuge(line string) bool {
	return slices.ContainsFunc(strings.Fields(line), func(w string) bool {
		return len(w) >= 19 && !strings.ContainsAny(w, ".:\"") && (len(w) > 19 || w >= "9223372036854775808")
	})
}

// onlyStale reports whether both have values for the same instances at the same times.
func onlyStale(ours, theirs []string) bool {
	if len(ours) != len(theirs) {
		return false
	}
	for i := range ours {
		a, b := strings.Fields(ours[i]), strings.Fields(theirs[i])
		if len(a) != len(b) {
			return false
		}
		for k := range a {
			if a[k] != b[k] && (a[k] == "?" || b[k] == "?" || k == 0) {
				return false
			}
		}
	}
	return true
}

// overStepped compares all cases that send sends and reports the counts.
func overStepped(t *testing.T, send func(work chan<- stepped)) {
	_, theirs, root := harness.Setup(t)
	tl := &interpTally{why: map[string]int{}}
	work := make(chan stepped)
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for x := range work {
				tl.compare(x, theirs, root)
			}
		})
	}
	send(work)
	close(work)
	wg.Wait()
	for i, f := range tl.failures {
		if i == 20 {
			break
		}
		t.Error(f)
	}
	t.Logf("%d equal with %d samples, %d unexplained differences, explained %v", tl.equal, tl.samples, tl.differ, tl.why)
}

// TestInterp compares interpolated values of random archives and sets of archives. The seed is in
// PMTOOLS_SEED, or 1; PMTOOLS_RUNS is how many metrics are compared, or 600. The archives are kept
// in the directory PMTOOLS_KEEP, if it is set.
func TestInterp(t *testing.T) {
	harness.Setup(t)
	rng := rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), 2))
	top, runs := cmp.Or(os.Getenv("PMTOOLS_KEEP"), t.TempDir()), harness.Number("PMTOOLS_RUNS", 600)
	overStepped(t, func(work chan<- stepped) {
		for i := 0; i < runs; i += 10 {
			dir := filepath.Join(top, fmt.Sprint(i))
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Error(err)
				return
			}
			set, metrics, err := writeSampled(rng, dir, 1+rng.IntN(4)/2)
			if err != nil {
				t.Errorf("archive %d: %v", i, err)
				continue
			}
			for range min(10, runs-i) {
				x := randomSteps(rng)
				x.dir, x.set, x.metric = dir, set, metrics[rng.IntN(len(metrics))]
				work <- x
			}
		}
	})
}

// randomSteps returns steps that fit random archives, some of them short, some that meet the times
// of records.
func randomSteps(rng *rand.Rand) stepped {
	steps := []int{100, 250, 500, 770, 1000, 1000, 2000, 3300, 5000, 10000, 60000}
	x := stepped{step: time.Duration(steps[rng.IntN(len(steps))]) * time.Millisecond, samples: 200}
	if rng.IntN(2) == 0 {
		x.from = time.Duration(rng.IntN(20000)) * time.Millisecond
	}
	return x
}

// disordered are archives of the reference's tests of which the two sides make different things
// that are known: their records are not in the order of time, their 64-bit values have no type
// (archive.md A22.9), their index points beyond their end, or their strings have line ends.
var disordered = []string{"gfs", "bozo.client_v2", "babylon.pmview_v2", "960624.08.17_v2", "binning", "value-test"}

// TestInterpSuite compares interpolated values of PCP's own test archives, PMTOOLS_RUNS metrics of
// each, or 3.
func TestInterpSuite(t *testing.T) {
	_, _, root := harness.Setup(t)
	rng := rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), 3))
	dir := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	overStepped(t, func(work chan<- stepped) {
		for _, name := range harness.Suite(t, dir) {
			if slices.Contains(disordered, name) {
				continue
			}
			metrics, span, err := comparable(filepath.Join(dir, name))
			if err != nil || len(metrics) == 0 {
				continue
			}
			for range harness.Number("PMTOOLS_RUNS", 3) {
				x := stepped{dir: dir, set: name, metric: metrics[rng.IntN(len(metrics))], samples: 60}
				x.step = (span/time.Duration(1+rng.IntN(80)) + time.Millisecond).Truncate(time.Millisecond)
				x.from = time.Duration(rng.Int64N(int64(span)/2 + 1)).Truncate(time.Millisecond)
				work <- x
			}
		}
	})
}

// comparable returns the metrics of an archive that pmval interpolates, and how long it is.
func comparable(base string) (metrics []string, span time.Duration, err error) {
	a, err := pmapi.OpenArchive(context.Background(), base, nil)
	if err != nil {
		return nil, 0, err
	}
	defer a.Close()
	ctx := context.Background()
	start, end, err := a.Bounds(ctx)
	if err != nil {
		return nil, 0, err
	}
	err = a.Walk(ctx, "", true, func(name string, _ pcp.ID) bool {
		col, err := describeColumn(ctx, a, name)
		d := &col.desc
		if err == nil && (d.Type.Arithmetic() || d.Type == pcp.String && d.Sem != pcp.Counter) {
			metrics = append(metrics, name)
		}
		return true
	})
	return metrics, time.Duration(min(end.Sub(start), 1e6) * 1e9), err
}
