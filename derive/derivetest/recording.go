package derivetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A recording is the archive on which a file of cases is tried.
type recording struct {
	base    string
	start   pcp.Timestamp
	step    time.Duration
	samples int
}

// recording writes the archive of a file below dir.
func (f *File) recording(ctx context.Context, dir string) (*recording, error) {
	w := &recording{base: filepath.Join(dir, "input"), start: f.Start, step: f.Step, samples: len(f.metrics[0].rows[0].points)}
	out, err := archive.Create(w.base, &archive.WriterOptions{Host: "test", Start: f.Start})
	if err != nil {
		return nil, err
	}
	err = f.write(ctx, out, w.samples)
	closed := out.Close()
	return w, cmp.Or(err, closed)
}

func (f *File) beside(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(f.Name), name)
}

func (f *File) write(ctx context.Context, out *archive.Writer, samples int) error {
	b := &builder{File: f, out: out, domains: make(map[pcp.InDom]*domain)}
	for i, m := range f.metrics {
		if err := b.describe(i, m); err != nil {
			return mistake(f.Name, m.line, err.Error())
		}
	}
	for k := range samples {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.sample(f.Start.Add(time.Duration(k)*f.Step), k); err != nil {
			return err
		}
	}
	return nil
}

type builder struct {
	*File
	out   *archive.Writer
	descs []pcp.Desc

	domains map[pcp.InDom]*domain
}

type domain struct {
	ids  map[string]int32
	last []pcp.Instance // as they were written
}

// testDomain is the number of the agent to which metrics without a domain belong.
const testDomain = 245

func (b *builder) describe(i int, m *metric) error {
	singular := len(m.rows) == 1 && m.rows[0].instance == ""
	d := pcp.Desc{Type: *m.desc.typ, Sem: *m.desc.sem, InDom: pcp.NullInDom}
	if m.desc.units != nil {
		d.Units = *m.desc.units
	}
	domain := uint32(testDomain)
	if m.desc.indom != nil && *m.desc.indom != pcp.NullInDom {
		d.InDom = *m.desc.indom
		domain = d.InDom.Domain()
	}
	d.ID = pcp.NewID(domain, 4095, uint32(i))
	switch {
	case singular != (d.InDom == pcp.NullInDom) && singular:
		return fmt.Errorf("%s has indom %v, so it needs rows with instances", m.name, d.InDom)
	case singular != (d.InDom == pcp.NullInDom):
		return fmt.Errorf("%s has no indom, so it has one row, which begins with value", m.name)
	}
	b.descs = append(b.descs, d)
	return b.out.AddMetric(d, m.name)
}

// inst returns the number of an instance.
func (b *builder) inst(d pcp.InDom, name string) int32 {
	dom := b.domains[d]
	if dom == nil {
		dom = &domain{ids: make(map[string]int32)}
		b.domains[d] = dom
	}
	id, ok := dom.ids[name]
	if !ok {
		id = int32(len(dom.ids) + 1)
		dom.ids[name] = id
	}
	return id
}

func (b *builder) sample(t pcp.Timestamp, k int) error {
	r := pcp.Result{Time: t}
	present := make(map[pcp.InDom]map[pcp.Instance]bool)
	for i, m := range b.metrics {
		d := &b.descs[i]
		v := pcp.Values{ID: d.ID, Type: d.Type}
		if d.InDom != pcp.NullInDom && present[d.InDom] == nil {
			present[d.InDom] = make(map[pcp.Instance]bool)
		}
		for _, row := range m.rows {
			p := row.points[k]
			if p.none {
				continue
			}
			value, err := p.value(d.Type)
			if err != nil {
				return mistake(b.Name, row.line, err.Error())
			}
			inst := pcp.NullInst
			if d.InDom != pcp.NullInDom {
				inst = b.inst(d.InDom, row.instance)
				present[d.InDom][pcp.Instance{ID: inst, Name: row.instance}] = true
			}
			v.Append(inst, value)
		}
		r.Sets = append(r.Sets, v)
	}
	if err := b.instances(t, present); err != nil {
		return err
	}
	return b.out.Put(&r)
}

// instances writes the instances of the domains that have others than before.
func (b *builder) instances(t pcp.Timestamp, present map[pcp.InDom]map[pcp.Instance]bool) error {
	for _, d := range slices.Sorted(maps.Keys(present)) {
		list := slices.SortedFunc(maps.Keys(present[d]), func(x, y pcp.Instance) int { return cmp.Compare(x.ID, y.ID) })
		if dom := b.domains[d]; dom != nil && !slices.Equal(dom.last, list) {
			dom.last = list
			if err := b.out.SetInDom(t, d, list); err != nil {
				return err
			}
		}
	}
	return nil
}

// open opens the archive to read record by record.
func (w *recording) open(ctx context.Context) (*pmapi.Archive, error) {
	src, err := pmapi.OpenArchive(ctx, w.base, nil)
	if err == nil {
		if err = src.SetMode(pcp.Forward, &w.start, 0); err != nil {
			src.Close()
		}
	}
	return src, err
}

// fetch takes the samples of some metrics, and calls f with each until it returns an error; io.EOF ends
// the work without one.
func (w *recording) fetch(ctx context.Context, src pmapi.Source, ids []pcp.ID, f func(k int, r *pcp.Result) error) error {
	var r pcp.Result
	for k := range w.samples {
		err := src.Fetch(ctx, &pmapi.Request{IDs: ids}, &r)
		if err == nil {
			err = f(k, &r)
		}
		switch {
		case errors.Is(err, pmerr.EOL), errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
	return nil
}
