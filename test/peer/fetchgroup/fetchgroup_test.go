package fetchgroup

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
	"pmtools/test/peer/harness"
)

// driver compiles the driver and returns what runs a script with it.
func driver(t *testing.T, env ...string) func(s script) string {
	t.Helper()
	_, _, root := harness.Setup(t)
	program := harness.Compile(t, root, "testdata/driver.c", "-lpcp", "-lm")
	return func(s script) string {
		cmd := exec.Command(program[0], program[1:]...)
		cmd.Env = append([]string{"TZ=UTC", "PCP_DERIVED_CONFIG=", "PCP_CONF=" + root + "/etc/pcp.conf", "PCP_VAR_DIR=" + root + "/var/lib/pcp", "PCP_BINADM_DIR=" + root + "/bin-host"}, env...)
		cmd.Stdin = strings.NewReader(strings.Join(s, "\n") + "\n")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			return fmt.Sprintf("%sdriver: %v\n%s", out.String(), err, errs.String())
		}
		return out.String()
	}
}

// A choice is the metrics of a source that rows are drawn from.
type choice struct {
	r      *rand.Rand
	names  []string
	descs  []pcp.Desc
	insts  map[pcp.InDom][]pcp.Instance
	events []int // metrics with event records
	fields []int // metrics that can be in them, of all
	all    *choice
}

// survey lists the metrics of a source.
func survey(t *testing.T, src pmapi.Source, r *rand.Rand) *choice {
	t.Helper()
	ctx := context.Background()
	c := &choice{r: r, insts: make(map[pcp.InDom][]pcp.Instance)}
	c.all = c
	var ids []pcp.ID
	if err := src.Walk(ctx, "", true, func(name string, id pcp.ID) bool {
		if strings.Contains(name, "ulonglong") { // row A20
			return true
		}
		c.names, ids = append(c.names, name), append(ids, id)
		return true
	}); err != nil {
		return nil
	}
	found, err := src.Describe(ctx, ids)
	if err != nil {
		return nil
	}
	for i, f := range found {
		d := f.Value
		if f.Err != nil {
			d = pcp.Desc{ID: ids[i], InDom: pcp.NullInDom}
		}
		c.descs = append(c.descs, d)
		if d.Type == pcp.Event || d.Type == pcp.HighResEvent {
			c.events = append(c.events, i)
		} else if d.InDom == pcp.NullInDom {
			c.fields = append(c.fields, i)
		}
		if _, ok := c.insts[d.InDom]; ok || d.InDom == pcp.NullInDom {
			continue
		}
		c.insts[d.InDom], _ = pmapi.InstancesOf(ctx, src, d.InDom, pmapi.Ever())
	}
	return c
}

// pick returns one of a list.
func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// scale returns a scale text that may fit a metric.
func (c *choice) scale(d pcp.Desc) string {
	switch c.r.IntN(10) {
	case 0, 1, 2:
		return "@"
	case 3:
		return "rate"
	case 4:
		return "instant"
	case 5:
		return pick(c.r, "1", "count/sec", "kbyte", "10 mbyte/min", "sec", "Rate", "rate ", "nonsense", "count / 24 hours", "count x 10^3", "byte^2", "/sec", "time-9", "100")
	}
	u := d.Units
	if c.r.IntN(2) == 0 {
		u.DimTime--
	}
	u.ScaleSpace = int8(c.r.IntN(5)) // beyond, row V3 shows
	u.ScaleTime = int8(c.r.IntN(6))
	if u.DimSpace != 0 && u.DimTime != 0 {
		u.ScaleSpace, u.ScaleTime = u.ScaleSpace%3, max(u.ScaleTime, 2)
	}
	u.ScaleCount = int8(c.r.IntN(7) - 2)
	if u.DimSpace == 0 {
		u.ScaleSpace = 0
	}
	if u.DimTime == 0 {
		u.ScaleTime = 0
	}
	if u.DimCount == 0 {
		u.ScaleCount = 0
	}
	text := u.String()
	if text == "" {
		return pick(c.r, "1", "10", "0.5")
	}
	return pick(c.r, "", "", "", "5 ", "0.1 ") + text
}

// row appends a registration.
func (c *choice) row(s *script) {
	i := c.r.IntN(len(c.names))
	if len(c.events) > 0 && c.r.IntN(4) == 0 {
		i = c.events[c.r.IntN(len(c.events))]
	}
	name, d := c.names[i], c.descs[i]
	inst := "@"
	if list := c.insts[d.InDom]; len(list) > 0 && c.r.IntN(20) > 0 {
		inst = pick(c.r, list...).Name
		if strings.Contains(inst, "\t") || inst == "" {
			inst = "@"
		}
	}
	out := pick(c.r, 0, 1, 2, 3, 4, 5, 5, 5, 6)
	switch n := c.r.IntN(20); {
	case n == 0:
		name = pick(c.r, name+".x", "no.such.metric", strings.TrimSuffix(name, name[strings.LastIndexByte(name, '.')+1:]))
		name = strings.TrimSuffix(name, ".")
		if name == "" {
			name = "x"
		}
		s.add("item", name, inst, c.scale(d), out)
	case d.Type == pcp.Event || d.Type == pcp.HighResEvent:
		field := "event.flags"
		var f pcp.Desc
		if k := c.r.IntN(8); k == 1 {
			field = "event.missed"
		} else if k > 1 && len(c.fields) > 0 {
			j := c.fields[c.r.IntN(len(c.fields))]
			field, f = c.all.names[j], c.all.descs[j]
		}
		s.add("event", name, inst, field, c.scale(f), out)
	case n < 8:
		s.add("domain", name, c.scale(d), out)
	default:
		s.add("item", name, inst, c.scale(d), out)
	}
}

// group appends a group of some rows with fetches, and returns the number of rows.
func (c *choice) group(s *script, kind int, name string, mode func(s *script)) int {
	s.add("open", kind, name)
	mode(s)
	rows := 1 + c.r.IntN(8)
	late := 0
	if c.r.IntN(4) == 0 {
		late = c.r.IntN(rows)
	}
	for range rows - late {
		c.row(s)
	}
	fetches := 3 + c.r.IntN(8)
	for k := range fetches {
		s.add("fetch")
		if k == fetches/2 {
			for range late {
				c.row(s)
			}
		}
	}
	return rows
}

// compare runs a script on both sides and reports each group that differs.
func compare(t *testing.T, tl *harness.Tally, s script, theirs func(script) string, dialer *pmcd.Dialer, known func(group script, ours, theirs string) string) {
	t.Helper()
	r := runner{dialer: dialer}
	o, c := blocks(r.run(s)), blocks(theirs(s))
	groups := parts(s)
	for i, g := range groups {
		if i >= len(o) || i >= len(c) {
			tl.Fail(fmt.Sprintf("%s\nthere is no answer to it; last: %q", g[0], c[len(c)-1]))
			return
		}
		switch {
		case o[i] == c[i]:
			tl.Count(harness.Equal)
		default:
			if row := known(g, o[i], c[i]); row != "" {
				tl.Known(row)
				continue
			}
			tl.Fail(strings.Join(g, "\n") + "\n" + firstDiff(o[i], c[i]))
		}
	}
}

// blocks splits what was printed by group.
func blocks(out string) []string {
	out = "\n" + out
	return strings.Split(out, "\nopen ")[1:]
}

// parts splits a script by group.
func parts(s script) (groups []script) {
	for _, l := range s {
		if strings.HasPrefix(l, "open\t") {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], l)
	}
	return groups
}

// firstDiff returns the first lines that differ.
func firstDiff(ours, theirs string) string {
	var text strings.Builder
	shown := 0
	o, c := strings.Split(ours, "\n"), strings.Split(theirs, "\n")
	for i := range max(len(o), len(c)) {
		var a, b string
		if i < len(o) {
			a = o[i]
		}
		if i < len(c) {
			b = c[i]
		}
		if a != b && shown < 5 {
			shown++
			fmt.Fprintf(&text, "line %d\nours   %s\ntheirs %s\n", i+1, a, b)
		}
	}
	return text.String()
}

// odd are the archives where rows A1, A3 and A23 of known-differences.md show.
var odd = []string{"960624.08.17_v2", "babylon.pmview_v2", "bozo.client_v2", "binning", "gfs"}

// TestArchives compares random groups over PCP's test archives.
func TestArchives(t *testing.T) {
	theirs := driver(t)
	_, _, root := harness.Setup(t)
	dir := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	seed := uint64(harness.Number("PMTOOLS_SEED", 1))
	rows := harness.Number("PMTOOLS_RUNS", 3000)
	var paths []string
	for _, name := range harness.Suite(t, dir) {
		if slices.Contains(odd, name) {
			continue
		}
		paths = append(paths, filepath.Join(dir, name))
	}
	tl := &harness.Tally{}
	done := 0
	for k, path := range paths {
		r := rand.New(rand.NewPCG(seed, uint64(k)))
		src, err := pmapi.OpenArchive(t.Context(), path, nil)
		if err != nil {
			continue
		}
		c := survey(t, src, r)
		start, end, errEnd := src.Bounds(t.Context())
		src.Close()
		if c == nil || len(c.names) == 0 || errEnd != nil {
			continue
		}
		var s script
		for want := rows / len(paths); want > 0; {
			n := c.group(&s, 2, path, func(s *script) { c.mode(s, start, end) })
			want -= n
			done += n
		}
		compare(t, tl, s, theirs, nil, knownArchive)
	}
	tl.Report(t, fmt.Sprint(done, " rows"))
}

// mode appends a position in an archive, or leaves the one that a group begins with.
func (c *choice) mode(s *script, start, end pcp.Timestamp) {
	span := end.Sub(start)
	switch c.r.IntN(4) {
	case 0:
		return
	case 1:
		at := start.Add(time.Duration(c.r.Float64() * span * 1e9))
		s.add("mode", 2, at.Sec, at.Nsec, 0, 0)
		return
	}
	at := start.Add(time.Duration(c.r.Float64() * span / 2 * 1e9))
	step := time.Duration(span/12*1e9).Round(time.Second) + time.Second
	s.add("mode", 1, at.Sec, at.Nsec, int64(step/time.Second), 0)
}

// knownArchive returns the rows of known-differences.md that explain all differences over an archive,
// "" if they do not.
func knownArchive(g script, ours, theirs string) string {
	o, c := strings.Split(ours, "\n"), strings.Split(theirs, "\n")
	if len(o) != len(c) {
		return ""
	}
	rows := map[string]bool{}
	var last, now string
	for i := range o {
		if f := strings.Fields(o[i]); len(f) == 3 && f[0] == "fetch" && f[2] != "-" {
			last, now = now, f[2]
		}
		switch {
		case o[i] == c[i]:
		case named.MatchString(o[i]) && named.ReplaceAllString(o[i], "$1 @ $3") == named.ReplaceAllString(c[i], "$1 @ $3"):
			rows["F2"] = true // the reference has no name for the instance, or that of another time
		case statusOne.MatchString(c[i]) && o[i] == statusOne.ReplaceAllString(c[i], "fetch 0 "):
			rows["F4"] = true // news that no daemon has
		case missing.MatchString(o[i]) && last != "" && now <= last:
			rows["F3"] = true // no time has passed
		case strings.HasSuffix(g[0], "/value-test") && truncated.MatchString(o[i]):
			rows["F5"] = true // NaN as an integer
		default:
			return ""
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(rows)), "+")
}

var (
	named      = regexp.MustCompile(`^(    -?\d+) (".*") (-?\d+ \S+|-?\d+ ".*")$`)
	truncated  = regexp.MustCompile(`^(  i|    -?\d+ (".*"|@)) -12363 `)
	outOfRange = regexp.MustCompile(`^(  i|    -?\d+ (".*"|@)) -34 `)
	statusOne  = regexp.MustCompile(`^fetch 1 `)
	missing    = regexp.MustCompile(`^(  i|    -?\d+ (".*"|@)) -12351 `)
)

// TestLive compares random groups over the reference's daemon: all that metrics which stand still
// say, and the statuses of some that move.
func TestLive(t *testing.T) {
	env := harness.Live(t)
	theirs := driver(t, env...)
	r := rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), 0))
	dialer := pmcd.DialerFromEnv(func(name string) (string, bool) {
		for _, e := range env {
			if v, ok := strings.CutPrefix(e, name+"="); ok {
				return v, true
			}
		}
		return "", false
	}, func(string) string { return "" }, func(string) {})
	src, err := pmapi.OpenHost(t.Context(), "local:", dialer)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	c := survey(t, src, r)
	still := resting(t, src, c)
	steady := c.only(func(name string) bool {
		return strings.HasPrefix(name, "sample.") && still[name] && !harness.Moving.MatchString(name) &&
			!strings.Contains(name, "updown") && !strings.Contains(name, "step") // these move slowly: step every 30 seconds
	})
	moving := c.only(func(name string) bool { return name == "sample.seconds" || name == "sample.milliseconds" })
	var s script
	done := 0
	for want := harness.Number("PMTOOLS_RUNS", 2000) / 2; done < want; {
		done += steady.group(&s, 1, "local:", func(*script) {})
		if len(parts(s))%8 == 0 {
			done += moving.group(&s, 1, "local:", func(*script) {})
		}
	}
	tl := &harness.Tally{}
	compare(t, tl, s, theirs, dialer, func(g script, ours, theirs string) string {
		mask := clock
		for _, l := range g {
			if f := strings.Split(l, "\t"); len(f) > 1 && slices.Contains(moving.names, f[1]) {
				mask = values
			}
		}
		if mask.ReplaceAllString(ours, "$1") == mask.ReplaceAllString(theirs, "$1") {
			return "time"
		}
		return ""
	})
	tl.Report(t, fmt.Sprint(done, " rows"))
}

// resting returns the metrics that have the same values in several fetches.
func resting(t *testing.T, src pmapi.Source, c *choice) map[string]bool {
	t.Helper()
	req := &pmapi.Request{}
	for _, d := range c.descs {
		req.IDs = append(req.IDs, d.ID)
	}
	still := make(map[string]bool)
	var first pcp.Result
	if err := src.Fetch(t.Context(), req, &first); err != nil {
		t.Fatal(err)
	}
	for i, name := range c.names {
		still[name] = first.Sets[i].Err != pmerr.Again
	}
	for range 4 {
		var next pcp.Result
		time.Sleep(150 * time.Millisecond)
		if err := src.Fetch(t.Context(), req, &next); err != nil {
			t.Fatal(err)
		}
		for i, name := range c.names {
			still[name] = still[name] && reflect.DeepEqual(first.Sets[i], next.Sets[i])
		}
	}
	return still
}

var (
	clock  = regexp.MustCompile(`(?m)^(fetch \d+) .*$`)
	values = regexp.MustCompile(`(?m)^(fetch \d+|  i -?\d+|    -?\d+ (?:"[^"]*"|@) -?\d+|  [de] -?\d+) .*$`)
)

// only returns the choice of the metrics whose names are wanted.
func (c *choice) only(want func(name string) bool) *choice {
	o := *c
	o.names, o.descs, o.events, o.fields = nil, nil, nil, nil
	for i, name := range c.names {
		d := c.descs[i]
		if d.InDom == pcp.NullInDom && strings.HasPrefix(name, "sample.event.") {
			o.fields = append(o.fields, i)
		}
		if !want(name) {
			continue
		}
		o.names, o.descs = append(o.names, name), append(o.descs, d)
		if d.Type == pcp.Event || d.Type == pcp.HighResEvent {
			o.events = append(o.events, len(o.names)-1)
		}
	}
	o.all = c
	return &o
}

// TestScripted compares random groups over a daemon that says the same to both sides: values of all
// types at the edges of their ranges, counters that fall, instances that come and go, errors.
func TestScripted(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	theirs := driver(t, "PMCD_SOCKET="+socket)
	rows := harness.Number("PMTOOLS_RUNS", 2000) / 2
	tl := &harness.Tally{}
	done := 0
	for k := 0; done < rows; k++ {
		r := rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), uint64(k)))
		seed := r.Uint64()
		mine, other := pmcdtest.NewServer(world(seed)), pmcdtest.NewServer(world(seed))
		if _, err := other.Listen("unix", socket); err != nil {
			t.Fatal(err)
		}
		dialer := &pmcd.Dialer{DialContext: mine.Dial}
		src, err := pmapi.OpenHost(t.Context(), "127.0.0.1", dialer)
		if err != nil {
			t.Fatal(err)
		}
		c := survey(t, src, r)
		src.Close()
		var s script
		for range 10 {
			done += c.group(&s, 1, "local:", func(*script) {})
		}
		compare(t, tl, s, theirs, dialer, knownScripted)
		mine.Close()
		other.Close()
	}
	tl.Report(t, fmt.Sprint(done, " rows"))
}

// world returns a daemon's metrics: each type and semantics, with and without instances.
func world(seed uint64) *pmcdtest.World {
	r := rand.New(rand.NewPCG(seed, 1))
	d := pcp.NewInDom(60, 1)
	w := &pmcdtest.World{InDoms: []pmcdtest.InDom{{ID: d}}}
	for i := range int32(6) {
		w.InDoms[0].Instances = append(w.InDoms[0].Instances, pcp.Instance{ID: i * 3, Name: fmt.Sprint("inst-", i)})
	}
	units := []pcp.Units{{}, {DimCount: 1}, {DimSpace: 1, ScaleSpace: pcp.Kbyte}, {DimTime: 1, ScaleTime: pcp.Msec}, {DimSpace: 1, DimTime: -1, ScaleTime: pcp.Sec}}
	for t := pcp.Int32; t <= pcp.String; t++ {
		for _, sem := range []pcp.Sem{pcp.Counter, pcp.Instant, pcp.Discrete} {
			for _, id := range []pcp.InDom{pcp.NullInDom, d} {
				n := uint32(len(w.Metrics))
				m := pmcdtest.Metric{Name: fmt.Sprintf("w.%s.%s.m%d", sem, strings.ToLower(t.String()), n),
					Desc: pcp.Desc{ID: pcp.NewID(60, 0, n), Type: t, InDom: id, Sem: sem, Units: pick(r, units...)}}
				for range 6 {
					m.Answers = append(m.Answers, answer(r, t, id))
				}
				w.Metrics = append(w.Metrics, m)
			}
		}
	}
	return w
}

// answer returns random values.
func answer(r *rand.Rand, t pcp.Type, d pcp.InDom) pmcdtest.Answer {
	v := pcp.Values{Type: t}
	if r.IntN(8) == 0 {
		v.Err = pick(r, pmerr.Again, pmerr.PMID, pmerr.Permission)
		return pmcdtest.Answer{Values: v}
	}
	var insts []int32
	if d == pcp.NullInDom && r.IntN(8) > 0 {
		insts = []int32{pcp.NullInst}
	} else if d != pcp.NullInDom {
		for i := range int32(8) { // two have no name
			if r.IntN(4) > 0 {
				insts = append(insts, i*3)
			}
		}
		r.Shuffle(len(insts), func(i, j int) { insts[i], insts[j] = insts[j], insts[i] })
	}
	for _, inst := range insts {
		v.Insts = append(v.Insts, inst)
		if t == pcp.String {
			v.Blobs = append(v.Blobs, []byte(pick(r, "", "42", " 42", "+42", "42 ", "-1", "0x1f", "-0x10", "010", "1.5", "1e3", "4294967296", "0", "0x", "-", "12abc", "text", "99999999999999999999", "-99999999999999999999")))
			continue
		}
		v.Words = append(v.Words, word(r, t))
	}
	return pmcdtest.Answer{Values: v}
}

// word returns a number, small or at the edge of some type.
func word(r *rand.Rand, t pcp.Type) uint64 {
	f := pick(r, 0, 1, -1, 1.5, 100, 1000, 1e6, float64(r.IntN(1000)), float64(r.IntN(1000)), float64(r.IntN(1000)),
		math.MaxInt32, math.MinInt32, math.MaxUint32, 1<<31, 1<<32, 1e300, 1e-300, -1e10, 0x1p62, 0x1p52)
	switch t {
	case pcp.Int32:
		return uint64(int64(int32(int64(max(min(f, 1e18), -1e18)))))
	case pcp.Uint32:
		return uint64(uint32(int64(max(min(f, 1e18), -1e18))))
	case pcp.Int64, pcp.Uint64:
		return uint64(int64(max(min(f, 1e18), -1e18)))
	case pcp.Float:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// knownScripted returns the rows that explain all differences over a scripted daemon.
func knownScripted(g script, ours, theirs string) string {
	o, c := strings.Split(ours, "\n"), strings.Split(theirs, "\n")
	if len(o) != len(c) {
		return ""
	}
	rows := map[string]bool{}
	for i := range o {
		switch {
		case o[i] == c[i]:
		case outOfRange.MatchString(c[i]):
			rows["F6"] = true // the conversion of another item has failed
		case truncated.MatchString(o[i]):
			rows["F5"] = true // NaN, or a power of two that does not fit
		default:
			return ""
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(rows)), "+")
}
