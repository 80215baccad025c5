package coverage

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
)

// most is how many definitions are listed with marks unless all are wanted: a screen.
const most = 5

// Text returns the definitions of which not everything was reached, with marks below what was not, and the
// shares, within a number of columns; 0 cuts nothing. Unless all are wanted, those after the first few are
// left out.
func (p Profile) Text(width int, all bool) string {
	var b strings.Builder
	shown, left := 0, 0
	for _, d := range p {
		switch {
		case d.Reached() == len(d.Parts), d.Reached() == 0:
		case shown < most || all:
			shown++
			d.write(&b, width)
		default:
			left++
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "and %d more definitions with parts that were not reached; --verbose shows them\n", left)
	}
	p.untested(&b, width, all)
	p.files(&b)
	b.WriteString(p.Summary() + "\n")
	return b.String()
}

func (d *Definition) write(b *strings.Builder, width int) {
	line, _, _ := d.At(d.Offset)
	fmt.Fprintf(b, "%s:%d: %s: %d of %d reached\n", textwidth.Clean(d.File), line, d.Name(), d.Reached(), len(d.Parts))
	if d.Quoted {
		indent(b, d.Marked(width-2, func(off int) bool {
			return slices.ContainsFunc(d.Parts, func(p Part) bool {
				return p.Hits == 0 && int(p.Start) <= off-d.Offset && off-d.Offset < int(p.End)
			})
		}))
	}
	for _, note := range d.notes() {
		b.WriteString("    " + note + "\n")
	}
}

func indent(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
}

// maxText is how many columns of a part stand in a note.
const maxText = 48

// notes returns what was not reached, in words, where its place does not say it: an arm that the condition never
// takes needs none beside the condition.
func (d *Definition) notes() (list []string) {
	add := func(format string, text string) {
		if note := fmt.Sprintf(format, textwidth.Clean(text)); !slices.Contains(list, note) {
			list = append(list, note)
		}
	}
	for i := range d.Parts {
		text := ""
		if p := &d.Parts[i]; d.Quoted {
			text = textwidth.Middle(p.Text, maxText) + " "
		}
		switch p := &d.Parts[i]; {
		case p.Hits > 0:
		case p.Kind == True:
			add("the condition %sis never true", text)
		case p.Kind == False:
			add("the condition %sis never false", text)
		case p.Kind == Conversion:
			add("%snever converts: its operand is 0, or has these units", text)
		case p.Kind == Arm && !d.unreached(p):
			add("the arm %snever gives a value", text)
		}
	}
	return list
}

// unreached reports whether the outcome that leads to an arm has not been seen either.
func (d *Definition) unreached(arm *Part) bool {
	for _, n := range choices(d.Expr()) {
		for i, k := range choice(n) {
			if k == (key{arm.Start, arm.End, Arm}) {
				outcome := choice(n)[i-1]
				return slices.ContainsFunc(d.Parts, func(p Part) bool {
					return p.Hits == 0 && outcome == key{p.Start, p.End, p.Kind}
				})
			}
		}
	}
	return false
}

func choices(x syntax.Expr) (list []*syntax.TernaryExpr) {
	visit(x, func(x syntax.Expr) {
		if n, ok := x.(*syntax.TernaryExpr); ok {
			list = append(list, n)
		}
	})
	return list
}

// untested lists the definitions that no case evaluates.
func (p Profile) untested(b *strings.Builder, width int, all bool) {
	var names []string
	for _, d := range p {
		if d.Reached() == 0 {
			names = append(names, d.Name())
		}
	}
	if len(names) == 0 {
		return
	}
	n := len(names)
	if n > 4*most && !all {
		names = append(names[:4*most], fmt.Sprintf("and %d more", n-4*most))
	}
	head := fmt.Sprintf("without a value that a case expects: %d of %d definitions", n, len(p))
	b.WriteString(head + "\n")
	for _, line := range textwidth.Wrap(strings.Join(names, ", "), width-2) {
		b.WriteString("  " + line + "\n")
	}
}

// files writes a line for each file, if there are several.
func (p Profile) files(b *strings.Builder) {
	var names []string
	var counts []Count
	for _, d := range p {
		if n := len(names); n == 0 || names[n-1] != d.File {
			names, counts = append(names, d.File), append(counts, Count{})
		}
		c := &counts[len(counts)-1]
		c.Reached, c.Parts = c.Reached+d.Reached(), c.Parts+len(d.Parts)
	}
	if len(names) < 2 {
		return
	}
	widest := 0
	for _, name := range names {
		widest = max(widest, textwidth.Width(textwidth.Clean(name)))
	}
	for i, name := range names {
		fmt.Fprintf(b, "%s  %s\n", textwidth.Pad(textwidth.Clean(name), widest, false), counts[i])
	}
}

// String returns the share and what it is of: 67 % (2 of 3).
func (c Count) String() string {
	return fmt.Sprintf("%3s %% (%d of %d)", share(c), c.Reached, c.Parts)
}

// share returns the percentage as a whole number, which is 100 only if everything was reached.
func share(c Count) string {
	n := int(c.Percent() + 0.5)
	if c.Reached < c.Parts {
		n = min(n, 99)
	}
	return fmt.Sprint(n)
}

// Summary returns a line with all shares.
func (p Profile) Summary() string {
	by := p.byKind()
	var list []string
	for _, k := range []struct {
		name  string
		count Count
	}{
		{"results", by[Result]}, {"operands", by[Operand]}, {"functions", by[Function]}, {"arms", by[Arm]},
		{"outcomes", Count{by[True].Reached + by[False].Reached, by[True].Parts + by[False].Parts}}, {"conversions", by[Conversion]},
	} {
		if k.count.Parts > 0 {
			list = append(list, fmt.Sprintf("%s %d of %d", k.name, k.count.Reached, k.count.Parts))
		}
	}
	if len(list) == 0 {
		return "coverage: there are no definitions under test"
	}
	return fmt.Sprintf("coverage %s %%: %s", share(p.Total()), strings.Join(list, ", "))
}
