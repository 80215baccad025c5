// Package describe collects the properties of a metric on one page: its description, texts,
// instances, labels and values, its operands and users, when it was recorded, and expressions to try.
//
// [New] returns the [Description] of a name; a name that has metrics below it has these instead.
package describe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/deps"
	"pmtools/derive"
	"pmtools/derive/query"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A Description is what there is to know about a metric, or about a node of the name space, as JSON has it.
type Description struct {
	Metric string `json:"metric"`
	answer.Metadata
	Texts
	Labels     json.RawMessage `json:"labels,omitempty"`
	Expression string          `json:"expression,omitempty"` // of a derived metric, as are the next two
	Operands   []string        `json:"operands,omitempty"`
	Base       []string        `json:"base,omitempty"`
	Users      []string        `json:"used_by,omitempty"` // the definitions that mention it
	Instances  *int            `json:"instances,omitempty"`
	Values     *Values         `json:"values,omitempty"`
	Rates      *Values         `json:"rates,omitempty"`    // of a counter
	Recorded   *Record         `json:"recorded,omitempty"` // in a recording
	Try        []Trial         `json:"try,omitempty"`
	Children   []Child         `json:"children,omitempty"` // of a node

	desc      pcp.Desc
	labels    []pcp.Label
	instances []string // their names
}

// Texts are the help texts of a metric; "" for one that is not there.
type Texts struct {
	OneLine string `json:"oneline,omitempty"`
	Help    string `json:"help,omitempty"`
}

// List returns the texts that are there and differ.
func (t Texts) List() (list []string) {
	for _, text := range []string{t.OneLine, t.Help} {
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// A Child is a metric or a node below a node.
type Child struct {
	Name    string `json:"metric"`
	Metrics int    `json:"metrics"` // how many metrics there are at it and below it
	OneLine string `json:"oneline,omitempty"`
}

// A Catalogue is where names are looked up.
type Catalogue struct {
	Source  *query.Source
	Derived *derive.Source // over Source, with the definitions
	Defs    *derive.Set

	Zone     *time.Location    // of times
	Form     format.NumberForm // of numbers for people
	Interval time.Duration     // between two samples of a live counter

	taken map[wanted]*Values // see Take
}

// Lookup finds a metric by its name. The error is a *diagnose.Problem, or that of a request to the source.
func (c *Catalogue) Lookup(ctx context.Context, name string) (pcp.Desc, error) {
	var d pcp.Desc
	id, err := pmapi.LookupName(ctx, c.Derived, name)
	if err == nil {
		d, err = pmapi.LookupDesc(ctx, c.Derived, id)
	}
	if err != nil && Fatal(ctx, err) == nil {
		err = c.problem(ctx, name, err)
	}
	return d, err
}

// Texts returns the help texts of a metric. The error is a *diagnose.Problem if neither is there.
func (c *Catalogue) Texts(ctx context.Context, name string, id pcp.ID) (t Texts, err error) {
	line, errLine := pmapi.LookupText(ctx, c.Derived, pcp.OneLine, uint32(id))
	help, errHelp := pmapi.LookupText(ctx, c.Derived, pcp.Help, uint32(id))
	if errLine != nil && errHelp != nil {
		return Texts{}, c.textProblem(name, errLine)
	}
	return Texts{strings.TrimRight(line, "\n"), strings.TrimRight(help, "\n")}, nil
}

// Labels returns the labels of a metric at the position of the source, and those of its instances.
func (c *Catalogue) Labels(ctx context.Context, d *pcp.Desc) ([]pcp.Label, []pcp.LabelSet, error) {
	if err := c.Source.Seek(); err != nil { // values that were read have moved it
		return nil, nil, err
	}
	objects := pmapi.LabelObjects(*d)
	found, err := pmapi.ReadLabels(ctx, c.Derived, objects)
	if err != nil {
		return nil, nil, err
	}
	var labels pmapi.Labels
	var insts []pcp.LabelSet
	for i := range found {
		if labels.Set(objects[i], found[i]); objects[i].Kind == pcp.InstanceLabels {
			insts = found[i].Sets
		}
	}
	return labels.Of(*d, pcp.NullInst), insts, nil
}

// New returns the description of a name. The error is a *diagnose.Problem, or that of a request to the
// source.
func (c *Catalogue) New(ctx context.Context, name string) (*Description, error) {
	desc, err := c.Lookup(ctx, name)
	if errors.Is(err, pmerr.NonLeaf) {
		return c.node(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	d := &Description{Metric: name, Metadata: answer.MetadataOf(&desc), desc: desc}
	d.Texts, err = c.Texts(ctx, name, desc.ID)
	if err = Fatal(ctx, err); err != nil {
		return nil, err
	}
	d.labels, _, err = c.Labels(ctx, &desc)
	if err = Fatal(ctx, err); err != nil {
		return nil, err
	}
	d.Labels = labelsJSON(d.labels)
	c.definitions(d)
	return d, c.measure(ctx, d)
}

// measure adds values to a description, when they were recorded, and expressions that hold for them.
func (c *Catalogue) measure(ctx context.Context, d *Description) (err error) {
	if d.Values, err = c.First(ctx, d.Metric, c.Interval, true); err != nil {
		return err
	}
	if d.desc.Sem == pcp.Counter && d.desc.Type.Arithmetic() {
		if d.Rates, err = c.First(ctx, d.Metric, c.Interval, false); err != nil {
			return err
		}
	}
	if indom := d.desc.InDom; indom != pcp.NullInDom {
		at := c.Source.At
		if len(d.Values.List) > 0 {
			at = d.Values.at
		}
		list, err := pmapi.InstancesOf(ctx, c.Source, indom, pmapi.At(at))
		if err = Fatal(ctx, err); err != nil {
			return err
		}
		for _, in := range list {
			d.instances = append(d.instances, in.Name)
		}
		d.Instances = new(len(list))
	}
	if d.Try, err = c.trials(ctx, d); err != nil || c.Source.Line == nil {
		return err
	}
	d.Recorded, err = c.recorded(ctx, d)
	return err
}

// Fatal returns an error after which nothing more can be asked, or nil.
func Fatal(ctx context.Context, err error) error {
	if errors.Is(err, pmerr.IPC) || errors.Is(err, pmerr.NoContext) {
		return cmp.Or(ctx.Err(), err)
	}
	return ctx.Err()
}

// node describes a node of the name space.
func (c *Catalogue) node(ctx context.Context, name string) (*Description, error) {
	d := &Description{Metric: name, Children: []Child{}}
	var list []pcp.ID
	var at []int // the children that are metrics
	err := c.Derived.Walk(ctx, name, true, func(leaf string, id pcp.ID) bool {
		child := leaf
		if dot := strings.IndexByte(leaf[min(len(name)+1, len(leaf)):], '.'); dot >= 0 {
			child = leaf[:len(name)+1+dot]
		}
		i := slices.IndexFunc(d.Children, func(c Child) bool { return c.Name == child })
		if i < 0 {
			i = len(d.Children)
			d.Children = append(d.Children, Child{Name: child})
		}
		d.Children[i].Metrics++
		if child == leaf {
			list, at = append(list, id), append(at, i)
		}
		return ctx.Err() == nil
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	lines, err := ReadTexts(ctx, c.Derived, pcp.OneLine, list)
	for i, line := range lines {
		d.Children[at[i]].OneLine = strings.TrimRight(line, "\n")
	}
	slices.SortFunc(d.Children, func(a, b Child) int { return cmp.Compare(a.Name, b.Name) })
	return d, err
}

// ReadTexts returns the texts of metrics, "" for those without one. The error is that of ctx or of a lost connection.
func ReadTexts(ctx context.Context, src pmapi.Source, kind pcp.TextKind, ids []pcp.ID) ([]string, error) {
	found, err := src.Text(ctx, kind, pcp.Idents(ids))
	list := make([]string, len(ids))
	for i := range found {
		if found[i].Err == nil {
			list[i] = found[i].Value
		}
	}
	return list, Fatal(ctx, err)
}

// definitions tells what a metric is made of, and which definitions mention it.
func (c *Catalogue) definitions(d *Description) {
	find := c.Defs.Find
	own := find(d.Metric)
	if own != nil && d.desc.ID.IsDerived() {
		made := deps.New([]*derive.Definition{own}, find, false)
		d.Expression, d.Operands, d.Base = made.Nodes[0].Expr, made.Nodes[0].Operands, made.Base
	}
	for _, name := range c.Defs.Names() {
		of := find(name).Metrics()
		if own == nil { // a definition counts where it is mentioned, others in the end
			of = deps.New([]*derive.Definition{find(name)}, find, false).Base
		}
		if name != d.Metric && slices.Contains(of, d.Metric) {
			d.Users = append(d.Users, name)
		}
	}
	slices.Sort(d.Users)
}
