package derive

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/test/peer/harness"
)

// A world is an archive, or what a daemon has, as the random expressions see it.
type world struct {
	archive string   // path of its base, or of several with commas between; the host of a daemon
	source  []string // the options for it
	names   string   // a name space file with its names
	origin  string   // where to look in it; "" is the start
	metrics []*metric
	byName  map[string]*metric
	byID    map[pcp.ID]*metric
}

// A metric is a metric of a world.
type metric struct {
	name  string
	desc  pcp.Desc
	insts []string // names of the instances that have values
}

var (
	headLine = regexp.MustCompile(`^(\S+) PMID: (\d+)\.(\d+)\.(\d+)$`)
	descLine = regexp.MustCompile(`^    Data Type: (.*)  InDom: (\S+) 0x([0-9a-f]+)$`)
	unitLine = regexp.MustCompile(`^    Semantics: (.*)  Units: (.*)$`)
	instLine = regexp.MustCompile(`^    inst \[-?\d+ or "(.*?)"\] value `)
)

// readWorld asks our pminfo what there is in an archive.
func readWorld(t *testing.T, ours harness.Side, root, archive string) *world {
	t.Helper()
	w := &world{archive: archive, source: []string{"-a", archive}}
	w.read(t, ours, root)
	return w
}

// liveWorld is readWorld for metrics of the reference's daemon whose values stand still. There are
// none if it is not running.
func liveWorld(t *testing.T, ours harness.Side, root string) []*world {
	t.Helper()
	const host = "127.0.0.1:45399"
	o, err := ours.Run(harness.Command{Args: []string{"pminfo", "-h", host, "sample", "hinv.ncpu", "hinv.ndisk"}}, root)
	if err != nil {
		t.Fatal(err)
	}
	var steady []string
	for _, name := range strings.Fields(string(o.Stdout)) {
		if !harness.Moving.MatchString(name) {
			steady = append(steady, name)
		}
	}
	if len(steady) == 0 {
		t.Log("the reference's daemon is not running, live expressions are not compared")
		return nil
	}
	w := &world{archive: host, source: []string{"-h", host}}
	w.read(t, ours, root, steady...)
	return []*world{w}
}

// read asks our pminfo about metrics of the source, or all.
func (w *world) read(t *testing.T, ours harness.Side, root string, names ...string) {
	t.Helper()
	args := append(append([]string{"pminfo"}, w.source...), "-dfm")
	o, err := ours.Run(harness.Command{Args: append(args, names...)}, root)
	if err != nil {
		t.Fatal(err)
	}
	w.byName, w.byID = map[string]*metric{}, map[pcp.ID]*metric{}
	m := new(metric)
	for _, l := range strings.Split(string(o.Stdout), "\n") {
		if f := headLine.FindStringSubmatch(l); f != nil {
			m = &metric{name: f[1]}
			m.desc.ID = pcp.NewID(decimal(f[2]), decimal(f[3]), decimal(f[4]))
			w.metrics, w.byName[m.name], w.byID[m.desc.ID] = append(w.metrics, m), m, m
			continue
		}
		if err := m.read(l); err != nil {
			t.Fatalf("%s: %s: %v", w.archive, m.name, err)
		}
	}
	if len(w.metrics) == 0 {
		t.Fatalf("no metrics in %s: %s", w.archive, o.Stderr)
	}
}

// from returns w with another origin.
func (w *world) from(origin string) *world {
	v := *w
	v.origin = origin
	return &v
}

// read reads a line of output about m.
func (m *metric) read(l string) error {
	if f := descLine.FindStringSubmatch(l); f != nil {
		n, err := strconv.ParseUint(f[3], 16, 32)
		m.desc.Type, m.desc.InDom = typeOfText(f[1]), pcp.InDom(n)
		return err
	}
	if f := unitLine.FindStringSubmatch(l); f != nil {
		for _, s := range []pcp.Sem{pcp.Counter, pcp.Instant, pcp.Discrete} {
			if s.Text() == f[1] {
				m.desc.Sem = s
			}
		}
		var err error
		if f[2] != "none" {
			m.desc.Units, _, err = pcp.ParseUnits(f[2])
		}
		return err
	}
	if f := instLine.FindStringSubmatch(l); f != nil {
		m.insts = append(m.insts, f[1])
	}
	return nil
}

// typeOfText returns the type that a description calls by text.
func typeOfText(text string) pcp.Type {
	for t := pcp.Int32; t <= pcp.HighResEvent; t++ {
		if t.Text() == text {
			return t
		}
	}
	return pcp.NoSupport
}

// decimal returns the number that text, digits only, stands for.
func decimal(text string) uint32 {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		panic(err)
	}
	return uint32(n)
}

// Lookup and Describe make a world what expressions are checked against.
func (w *world) Lookup(name string) (pcp.ID, bool, error) {
	if m := w.byName[name]; m != nil {
		return m.desc.ID, m.desc.ID.IsDerived(), nil
	}
	return 0, false, errors.New("unknown")
}

// Describe returns the descriptor of a metric.
func (w *world) Describe(id pcp.ID) (pcp.Desc, error) {
	if m := w.byID[id]; m != nil {
		return m.desc, nil
	}
	return pcp.Desc{}, fmt.Errorf("%s: no descriptor", id)
}

// derivedSuite are PCP's test archives whose metrics occur in the random expressions: all types of
// values, sets and single metrics, units of every kind, archives that end early, sets that change,
// records of both versions.
var derivedSuite = strings.Fields(`sample_expr chartqa1 extra diff1 foo+ omnibus_v3 omnibus_v2 eventrec reduce-1
	rewrite mirage-1 markmerge changeinst dynmetric log-derived derive small pcp-zeroconf 20180102 darwin_env-1
	nvidiagpu-0 pcp-ss proc pyapi nfsclient_64 bozo-disk daily_report geo-foo schizo-A multi-vm00 rep pcp-shping
	kenj-pc-2 cputime uwrap wrap interpmark gap2 value-test disk-a numa pcp-ps old_xfs bind2-9.18 pcp-vmstat fcsw_indom`)

// derivedOwn are the project's own archives that do.
var derivedOwn = strings.Fields(`ta sample extra units derived agent alltypes labels wrap gaps interp indoms events
	volumes demo names marks domains oldfloat ta_v2`)

// derivedWorlds returns the worlds of the random expressions.
func derivedWorlds(t *testing.T, ours harness.Side, root string) []*world {
	t.Helper()
	suite, own := filepath.Join(root, "var/lib/pcp/testsuite/archives"), harness.Own(t, "all")
	var ws []*world
	for _, a := range derivedSuite {
		ws = append(ws, readWorld(t, ours, root, filepath.Join(suite, a)))
	}
	for _, a := range derivedOwn {
		ws = append(ws, readWorld(t, ours, root, filepath.Join(own, a)))
	}
	ws = append(ws, readWorld(t, ours, root, filepath.Join(own, "setA")+","+filepath.Join(own, "setB")))
	return ws
}
