package describe

import (
	"encoding/json"
	"strconv"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// Table returns descriptions as a table: a line for each property.
func Table(list []*Description, form format.NumberForm, zone *time.Location) *answer.Table {
	t := &answer.Table{Wrap: true, Keys: []string{"metric", "property", "instance", "value"}, Records: [][]string{}, Objects: []any{}}
	for i, d := range list {
		t.Rows = append(t.Rows, d.Rows(zone, form, i > 0)...)
		t.Records = append(t.Records, d.records(zone)...)
		t.Objects = append(t.Objects, d.page(zone))
	}
	return t
}

// A page is what JSON has of a description.
type page struct {
	Metric     string          `json:"metric"`
	PMID       string          `json:"pmid,omitempty"`
	Type       string          `json:"type,omitempty"`
	Semantics  string          `json:"semantics,omitempty"`
	Units      *string         `json:"units,omitempty"` // of a metric, also if there are none
	InDom      string          `json:"indom,omitempty"`
	OneLine    string          `json:"oneline,omitempty"`
	Help       string          `json:"help,omitempty"`
	Labels     json.RawMessage `json:"labels,omitempty"`
	Expression string          `json:"expression,omitempty"`
	Operands   []string        `json:"operands,omitempty"`
	Base       []string        `json:"base,omitempty"`
	Users      []string        `json:"used_by,omitempty"`
	Instances  *int            `json:"instances,omitempty"`
	Values     *series         `json:"values,omitempty"`
	Rates      *series         `json:"rates,omitempty"`
	Recorded   *recorded       `json:"recorded,omitempty"`
	Try        []trial         `json:"try,omitempty"`
	Children   []Child         `json:"children,omitempty"`
}

// A series is the values of one time.
type series struct {
	Time  string  `json:"time,omitempty"`
	Units string  `json:"units"`
	List  []value `json:"list"`
	More  int     `json:"more,omitempty"` // values that are left out
	Error string  `json:"error,omitempty"`
}

type value struct {
	Instance *answer.Instance `json:"instance,omitempty"`
	Value    json.RawMessage  `json:"value"`
}

type recorded struct {
	Metric   string  `json:"metric"`
	First    string  `json:"first,omitempty"`
	Last     string  `json:"last,omitempty"`
	Samples  int     `json:"samples"`
	Interval float64 `json:"interval,omitempty"` // seconds
	Error    string  `json:"error,omitempty"`
}

type trial struct {
	Expr string `json:"expression"`
	answer.Desc
}

// page returns a description as JSON has it.
func (d *Description) page(zone *time.Location) *page {
	if d.Children != nil {
		return &page{Metric: d.Name, Children: d.Children}
	}
	units := d.Desc.Units.String()
	p := &page{
		Metric: d.Name, PMID: d.Desc.ID.String(), Type: d.Desc.Type.String(), Semantics: d.Desc.Sem.String(), Units: &units,
		OneLine: d.OneLine, Help: d.Help, Labels: pcp.AppendLabels(nil, d.Labels), Users: d.Users, Values: d.Values.series(d.Desc.InDom, zone),
	}
	if !json.Valid(p.Labels) { // as a source may have them
		p.Labels = nil
	}
	if d.Desc.InDom != pcp.NullInDom {
		n := len(d.Instances)
		p.InDom, p.Instances = answer.InDom(&d.Desc), &n
	}
	if m := d.Made; m != nil {
		p.Expression, p.Operands, p.Base = m.Expr, m.Operands, m.Base
	}
	if d.counter() {
		p.Rates = d.Rates.series(d.Desc.InDom, zone)
	}
	if r := d.Recorded; r != nil {
		p.Recorded = &recorded{Metric: r.Name, Samples: r.Samples, Interval: r.Interval.Seconds(), Error: message(r.Err)}
		if r.Samples > 0 {
			p.Recorded.First, p.Recorded.Last = answer.Time(r.First, zone), answer.Time(r.Last, zone)
		}
	}
	for _, t := range d.Try {
		p.Try = append(p.Try, trial{t.Expr, answer.DescOf(&t.Desc)})
	}
	return p
}

// counter reports whether there are rates.
func (d *Description) counter() bool { return d.Desc.Sem == pcp.Counter && d.Desc.Type.Arithmetic() }

// series returns values as JSON has them.
func (v *Values) series(indom pcp.InDom, zone *time.Location) *series {
	s := &series{Units: v.Desc.Units.String(), List: []value{}, More: v.More, Error: message(v.Err)}
	if len(v.List) > 0 {
		s.Time = answer.Time(v.Time, zone)
	}
	for i := range v.List {
		x := value{Value: format.AppendJSON(nil, v.List[i].Value, -1, zone)}
		if indom != pcp.NullInDom {
			x.Instance = &answer.Instance{ID: v.List[i].ID, Name: v.List[i].Instance}
		}
		s.List = append(s.List, x)
	}
	return s
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// records returns a row of CSV for each property.
func (d *Description) records(zone *time.Location) (records [][]string) {
	add := func(property, instance string, values ...string) {
		for _, value := range values {
			if value != "" {
				records = append(records, []string{d.Name, property, instance, value})
			}
		}
	}
	p := d.page(zone)
	add("pmid", "", p.PMID)
	add("type", "", p.Type)
	add("semantics", "", p.Semantics)
	add("units", "", d.Desc.Units.String())
	add("indom", "", p.InDom)
	add("oneline", "", p.OneLine)
	add("help", "", p.Help)
	add("labels", "", string(p.Labels))
	add("expression", "", p.Expression)
	add("operand", "", p.Operands...)
	add("base", "", p.Base...)
	add("used_by", "", p.Users...)
	if p.Instances != nil {
		add("instances", "", strconv.Itoa(*p.Instances))
	}
	for i, v := range []*Values{&d.Values, &d.Rates} {
		property := []string{"value", "rate"}[i]
		if len(v.List) > 0 {
			add(property+"_units", "", v.Desc.Units.String())
			add(property+"_time", "", answer.Time(v.Time, zone))
		}
		for k := range v.List {
			add(property, v.List[k].Instance, string(format.AppendExact(nil, v.List[k].Value, -1, zone)))
		}
	}
	if r := p.Recorded; r != nil {
		add("recorded", "", r.Metric)
		add("first", "", r.First)
		add("last", "", r.Last)
		add("samples", "", strconv.Itoa(r.Samples))
		add("interval", "", string(format.AppendShort(nil, r.Interval, 64)))
	}
	for _, t := range p.Try {
		add("try", "", t.Expr)
	}
	for _, c := range p.Children {
		add("child", c.Name, strconv.Itoa(c.Metrics))
	}
	return records
}
