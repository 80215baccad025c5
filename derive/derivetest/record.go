package derivetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pmtools/lib/pcp"
)

// Record returns the text of the file with what comes out now as expectations: in cases that expect
// nothing yet, and in those that were recorded before. They are marked by the word recorded, which
// goes when somebody has confirmed them.
func (f *File) Record(ctx context.Context, opt *Options) ([]byte, error) {
	r, done, err := f.begin(ctx, opt)
	if err != nil {
		return nil, err
	}
	defer done()
	replaced := make(map[int][]string) // what stands in the place of a line
	for _, c := range r.cases {
		wrote := false
		for _, e := range c.checks {
			if !c.Recorded && !e.empty {
				continue
			}
			lines, err := r.recorded(e, r.found[e])
			if err != nil {
				return nil, err
			}
			for n := e.line + 1; n <= e.end; n++ {
				replaced[n] = nil
			}
			replaced[e.line] = append([]string{r.lines[e.line-1]}, lines...)
			wrote = true
		}
		if wrote && !c.Recorded {
			replaced[c.Line] = []string{r.lines[c.Line-1], "  recorded"}
		}
	}
	var b strings.Builder
	for i, line := range r.lines {
		lines, ok := replaced[i+1]
		if !ok {
			lines = []string{line}
		}
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	return []byte(b.String()), nil
}

func (r *runner) recorded(e *expectation, o *outcome) ([]string, error) {
	const indent = "    "
	if o.problem != nil {
		return []string{indent + "error " + o.problem.Msg}, nil
	}
	from, to, err := r.samplesOf(e, len(o.values))
	if err != nil {
		return nil, err
	}
	var lines []string
	if e.at.set {
		at := e.at.from.String()
		if e.at.to != e.at.from {
			at += ".." + e.at.to.String()
		}
		lines = append(lines, indent+"at "+at)
	}
	d := o.desc
	is := fmt.Sprintf("%sis %s %s %s", indent, strings.ToLower(d.Type.String()), d.Sem, unitsText(d.Units))
	if d.InDom != pcp.NullInDom {
		is += " indom " + d.InDom.String()
	}
	lines = append(lines, is)
	names := make(map[string]bool)
	for k := from; k < to; k++ {
		for name := range o.values[k] {
			names[name] = true
		}
	}
	if len(names) == 0 {
		names[""] = true // that there are no values, of no instance
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		word := "value"
		if name != "" {
			word = quoteWord(name)
		}
		lines = append(lines, indent+word+"  "+strings.Join(compact(o.values[from:to], name), " "))
	}
	return lines, nil
}

// compact returns the values of an instance as words, with equal ones counted.
func compact(list []sample, name string) (out []string) {
	for i := 0; i < len(list); {
		text := valueText(list[i][name])
		n := 1
		for i+n < len(list) && valueText(list[i+n][name]) == text {
			n++
		}
		switch i += n; {
		case n == 1:
		case n == 2:
			out = append(out, text)
		case text == "_":
			text = fmt.Sprintf("_x%d", n)
		default:
			text = fmt.Sprintf("%sx%d", text, n-1)
		}
		out = append(out, text)
	}
	return out
}
