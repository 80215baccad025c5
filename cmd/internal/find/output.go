package find

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/format"
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
	for i := range a.Matches {
		m := &a.Matches[i]
		x, value, units := &m.Sample, "-", ""
		if m.Units != nil {
			var most format.Magnitude
			most.Note(x.Value)
			n := form.Numbers(&m.desc, false, most)
			value, units = string(n.Append(nil, x.Value)), n.Unit
		}
		exact := string(format.AppendExact(nil, x.Value, -1, zone))
		record := append([]string{m.Name, string(m.Score)}, m.Record()[1:]...)
		t.Rows = append(t.Rows, []string{m.Name, x.Instance, value, units, strings.TrimSpace(m.OneLine + " (" + m.Reasons() + ")")})
		t.Records, t.Objects = append(t.Records, append(record, x.Instance, exact, m.OneLine, m.Reasons())), append(t.Objects, m)
	}
	return t
}

// note adds to an answer what there is to say besides its matches.
func (ix *index) note(a *Answer) {
	if n := len(a.Matches); n < a.Total {
		a.Notes = append(a.Notes, fmt.Sprintf("%d of %d metrics", n, a.Total))
	}
	for _, word := range a.Unknown {
		about := append([]string{"nothing is about " + strconv.Quote(word)}, ix.meant(word)...)
		a.Notes = append(a.Notes, strings.Join(about, "; "))
	}
}

// problem returns that of a question without matches, and what to try.
func (ix *index) problem(question string, a *Answer) *diagnose.Problem {
	p := query.Problemf("no metric is about %s", textwidth.Clean(question))
	for _, word := range a.Unknown {
		p.Notes = append(p.Notes, ix.meant(word)...)
	}
	p.Notes = append(p.Notes, "try a general word, such as disk, memory, network or cpu; :metrics lists all names at the prompt")
	return p
}
