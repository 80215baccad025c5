package derive

import (
	"encoding/csv"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/test/peer/harness"
)

// differingArchives are of hosts with different systems and versions: their name spaces contradict each other.
var differingArchives = strings.Fields("20041125 all-irix-6.5.25 all-sles9-sp1 ace_v2 bozo-20170904-b coverage pcp-zeroconf YWhcCi.toium pmiostat_mark omnibus_v3 ac15 kenj-pc-1 pyapi 20201109-b bug1057")

var differingExprs = []string{
	"rate(kernel.all.intr)", "defined(kernel.all.intr) ? rate(kernel.all.intr) : 0", "rate(kernel.all.intr.vme)", "kernel.all.load", "kernel.all.load[1 minute]",
	"rate(kernel.all.cpu.user)", "rate(kernel.all.cpu.user) + rate(kernel.all.cpu.sys)", "sum(rate(disk.dev.read))", "rate(disk.dev.read)",
	"disk.dev.read + disk.dev.write", "avg(disk.dev.read - disk.dev.write)", "defined(disk.dev.avactive) ? disk.dev.read : disk.dev.write", "mem.physmem", "mem.freemem / mem.physmem",
	"mem.util.free", "rate(network.interface.in.bytes)", "network.interface.in.bytes + network.interface.out.bytes", "hinv.ncpu", "hinv.physmem", "hinv.ncpu * hinv.physmem",
	"rate(kernel.percpu.cpu.user)", "max(kernel.percpu.cpu.user)", "count(disk.dev.read)", "filesys.free", "100 * filesys.used / filesys.capacity", "delta(swap.pagesin)",
	"delta(kernel.all.pswitch)", "pmcd.numagents", "sample.long.one + sample.long.ten", "rate(sample.colour) + sample.bin[bin-100]",
}

// A differing is an archive of a host, with its source.
type differing struct {
	host string
	src  *pmapi.Archive
}

// TestSQLDiffering: in one directory with the tables of hosts whose metrics contradict each other, databases find for each host what the
// engine finds in its archive, and name the other hosts; with --only, the others decide nothing.
func TestSQLDiffering(t *testing.T) {
	ours, _, root := harness.Setup(t)
	dir := sqlDir(t, root)
	var hosts []differing
	for _, name := range differingArchives {
		path := filepath.Join(root, "var/lib/pcp/testsuite/archives", name)
		a, err := pmapi.OpenArchive(t.Context(), path, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		t.Cleanup(func() { a.Close() })
		host, _ := a.Host()
		if slices.ContainsFunc(hosts, func(d differing) bool { return d.host == host }) {
			t.Fatalf("%s is of host %s, as another one", name, host)
		}
		hosts = append(hosts, differing{host, a})
		if out, err := exec.Command(filepath.Join(ours.Bin, "pmderive"), "-a", path, "export", "-o", filepath.Join(dir, "all")).CombinedOutput(); err != nil {
			t.Fatalf("export %s: %v\n%s", name, err, out)
		}
	}
	for _, e := range []*engine{duckEngine(root, dir), clickEngine(root, dir)} {
		t.Run(e.name, func(t *testing.T) {
			if e.skip != "" {
				t.Skip(e.skip)
			}
			r := &differingRun{t: t, engine: e, bin: ours.Bin, dir: dir}
			for i, text := range differingExprs {
				r.add(text, hosts)
				for n := i % 3; n < len(hosts); n += 3 { // an engine takes its time
					r.add(text, hosts[n:n+1], "--only", hosts[n].host)
				}
			}
			r.run()
		})
	}
}

// A differingRun has the queries of an engine, two for each case, and what they should find.
type differingRun struct {
	t        *testing.T
	engine   *engine
	bin, dir string
	queries  []string
	cases    []differingCase
	refused  int
}

type differingCase struct {
	sqlCase
	options  string
	problems []string
}

var typeLine = regexp.MustCompile(`(?m)^-- type (.*), semantics (.*), units (.*)$`)

// add adds the queries of an expression over some hosts. It may be refused only if the engine refuses it for all of them.
func (r *differingRun) add(text string, hosts []differing, options ...string) {
	t := r.t
	write := func(more ...string) (string, error) {
		cmd := exec.Command(filepath.Join(r.bin, "pmderive"), slices.Concat([]string{"sql", "--extended", "--dialect", r.engine.dialect, "-m", "all"}, options, more, []string{text})...)
		cmd.Dir = r.dir
		out, err := cmd.Output()
		return string(out), err
	}
	q, err := write()
	form := typeLine.FindStringSubmatch(q)
	if err != nil {
		r.refused++
		for _, h := range hosts {
			if _, _, bad := r.of(text, h, nil); bad == nil {
				t.Errorf("%s %v is refused, and holds for %s", text, options, h.host)
			}
		}
		return
	}
	problems, err := write("--problems")
	if err != nil || form == nil {
		t.Fatalf("%s %v: %v\n%s", text, options, err, q)
	}
	c := differingCase{sqlCase: sqlCase{text: text, tables: "all", want: make(map[string]uint64)}, options: strings.Join(options, " ")}
	c.typ.Type = pcp.Uint64 // integers of more than 64 bits, too
	for typ := pcp.Int32; typ <= pcp.String; typ++ {
		if typ.Text() == form[1] {
			c.typ.Type = typ
		}
	}
	for _, h := range hosts {
		typ, values, bad := r.of(text, h, form)
		if bad != nil {
			c.problems = append(c.problems, h.host)
			continue
		}
		for key, word := range values {
			at, inst, _ := strings.Cut(key, ",")
			if c.typ.Type == pcp.Double {
				word = math.Float64bits(float(typ, word))
			}
			c.want[at+","+h.host+";"+inst] = word
		}
	}
	slices.Sort(c.problems)
	c.problems = slices.Compact(c.problems) // of each of a host's archives
	r.queries = append(r.queries, strings.Replace(fmt.Sprintf(r.engine.rows, q), ", inst,", ", concat(host, ';', coalesce(inst, -1)),", 1), problems)
	r.cases = append(r.cases, c)
}

// of returns the values of a host, in the units of a form if there is one, or why they cannot stand beside others of that form.
func (r *differingRun) of(text string, h differing, form []string) (pcp.Type, map[string]uint64, error) {
	for {
		p, err := derive.CompileIn(check.Extended, "", text)
		if err != nil {
			r.t.Fatal(text, err)
		}
		src := derive.NewSource(h.src, nil, &derive.Options{})
		found, err := src.Check(r.t.Context(), src.Define(p)...)
		if err == nil {
			err = found[0].Err
		}
		if err != nil {
			return 0, nil, err
		}
		root := found[0].Info.Root
		if form == nil {
			return root.Type, nil, nil
		}
		if root.Type.Arithmetic() != (form[1] != "string") || (root.Sem == pcp.Counter) != (form[2] == "counter") {
			return 0, nil, errUnlike
		}
		if form[3] != "none" && root.Units.String() != form[3] && !strings.HasPrefix(text, "rescale(") {
			text = "rescale(" + text + ", \"" + form[3] + "\")"
			continue
		}
		values, err := byRecord(r.t.Context(), h.src, p)
		if err != nil {
			r.t.Fatal(text, h.host, err)
		}
		return root.Type, values, nil
	}
}

func (r *differingRun) run() {
	t := r.t
	out, err := r.engine.run(r.queries)
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	parts := strings.Split("\n"+string(out), "\n@query ")[1:]
	if len(parts) != len(r.queries) {
		t.Fatalf("%d answers, want %d\n%.2000s", len(parts), len(r.queries), out)
	}
	values := 0
	for i := range r.cases {
		c := &r.cases[i]
		_, rows, _ := strings.Cut(parts[2*i], "\n")
		c.unsigned = signless.MatchString(c.text)
		if diff := c.differs(rows); diff != "" {
			t.Errorf("%s %s: %.500s", c.text, c.options, diff)
		}
		values += len(c.want)
		_, rows, _ = strings.Cut(parts[2*i+1], "\n")
		found, err := csv.NewReader(strings.NewReader(rows)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.text, err, rows)
		}
		var hosts []string
		for _, row := range found {
			if hosts = append(hosts, row[0]); len(row) != 2 || row[1] == "" {
				t.Errorf("%s %s: %q is a problem without a reason", c.text, c.options, row)
			}
		}
		if !slices.Equal(hosts, c.problems) {
			t.Errorf("%s %s: the problems are of %q, want %q\n%s", c.text, c.options, hosts, c.problems, rows)
		}
	}
	t.Logf("%d queries, %d values, %d refused", len(r.cases), values, r.refused)
}
