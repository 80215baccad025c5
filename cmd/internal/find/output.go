package find

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// Reasons returns in one line why a metric matches: each word, the synonym that stands for it, and
// where it is if that is not the name.
func (m *Match) Reasons() string {
	var list []string
	for _, r := range m.Why {
		text := r.Word
		if r.As != "" {
			text += "=" + r.As
		}
		if r.In != places[inName].name {
			text += strings.TrimRight(" in "+r.In+" "+r.Text, " ")
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// Table returns the answer as a table.
func (a *Answer) Table(form format.NumberForm, zone *time.Location) *answer.Table {
	t := &answer.Table{
		Header: []string{"metric", "instance", "value", "units", "about"}, Right: []bool{false, false, true}, Drop: []int{1}, Wrap: true, Notes: a.Notes,
		Keys:    []string{"metric", "score", "type", "semantics", "units", "indom", "instance", "value", "oneline", "why"},
		Records: [][]string{}, Objects: []any{},
	}
	for i := range a.Results {
		r := &a.Results[i]
		value, units := "-", ""
		if r.Desc.Err == nil {
			var most format.Magnitude
			most.Note(r.Example.Value)
			n := form.Numbers(&r.Desc.Value, false, most)
			value, units = string(n.Append(nil, r.Example.Value)), n.Unit
		}
		t.Rows = append(t.Rows, []string{r.Name, r.Example.Instance, value, units, strings.TrimSpace(r.OneLine + " (" + r.Reasons() + ")")})
		t.Records, t.Objects = append(t.Records, r.record(zone)), append(t.Objects, r.object(zone))
	}
	return t
}

// note adds to an answer what there is to say besides its matches.
func (ix *Index) note(a *Answer) {
	if n := len(a.Results); n < a.Total {
		a.Notes = append(a.Notes, fmt.Sprintf("%d of %d metrics", n, a.Total))
	}
	for _, word := range a.Unknown {
		a.Notes = append(a.Notes, ix.unknown(word))
	}
	if ix.cut {
		a.Notes = append(a.Notes, fmt.Sprintf("only the first %d metrics have been searched", maxMetrics))
	}
}

// unknown says that a word matches nothing, and which one may be meant.
func (ix *Index) unknown(word string) string {
	text := "nothing is about " + strconv.Quote(word)
	if near := ix.near(word); len(near) > 0 {
		text += "; did you mean " + diagnose.OrList(near) + "?"
	}
	return text
}

// problem returns that of a question without matches, and what to try.
func (ix *Index) problem(question string, a *Answer) *diagnose.Problem {
	p := query.Problemf("no metric is about %s", textwidth.Clean(question))
	for _, word := range a.Unknown {
		if near := ix.near(word); len(near) > 0 {
			p.Notes = append(p.Notes, "did you mean "+diagnose.OrList(near)+"?")
		}
	}
	p.Notes = append(p.Notes, "try a general word, such as disk, memory, network or cpu; :metrics lists all names at the prompt")
	return p
}

// record returns the row of CSV.
func (r *Result) record(zone *time.Location) []string {
	row := []string{r.Name, strconv.FormatFloat(r.Score, 'f', 3, 64), "", "", "", ""}
	if d := &r.Desc.Value; r.Desc.Err == nil {
		row = append(row[:2], d.Type.String(), d.Sem.String(), d.Units.String(), answer.InDom(d))
	}
	value := string(format.AppendExact(nil, r.Example.Value, -1, zone))
	return append(row, r.Example.Instance, value, r.OneLine, r.Reasons())
}

// jsonResult is what JSON has of a result.
type jsonResult struct {
	Metric    string           `json:"metric"`
	Score     json.Number      `json:"score"`
	PMID      string           `json:"pmid"`
	Type      string           `json:"type,omitempty"`
	Semantics string           `json:"semantics,omitempty"`
	Units     *string          `json:"units,omitempty"`
	InDom     string           `json:"indom,omitempty"`
	OneLine   string           `json:"oneline,omitempty"`
	Instance  *answer.Instance `json:"instance,omitempty"`
	Value     json.RawMessage  `json:"value"`
	Why       []Reason         `json:"why"`
}

// object returns what JSON has.
func (r *Result) object(zone *time.Location) *jsonResult {
	out := &jsonResult{
		Metric: r.Name, Score: json.Number(strconv.FormatFloat(r.Score, 'f', 3, 64)), PMID: r.ID.String(),
		OneLine: r.OneLine, Value: format.AppendJSON(nil, r.Example.Value, -1, zone), Why: r.Why,
	}
	if d := &r.Desc.Value; r.Desc.Err == nil {
		units := d.Units.String()
		out.Type, out.Semantics, out.Units, out.InDom = d.Type.String(), d.Sem.String(), &units, answer.InDom(d)
		if d.InDom != pcp.NullInDom && r.Example.Value.IsSet() {
			out.Instance = &answer.Instance{ID: r.Example.ID, Name: r.Example.Instance}
		}
	}
	return out
}
