package describe

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// Bounds of what people are shown.
const (
	shownInstances = 8
	shownUsers     = 8
	shownHelp      = 700 // characters
)

// addPage adds a description. A page that follows another begins with an empty row.
func (t *table) addPage(d *Description) {
	t.Objects = append(t.Objects, d)
	t.addRecords(d)
	if len(t.Rows) > 0 {
		t.Rows = append(t.Rows, []string{"", ""})
	}
	for _, c := range d.Children {
		text := c.OneLine
		if c.Metrics > 1 {
			text = textwidth.Plural(c.Metrics, "metric")
		}
		t.Rows = append(t.Rows, []string{c.Name, oneLine(text)})
	}
	if d.Children != nil {
		return
	}
	t.add("metric", d.Metric)
	t.add("about", d.OneLine)
	if help := strings.TrimSpace(d.Help); help != d.OneLine {
		if r := []rune(help); len(r) > shownHelp {
			help = strings.TrimSpace(string(r[:shownHelp])) + " ... (:text " + d.Metric + " shows all)"
		}
		t.add("help", strings.Split(help, "\n\n")...)
	}
	t.add("type", string(format.AppendSummary(nil, &d.desc)))
	if d.instances != nil {
		t.add("instances", fmt.Sprintf("%d: %s", len(d.instances), textwidth.Few(d.instances, shownInstances)))
	} else if d.Instances != nil {
		t.add("instances", "none")
	}
	if len(d.labels) > 0 {
		t.add("labels", labelText(d.labels))
	}
	t.add("is", d.Expression)
	t.add("made of", strings.Join(d.Base, ", "))
	t.add("used by", textwidth.Few(d.Users, shownUsers))
	t.addValues(d)
	if d.Recorded != nil {
		t.addRecorded(d)
	}
	name := "try"
	for _, x := range d.Try {
		t.add(name, x.text()+": "+x.Why)
		name = ""
	}
}

// add adds a property of one line or of several, unless it is empty.
func (t *table) add(name string, texts ...string) {
	for _, text := range texts {
		if text != "" {
			t.Rows = append(t.Rows, []string{name, oneLine(text)})
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

// addValues adds the values, each with its rate.
func (t *table) addValues(d *Description) {
	v := d.Values
	switch {
	case v.Error != "":
		t.add("value", "none: "+v.Error)
		return
	case len(v.List) == 0:
		t.add("value", "none")
		return
	}
	rates, rate := make(map[int32]pcp.Value), func(pcp.Value) string { return "" }
	at := "at " + t.time(v.at)
	if d.Rates != nil && len(d.Rates.List) > 0 {
		for i := range d.Rates.List {
			rates[d.Rates.List[i].Sample.ID] = d.Rates.List[i].Sample.Value
		}
		rate = d.Rates.shown(t.Form)
		at += ", rates at " + t.time(d.Rates.at)
	}
	var list []string
	if d.Recorded != nil {
		list = append(list, at+" "+t.zone(v.at))
	}
	value := v.shown(t.Form)
	for i := range v.List[:min(len(v.List), shownInstances)] {
		x := &v.List[i]
		text := value(x.Sample.Value)
		if x.Instance != nil {
			text = x.Instance.Name + ": " + text
		}
		if r := rates[x.Sample.ID]; r.IsSet() {
			text += ", rate " + rate(r)
		}
		list = append(list, text)
	}
	if more := len(v.List) - shownInstances + v.More; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	t.add("value", list...)
}

// shown returns what shows values, all in one unit.
func (v *Values) shown(form format.NumberForm) func(pcp.Value) string {
	var most format.Magnitude
	for i := range v.List {
		most.Note(v.List[i].Sample.Value)
	}
	n := form.Numbers(&v.desc, false, most)
	return func(x pcp.Value) string { return strings.TrimRight(string(n.Append(nil, x))+" "+n.Unit, " ") }
}

// time returns how people are shown a time of a recording.
func (t *table) time(at pcp.Timestamp) string { return at.Time().In(t.Zone).Format(time.DateTime) }

func (t *table) zone(at pcp.Timestamp) string { return format.Zone(at.Time().In(t.Zone)) }

// addRecorded adds when a metric was recorded.
func (t *table) addRecorded(d *Description) {
	r := d.Recorded
	interval := time.Duration(r.Interval * float64(time.Second)).Round(time.Microsecond)
	if interval >= time.Second {
		interval = interval.Round(10 * time.Millisecond)
	}
	text := "never"
	switch {
	case r.Samples == 1:
		text = "once, " + t.time(r.first) + " " + t.zone(r.first)
	case r.Samples > 1:
		text = fmt.Sprintf("%d samples, every %v, %s to %s %s", r.Samples, interval, t.time(r.first), t.time(r.last), t.zone(r.last))
	}
	if r.Metric != d.Metric {
		text += " (" + r.Metric + ")"
	}
	if r.Error != "" {
		text += "; then: " + r.Error
	}
	t.add("recorded", text)
}

// addRecords adds a row of CSV for each property.
func (t *table) addRecords(d *Description) {
	add := func(property, instance string, values ...string) {
		for _, value := range values {
			if value != "" {
				t.Records = append(t.Records, []string{d.Metric, property, instance, value})
			}
		}
	}
	for i, text := range d.Record() {
		add(columns["desc"][i+1], "", text)
	}
	add("oneline", "", d.OneLine)
	add("help", "", d.Help)
	add("labels", "", string(d.Labels))
	add("expression", "", d.Expression)
	add("operand", "", d.Operands...)
	add("base", "", d.Base...)
	add("used_by", "", d.Users...)
	if d.Instances != nil {
		add("instances", "", strconv.Itoa(*d.Instances))
	}
	for i, v := range []*Values{d.Values, d.Rates} {
		property := []string{"value", "rate"}[i]
		if v == nil || len(v.List) == 0 {
			continue
		}
		add(property+"_units", "", v.Units)
		add(property+"_time", "", v.Time)
		for k := range v.List {
			x := &v.List[k].Sample
			add(property, x.Instance, string(format.AppendExact(nil, x.Value, -1, t.Zone)))
		}
	}
	if r := d.Recorded; r != nil {
		add("recorded", "", r.Metric)
		add("first", "", r.First)
		add("last", "", r.Last)
		add("samples", "", strconv.Itoa(r.Samples))
		add("interval", "", string(format.AppendShort(nil, r.Interval, 64)))
	}
	for _, x := range d.Try {
		add("try", "", x.text())
	}
	for _, c := range d.Children {
		add("child", c.Name, strconv.Itoa(c.Metrics))
	}
}
