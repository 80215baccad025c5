package describe

import (
	"context"
	"encoding/json"
	"strings"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/query"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// columns are the parts of a description that may be asked for alone, and what a table for programs has of each.
var columns = map[string][]string{
	"desc":   {"metric", "pmid", "type", "semantics", "units", "indom"},
	"inst":   {"metric", "id", "instance"},
	"text":   {"metric", "oneline", "help"},
	"labels": {"metric", "instance", "labels"},
}

// Parts returns the names of the parts.
func Parts() []string { return []string{"desc", "inst", "text", "labels"} }

// A Part is a table of one part of the descriptions of metrics.
type Part struct {
	*Catalogue
	answer.Table
	name    string
	several bool              // the rows of people tell the metric, too
	note    func(line string) // gets what there is to know beside it
}

// NewPart returns the table of a part, without metrics at first, for one or several.
func NewPart(c *Catalogue, name string, several bool, note func(line string)) *Part {
	t := answer.Table{Keys: columns[name], Records: [][]string{}, Wrap: true}
	if name == "inst" {
		t.Right, t.Wrap = []bool{!several, several}, false
	}
	return &Part{c, t, name, several, note}
}

// Add adds a metric. The error is a *diagnose.Problem, or that of a request to the source.
func (p *Part) Add(ctx context.Context, name string) error {
	d, err := p.Lookup(ctx, name)
	if err != nil {
		return err
	}
	switch p.name {
	case "inst":
		return p.addInstances(ctx, name, &d)
	case "text":
		return p.addTexts(ctx, name, &d)
	case "labels":
		return p.addLabels(ctx, name, &d)
	}
	p.Records = append(p.Records, []string{name, d.ID.String(), d.Type.String(), d.Sem.String(), d.Units.String(), answer.InDom(&d)})
	text := string(format.AppendDesc([]byte(name+" PMID: "+d.ID.String()+"\n"), &d, false))
	p.Notes = append(p.Notes, strings.TrimSuffix(text, "\n"))
	return nil
}

func (p *Part) addInstances(ctx context.Context, name string, d *pcp.Desc) error {
	if d.InDom == pcp.NullInDom {
		return query.Problemf("%s has one value and no instances", name)
	}
	insts, err := pmapi.InstancesOf(ctx, p.Source, d.InDom, pmapi.At(p.Source.At))
	if err != nil && p.Source.Line != nil {
		if all, later := pmapi.InstancesOf(ctx, p.Source, d.InDom, pmapi.Ever()); later == nil && len(all) > 0 {
			p.note("none at the position; these are of the whole recording")
			insts, err = all, nil
		}
	}
	if err != nil {
		return instancesProblem(name, d.InDom, err)
	}
	for _, in := range insts {
		record := []string{name, query.Number(in.ID), in.Name}
		row := record[1:]
		if p.several {
			row = record
		}
		p.Records, p.Rows = append(p.Records, record), append(p.Rows, row)
		p.Objects = append(p.Objects, member{name, &answer.Instance{ID: in.ID, Name: in.Name}, nil})
	}
	return nil
}

func (p *Part) addTexts(ctx context.Context, name string, d *pcp.Desc) error {
	texts, err := p.Texts(ctx, name, d.ID)
	if err != nil {
		return err
	}
	p.Records = append(p.Records, []string{name, texts.OneLine, texts.Help})
	if p.several {
		p.Notes = append(p.Notes, name+":")
	}
	p.Notes = append(p.Notes, texts.List()...)
	return nil
}

// addLabels adds the labels of a metric, and those that its instances have besides.
func (p *Part) addLabels(ctx context.Context, name string, d *pcp.Desc) error {
	labels, insts, err := p.Labels(ctx, d)
	if err != nil {
		return err
	}
	namer := query.NewInstanceNamer(p.Source)
	for _, l := range append([]pcp.LabelSet{{Inst: pcp.NullInst, Labels: labels}}, insts...) {
		m := member{Metric: name, Labels: pcp.AppendLabels(nil, l.Labels)}
		row := []string{name, labelText(l.Labels)}
		record := []string{name, "", string(m.Labels)}
		if l.Inst != pcp.NullInst {
			m.Instance = &answer.Instance{ID: l.Inst, Name: namer.Name(ctx, d.InDom, l.Inst, p.Source.At)}
			row[0], record[1] = m.Instance.Name, m.Instance.Name
		}
		if !json.Valid(m.Labels) { // as a source may have them
			m.Labels = nil
		}
		p.Rows, p.Records, p.Objects = append(p.Rows, row), append(p.Records, record), append(p.Objects, m)
	}
	return nil
}

// A member is what JSON has of an instance, or of the labels of a metric.
type member struct {
	Metric   string           `json:"metric"`
	Instance *answer.Instance `json:"instance,omitempty"`
	Labels   json.RawMessage  `json:"labels,omitempty"`
}
