package find

import (
	"context"
	"slices"
	"strings"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/describe"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// Top is how many metrics people are shown, unless they say how many.
const Top = 15

// Find returns the metrics that a question is about, at most the first few of them. The error is a
// *diagnose.Problem if there are none, that of ctx, or of a lost connection.
func Find(ctx context.Context, c *describe.Catalogue, question string, most int) (*Answer, error) {
	ix, err := read(ctx, c.Derived, func(name string) string {
		if d := c.Defs.Find(name); d != nil {
			return d.String()
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	a, err := ix.find(ctx, question, most)
	if err != nil {
		return nil, err
	}
	if len(a.Matches) == 0 {
		return nil, ix.problem(question, a)
	}
	ix.note(a)
	return a, ix.complete(ctx, c, a.Matches)
}

// exampleInterval is the time between the samples that examples of derived metrics of a live source may need.
const exampleInterval = 100 * time.Millisecond

// complete adds to matches what there is to show about them. The error is that of ctx or of a lost connection.
func (ix *index) complete(ctx context.Context, c *describe.Catalogue, list []Match) error {
	ids, names := make([]pcp.ID, len(list)), make([]string, len(list))
	for i := range list {
		ids[i], names[i] = ix.metrics[list[i].metric].id, list[i].Name
	}
	descs, err := c.Derived.Describe(ctx, ids)
	if bad := describe.Fatal(ctx, err); bad != nil {
		return bad
	}
	lines, err := describe.ReadTexts(ctx, c.Derived, pcp.OneLine, ids)
	if err != nil {
		return err
	}
	if err := c.Take(ctx, names, exampleInterval, true); err != nil {
		return err
	}
	for i := range list {
		m := &list[i]
		m.PMID, m.OneLine = ids[i].String(), strings.Join(strings.Fields(lines[i]), " ")
		if descs != nil && descs[i].Err == nil {
			m.desc, m.Metadata = descs[i].Value, answer.MetadataOf(&descs[i].Value)
		}
		v, err := c.First(ctx, m.Name, exampleInterval, true)
		if err != nil {
			return err
		}
		m.choose(v.List)
	}
	return nil
}

// choose takes the value of an instance that the question names, or else the first.
func (m *Match) choose(list []describe.Value) {
	if len(list) == 0 {
		m.Value = describe.NewValue(&sampling.Value{}, pcp.NullInDom, nil)
		return
	}
	m.Value = list[0]
	for _, w := range m.Why {
		named := slices.IndexFunc(list, func(v describe.Value) bool { return w.In == places[inInstance].name && v.Sample.Instance == w.Text })
		if named >= 0 {
			m.Value = list[named]
			return
		}
	}
}
