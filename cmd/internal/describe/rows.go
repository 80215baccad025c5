package describe

import (
	"fmt"
	"strings"
	"time"

	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// Bounds of what people are shown.
const (
	shownInstances = 8
	shownUsers     = 8
	shownHelp      = 700 // characters
)

// Rows returns the page for people: the name of each property, and its text. A page that follows another
// begins with an empty row.
func (d *Description) Rows(zone *time.Location, form format.NumberForm, follows bool) [][]string {
	p := &rows{}
	if follows {
		p.list = append(p.list, []string{"", ""})
	}
	if d.Children != nil {
		for _, c := range d.Children {
			text := c.OneLine
			if c.Metrics > 1 {
				text = query.Plural(c.Metrics, "metric")
			}
			p.list = append(p.list, []string{c.Name, oneLine(text)})
		}
		return p.list
	}
	p.add("metric", d.Name)
	p.add("about", d.OneLine)
	if help := strings.TrimSpace(d.Help); help != d.OneLine {
		if r := []rune(help); len(r) > shownHelp {
			help = strings.TrimSpace(string(r[:shownHelp])) + " ... (:text " + d.Name + " shows all)"
		}
		p.add("help", strings.Split(help, "\n\n")...)
	}
	p.add("type", string(format.AppendSummary(nil, &d.Desc)))
	d.instanceRow(p)
	if len(d.Labels) > 0 {
		p.add("labels", labelText(d.Labels))
	}
	if m := d.Made; m != nil {
		p.add("is", m.Expr)
		p.add("made of", strings.Join(m.Base, ", "))
	}
	p.add("used by", textwidth.Few(d.Users, shownUsers))
	d.valueRows(p, zone, form)
	d.recordRow(p, zone)
	for i, t := range d.Try {
		name := ""
		if i == 0 {
			name = "try"
		}
		p.list = append(p.list, []string{name, t.Expr + ": " + t.Why + units(", in ", t.Desc.Units)})
	}
	return p.list
}

// A rows collects the rows of a page.
type rows struct{ list [][]string }

// add adds a property of one line or of several, unless it is empty.
func (p *rows) add(name string, texts ...string) {
	for _, text := range texts {
		if text != "" {
			p.list = append(p.list, []string{name, oneLine(text)})
			name = ""
		}
	}
}

// labelText returns labels as JSON, with blanks between them, at which a line may be broken.
func labelText(labels []pcp.Label) string {
	var list []string
	for _, l := range labels {
		one := string(pcp.AppendLabels(nil, []pcp.Label{l}))
		list = append(list, one[1:len(one)-1])
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// oneLine returns a text with blanks for all white space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// units returns the units after a text, "" if there are none.
func units(before string, u pcp.Units) string {
	if u.Dimensionless() {
		return ""
	}
	return before + format.UnitText(u, "")
}

// instanceRow adds how many instances there are, and the first ones.
func (d *Description) instanceRow(p *rows) {
	if d.Desc.InDom == pcp.NullInDom {
		return
	}
	var names []string
	for _, in := range d.Instances {
		names = append(names, in.Name)
	}
	if names == nil {
		p.add("instances", "none")
		return
	}
	p.add("instances", fmt.Sprintf("%d: %s", len(names), textwidth.Few(names, shownInstances)))
}

// valueRows adds the values, each with its rate.
func (d *Description) valueRows(p *rows, zone *time.Location, form format.NumberForm) {
	v := &d.Values
	if v.Err != nil || len(v.List) == 0 {
		text := "none"
		if v.Err != nil {
			text += ": " + v.Err.Error()
		}
		p.add("value", text)
		return
	}
	rates := make(map[int32]*sampling.Value, len(d.Rates.List))
	for i := range d.Rates.List {
		rates[d.Rates.List[i].ID] = &d.Rates.List[i]
	}
	value, rate := v.shown(form), d.Rates.shown(form)
	var list []string
	if d.Recorded != nil {
		at := "at " + v.Time.Time().In(zone).Format(recordTime)
		if len(d.Rates.List) > 0 {
			at += ", rates at " + d.Rates.Time.Time().In(zone).Format(recordTime)
		}
		list = append(list, at)
	}
	for i := range v.List[:min(len(v.List), shownInstances)] {
		x := &v.List[i]
		text := value(x.Value)
		if d.Desc.InDom != pcp.NullInDom {
			text = x.Instance + ": " + text
		}
		if r := rates[x.ID]; r != nil && r.Value.IsSet() {
			text += ", rate " + rate(r.Value)
		}
		list = append(list, text)
	}
	if more := len(v.List) - shownInstances + v.More; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	p.add("value", list...)
}

// shown returns what shows values, all in one unit.
func (v *Values) shown(form format.NumberForm) func(pcp.Value) string {
	var most format.Magnitude
	for i := range v.List {
		most.Note(v.List[i].Value)
	}
	n := form.Numbers(&v.Desc, false, most)
	return func(x pcp.Value) string { return strings.TrimRight(string(n.Append(nil, x))+" "+n.Unit, " ") }
}

// recordTime is how people are shown times of a recording.
const recordTime = "2006-01-02 15:04:05"

// recordRow adds when a metric was recorded.
func (d *Description) recordRow(p *rows, zone *time.Location) {
	r := d.Recorded
	if r == nil {
		return
	}
	first, last := r.First.Time().In(zone).Format(recordTime), r.Last.Time().In(zone).Format(recordTime)
	interval := r.Interval
	if interval >= time.Second {
		interval = interval.Round(10 * time.Millisecond)
	}
	text := "never"
	switch {
	case r.Samples == 1:
		text = "once, " + first
	case r.Samples > 1:
		text = fmt.Sprintf("%d samples, every %v, %s to %s", r.Samples, interval, first, last)
	}
	if r.Name != d.Name {
		text += " (" + r.Name + ")"
	}
	if r.Err != nil {
		text += "; then: " + r.Err.Error()
	}
	p.add("recorded", text)
}
