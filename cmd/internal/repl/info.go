package repl

import (
	"cmp"
	"context"
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
	return &describe.Catalogue{
		Source: s.src, Derived: s.all(ctx), Defs: s.defs,
		Zone: s.zone, Form: s.set.Numbers.Form(), Interval: s.set.Interval,
	}
}

// About returns the metadata of a metric, in one line, and its help texts.
func (s *Session) About(ctx context.Context, name string) (metadata string, texts []string, err error) {
	err = s.Hold(ctx, func() error {
		if err := s.connect(ctx); err != nil {
			return err
		}
		c := s.catalogue(ctx)
		d, err := c.Lookup(ctx, name)
		if err != nil {
			return err
		}
		found, _ := c.Texts(ctx, name, d.ID) // most metrics of archives have none
		metadata, texts = string(format.AppendSummary(nil, &d)), found.List()
		return nil
	})
	return metadata, texts, err
}

// Replace makes the definitions of a configuration file those of the Session. Lines that are wrong
// define nothing.
func (s *Session) Replace(ctx context.Context, name string, text []byte) error {
	return s.Hold(ctx, func() error {
		s.defs, s.full = s.defs.Replace(readDefinitions(name, text, nil).own), nil
		return nil
	})
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
		p := &diagnose.Problem{Msg: "no metric matches " + pattern, Notes: diagnose.DidYouMean(pattern, s.src.Catalogue(ctx))}
		if p.Notes == nil {
			p.Notes = []string{":find " + strings.Trim(pattern, "*?[]") + " looks into names and help texts"}
		}
		return p
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
