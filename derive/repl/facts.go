package repl

import (
	"context"
	"slices"
	"strings"

	"pmtools/derive/lint"
	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// rules applies the rules of package lint to the definitions that PCP takes.
func (l *linter) rules(ctx context.Context, s *Session) error {
	facts := &lint.Facts{Names: l.opt.Wanted, Interval: l.opt.Interval, MaxCost: l.opt.MaxCost}
	w := &witness{ctx: ctx, s: s, masked: make(map[*lint.Definition]bool), growth: make(map[pcp.ID]float64)}
	defer w.close()
	from := make(map[*lint.Definition]*linted)
	for _, d := range l.list {
		if d.wrong {
			continue
		}
		def := &lint.Definition{Name: d.def.Name, Text: d.def.Expr, Expr: d.def.Program.Expr(), Off: d.remark.off, OneLine: l.texts[[2]string{d.def.Name, "oneline"}]}
		if d.report.Err == nil {
			def.Tree, def.Info = d.report.Expr, d.report.Info
		}
		w.masked[def], from[def] = d.report.Masked, d
		facts.Definitions = append(facts.Definitions, def)
	}
	if !l.opt.Syntax {
		facts.Source = w
	}
	found, err := lint.Run(l.opt.Text, facts, l.opt.Rules)
	for _, f := range found {
		d := from[f.Definition]
		line, column, source := d.place(int(f.Pos))
		l.add(d.file, line, column, SeverityWarning, d.def.Name, source, f.Message, f.Notes...)
		last := &l.diags[len(l.diags)-1]
		last.Rule, last.Fixes = f.Rule, d.fixes(f.Fixes)
	}
	return err
}

// A witness answers what rules ask about the source of a session. It implements lint.Source.
type witness struct {
	ctx     context.Context
	s       *Session
	masked  map[*lint.Definition]bool
	insts   map[pcp.InDom][]string
	names   []string // of the source, ascending; nil before they are needed
	growth  map[pcp.ID]float64
	members []member
	opened  bool
}

// A member is one archive of a set.
type member struct {
	name string
	*pmapi.Archive
}

// Instances implements lint.Source.
func (w *witness) Instances(d pcp.InDom) ([]string, bool) {
	names, ok := w.insts[d]
	if ok {
		return names, names != nil
	}
	if w.insts == nil {
		w.insts = make(map[pcp.InDom][]string)
	}
	names, ok = w.s.src.InstanceNames(w.ctx, d)
	if w.insts[d] = names; !ok {
		w.insts[d] = nil
	}
	return names, ok
}

// Below implements lint.Source.
func (w *witness) Below(name string) bool {
	if w.names == nil {
		w.names = append([]string{}, w.s.src.Catalogue(w.ctx)...) // one request for all definitions
		slices.Sort(w.names)
	}
	i, _ := slices.BinarySearch(w.names, name+".")
	return i < len(w.names) && strings.HasPrefix(w.names[i], name+".")
}

// Masked implements lint.Source.
func (w *witness) Masked(d *lint.Definition) bool { return w.masked[d] }

// Lacking implements lint.Source. The archives of a set are opened one by one for it.
func (w *witness) Lacking(id pcp.ID) (names []string) {
	if !w.opened && w.s.kind == Archive {
		w.opened = true
		if list, err := archive.List(w.s.name); err == nil && len(list) > 1 {
			for _, name := range list {
				if a, err := pmapi.OpenArchive(w.ctx, name, nil); err == nil {
					w.members = append(w.members, member{name, a})
				}
			}
		}
	}
	for _, m := range w.members {
		if !m.Has(id) {
			names = append(names, m.name)
		}
	}
	return names
}

// close closes what was opened.
func (w *witness) close() {
	for _, m := range w.members {
		m.Close()
	}
}

// maxGrowth is in how many places of a recording the growth of a counter is looked at.
const maxGrowth = 100

// Growth implements lint.Source for recordings.
func (w *witness) Growth(id pcp.ID) (fastest float64, ok bool) {
	if fastest, ok = w.growth[id]; ok {
		return fastest, true
	}
	if fastest, ok = w.grow(id); ok {
		w.growth[id] = fastest
	}
	return fastest, ok
}

// grow finds out how fast a counter grows.
func (w *witness) grow(id pcp.ID) (fastest float64, ok bool) {
	if w.s.src.Line == nil {
		return 0, false
	}
	start, end, err := w.s.src.Line.Bounds(w.ctx)
	step := end.Time().Sub(start.Time()) / maxGrowth
	if err != nil || step <= 0 || w.s.src.Line.SetMode(pcp.Interp, &start, step) != nil {
		return 0, false
	}
	var now pcp.Result
	before := make(map[int32]uint64)
	for range maxGrowth {
		if w.s.src.Fetch(w.ctx, &pmapi.Request{IDs: []pcp.ID{id}}, &now) != nil || len(now.Sets[0].Words) < now.Sets[0].Len() {
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
