package find

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

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

// Header has the names of the columns of Rows.
var Header = []string{"metric", "instance", "value", "units", "about"}

// Rows returns the rows of a table for people.
func (a *Answer) Rows(form format.NumberForm) [][]string {
	var rows [][]string
	for i := range a.Results {
		r := &a.Results[i]
		value, units := "-", ""
		if r.Desc.Err == nil {
			var most format.Magnitude
			most.Note(r.Example.Value)
			n := form.Numbers(&r.Desc.Value, false, most)
			value, units = string(n.Append(nil, r.Example.Value)), n.Unit
		}
		rows = append(rows, []string{r.Name, r.Example.Instance, value, units, strings.TrimSpace(r.OneLine + " (" + r.Reasons() + ")")})
	}
	return rows
}

// Write writes an answer in a form for programs, and reports whether there is such a form.
func (a *Answer) Write(w io.Writer, form string, zone *time.Location) (known bool, err error) {
	switch form {
	case "csv":
		return true, writeCSV(w, a.Results, zone)
	case "json":
		return true, writeJSON(w, a.Results, zone)
	}
	return false, nil
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

// columns are those of CSV.
var columns = []string{"metric", "score", "type", "semantics", "units", "indom", "instance", "value", "oneline", "why"}

// writeCSV writes a line with the names of the columns, and one for each result.
func writeCSV(w io.Writer, list []Result, zone *time.Location) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	_ = out.Write(columns) // Flush has the error
	for i := range list {
		r := &list[i]
		row := []string{r.Name, strconv.FormatFloat(r.Score, 'f', 3, 64), "", "", "", ""}
		if d := &r.Desc.Value; r.Desc.Err == nil {
			row = append(row[:2], d.Type.String(), d.Sem.String(), d.Units.String(), indom(d))
		}
		value := string(format.AppendExact(nil, r.Example.Value, -1, zone))
		_ = out.Write(append(row, r.Example.Instance, value, r.OneLine, r.Reasons()))
	}
	out.Flush()
	return out.Error()
}

// indom returns the domain of a metric, "" for one without instances.
func indom(d *pcp.Desc) string {
	if d.InDom == pcp.NullInDom {
		return ""
	}
	return d.InDom.String()
}

// jsonResult is what JSON has of a result.
type jsonResult struct {
	Metric    string          `json:"metric"`
	Score     json.Number     `json:"score"`
	PMID      string          `json:"pmid"`
	Type      string          `json:"type,omitempty"`
	Semantics string          `json:"semantics,omitempty"`
	Units     *string         `json:"units,omitempty"`
	InDom     string          `json:"indom,omitempty"`
	OneLine   string          `json:"oneline,omitempty"`
	Instance  *jsonInstance   `json:"instance,omitempty"`
	Value     json.RawMessage `json:"value"`
	Why       []Reason        `json:"why"`
}

type jsonInstance struct {
	ID   int32  `json:"id"`
	Name string `json:"name"`
}

// writeJSON writes an object for each result, each on a line.
func writeJSON(w io.Writer, list []Result, zone *time.Location) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range list {
		r := &list[i]
		out := jsonResult{
			Metric: r.Name, Score: json.Number(strconv.FormatFloat(r.Score, 'f', 3, 64)), PMID: r.ID.String(),
			OneLine: r.OneLine, Value: format.AppendJSON(nil, r.Example.Value, -1, zone), Why: r.Why,
		}
		if d := &r.Desc.Value; r.Desc.Err == nil {
			units := d.Units.String()
			out.Type, out.Semantics, out.Units, out.InDom = d.Type.String(), d.Sem.String(), &units, indom(d)
			if d.InDom != pcp.NullInDom && r.Example.Value.IsSet() {
				out.Instance = &jsonInstance{r.Example.ID, r.Example.Instance}
			}
		}
		if err := enc.Encode(&out); err != nil {
			return err
		}
	}
	return nil
}
