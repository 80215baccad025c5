package derive_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

var (
	diskDomain = pcp.NewInDom(60, 1)
	reads      = pcp.Desc{ID: pcp.NewID(60, 0, 4), Type: pcp.Uint64, InDom: diskDomain, Sem: pcp.Instant, Units: pcp.Units{DimCount: 1}}
)

func at(seconds int64) pcp.Timestamp { return pcp.Timestamp{Sec: 1_700_000_000 + seconds} }

// labelled returns sets of labels of instances: "1 kind=ssd,rack=a" and so on. Values are JSON.
func labelled(kind pcp.LabelKind, lines ...string) (sets []pcp.LabelSet) {
	for _, line := range lines {
		set := pcp.LabelSet{Inst: pcp.NullInst}
		inst, list, ok := strings.Cut(line, " ")
		if ok {
			fmt.Sscan(inst, &set.Inst)
		} else {
			list = line
		}
		for pair := range strings.SplitSeq(list, ";") {
			name, value, _ := strings.Cut(pair, "=")
			set.Labels = append(set.Labels, pcp.Label{Name: name, Value: value, Flags: uint8(kind)})
		}
		sets = append(sets, set)
	}
	return sets
}

// groupArchive writes three disks of which two change their labels after two of four records, and one has none.
func groupArchive(t *testing.T) *pmapi.Archive {
	t.Helper()
	base := filepath.Join(t.TempDir(), "groups")
	w, err := archive.Create(base, &archive.WriterOptions{Host: "web1"})
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.AddMetric(reads, "disk.dev.read"))
	must(w.SetInDom(at(0), diskDomain, []pcp.Instance{{ID: 1, Name: "sda"}, {ID: 2, Name: "sdb"}, {ID: 3, Name: "sdc"}}))
	must(w.SetLabels(at(0), pcp.ContextLabels, 0, labelled(pcp.ContextLabels, `hostname="web1";rack="none"`)))
	must(w.SetLabels(at(0), pcp.InDomLabels, uint32(diskDomain), labelled(pcp.InDomLabels, `device="block"`)))
	must(w.SetLabels(at(0), pcp.InstanceLabels, uint32(diskDomain), labelled(pcp.InstanceLabels, `1 kind="ssd";n=1`, `2 kind="disk";n=2;rack="b"`)))
	for i := range int64(4) {
		if i == 2 {
			must(w.SetLabels(at(20), pcp.InstanceLabels, uint32(diskDomain), labelled(pcp.InstanceLabels, `1 kind="ssd";n=1`, `2 kind="ssd, \"fast\"";n=2`)))
		}
		v := pcp.Values{ID: reads.ID, Type: reads.Type, Insts: []int32{1, 2, 3}, Words: []uint64{1, 10, 100}}
		must(w.Put(&pcp.Result{Time: at(10 * i), Sets: []pcp.Values{v}}))
	}
	must(w.Close())
	a, err := pmapi.OpenArchive(t.Context(), base, nil)
	must(err)
	t.Cleanup(func() { a.Close() })
	return a
}

// sampled returns a Source with one expression, and the name of each of its values in the next sample.
func sampled(t *testing.T, base pmapi.Source, expr string) (src *derive.Source, sample func() (string, error)) {
	t.Helper()
	p, err := derive.CompileIn(check.Extended, "", expr)
	if err != nil {
		t.Fatal(err)
	}
	src = derive.NewSource(base, nil, nil)
	ids := src.Define(p)
	return src, func() (string, error) {
		var r pcp.Result
		if err := src.Fetch(t.Context(), &pmapi.Request{IDs: ids}, &r); err != nil {
			return "", err
		}
		v := &r.Sets[0]
		if v.Err != nil {
			return v.Err.Error(), nil
		}
		descs, err := src.Describe(t.Context(), ids)
		if err != nil || descs[0].Err != nil {
			t.Fatal(err, descs)
		}
		var list []string
		for i, inst := range v.Insts {
			name, err := src.InstName(t.Context(), descs[0].Value.InDom, inst)
			if err != nil {
				name = err.Error()
			}
			f, _ := v.Value(i).Float64()
			list = append(list, fmt.Sprintf("%s=%v", name, f))
		}
		slices.Sort(list) // interpolated values have another order
		return strings.Join(list, " "), nil
	}
}

// TestGroups covers labels of all levels that change within a recording, in both directions and interpolated.
func TestGroups(t *testing.T) {
	for _, tt := range []struct {
		expr string
		want []string
	}{
		{"sum(disk.dev.read) by (kind)", []string{`""=100 disk=10 ssd=1`, `""=100 disk=10 ssd=1`, `""=100 "ssd, ""fast"""=10 ssd=1`, `""=100 "ssd, ""fast"""=10 ssd=1`}},
		{"sum(disk.dev.read) by (rack)", []string{"b=10 none=101", "b=10 none=101", "none=111", "none=111"}},
		{"max(disk.dev.read * 2) by (device)", []string{"block=200", "block=200", "block=200", "block=200"}},
		{"count(disk.dev.read) by (hostname, n)", []string{`web1,""=1 web1,1=1 web1,2=1`, `web1,""=1 web1,1=1 web1,2=1`, `web1,""=1 web1,1=1 web1,2=1`, `web1,""=1 web1,1=1 web1,2=1`}},
		{"sum(disk.dev.read) by (kind, n)", []string{`"",""=100 disk,2=10 ssd,1=1`, `"",""=100 disk,2=10 ssd,1=1`, `"",""=100 "ssd, ""fast""",2=10 ssd,1=1`, `"",""=100 "ssd, ""fast""",2=10 ssd,1=1`}},
		{"sum(disk.dev.read) by (no)", []string{`""=111`, `""=111`, `""=111`, `""=111`}},
		{"sum(sum(disk.dev.read) by (kind, rack)) by (rack)", []string{"b=10 none=101", "b=10 none=101", "none=111", "none=111"}},
		{"sum(sum(disk.dev.read) by (kind)) by (hostname)", []string{"web1=111", "web1=111", "web1=111", "web1=111"}},
		{"(sum(disk.dev.read) by (kind))[disk]", []string{"disk=10", "disk=10", "", ""}},
		{"matchinst(!/^ssd/, sum(disk.dev.read) by (kind))", []string{`""=100 disk=10`, `""=100 disk=10`, `""=100 "ssd, ""fast"""=10`, `""=100 "ssd, ""fast"""=10`}},
		{"topn(1, sum(disk.dev.read) by (rack)) / count(disk.dev.read) by (rack)", []string{"none=50.5", "none=50.5", "none=37", "none=37"}},
		{"delta(sum(disk.dev.read) by (kind))", []string{"", `""=0 disk=0 ssd=0`, `""=0 ssd=0`, `""=0 "ssd, ""fast"""=0 ssd=0`}},
	} {
		a := groupArchive(t)
		_, sample := sampled(t, a, tt.expr)
		for _, step := range []time.Duration{0, 10 * time.Second} {
			mode, start := pcp.Forward, at(0)
			if step > 0 {
				mode = pcp.Interp
			}
			if err := a.SetMode(mode, &start, step); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(tt.expr, "delta") { // it has the last sample of the pass before
				if step > 0 {
					continue
				}
			}
			for i, want := range tt.want {
				if got, err := sample(); err != nil || got != want && (step == 0 || !strings.Contains(tt.expr, "[")) {
					t.Errorf("%s, step %v, record %d: %s, %v, want %s", tt.expr, step, i, got, err, want)
				}
			}
		}
	}
}

// TestGroupsOfAllTimes: groups of every change of labels are known.
func TestGroupsOfAllTimes(t *testing.T) {
	base := filepath.Join(t.TempDir(), "changes")
	w, err := archive.Create(base, &archive.WriterOptions{Host: "web1"})
	if err == nil {
		err = errors.Join(w.AddMetric(reads, "disk.dev.read"), w.SetInDom(at(0), diskDomain, []pcp.Instance{{ID: 1, Name: "sda"}}))
	}
	const changes = 200
	for i := range int64(changes) {
		v := pcp.Values{ID: reads.ID, Type: reads.Type, Insts: []int32{1}, Words: []uint64{1}}
		err = errors.Join(err, w.SetLabels(at(i), pcp.InstanceLabels, uint32(diskDomain), labelled(pcp.InstanceLabels, fmt.Sprint("1 kind=", i))),
			w.Put(&pcp.Result{Time: at(i), Sets: []pcp.Values{v}}))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	a, err := pmapi.OpenArchive(t.Context(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	src := derive.NewSource(a, nil, nil)
	found, err := src.Check(t.Context(), src.Define(mustCompile(t, "sum(disk.dev.read) by (kind)"))...)
	if err != nil || found[0].Err != nil {
		t.Fatal(err, found)
	}
	if list, err := pmapi.InstancesOf(t.Context(), src, found[0].Info.Root.InDom, pmapi.Ever()); err != nil || len(list) != changes {
		t.Errorf("%d groups, %v, want %d", len(list), err, changes)
	}
}

// TestGroupDomain: groups are instances as others are, with names and labels, at any time.
func TestGroupDomain(t *testing.T) {
	a := groupArchive(t)
	src, sample := sampled(t, a, "sum(disk.dev.read) by (kind)")
	if _, err := sample(); err != nil {
		t.Fatal(err)
	}
	found, err := src.Check(t.Context(), src.Define(mustCompile(t, "sum(disk.dev.read) by (kind)"))...)
	if err != nil || found[0].Err != nil {
		t.Fatal(err, found)
	}
	d := found[0].Info.Root.InDom
	names := func(list []pcp.Instance, err error) string {
		if err != nil {
			return err.Error()
		}
		var names []string
		for _, x := range list {
			if other, err := src.InstName(t.Context(), d, x.ID); err != nil || other != x.Name {
				t.Errorf("instance %d is %s, %v, want %s", x.ID, other, err, x.Name)
			}
			names = append(names, x.Name)
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	for _, tt := range []struct{ what, got, want string }{
		{"at the position", names(pmapi.InstancesOf(t.Context(), src, d, pmapi.Now())), `"" disk ssd`},
		{"later", names(pmapi.InstancesOf(t.Context(), src, d, pmapi.At(at(25)))), `"" "ssd, ""fast""" ssd`},
		{"of all times", names(pmapi.InstancesOf(t.Context(), src, d, pmapi.Ever())), `"" "ssd, ""fast""" disk ssd`},
		{"by pmapi", names(pmapi.InstancesOf(t.Context(), src, d, pmapi.Ever())), `"" "ssd, ""fast""" disk ssd`},
		{"before", names(pmapi.InstancesOf(t.Context(), src, d, pmapi.At(at(-5)))), pmerr.InDomLog.Error()},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %s, want %s", tt.what, tt.got, tt.want)
		}
	}
	sets, err := pmapi.LabelsOf(t.Context(), src, pcp.InstanceLabels, uint32(d))
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, s := range sets {
		labels = append(labels, string(pcp.AppendLabels(nil, s.Labels)))
	}
	slices.Sort(labels)
	if got := strings.Join(labels, " "); got != `{"kind":"disk"} {"kind":"ssd"}` {
		t.Errorf("labels %s", got)
	}
	answers, err := src.Labels(t.Context(), pcp.InstanceLabels, []uint32{uint32(diskDomain), uint32(d)}, pmapi.Now())
	if err != nil || len(answers) != 2 {
		t.Fatalf("Labels: %v, %v", answers, err)
	}
	if len(answers[0].Value.Sets) != 2 || len(answers[1].Value.Sets) != 2 {
		t.Errorf("Labels: %v", answers)
	}
	if _, err := src.LookupInst(t.Context(), d, "tape"); !errors.Is(err, pmerr.Inst) {
		t.Errorf("LookupInst of a name that is not there: %v", err)
	}
	if _, err := src.InstName(t.Context(), d, 5); !errors.Is(err, pmerr.Inst) {
		t.Errorf("InstName of a number that is not there: %v", err)
	}
}

func mustCompile(t *testing.T, expr string) *derive.Definition {
	t.Helper()
	p, err := derive.CompileIn(check.Extended, "", expr)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A rack is a live source of disks with labels.
type rack struct {
	*fake
	labels []pcp.LabelSet
	reads  int // requests for labels of instances
	err    error
}

func (r *rack) Labels(_ context.Context, kind pcp.LabelKind, idents []uint32, _ pmapi.When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	a := pcp.Answer[pcp.ObjectLabels]{Err: pmerr.NoAgent}
	switch kind {
	case pcp.InstanceLabels:
		r.reads++
		a.Value.Sets, a.Err = r.labels, r.err
	case pcp.ContextLabels:
		a.Value.Sets, a.Err = labelled(kind, `hostname="h"`), r.err
	}
	return slices.Repeat([]pcp.Answer[pcp.ObjectLabels]{a}, len(idents)), nil
}

func newRack(samples string) *rack {
	r := &rack{fake: newFake("disk.dev.read|U64|60.1|instant||" + samples)}
	r.indoms[diskDomain] = []pcp.Instance{{ID: 1, Name: "sda"}, {ID: 2, Name: "sdb"}, {ID: 3, Name: "sdc"}}
	return r
}

// TestGroupsLive: labels are read when there is an instance that is not known, and not for each sample.
func TestGroupsLive(t *testing.T) {
	r := newRack("1=1 2=10; 2=10 1=1; 1=1; 1=1 2=10 3=100; 3=100; 3=200; 9=5; 1=1")
	r.labels = labelled(pcp.InstanceLabels, `1 kind="ssd"`)
	_, sample := sampled(t, r, "sum(disk.dev.read) by (kind)")
	for i, tt := range []struct {
		want  string
		reads int
	}{
		{`""=10 ssd=1`, 1}, {`""=10 ssd=1`, 1}, {"ssd=1", 1}, {`""=100 ssd=1 tape=10`, 2}, {`""=100`, 2}, {`""=200`, 2}, {pmerr.IPC.Error(), 2}, {"tape=1", 3},
	} {
		switch i {
		case 3:
			r.labels = labelled(pcp.InstanceLabels, `1 kind="ssd"`, `2 kind="tape"`)
		case 6:
			r.err = pmerr.IPC
		case 7:
			r.err, r.labels = nil, labelled(pcp.InstanceLabels, `1 kind="tape"`)
		}
		if got, err := sample(); err != nil || got != tt.want || r.reads != tt.reads {
			t.Errorf("sample %d: %s, %v after %d requests, want %s after %d", i, got, err, r.reads, tt.want, tt.reads)
		}
	}
}

// TestGroupsRelabelled: labels are read again when a daemon reports a change, also in an answer to another request,
// and after a minute in which it does not.
func TestGroupsRelabelled(t *testing.T) {
	w := pmcdtest.Sample()
	server := pmcdtest.NewServer(w)
	t.Cleanup(func() { server.Close() })
	host, err := pmapi.OpenHost(t.Context(), "127.0.0.1", &pmcd.Dialer{DialContext: server.Dial})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	late := &later{Source: host}
	src, sample := sampled(t, late, "sum(sample.bin) by (bin)")
	bins := pmcdtest.LabelKey{Kind: pcp.InstanceLabels, Ident: uint32(pmcdtest.BinInDom)}
	for i, tt := range []struct {
		change pcp.Changes
		labels string // of bin-200; "" for no change
		after  time.Duration
		want   string
	}{
		{0, "", 0, `""=200 100=100 300=300`},
		{pcp.LabelsChanged, "200 bin=7", 0, "7=200"},
		{0, "200 bin=8", 10 * time.Second, "7=200"},
		{pcp.AgentRestarted, "", 0, "8=200"},
		{0, "200 bin=9", 2 * time.Minute, "9=200"},
	} {
		if tt.labels != "" {
			w.Labels[bins] = labelled(pcp.InstanceLabels, "100 none=0", tt.labels, "300 none=0")
		}
		if tt.change != 0 {
			w.Notify(tt.change)
		}
		late.by += tt.after
		if i == 3 { // the answer to a request without groups reports it
			id, err := pmapi.LookupName(t.Context(), src, "sample.long.one")
			var r pcp.Result
			if err == nil {
				err = src.Fetch(t.Context(), &pmapi.Request{IDs: []pcp.ID{id}}, &r)
			}
			if err != nil || r.Changes != tt.change {
				t.Errorf("changes %v, %v, want %v", r.Changes, err, tt.change)
			}
		}
		if got, err := sample(); err != nil || !strings.Contains(" "+got+" ", " "+tt.want+" ") {
			t.Errorf("sample %d: %s, %v, want %s", i, got, err, tt.want)
		}
	}
}

// A later is a live source whose clock is ahead.
type later struct {
	pmapi.Source
	by time.Duration
}

func (l *later) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	err := l.Source.Fetch(ctx, req, dst)
	dst.Time = dst.Time.Add(l.by)
	return err
}

// TestGroupsProfile: a profile chooses among the groups of their own domain.
func TestGroupsProfile(t *testing.T) {
	r := newRack("1=1 2=10 3=100")
	r.labels = labelled(pcp.InstanceLabels, `1 kind="ssd"`, `2 kind="tape"`)
	src := derive.NewSource(r, nil, nil)
	ids := src.Define(mustCompile(t, "sum(disk.dev.read) by (kind)"))
	found, err := src.Check(t.Context(), ids...)
	if err != nil || found[0].Err != nil {
		t.Fatal(err, found[0].Err)
	}
	d := found[0].Info.Root.InDom
	tape, err := src.LookupInst(t.Context(), d, "tape")
	if err != nil {
		t.Fatal(err)
	}
	p := new(pcp.Profile)
	p.Del(d)
	p.Add(d, tape)
	var res pcp.Result
	if err := src.Fetch(t.Context(), &pmapi.Request{IDs: ids, Profile: p}, &res); err != nil {
		t.Fatal(err)
	}
	if v := &res.Sets[0]; !slices.Equal(v.Insts, []int32{tape}) || !slices.Equal(v.Words, []uint64{10}) {
		t.Errorf("values %v, want 10 of instance %d", v, tape)
	}
}

// TestGroupsMany: time and memory are in proportion to the instances, whatever their labels are; each of
// 100,000 groups has a number of its own, although some have the same bits.
func TestGroupsMany(t *testing.T) {
	const n = 100_000
	r := newRack("none")
	v := make([]string, n)
	for i := range v {
		value, _ := json.Marshal(fmt.Sprintf("serial, %d\x01", i))
		v[i] = fmt.Sprintf("%d=1", i)
		r.labels = append(r.labels, pcp.LabelSet{Inst: int32(i), Labels: []pcp.Label{{Name: "serial", Value: string(value)}}})
	}
	r.metrics["disk.dev.read"].samples = []string{strings.Join(v, " ")}
	src := derive.NewSource(r, nil, nil)
	ids := src.Define(mustCompile(t, "sum(disk.dev.read) by (serial)"))
	var res pcp.Result
	for range 3 {
		if err := src.Fetch(t.Context(), &pmapi.Request{IDs: ids}, &res); err != nil {
			t.Fatal(err)
		}
		seen := make(map[int32]bool)
		for _, inst := range res.Sets[0].Insts {
			if inst < 0 {
				t.Fatalf("group %d", inst)
			}
			seen[inst] = true
		}
		if len(seen) != n || res.Sets[0].Len() != n {
			t.Fatalf("%d groups, %d values", len(seen), res.Sets[0].Len())
		}
	}
	if r.reads != 1 {
		t.Errorf("labels were read %d times", r.reads)
	}
}

// TestGroupingErrors: groups of different domains or labels are not combined.
func TestGroupingErrors(t *testing.T) {
	src := derive.NewSource(newFake("a|32|29.1|instant||0=1\nb|32|29.2|instant||100=1\nc|32||instant||1"), nil, nil)
	for expr, want := range map[string]string{
		"sum(a) by (x) + sum(a) by (y)":     "Operands should have the same instance domain",
		"sum(a) by (x) + sum(b) by (x)":     "Operands should have the same instance domain",
		"sum(a) by (x, y) + a":              "Operands should have the same instance domain",
		"sum(c) by (x)":                     "Operand of function has no instances to group",
		"sum(sum(a)) by (x)":                "Operand of function has no instances to group",
		"sum(a) by (x) * 2 - max(a) by (x)": "",
		"sum(a) by (x) / sum(a)":            "",
	} {
		found, err := src.Check(t.Context(), src.Define(mustCompile(t, expr))...)
		if err != nil {
			t.Fatal(err)
		}
		switch bad, ok := errors.AsType[*check.Error](found[0].Err); {
		case want == "" && found[0].Err != nil:
			t.Errorf("%s: %v", expr, found[0].Err)
		case want != "" && (!ok || bad.Text != want):
			t.Errorf("%s: %v, want %s", expr, found[0].Err, want)
		case want != "" && strings.Contains(expr, "+") && len(bad.Notes) == 0:
			t.Errorf("%s: no notes", expr)
		}
	}
}

// TestGroupNumbers: two groupings whose domains have the same number are an error.
func TestGroupNumbers(t *testing.T) {
	src := derive.NewSource(newFake("a|32|29.1|instant||0=1"), nil, nil)
	seen := make(map[pcp.InDom]string)
	for i := range 100_000 {
		label := fmt.Sprintf("x%d", i)
		expr := "sum(a) by (" + label + ")"
		x, err := check.Extended.Syntax().Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		info, err := check.Check(x, fixedEnv{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		other, again := seen[info.Root.InDom]
		if seen[info.Root.InDom] = label; !again {
			continue
		}
		for k, expr := range []string{"sum(a) by (" + other + ")", "sum(a) by (" + label + ")", "sum(a) by (" + other + ") + sum(a) by (" + label + ")"} {
			found, err := src.Check(t.Context(), src.Define(mustCompile(t, expr))...)
			if err != nil || (found[0].Err == nil) != (k == 0) {
				t.Errorf("%s: %v, %v", expr, found[0].Err, err)
			}
		}
		return
	}
	t.Error("no two labels have the same number")
}

type fixedEnv struct{}

func (fixedEnv) Lookup(string) (pcp.ID, bool, error) { return 1, false, nil }

func (fixedEnv) Describe(id pcp.ID) (pcp.Desc, error) {
	return pcp.Desc{ID: id, Type: pcp.Int32, InDom: pcp.NewInDom(29, 1)}, nil
}
