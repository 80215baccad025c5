package derive_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A fake is a Source in memory. Metrics are lines NAME|TYPE|INDOM|SEM|UNITS|VALUES, VALUES as "5",
// "inst=5 ...", "none" or "E(code)"; several samples are divided by semicolons, and the last one is
// repeated.
type fake struct {
	order   []string
	metrics map[string]*fakeMetric
	indoms  map[pcp.InDom][]pcp.Instance
	sample  int
	fetched [][]pcp.ID // the requests
	asked   int        // requests other than fetches
	broken  error      // what every request fails with
}

type fakeMetric struct {
	desc    pcp.Desc
	descErr error
	samples []string
}

var fakeTypes = map[string]pcp.Type{
	"32": pcp.Int32, "U32": pcp.Uint32, "64": pcp.Int64, "U64": pcp.Uint64, "float": pcp.Float, "double": pcp.Double,
	"string": pcp.String, "aggregate": pcp.Aggregate,
}

var fakeSems = map[string]pcp.Sem{"counter": pcp.Counter, "instant": pcp.Instant, "discrete": pcp.Discrete}

// fakeInDoms are the instances of all domains, "name:id ...", or "name" for ids from 0; "_" stands
// for a blank.
var fakeInDoms = map[pcp.InDom]string{
	pcp.NewInDom(29, 1):  "red green blue",
	pcp.NewInDom(29, 2):  "bin-100:100 bin-200:200 bin-300:300 bin-400:400 bin-500:500 bin-600:600 bin-700:700 bin-800:800 bin-900:900",
	pcp.NewInDom(29, 3):  "m-00:0 m-46:46 m-47:47 m-10:10 m-15:15 m-16:16 m-17:17 m-18:18",
	pcp.NewInDom(2, 1):   "3931:3931",
	pcp.NewInDom(245, 1): "one:1 two_blank:2 three:3 a]b:4 a/b:5",
}

func newFake(lines string) *fake {
	f := &fake{metrics: make(map[string]*fakeMetric), indoms: make(map[pcp.InDom][]pcp.Instance)}
	for d, list := range fakeInDoms {
		for i, s := range strings.Fields(list) {
			name, id, ok := strings.Cut(s, ":")
			if ok {
				i, _ = strconv.Atoi(id)
			}
			f.indoms[d] = append(f.indoms[d], pcp.Instance{ID: int32(i), Name: strings.ReplaceAll(name, "_", " ")})
		}
	}
	for line := range strings.Lines(lines) {
		p := strings.SplitN(strings.TrimSpace(line), "|", 6)
		if len(p) < 6 {
			continue
		}
		m := &fakeMetric{samples: strings.Split(p[5], ";")}
		m.desc = pcp.Desc{ID: pcp.NewID(29, 0, uint32(len(f.order)+1)), Type: fakeTypes[p[1]], InDom: pcp.NullInDom, Sem: fakeSems[p[3]]}
		if a, b, ok := strings.Cut(p[2], "."); ok {
			x, _ := strconv.Atoi(a)
			y, _ := strconv.Atoi(b)
			m.desc.InDom = pcp.NewInDom(uint32(x), uint32(y))
		}
		u, _, err := pcp.ParseUnits(p[4])
		if err != nil {
			panic(line + err.Error())
		}
		m.desc.Units = u
		if p[1] == "unknown" {
			m.descErr = pmerr.PMID
		}
		f.order = append(f.order, p[0])
		f.metrics[p[0]] = m
	}
	return f
}

func (f *fake) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	f.asked++
	var out []pcp.Answer[pcp.ID]
	for _, n := range names {
		r := pcp.Answer[pcp.ID]{Value: pcp.NullID, Err: pmerr.Name}
		if m := f.metrics[n]; m != nil {
			r = pcp.Answer[pcp.ID]{Value: m.desc.ID}
		} else {
			for _, o := range f.order {
				if strings.HasPrefix(o, n+".") {
					r.Err = pmerr.NonLeaf
				}
			}
		}
		out = append(out, r)
	}
	return out, f.broken
}

func (f *fake) find(id pcp.ID) (string, *fakeMetric) {
	for n, m := range f.metrics {
		if m.desc.ID == id {
			return n, m
		}
	}
	return "", nil
}

func (f *fake) Names(_ context.Context, id pcp.ID) ([]string, error) {
	if n, m := f.find(id); m != nil {
		return []string{n}, nil
	}
	return nil, pmerr.PMID
}

func (f *fake) Children(_ context.Context, name string) ([]pcp.Child, error) {
	f.asked++
	if f.metrics[name] != nil {
		return nil, f.broken
	}
	var out []pcp.Child
	seen := map[string]bool{}
	for _, o := range f.order {
		rest := o
		if name != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(o, name+"."); !ok {
				continue
			}
		}
		first, _, more := strings.Cut(rest, ".")
		if !seen[first] {
			seen[first] = true
			out = append(out, pcp.Child{Name: first, Leaf: !more})
		}
	}
	if out == nil {
		return nil, pmerr.Name
	}
	return out, f.broken
}

func (f *fake) Walk(_ context.Context, name string, _ bool, fn func(string, pcp.ID) bool) error {
	f.asked++
	found := false
	for _, o := range f.order {
		if name == "" || o == name || strings.HasPrefix(o, name+".") {
			found = true
			if !fn(o, f.metrics[o].desc.ID) {
				return nil
			}
		}
	}
	if !found {
		return pmerr.Name
	}
	return f.broken
}

func (f *fake) Describe(_ context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	f.asked++
	var out []pcp.Answer[pcp.Desc]
	for _, id := range ids {
		r := pcp.Answer[pcp.Desc]{Err: pmerr.PMID}
		if _, m := f.find(id); m != nil {
			r = pcp.Answer[pcp.Desc]{Value: m.desc, Err: m.descErr}
		}
		out = append(out, r)
	}
	return out, f.broken
}

func (f *fake) Instances(_ context.Context, ds []pcp.InDom, _ pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	out := make([]pcp.Answer[[]pcp.Instance], len(ds))
	for i, d := range ds {
		f.asked++
		list, ok := f.indoms[d]
		if out[i].Value = list; !ok {
			out[i].Err = pmerr.InDom
		}
	}
	return out, f.broken
}

func (f *fake) LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error) {
	list, err := pmapi.InstancesOf(ctx, f, d, pmapi.Now())
	for _, x := range list {
		if first, _, _ := strings.Cut(x.Name, " "); x.Name == name || first == name {
			return x.ID, nil
		}
	}
	return 0, cmp.Or(err, error(pmerr.Inst))
}

func (f *fake) InstName(ctx context.Context, d pcp.InDom, inst int32) (string, error) {
	list, err := pmapi.InstancesOf(ctx, f, d, pmapi.Now())
	for _, x := range list {
		if x.ID == inst {
			return x.Name, nil
		}
	}
	return "", cmp.Or(err, error(pmerr.Inst))
}

func (f *fake) Text(_ context.Context, _ pcp.TextKind, idents []uint32) ([]pcp.Answer[string], error) {
	return slices.Repeat([]pcp.Answer[string]{{Err: pmerr.Text}}, len(idents)), f.broken
}

func (f *fake) Labels(_ context.Context, _ pcp.LabelKind, idents []uint32, _ pmapi.When) ([]pcp.Answer[pcp.ObjectLabels], error) {
	none := pcp.ObjectLabels{Sets: []pcp.LabelSet{{Inst: pcp.NullInst}}}
	return slices.Repeat([]pcp.Answer[pcp.ObjectLabels]{{Value: none}}, len(idents)), f.broken
}

func (f *fake) Host() (name, zone string) { return "fake", "UTC" }

func (f *fake) Fetch(_ context.Context, req *pmapi.Request, dst *pcp.Result) error {
	if f.broken != nil {
		return f.broken
	}
	f.fetched = append(f.fetched, append([]pcp.ID(nil), req.IDs...))
	dst.Reset(len(req.IDs))
	dst.Time = pcp.Timestamp{Sec: 1_000_000_000 + int64(f.sample)}
	for i, id := range req.IDs {
		_, m := f.find(id)
		if m == nil {
			dst.Sets[i].ID, dst.Sets[i].Err = id, pmerr.PMID
			continue
		}
		fillColumn(&dst.Sets[i], m.desc, m.samples[min(f.sample, len(m.samples)-1)])
	}
	f.sample++
	return nil
}

func (f *fake) Close() error { return nil }

// fillColumn parses the values of one sample.
func fillColumn(v *pcp.Values, d pcp.Desc, s string) {
	v.Reset(d.ID, d.Type)
	if n, ok := strings.CutPrefix(s, "E("); ok {
		code, _ := strconv.Atoi(strings.TrimSuffix(n, ")"))
		v.Err = pmerr.Code(code).Err()
		return
	}
	for part := range strings.FieldsSeq(s) {
		if part == "none" {
			continue
		}
		inst := pcp.NullInst
		if d.InDom != pcp.NullInDom {
			k, rest, _ := strings.Cut(part, "=")
			n, _ := strconv.Atoi(k)
			inst, part = int32(n), rest
		}
		v.Insts = append(v.Insts, inst)
		switch {
		case !d.Type.Arithmetic():
			v.Blobs = append(v.Blobs, []byte(part))
		case d.Type == pcp.Double:
			x, _ := strconv.ParseFloat(part, 64)
			v.Words = append(v.Words, math.Float64bits(x))
		case d.Type == pcp.Float:
			x, _ := strconv.ParseFloat(part, 32)
			v.Words = append(v.Words, uint64(math.Float32bits(float32(x))))
		case d.Type == pcp.Uint64:
			x, _ := strconv.ParseUint(part, 10, 64)
			v.Words = append(v.Words, x)
		default:
			x, _ := strconv.ParseInt(part, 10, 64)
			v.Words = append(v.Words, uint64(x))
		}
	}
}

// A fakeArchive is a fake with a past.
type fakeArchive struct{ *fake }

func (fakeArchive) SetMode(pcp.Mode, *pcp.Timestamp, time.Duration) error { return nil }
func (fakeArchive) Origin() pcp.Timestamp                                 { return pcp.Timestamp{} }
func (fakeArchive) Bounds(context.Context) (start, end pcp.Timestamp, err error) {
	return start, end, nil
}

// show writes a column as pminfo prints values: "5", "name=5 ...", "none", "Error: text".
func show(f *fake, d pcp.Desc, v *pcp.Values) string {
	if v.Err != nil {
		return "Error: " + v.Err.Error()
	}
	if v.Len() == 0 {
		return "none"
	}
	var parts []string
	for i, inst := range v.Insts {
		var s string
		switch v.Type {
		case pcp.Double:
			s = string(pcp.AppendG(nil, math.Float64frombits(v.Words[i]), 16))
		case pcp.Float:
			s = string(pcp.AppendG(nil, float64(math.Float32frombits(uint32(v.Words[i]))), 8))
		case pcp.Uint32, pcp.Uint64:
			s = strconv.FormatUint(v.Words[i], 10)
		case pcp.Int32, pcp.Int64:
			s = strconv.FormatInt(int64(v.Words[i]), 10)
		default:
			s = strconv.Quote(string(v.Blobs[i]))
		}
		if inst != pcp.NullInst {
			name := fmt.Sprint(inst)
			for _, x := range f.indoms[d.InDom] {
				if x.ID == inst {
					name = x.Name
				}
			}
			s = name + "=" + s
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

// showDesc writes a descriptor as the tables do.
func showDesc(d pcp.Desc) string {
	t := d.Type.String()
	if d.Type >= pcp.Float {
		t = strings.ToLower(t)
	}
	indom := "-"
	if d.InDom != pcp.NullInDom {
		indom = d.InDom.String()
	}
	units := d.Units.String()
	if units == "" {
		units = "none"
	}
	return t + " " + indom + " " + d.Sem.String() + " " + units
}

// qa are the metrics of the examples in derived.md D12 and D13.
const qa = `
sample.byte_ctr|32|-|counter|byte|23833;24172;25624;26730
sample.kbyte_ctr|32|-|counter|Kbyte|23132
sample.byte_rate|32|-|instant|byte / sec|767
sample.byte_rate_perhour|32|-|instant|byte / hour|770
sample.mirage|32|29.3|instant|Kbyte / sec|0=26 46=4625 47=4724 10=1023 15=1522 16=1621 17=1720 18=1819;0=10 46=4609 47=4708 10=1007 15=1506 16=1605 17=1704 18=1803
sample.mirage_longlong|64|29.3|instant|byte / millisec|0=34000000 46=4633000000 47=4732000000 10=1031000000 15=1530000000 16=1629000000 17=1728000000 18=1827000000
sample.scale_step.bytes_up|double|-|instant|byte / sec|1
sample.scale_step.bytes_down|double|-|instant|byte|1
sample.scale_step.count_up|double|-|instant|count / sec|1
sample.scale_step.count_down|double|-|instant|count|1
sample.scale_step.time_up_secs|double|-|instant|sec|1
sample.scale_step.time_up_nanosecs|double|-|instant|nanosec|1
sample.scale_step.none_up|double|-|instant||1
pmcd.pmlogger.port|U32|2.1|discrete||3931=4331
pmcd.pmlogger.host|string|2.1|discrete||3931=bozo.localdomain
sample.colour|32|29.1|instant||0=102 1=203 2=304
sample.bin|32|29.2|instant||100=100 200=200 300=300 400=400 500=500 600=600 700=700 800=800 900=900
sample.part_bin|32|29.2|instant||100=100 300=300 500=500 700=700 900=900
sample.string.bin|string|29.2|instant||100=100 300=300
sample.long.one|32|-|instant||1
sample.long.million|32|-|instant||1000000
sample.ulong.one|U32|-|instant||1
sample.ulong.ten|U32|-|instant||10
sample.longlong.one|64|-|instant||1
sample.ulonglong.ten|U64|-|instant||10
sample.string.hullo|string|-|instant||hullo
sample.aggregate.hullo|aggregate|-|instant||hullo
sample.aggregate.null|aggregate|-|instant||x
sample.bad.novalues|32|-|instant||none
sample.bad.fetch.again|32|-|discrete||E(-12389)
sample.bad.nosupport|32|-|instant||E(-12350)
sample.bad.unknown|unknown|-|instant||none
sample.voltage.volt|float|-|instant|voltage (V)|240
sample.voltage.millivolt|float|-|instant|voltage (mV)|240000
sample.current.amp|float|-|instant|current (A)|13
sample.temperature.celsius|float|-|instant|temperature (C)|0
sample.temperature.fahrenheit|float|-|instant|temperature (F)|32
sample.derived.a|U32|29.2|instant||100=142 200=242 300=342 400=442 500=542 600=642 700=742 800=842 900=942
sample.derived.b|32|29.1|instant||0=0 1=0 2=0
t.a|U32|-|counter|count|0;101;E(-12389);309;none;525
t.b|32|245.1|instant||1=10 2=20 3=30 4=40 5=50;1=11 2=21 3=31 4=41 5=51;1=12 2=22 3=32 4=42 5=52;4=23 5=13;1=14 2=24 3=34 4=44 5=54
t.c|32|245.1|instant||1=1000 2=2000 3=3000 4=4000
t.s|32|-|instant||0;E(-12351);2;3;4;5
`

// fetchOne fetches one metric.
func fetchOne(t *testing.T, s pmapi.Source, id pcp.ID) *pcp.Values {
	t.Helper()
	var r pcp.Result
	if err := s.Fetch(context.Background(), &pmapi.Request{IDs: []pcp.ID{id}}, &r); err != nil {
		t.Fatal(err)
	}
	return &r.Sets[0]
}
