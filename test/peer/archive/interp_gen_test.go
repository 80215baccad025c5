package archive

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// sampledMetric is a metric of a random archive.
type sampledMetric struct {
	desc  pcp.Desc
	name  string
	often float64 // how likely a record has it
	insts []int32 // all that it may have; nil for a singular metric
	words map[int32]uint64
}

// The semantics and types of the metrics of random archives.
var (
	sampledSems  = []pcp.Sem{pcp.Counter, pcp.Instant, pcp.Discrete}
	sampledTypes = []pcp.Type{pcp.Int32, pcp.Uint32, pcp.Int64, pcp.Uint64, pcp.Float, pcp.Double, pcp.String}
)

// sampledArchive is a random archive that is being written.
type sampledArchive struct {
	rng     *rand.Rand
	w       *archive.Writer
	metrics []*sampledMetric
	now     pcp.Timestamp
	unit    int64                        // of times, in nanoseconds
	domains map[pcp.InDom]map[int32]bool // the present instances
	err     error
}

// writeSampled writes count random archives that follow each other to dir, and returns their names
// joined by commas and the names of the metrics.
func writeSampled(rng *rand.Rand, dir string, count int) (set string, metrics []string, err error) {
	seed := rng.Uint64()
	start := pcp.Timestamp{Sec: 1700000000}
	if rng.IntN(2) == 0 {
		start.Nsec = int32(rng.IntN(1e6)) * 1000
	}
	for i := range count {
		a := &sampledArchive{rng: rng, now: start, unit: 1000}
		a.describe(rand.New(rand.NewPCG(seed, 0)))
		opt := archive.WriterOptions{Version: 2 + rng.IntN(2), Host: "specbox", PID: int32(4242 + i), Start: start}
		if rng.IntN(3) == 0 {
			opt.VolumeBytes = 2000 + rng.Int64N(20000)
		}
		name := fmt.Sprintf("r%d", i)
		if a.w, err = archive.Create(filepath.Join(dir, name), &opt); err != nil {
			return "", nil, err
		}
		a.fill()
		if err = a.w.Close(); a.err != nil {
			err = a.err
		}
		if err != nil {
			return "", nil, err
		}
		if set != "" {
			set += ","
		}
		set += name
		start = a.now.Add(time.Duration(rng.Int64N(40e9))/1000*1000 + 2e9)
		if i == 0 {
			for _, m := range a.metrics {
				metrics = append(metrics, m.name)
			}
		}
	}
	return set, metrics, nil
}

// describe makes up the metrics, which are the same in all archives of a set.
func (a *sampledArchive) describe(rng *rand.Rand) {
	a.domains = map[pcp.InDom]map[int32]bool{}
	for i := range 4 + rng.IntN(8) {
		m := &sampledMetric{words: map[int32]uint64{}, often: []float64{1, 1, 0.9, 0.5, 0.1, 0.03}[rng.IntN(6)]}
		sem, typ := sampledSems[rng.IntN(3)], sampledTypes[rng.IntN(len(sampledTypes))]
		if sem == pcp.Counter && typ == pcp.String { // which has no values
			typ = pcp.Double
		}
		m.desc = pcp.Desc{ID: pcp.NewID(245, 0, uint32(i+1)), Type: typ, InDom: pcp.NullInDom, Sem: sem}
		m.name = fmt.Sprintf("r.m%d", i)
		if kind := rng.IntN(4); kind > 0 {
			m.desc.InDom = pcp.NewInDom(245, uint32(kind))
			for k := range []int{0, 3, 9, 24}[kind] {
				m.insts = append(m.insts, int32(k*k%31+10*k))
			}
			a.domains[m.desc.InDom] = map[int32]bool{}
		}
		a.metrics = append(a.metrics, m)
	}
}

// fill writes the records.
func (a *sampledArchive) fill() {
	for _, m := range a.metrics {
		a.do(a.w.AddMetric(m.desc, m.name))
	}
	records := 5 + a.rng.IntN(150)
	regular := a.rng.IntN(2) == 0
	marks := []float64{0, 0.02, 0.1}[a.rng.IntN(3)]
	change := []float64{0, 0.05, 0.3}[a.rng.IntN(3)]
	for i := range records {
		a.instances(change, i == 0)
		r := &pcp.Result{Time: a.now}
		for _, m := range a.metrics {
			a.sample(m, r)
		}
		if len(r.Sets) == 0 {
			r.Sets = append(r.Sets, pcp.Values{ID: a.metrics[0].desc.ID, Type: a.metrics[0].desc.Type})
		}
		a.do(a.w.Put(r))
		if a.rng.Float64() < marks {
			a.do(a.w.Mark(a.now.Add(1e6)))
			a.now = a.now.Add(2e6)
		}
		if i == records-1 {
			break
		}
		if regular {
			a.now = a.now.Add(time.Second)
			continue
		}
		step := math.Exp(a.rng.Float64()*7 - 4) // 20 ms to 20 s
		a.now = a.now.Add(time.Duration(int64(step*1e9)/a.unit*a.unit + a.unit))
	}
}

// do keeps err if it is the first.
func (a *sampledArchive) do(err error) { a.err = cmp.Or(a.err, err) }

// instances lets some come and go.
func (a *sampledArchive) instances(change float64, first bool) {
	seen := map[pcp.InDom]bool{pcp.NullInDom: true}
	for _, m := range a.metrics {
		d := m.desc.InDom
		if seen[d] || !first && a.rng.Float64() >= change {
			continue
		}
		seen[d] = true
		there := a.domains[d]
		clear(there)
		var list []pcp.Instance
		for _, inst := range m.insts {
			if a.rng.IntN(5) > 0 || inst == 0 {
				there[inst] = true
				list = append(list, pcp.Instance{ID: inst, Name: fmt.Sprintf("i%d", inst)})
			}
		}
		a.do(a.w.SetInDom(a.now, d, list))
	}
}

// sample adds the value set of a metric to a record.
func (a *sampledArchive) sample(m *sampledMetric, r *pcp.Result) {
	if a.rng.Float64() >= m.often {
		return
	}
	v := pcp.Values{ID: m.desc.ID, Type: m.desc.Type}
	switch a.rng.IntN(40) {
	case 0:
		v.Err = pmerr.AppVersion
	case 1:
	default:
		if m.insts == nil {
			a.value(m, &v, pcp.NullInst)
		}
		for _, inst := range m.insts {
			if a.domains[m.desc.InDom][inst] && a.rng.IntN(30) > 0 {
				a.value(m, &v, inst)
			}
		}
	}
	r.Sets = append(r.Sets, v)
}

// value adds a value.
func (a *sampledArchive) value(m *sampledMetric, v *pcp.Values, inst int32) {
	v.Insts = append(v.Insts, inst)
	w := m.words[inst]
	if m.desc.Type == pcp.String {
		v.Blobs = append(v.Blobs, fmt.Appendf(nil, "s%d", a.rng.IntN(1000)))
		return
	}
	defer func() { m.words[inst] = w; v.Words = append(v.Words, w) }()
	step := uint64(math.Exp(a.rng.Float64() * 25))
	if m.desc.Sem == pcp.Counter && a.rng.IntN(20) == 0 || m.desc.Sem != pcp.Counter && a.rng.IntN(2) == 0 {
		step = -step
	}
	switch m.desc.Type {
	case pcp.Int32:
		w = uint64(int64(int32(w + step)))
	case pcp.Uint32:
		w = uint64(uint32(w + step))
	case pcp.Float:
		w = uint64(math.Float32bits(math.Float32frombits(uint32(w)) + float32(int64(step))/8))
	case pcp.Double:
		w = math.Float64bits(math.Float64frombits(w) + float64(int64(step))/7)
	case pcp.Uint64:
		w = (w + step<<a.rng.IntN(20)) &^ (3 << 62)
	default:
		w += step
	}
}
