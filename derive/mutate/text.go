package mutate

import (
	"fmt"
	"strings"

	"pmtools/internal/textwidth"
)

// most is how many cases are shown unless all are wanted, and mostMutants how many mutants above each: a screen.
const (
	most        = 3
	mostMutants = 6
)

// Text returns the mutants that survive with the cases that would kill them, and the score, within a number of columns; 0
// cuts nothing. Unless all are wanted, those after the first few are left out.
func (r *Report) Text(width int, all bool) string {
	var b strings.Builder
	left, mutants := 0, 0
	for i := range r.Cases {
		c := &r.Cases[i]
		if i >= most && !all {
			left, mutants = left+1, mutants+c.Kills
			continue
		}
		r.survivors(&b, i+1, width, all)
		noun := "this one"
		if c.Kills > 1 {
			noun = fmt.Sprintf("these %d", c.Kills)
		}
		fmt.Fprintf(&b, "  a file of cases that kills %s:\n", noun)
		for line := range strings.Lines(c.Text) {
			b.WriteString("    " + line)
		}
		b.WriteString("\n")
	}
	if left > 0 {
		fmt.Fprintf(&b, "and %d more that survive, with %d cases; --verbose shows them\n", mutants, left)
	}
	if all {
		r.list(&b, Untried, "none of the files of cases has its metrics", width)
		r.list(&b, Undecided, "no case was found", width)
	}
	b.WriteString(r.Summary() + "\n")
	return b.String()
}

// survivors writes the mutants that a case kills.
func (r *Report) survivors(b *strings.Builder, number, width int, all bool) {
	shown, left := 0, 0
	for _, m := range r.Mutants {
		switch {
		case m.Case != number:
		case shown < mostMutants || all:
			shown++
			m.write(b, "survives", width)
		default:
			left++
		}
	}
	if left > 0 {
		fmt.Fprintf(b, "and %d more of this definition\n", left)
	}
}

func (r *Report) list(b *strings.Builder, s Status, text string, width int) {
	for _, m := range r.Mutants {
		if m.Status == s {
			m.write(b, text, width)
		}
	}
}

// write writes where a mutant differs from the original, and how.
func (m *Mutant) write(b *strings.Builder, status string, width int) {
	what := m.What
	if !m.of.Quoted {
		what = ""
	}
	fmt.Fprintf(b, "%s:%d: %s: %s: %s\n", textwidth.Clean(m.File), m.Line, m.Name, status, textwidth.Clean(what))
	if !m.of.Quoted {
		return
	}
	for line := range strings.Lines(m.of.Marked(width-2, func(off int) bool {
		at := off - m.of.Offset
		return int(m.start) <= at && at < max(int(m.end), int(m.start)+1)
	})) {
		b.WriteString("  " + line)
	}
}

// Summary returns a line with all numbers.
func (r *Report) Summary() string {
	if len(r.Mutants) == 0 {
		return "mutants: there are no definitions under test"
	}
	list := []string{fmt.Sprintf("%d killed", r.Counts[Killed]), fmt.Sprintf("%d survived", r.Counts[Survived])}
	for _, s := range []struct {
		of   Status
		text string
	}{{Untried, "%d over metrics that no file of cases has"}, {Undecided, "%d without a case that would kill them"}, {Equivalent, "%d that mean the same"}, {Refused, "%d that the checker refuses"}} {
		if n := r.Counts[s.of]; n > 0 {
			list = append(list, fmt.Sprintf(s.text, n))
		}
	}
	score := int(r.Score + 0.5)
	if r.Counts[Killed] < r.Counts[Killed]+r.Counts[Survived]+r.Counts[Untried] {
		score = min(score, 99)
	}
	return fmt.Sprintf("mutation score %d %%: %s", score, strings.Join(list, ", "))
}
