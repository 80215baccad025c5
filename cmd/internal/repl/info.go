package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"pmtools/derive/query"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/describe"
	"pmtools/derive/diagnose"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// catalogue returns where names are looked up.
func (s *Session) catalogue(ctx context.Context) *describe.Catalogue {
	return &describe.Catalogue{Source: s.src, Derived: s.all(ctx), Defs: s.defs}
}

func (s *Session) metric(ctx context.Context, name string) (*describe.Catalogue, pcp.Desc, error) {
	c := s.catalogue(ctx)
	d, err := c.Lookup(ctx, name)
	return c, d, err
}

func newDescribe() *Verb {
	return &Verb{
		Name: "describe", Aliases: []Alias{{Name: "d"}}, Usage: "NAME ...", Short: "Show all about a metric",
		Long: "Show texts, type, instances, labels, values and rates of a metric, what it is made of, the definitions\n" +
			"that use it, when an archive has it, and expressions to try. A name that has metrics below it lists them.",
		Doors: Both, Least: 1, Most: many, Asks: true, Complete: ofNames,
		New: func(f *Flags) Run {
			f.Output(answer.Forms(), "json")
			return runDescribe
		},
	}
}

func runDescribe(ctx context.Context, s *Session, list []string, w io.Writer) error {
	c := s.catalogue(ctx)
	var bad []error
	var found []*describe.Description
	c.Take(ctx, list, s.set.Interval)
	for _, name := range list {
		d, err := c.New(ctx, name, s.set.Interval)
		if p, wrong := errors.AsType[*diagnose.Problem](err); wrong {
			bad = append(bad, p)
			continue
		} else if err != nil {
			return err
		}
		found = append(found, d)
	}
	if len(found) > 0 {
		bad = append(bad, s.show(ctx, w, describe.Table(found, s.set.Numbers.Form(), s.zone)))
	}
	return errors.Join(bad...)
}

func runDesc(ctx context.Context, s *Session, name string, w io.Writer) error {
	_, d, err := s.metric(ctx, name)
	if err != nil {
		return err
	}
	_, err = w.Write(format.AppendDesc([]byte(fmt.Sprintf("%s PMID: %s\n", name, d.ID)), &d, false))
	return err
}

func runInst(ctx context.Context, s *Session, name string, w io.Writer) error {
	_, d, err := s.metric(ctx, name)
	if err != nil {
		return err
	}
	if d.InDom == pcp.NullInDom {
		return query.Problemf("%s has one value and no instances", name)
	}
	insts, err := pmapi.InstancesOf(ctx, s.src, d.InDom, pmapi.At(s.src.At))
	if err != nil && s.src.Line != nil {
		if all, later := pmapi.InstancesOf(ctx, s.src, d.InDom, pmapi.Ever()); later == nil && len(all) > 0 {
			s.note(w, "none at the position; these are of the whole recording")
			insts, err = all, nil
		}
	}
	if err != nil {
		return describe.InstancesProblem(name, d.InDom, err)
	}
	t := &Table{Right: []bool{true}}
	for _, in := range insts {
		t.Rows = append(t.Rows, []string{query.Number(in.ID), in.Name})
	}
	return s.table(ctx, w, t)
}

func runText(ctx context.Context, s *Session, name string, w io.Writer) error {
	c, d, err := s.metric(ctx, name)
	if err != nil {
		return err
	}
	texts, err := c.Texts(ctx, name, d.ID)
	if err != nil {
		return err
	}
	for _, text := range texts.List() {
		fmt.Fprintln(w, text)
	}
	return nil
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
	c, d, err := s.metric(ctx, name)
	if err != nil {
		return "", nil, s.noteLost(err)
	}
	found, _ := c.Texts(ctx, name, d.ID) // most metrics of archives have none
	return string(format.AppendSummary(nil, &d)), found.List(), nil
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

func runLabels(ctx context.Context, s *Session, name string, w io.Writer) error {
	c, d, err := s.metric(ctx, name)
	if err != nil {
		return err
	}
	labels, insts, err := c.Labels(ctx, &d)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s %s\n", name, pcp.AppendLabels(nil, labels))
	if d.InDom == pcp.NullInDom {
		return nil
	}
	namer := query.NewInstanceNamer(s.src)
	t := &Table{}
	for _, l := range insts {
		t.Rows = append(t.Rows, []string{namer.Name(ctx, d.InDom, l.Inst, s.src.At), string(pcp.AppendLabels(nil, l.Labels))})
	}
	return s.table(ctx, w, t)
}

// maxTexts is how many metrics are listed with help texts, which are asked for one by one.
const maxTexts = 500

func newMetrics() *Verb {
	return &Verb{
		Name: "metrics", Usage: "[PATTERN]", Short: "List metrics whose names begin with PATTERN, or match it if it has *, ? or [",
		Doors: Both, Most: 1, Asks: true, Complete: ofNames,
		New: func(f *Flags) Run {
			f.Output(answer.Forms(), "json")
			return runMetrics
		},
	}
}

func runMetrics(ctx context.Context, s *Session, args []string, w io.Writer) error {
	pattern := strings.Join(args, "")
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
	err := src.Walk(ctx, "", true, func(name string, id pcp.ID) bool {
		if match(name) {
			list = append(list, entry{name, id})
		}
		return true
	})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return &diagnose.Problem{Msg: "no metric matches " + pattern, Notes: diagnose.DidYouMean(pattern, s.src.Catalogue(ctx))}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	t := &Table{Keys: []string{"metric", "oneline"}, Wrap: true}
	for i, e := range list {
		text := ""
		if i < maxTexts {
			text, _ = pmapi.LookupText(ctx, src, pcp.OneLine, uint32(e.id))
		}
		t.Rows = append(t.Rows, []string{e.name, strings.TrimSpace(text)})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return s.show(ctx, w, t)
}
