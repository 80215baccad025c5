package derivetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A tape is a recording in memory. It does not change once it is written, and goroutines may share it.
type tape struct {
	ids    map[string]pcp.ID
	names  map[pcp.ID]string
	descs  map[pcp.ID]pcp.Desc
	column map[pcp.ID]int
	all    map[pcp.InDom][]pcp.Instance // that there ever were
	frames []frame

	here   map[pcp.InDom][]pcp.Instance // of the sample that is written next
	labels map[pmapi.LabelObject][]labelling
}

// A frame is a sample with the instances at its time, and those at the position after it: that of the next sample, if values
// are interpolated.
type frame struct {
	at           pcp.Timestamp
	sets         []pcp.Values
	insts, ahead map[pcp.InDom][]pcp.Instance
}

func newTape() *tape {
	return &tape{ids: make(map[string]pcp.ID), names: make(map[pcp.ID]string), descs: make(map[pcp.ID]pcp.Desc),
		column: make(map[pcp.ID]int), all: make(map[pcp.InDom][]pcp.Instance), here: make(map[pcp.InDom][]pcp.Instance),
		labels: make(map[pmapi.LabelObject][]labelling)}
}

// AddMetric implements output.
func (t *tape) AddMetric(d pcp.Desc, names ...string) error {
	t.column[d.ID], t.descs[d.ID] = len(t.column), d
	for _, name := range names {
		t.ids[name], t.names[d.ID] = d.ID, name
	}
	return nil
}

// SetInDom implements output.
func (t *tape) SetInDom(_ pcp.Timestamp, d pcp.InDom, list []pcp.Instance) error {
	t.here[d] = slices.Clone(list)
	for _, in := range list {
		if !slices.ContainsFunc(t.all[d], func(old pcp.Instance) bool { return old.ID == in.ID }) {
			t.all[d] = append(t.all[d], in)
		}
	}
	return nil
}

// Put implements output.
func (t *tape) Put(r *pcp.Result) error {
	f := frame{at: r.Time, insts: maps.Clone(t.here)}
	f.ahead = f.insts
	for i := range r.Sets {
		f.sets = append(f.sets, copied(&r.Sets[i]))
	}
	t.frames = append(t.frames, f)
	return nil
}

// Mark implements output. Recordings with marks are copied from archives.
func (t *tape) Mark(pcp.Timestamp) error { return pmerr.NotHost }

func copied(v *pcp.Values) pcp.Values {
	c := *v
	c.Insts, c.Words, c.Odd, c.Blobs = slices.Clone(v.Insts), slices.Clone(v.Words), slices.Clone(v.Odd), nil
	for _, b := range v.Blobs {
		c.Blobs = append(c.Blobs, slices.Clone(b))
	}
	return c
}

// copyOf copies the values of some metrics, those that there are, from a recording.
func (w *recording) copyOf(ctx context.Context, names []string) (*tape, error) {
	src, err := w.open(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	t := newTape()
	found, err := src.Lookup(ctx, names)
	if err != nil {
		return nil, err
	}
	var ids []pcp.ID
	for i, name := range names {
		if found[i].Err != nil {
			continue
		}
		d, err := pmapi.LookupDesc(ctx, src, found[i].Value)
		if err != nil {
			continue // neither has a definition that names it values
		}
		if _, twice := t.descs[d.ID]; !twice {
			ids = append(ids, d.ID)
			_ = t.AddMetric(d)
		}
		t.ids[name], t.names[d.ID] = d.ID, name
	}
	kept := 0
	past, _ := pmapi.As[pmapi.LabelPast](src)
	err = w.fetch(ctx, src, ids, func(_ int, r *pcp.Result) error {
		for i := range r.Sets {
			if kept += max(1, r.Sets[i].Len()); kept > maxPoints {
				return errors.New("the metrics have too many values for mutants; take fewer samples")
			}
		}
		ahead := make(map[pcp.InDom][]pcp.Instance)
		for _, d := range t.descs {
			if d.InDom != pcp.NullInDom {
				t.here[d.InDom], _ = src.InstancesAt(ctx, d.InDom, r.Time)
				ahead[d.InDom], _ = src.Instances(ctx, d.InDom)
			}
		}
		err := t.Put(r)
		t.frames[len(t.frames)-1].ahead = ahead
		if past != nil && err == nil {
			err = t.label(ctx, past, r.Time)
		}
		return err
	})
	for d := range t.here {
		t.all[d], _ = src.AllInstances(ctx, d)
	}
	return t, err
}

// A replay reads a tape from its beginning. It is a pmapi.Source with a past.
type replay struct {
	*tape
	next int
}

var (
	_ timed  = (*replay)(nil)
	_ output = (*tape)(nil)
)

func (r *replay) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	return answers(names, r.ids, pmerr.Name), nil
}

func (r *replay) Describe(_ context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	return answers(ids, r.descs, pmerr.PMID), nil
}

func answers[K comparable, V any](keys []K, table map[K]V, missing error) []pcp.Answer[V] {
	list := make([]pcp.Answer[V], len(keys))
	for i, k := range keys {
		v, ok := table[k]
		if list[i].Value = v; !ok {
			list[i].Err = missing
		}
	}
	return list
}

func (r *replay) Names(_ context.Context, id pcp.ID) ([]string, error) {
	if name, ok := r.tape.names[id]; ok {
		return []string{name}, nil
	}
	return nil, pmerr.PMID
}

func (r *replay) Children(context.Context, string) ([]pcp.Child, error) { return nil, pmerr.Name }

func (r *replay) Walk(context.Context, string, func(string, pcp.ID) bool) error { return pmerr.Name }

func (r *replay) Text(context.Context, pcp.ID, pcp.TextKind) (string, error) { return "", pmerr.Text }

func (r *replay) InDomText(context.Context, pcp.InDom, pcp.TextKind) (string, error) {
	return "", pmerr.Text
}

// at returns the last sample that was read.
func (r *replay) at() *frame {
	if len(r.frames) == 0 {
		return &frame{}
	}
	return &r.frames[max(r.next-1, 0)]
}

func (r *replay) Instances(_ context.Context, d pcp.InDom) ([]pcp.Instance, error) {
	if list, ok := r.at().ahead[d]; ok {
		return list, nil
	}
	return nil, pmerr.InDomLog
}

// LookupInst finds an instance by its name, or by its name up to a blank.
func (r *replay) LookupInst(_ context.Context, d pcp.InDom, name string) (int32, error) {
	list := r.at().ahead[d]
	for _, short := range []bool{false, true} {
		for _, in := range list {
			known := in.Name
			if short {
				known, _, _ = strings.Cut(known, " ")
			}
			if known == name {
				return in.ID, nil
			}
		}
	}
	return 0, pmerr.InstLog
}

func (r *replay) InstName(_ context.Context, d pcp.InDom, inst int32) (string, error) {
	for _, in := range r.at().ahead[d] {
		if in.ID == inst {
			return in.Name, nil
		}
	}
	return "", pmerr.InstLog
}

func (r *replay) Fetch(_ context.Context, req *pmapi.Request, dst *pcp.Result) error {
	if r.next >= len(r.frames) {
		return pmerr.EOL
	}
	f := &r.frames[r.next]
	r.next++
	dst.Reset(len(req.IDs))
	dst.Time = f.at
	for i, id := range req.IDs {
		v := &dst.Sets[i]
		c, ok := r.column[id]
		if !ok {
			v.Reset(id, pcp.Unknown)
			v.Err = pmerr.PMID
			continue
		}
		from := &f.sets[c]
		v.Reset(id, from.Type)
		v.Err, v.Empty, v.Odd = from.Err, from.Empty, from.Odd
		v.Insts = append(v.Insts, from.Insts...)
		v.Words = append(v.Words, from.Words...)
		v.Blobs = append(v.Blobs, from.Blobs...)
	}
	return nil
}

func (r *replay) Store(context.Context, []pcp.Values) error { return pmerr.NotHost }

func (r *replay) Host() (name, zone string) { return "test", "UTC" }

func (r *replay) Close() error { return nil }

func (r *replay) SetMode(pcp.Mode, *pcp.Timestamp, time.Duration) error {
	r.next = 0
	return nil
}

func (r *replay) Origin() pcp.Timestamp { return r.at().at }

func (r *replay) Bounds(context.Context) (start, end pcp.Timestamp, err error) {
	if n := len(r.frames); n > 0 {
		return r.frames[0].at, r.frames[n-1].at, nil
	}
	return start, end, pmerr.EOL
}

func (r *replay) InstancesAt(_ context.Context, d pcp.InDom, at pcp.Timestamp) ([]pcp.Instance, error) {
	i := sort.Search(len(r.frames), func(i int) bool { return r.frames[i].at.Sub(at) > 0 })
	if i == 0 {
		return nil, pmerr.InDomLog
	}
	if list, ok := r.frames[i-1].insts[d]; ok {
		return list, nil
	}
	return nil, pmerr.InDomLog
}

func (r *replay) AllInstances(_ context.Context, d pcp.InDom) ([]pcp.Instance, error) {
	if list, ok := r.all[d]; ok {
		return list, nil
	}
	return nil, pmerr.InDomLog
}

func (r *replay) FetchRecord(ctx context.Context, req *pmapi.Request, dst *pcp.Result) (mark bool, err error) {
	return false, r.Fetch(ctx, req, dst)
}
