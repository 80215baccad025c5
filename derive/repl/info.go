package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"pmtools/derive/query"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// metric finds a metric by its name.
func (s *Session) metric(ctx context.Context, name string) (*derive.Source, pcp.Desc, error) {
	src := s.all(ctx)
	found, err := src.Lookup(ctx, []string{name})
	if err != nil {
		return nil, pcp.Desc{}, err
	}
	if err := found[0].Err; err != nil {
		return nil, pcp.Desc{}, s.lookupProblem(ctx, name, err)
	}
	descs, err := src.Describe(ctx, []pcp.ID{found[0].Value})
	if err != nil {
		return nil, pcp.Desc{}, err
	}
	if err := descs[0].Err; err != nil {
		return nil, pcp.Desc{}, s.lookupProblem(ctx, name, err)
	}
	return src, descs[0].Value, nil
}

// runDesc shows a description.
func runDesc(ctx context.Context, s *Session, name string, w io.Writer) error {
	_, d, err := s.metric(ctx, name)
	if err != nil {
		return err
	}
	_, err = w.Write(format.AppendDesc([]byte(fmt.Sprintf("%s PMID: %s\n", name, d.ID)), &d, false))
	return err
}

// runInst lists instances.
func runInst(ctx context.Context, s *Session, name string, w io.Writer) error {
	_, d, err := s.metric(ctx, name)
	if err != nil {
		return err
	}
	if d.InDom == pcp.NullInDom {
		return query.Problemf("%s has one value and no instances", name)
	}
	insts, err := s.src.InstancesAt(ctx, d.InDom, s.src.At)
	if err != nil && s.src.Line != nil {
		if all, later := s.src.AllInstances(ctx, d.InDom); later == nil && len(all) > 0 {
			s.note(w, "none at the position; these are of the whole recording")
			insts, err = all, nil
		}
	}
	if err != nil {
		return instancesProblem(name, d.InDom, err)
	}
	t := &Table{Right: []bool{true}}
	for _, in := range insts {
		t.Rows = append(t.Rows, []string{query.Number(in.ID), in.Name})
	}
	return s.table(ctx, w, t)
}

// runText shows help texts.
func runText(ctx context.Context, s *Session, name string, w io.Writer) error {
	src, d, err := s.metric(ctx, name)
	if err != nil {
		return err
	}
	texts, err := textsOf(ctx, src, d.ID)
	if err != nil {
		return s.textProblem(name, err)
	}
	for _, text := range texts {
		fmt.Fprintln(w, text)
	}
	return nil
}

// textsOf returns the help texts of a metric, those that are there and not the same.
func textsOf(ctx context.Context, src *derive.Source, id pcp.ID) (texts []string, err error) {
	line, errLine := src.Text(ctx, id, pcp.OneLine)
	help, errHelp := src.Text(ctx, id, pcp.Help)
	line, help = strings.TrimRight(line, "\n"), strings.TrimRight(help, "\n")
	switch {
	case errLine != nil && errHelp != nil:
		return nil, errLine
	case errLine == nil && line != "":
		texts = append(texts, line)
	}
	if errHelp == nil && help != "" && help != line {
		texts = append(texts, help)
	}
	return texts, nil
}

// About returns the metadata of a metric, in one line, and its help texts.
func (s *Session) About(ctx context.Context, name string) (metadata string, texts []string, err error) {
	if err := s.acquire(ctx); err != nil {
		return "", nil, err
	}
	defer s.release()
	if err := s.connect(ctx); err != nil {
		return "", nil, err
	}
	src, d, err := s.metric(ctx, name)
	if err != nil {
		return "", nil, s.noteLost(err)
	}
	texts, _ = textsOf(ctx, src, d.ID) // most metrics of archives have none
	return string(format.AppendSummary(nil, &d)), texts, nil
}

// Replace makes the definitions of a configuration file those of the Session. Lines that are wrong
// define nothing.
func (s *Session) Replace(ctx context.Context, name string, text []byte) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	s.defs, s.full = s.defs.Replace(query.ReadFile(name, text, nil).Own), nil
	return nil
}

// runLabels shows labels: those of the metric, and of each instance the further ones.
func runLabels(ctx context.Context, s *Session, name string, w io.Writer) error {
	src, d, err := s.metric(ctx, name)
	if err != nil {
		return err
	}
	if err := s.src.Seek(); err != nil { // labels are those of the position, which the values before have moved
		return err
	}
	var sets [][]pcp.Label
	add := func(kind pcp.LabelKind, ident uint32) {
		// A level without labels, or that is not available, adds none.
		found, _ := src.Labels(ctx, kind, ident)
		for _, l := range found {
			sets = append(sets, l.Labels)
		}
	}
	add(pcp.ContextLabels, 0)
	if !d.ID.IsDerived() {
		add(pcp.DomainLabels, d.ID.Domain())
	}
	if d.InDom != pcp.NullInDom {
		add(pcp.InDomLabels, uint32(d.InDom))
	}
	if !d.ID.IsDerived() {
		add(pcp.ClusterLabels, uint32(d.ID))
		add(pcp.ItemLabels, uint32(d.ID))
	}
	fmt.Fprintf(w, "%s %s\n", name, pcp.AppendLabels(nil, pcp.MergeLabels(sets...)))
	if d.InDom == pcp.NullInDom {
		return nil
	}
	namer := query.NewInstanceNamer(s.src)
	insts, _ := src.Labels(ctx, pcp.InstanceLabels, uint32(d.InDom))
	t := &Table{}
	for _, l := range insts {
		t.Rows = append(t.Rows, []string{namer.Name(ctx, d.InDom, l.Inst, s.src.At), string(pcp.AppendLabels(nil, l.Labels))})
	}
	return s.table(ctx, w, t)
}

// maxTexts is how many metrics are listed with help texts, which are asked for one by one.
const maxTexts = 500

// runMetrics lists metrics.
func runMetrics(ctx context.Context, s *Session, pattern string, w io.Writer) error {
	match := func(name string) bool { return strings.HasPrefix(name, pattern) }
	if strings.ContainsAny(pattern, "*?[") {
		if _, err := path.Match(pattern, ""); err != nil {
			return query.Problemf("'%s' is not a pattern", pattern)
		}
		// Dots separate nothing for *, as one expects of names.
		match = func(name string) bool { ok, _ := path.Match(pattern, name); return ok }
	}
	src := s.all(ctx)
	type entry struct {
		name string
		id   pcp.ID
	}
	var list []entry
	err := src.Walk(ctx, "", func(name string, id pcp.ID) bool {
		if match(name) {
			list = append(list, entry{name, id})
		}
		return true
	})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return &Problem{Msg: "no metric matches " + pattern, Notes: diagnose.DidYouMean(pattern, s.src.Catalogue(ctx))}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	t := &Table{}
	for i, e := range list {
		text := ""
		if i < maxTexts {
			text, _ = src.Text(ctx, e.id, pcp.OneLine)
		}
		t.Rows = append(t.Rows, []string{e.name, strings.TrimSpace(text)})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return s.table(ctx, w, t)
}
