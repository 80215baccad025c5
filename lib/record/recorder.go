package record

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
)

// A Recorder writes metrics of a Source into an archive: values, descriptions, instances, texts and
// labels. After each sample the files are complete: they can be read while they grow, and after a
// crash of the process. A power failure loses at most the last ten seconds, and nothing after
// Close. Goroutines may not share a Recorder.
type Recorder struct {
	src     pmapi.Source
	w       *archive.Writer
	request pmapi.Request
	descs   []pcp.Desc // of the metrics of the request
	result  pcp.Result
	insts   [][]int32     // instances of the metrics in the last sample
	last    pcp.Timestamp // time of the last sample
	synced  time.Time     // when samples were last made to outlive a loss of power
	samples atomic.Int64
}

// NewRecorder begins an archive of metrics, base.meta and so on, which must not exist. An inner
// node stands for all metrics below it. Defaults for opt come from the Source: host, zone and its
// name; the process is this one. nil stands for the zero options.
func NewRecorder(ctx context.Context, src pmapi.Source, base string, metrics []string, opt *archive.WriterOptions) (*Recorder, error) {
	r := &Recorder{src: src}
	names, err := r.find(ctx, metrics)
	if err != nil {
		return nil, err
	}
	var o archive.WriterOptions
	if opt != nil {
		o = *opt
	}
	r.fillIn(ctx, &o)
	o.Sync = true
	if r.w, err = archive.Create(base, &o); err != nil {
		return nil, err
	}
	for i := range r.descs {
		if err == nil {
			err = r.w.AddMetric(r.descs[i], names[r.request.IDs[i]]...)
		}
	}
	if err == nil {
		err = r.putTexts(ctx)
	}
	if err != nil {
		_ = r.w.Close()
		return nil, err
	}
	return r, nil
}

func (r *Recorder) find(ctx context.Context, metrics []string) (map[pcp.ID][]string, error) {
	names, named := make(map[pcp.ID][]string), make(map[pcp.ID]bool)
	var ids []pcp.ID
	for _, metric := range metrics {
		found := false
		err := r.src.Walk(ctx, metric, true, func(name string, id pcp.ID) bool {
			if names[id] == nil {
				ids = append(ids, id)
			}
			if !slices.Contains(names[id], name) {
				names[id] = append(names[id], name)
			}
			named[id] = named[id] || name == metric
			found = true
			return true
		})
		if err == nil && !found {
			err = pmerr.Name
		}
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", metric, err)
		}
	}
	descs, err := r.src.Describe(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, d := range descs {
		switch {
		case d.Err == nil:
			d.Value.ID = ids[i]
			r.descs = append(r.descs, d.Value)
			r.request.IDs = append(r.request.IDs, ids[i])
		case named[ids[i]]: // a metric named by itself must work; of those below a node some may fail
			return nil, fmt.Errorf("metric %s: %w", names[ids[i]][0], d.Err)
		}
	}
	if len(r.descs) == 0 {
		return nil, fmt.Errorf("there are no metrics to record: %w", pmerr.Name)
	}
	r.insts = make([][]int32, len(r.descs))
	return names, nil
}

func (r *Recorder) fillIn(ctx context.Context, o *archive.WriterOptions) {
	if o.Host == "" {
		o.Host, _ = pmapi.HostName(ctx, r.src) // beside an error the name is a guess, which is good enough
	}
	if o.Zone == "" {
		_, o.Zone = r.src.Host()
	}
	if o.Zone == "" {
		o.Zone, _ = pmapi.StringValue(ctx, r.src, "pmcd.timezone") // without a zone the label has UTC
	}
	if o.ZoneInfo == "" {
		o.ZoneInfo, _ = pmapi.StringValue(ctx, r.src, "pmcd.zoneinfo")
	}
	if o.PID == 0 {
		o.PID = int32(os.Getpid())
	}
}

// Sample takes a sample and writes it. A sample that is not later than the last one is left out:
// the clock was set back.
func (r *Recorder) Sample(ctx context.Context) error {
	if err := r.src.Fetch(ctx, &r.request, &r.result); err != nil {
		return err
	}
	return r.put(ctx, &r.result)
}

// Run takes samples at the times of t and writes them, until ctx is done or a step fails. The end
// of ctx is an error only for an archive, because a live source has no other end.
func (r *Recorder) Run(ctx context.Context, t *sampling.Times) error {
	_, recorded := pmapi.As[pmapi.Timeline](r.src)
	for f, err := range sampling.Fetches(ctx, r.src, &r.request, t) {
		if err == nil {
			err = r.put(ctx, f)
		}
		switch {
		case err != nil && ctx.Err() != nil && !recorded:
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

func (r *Recorder) put(ctx context.Context, res *pcp.Result) error {
	t := res.Time
	if r.Samples() > 0 && t.Compare(r.last) <= 0 {
		return nil
	}
	// An archive has metadata before the records that need it.
	changed, err := r.putInstances(ctx, res)
	if err != nil {
		return err
	}
	if r.Samples() == 0 || res.Changes&pcp.LabelsChanged != 0 {
		err = r.putLabels(ctx, t, pmapi.LabelObjects(r.descs...))
	} else {
		err = r.putLabels(ctx, t, instanceLabels(changed))
	}
	if err != nil {
		return err
	}
	if err := r.w.Put(res); err != nil {
		return err
	}
	if err := r.flush(); err != nil {
		return err
	}
	r.last = t
	r.samples.Add(1)
	return nil
}

// syncEvery is how much of a recording a loss of power may take.
const syncEvery = 10 * time.Second

func (r *Recorder) flush() error {
	if now := time.Now(); now.Sub(r.synced) >= syncEvery || now.Before(r.synced) {
		r.synced = now
		return r.w.Sync()
	}
	return r.w.Flush()
}

// Samples returns how many samples were written. It may be called by other goroutines.
func (r *Recorder) Samples() int64 { return r.samples.Load() }

// Close completes the archive; the Source stays open. Without any sample the archive is removed,
// and the error is pmerr.NoData.
func (r *Recorder) Close() error { return r.w.Close() }

// putInstances writes the instances of domains whose metrics have new ones, and returns these domains.
func (r *Recorder) putInstances(ctx context.Context, res *pcp.Result) (changed []pcp.InDom, err error) {
	for i := range res.Sets {
		v, d := &res.Sets[i], r.descs[i].InDom
		if d == pcp.NullInDom || slices.Equal(v.Insts, r.insts[i]) {
			continue
		}
		r.insts[i] = append(r.insts[i][:0], v.Insts...)
		if !slices.Contains(changed, d) {
			changed = append(changed, d)
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	answers, err := r.src.Instances(ctx, changed, pmapi.At(res.Time))
	for i, a := range answers {
		if err == nil && a.Err == nil { // else the values have no names
			err = r.w.SetInDom(res.Time, changed[i], a.Value)
		}
	}
	return changed, err
}

func (r *Recorder) putTexts(ctx context.Context) error {
	for _, kind := range []pcp.TextKind{pcp.OneLine, pcp.Help} {
		texts, err := r.src.Text(ctx, kind, pcp.Idents(r.request.IDs))
		if err != nil {
			return err
		}
		for i := range r.descs {
			if err := r.putText(uint32(r.descs[i].ID), false, kind, texts[i].Value, texts[i].Err); err != nil {
				return err
			}
		}
		for _, d := range r.domains() {
			text, err := pmapi.LookupText(ctx, r.src, kind|pcp.InDomText, uint32(d))
			if err := r.putText(uint32(d), true, kind, text, err); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// putText writes a text unless it is missing: texts are optional.
func (r *Recorder) putText(ident uint32, isInDom bool, kind pcp.TextKind, text string, missing error) error {
	if missing != nil || text == "" {
		return nil
	}
	return r.w.SetText(ident, isInDom, kind, text)
}

func (r *Recorder) domains() (ds []pcp.InDom) {
	for i := range r.descs {
		if d := r.descs[i].InDom; d != pcp.NullInDom && !slices.Contains(ds, d) {
			ds = append(ds, d)
		}
	}
	return ds
}

func instanceLabels(ds []pcp.InDom) (objects []pmapi.LabelObject) {
	for _, d := range ds {
		objects = append(objects, pmapi.LabelObject{Kind: pcp.InstanceLabels, Ident: uint32(d)})
	}
	return objects
}

func (r *Recorder) putLabels(ctx context.Context, t pcp.Timestamp, objects []pmapi.LabelObject) error {
	found, err := pmapi.ReadLabels(ctx, r.src, objects)
	if err != nil {
		return err
	}
	for i, o := range objects {
		sets := slices.DeleteFunc(slices.Clone(found[i].Sets), func(s pcp.LabelSet) bool { return len(s.Labels) == 0 })
		if len(sets) == 0 {
			continue
		}
		if err := r.w.SetLabels(t, o.Kind, o.Ident, sets); err != nil {
			return err
		}
	}
	return nil
}
