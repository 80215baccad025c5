package lint

import (
	"context"
	"slices"
	"strings"

	"pmtools/derive/query"
	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

func (w *work) rules(ctx context.Context) error {
	facts := &Facts{Names: w.opt.Wanted, Interval: w.opt.Interval, MaxCost: w.opt.MaxCost}
	from, masked := make(map[*Definition]*entry), make(map[*Definition]bool)
	for _, e := range w.entries {
		if e.wrong {
			continue
		}
		def := &Definition{Name: e.Name(), Text: e.String(), Expr: e.Expr(), Off: e.directive.off, OneLine: w.texts[[2]string{e.Name(), "oneline"}]}
		if e.report.Err == nil {
			def.Tree, def.Info = e.report.Expr, e.report.Info
		}
		masked[def], from[def] = e.report.Masked, e
		facts.Definitions = append(facts.Definitions, def)
	}
	if !w.opt.Syntax {
		source := &sourceFacts{ctx: ctx, src: w.Source, archives: w.Archives, masked: masked, growth: make(map[pcp.ID]float64)}
		defer source.close()
		facts.Source = source
	}
	found, err := Run(w.opt.Text, facts, w.opt.Rules)
	for _, f := range found {
		e := from[f.Definition]
		line, column, source := e.place(int(f.Pos))
		w.add(e.line.File, line, column, SeverityWarning, f.Definition.Name, source, f.Message, f.Notes...)
		last := &w.found[len(w.found)-1]
		last.Rule, last.Fixes = f.Rule, e.fixes(f.Fixes)
	}
	return err
}

type sourceFacts struct {
	ctx      context.Context
	src      *query.Source
	archives string // that it is, "" if it is another
	masked   map[*Definition]bool
	insts    map[pcp.InDom][]string
	names    []string // of the source, ascending; nil before they are needed
	growth   map[pcp.ID]float64
	members  []member
	opened   bool
}

type member struct {
	name string
	*pmapi.Archive
}

func (f *sourceFacts) Instances(d pcp.InDom) ([]string, bool) {
	names, ok := f.insts[d]
	if ok {
		return names, names != nil
	}
	if f.insts == nil {
		f.insts = make(map[pcp.InDom][]string)
	}
	names, ok = f.src.InstanceNames(f.ctx, d)
	if f.insts[d] = names; !ok {
		f.insts[d] = nil
	}
	return names, ok
}

func (f *sourceFacts) Labels(d pcp.InDom) ([]string, bool) {
	names, err := f.src.LabelNames(f.ctx, d)
	return names, err == nil
}

func (f *sourceFacts) Below(name string) bool {
	if f.names == nil {
		f.names = append([]string{}, f.src.Catalogue(f.ctx)...) // one request for all definitions
		slices.Sort(f.names)
	}
	i, _ := slices.BinarySearch(f.names, name+".")
	return i < len(f.names) && strings.HasPrefix(f.names[i], name+".")
}

func (f *sourceFacts) Masked(d *Definition) bool { return f.masked[d] }

// Lacking implements Source. The archives of a set are opened one by one for it.
func (f *sourceFacts) Lacking(id pcp.ID) (names []string) {
	if !f.opened && f.archives != "" {
		f.opened = true
		if list, err := archive.List(f.archives); err == nil && len(list) > 1 {
			for _, name := range list {
				if a, err := pmapi.OpenArchive(f.ctx, name, nil); err == nil {
					f.members = append(f.members, member{name, a})
				}
			}
		}
	}
	for _, m := range f.members {
		if !m.Has(id) {
			names = append(names, m.name)
		}
	}
	return names
}

func (f *sourceFacts) close() {
	for _, m := range f.members {
		m.Close()
	}
}

// maxGrowth is in how many places of a recording the growth of a counter is looked at.
const maxGrowth = 100

func (f *sourceFacts) Growth(id pcp.ID) (fastest float64, ok bool) {
	if fastest, ok = f.growth[id]; ok {
		return fastest, true
	}
	if fastest, ok = f.grow(id); ok {
		f.growth[id] = fastest
	}
	return fastest, ok
}

func (f *sourceFacts) grow(id pcp.ID) (fastest float64, ok bool) {
	if f.src.Line == nil {
		return 0, false
	}
	start, end, err := f.src.Line.Bounds(f.ctx)
	step := end.Time().Sub(start.Time()) / maxGrowth
	if err != nil || step <= 0 || f.src.Line.SetMode(pcp.Interp, &start, step) != nil {
		return 0, false
	}
	var now pcp.Result
	before := make(map[int32]uint64)
	for range maxGrowth {
		if f.src.Fetch(f.ctx, &pmapi.Request{IDs: []pcp.ID{id}}, &now) != nil || len(now.Sets[0].Words) < now.Sets[0].Len() {
			break
		}
		for i, inst := range now.Sets[0].Insts {
			value := now.Sets[0].Words[i]
			if old, known := before[inst]; known && value >= old {
				fastest, ok = max(fastest, float64(value-old)/step.Seconds()), true
			}
			before[inst] = value
		}
	}
	return fastest, ok
}
