package describe

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// columns are what a table for programs has of a description, and of the parts that may be asked for alone.
var columns = map[string][]string{
	"":       {"metric", "property", "instance", "value"},
	"desc":   {"metric", "pmid", "type", "semantics", "units", "indom"},
	"inst":   {"metric", "id", "instance"},
	"text":   {"metric", "oneline", "help"},
	"labels": {"metric", "instance", "labels"},
}

// Parts returns the names of the parts.
func Parts() []string { return []string{"desc", "inst", "text", "labels"} }

// A table is one of descriptions, or of one part of them.
type table struct {
	*Catalogue
	answer.Table
	several bool              // the rows of people tell the metric, too
	note    func(line string) // gets what there is to know beside it
}

// Table returns a table of one part of the descriptions of metrics, or with "" of all of them; nil if no metric can be described.
// Note gets what there is to know beside it. The error joins a *diagnose.Problem for each metric that cannot be described, or is
// that of a request to the source, without a table.
func (c *Catalogue) Table(ctx context.Context, part string, names []string, note func(line string)) (*answer.Table, error) {
	t := &table{c, answer.Table{Keys: columns[part], Records: [][]string{}, Wrap: true}, len(names) > 1, note}
	switch part {
	case "":
		wanted := slices.Clone(names)
		for _, name := range names {
			for _, t := range usual(name) {
				wanted = append(wanted, t.Expr)
			}
		}
		if err := c.Take(ctx, wanted, c.Interval, false); err != nil {
			return nil, err
		}
	case "inst":
		t.Right, t.Wrap = []bool{!t.several, t.several}, false
	}
	var bad []error
	for _, name := range names {
		err := t.metric(ctx, part, name)
		if p, wrong := errors.AsType[*diagnose.Problem](err); wrong {
			bad = append(bad, p)
		} else if err != nil {
			return nil, errors.Join(append(bad, err)...)
		}
	}
	if len(bad) == len(names) {
		return nil, errors.Join(bad...)
	}
	return &t.Table, errors.Join(bad...)
}

// metric adds a metric. The error is a *diagnose.Problem, or that of a request to the source.
func (t *table) metric(ctx context.Context, part, name string) error {
	if part == "" {
		d, err := t.New(ctx, name)
		if err == nil {
			t.addPage(d)
		}
		return err
	}
	d, err := t.Lookup(ctx, name)
	if err != nil {
		return err
	}
	switch part {
	case "inst":
		return t.addInstances(ctx, name, &d)
	case "text":
		return t.addTexts(ctx, name, &d)
	case "labels":
		return t.addLabels(ctx, name, &d)
	}
	metadata := answer.MetadataOf(&d)
	t.Records = append(t.Records, append([]string{name}, metadata.Record()...))
	text := string(format.AppendDesc([]byte(name+" PMID: "+d.ID.String()+"\n"), &d, false))
	t.Notes = append(t.Notes, strings.TrimSuffix(text, "\n"))
	return nil
}

func (t *table) addInstances(ctx context.Context, name string, d *pcp.Desc) error {
	if d.InDom == pcp.NullInDom {
		return query.Problemf("%s has one value and no instances", name)
	}
	insts, err := pmapi.InstancesOf(ctx, t.Source, d.InDom, pmapi.At(t.Source.At))
	if err != nil && t.Source.Line != nil {
		if all, later := pmapi.InstancesOf(ctx, t.Source, d.InDom, pmapi.Ever()); later == nil && len(all) > 0 {
			t.note("none at the position; these are of the whole recording")
			insts, err = all, nil
		}
	}
	if err != nil {
		return instancesProblem(name, d.InDom, err)
	}
	for _, in := range insts {
		record := []string{name, query.Number(in.ID), in.Name}
		row := record[1:]
		if t.several {
			row = record
		}
		t.Records, t.Rows = append(t.Records, record), append(t.Rows, row)
		t.Objects = append(t.Objects, member{name, &answer.Instance{ID: in.ID, Name: in.Name}, nil})
	}
	return nil
}

func (t *table) addTexts(ctx context.Context, name string, d *pcp.Desc) error {
	texts, err := t.Texts(ctx, name, d.ID)
	if err != nil {
		return err
	}
	t.Records = append(t.Records, []string{name, texts.OneLine, texts.Help})
	if t.several {
		t.Notes = append(t.Notes, name+":")
	}
	t.Notes = append(t.Notes, texts.List()...)
	return nil
}

// addLabels adds the labels of a metric, and those that its instances have besides.
func (t *table) addLabels(ctx context.Context, name string, d *pcp.Desc) error {
	labels, insts, err := t.Labels(ctx, d)
	if err != nil {
		return err
	}
	namer := query.NewInstanceNamer(t.Source)
	for _, l := range append([]pcp.LabelSet{{Inst: pcp.NullInst, Labels: labels}}, insts...) {
		m := member{Metric: name, Labels: labelsJSON(l.Labels)}
		row := []string{name, labelText(l.Labels)}
		record := []string{name, "", string(pcp.AppendLabels(nil, l.Labels))}
		if l.Inst != pcp.NullInst {
			m.Instance = &answer.Instance{ID: l.Inst, Name: namer.Name(ctx, d.InDom, l.Inst, t.Source.At)}
			row[0], record[1] = m.Instance.Name, m.Instance.Name
		}
		t.Rows, t.Records, t.Objects = append(t.Rows, row), append(t.Records, record), append(t.Objects, m)
	}
	return nil
}

// labelsJSON returns labels for JSON, nil if they are not JSON, as a source may have them.
func labelsJSON(labels []pcp.Label) json.RawMessage {
	if text := pcp.AppendLabels(nil, labels); json.Valid(text) {
		return text
	}
	return nil
}

// A member is what JSON has of an instance, or of the labels of a metric.
type member struct {
	Metric   string           `json:"metric"`
	Instance *answer.Instance `json:"instance,omitempty"`
	Labels   json.RawMessage  `json:"labels,omitempty"`
}
