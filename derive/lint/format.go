package lint

import (
	"strings"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/expand"
	"pmtools/derive/syntax"
)

// Format returns the canonical form of a file of definitions; the name is used in messages. If a
// Set is given, definitions inside others, of the same file or of the Set, are put in the
// place of their names. The errors are those of the file's lines.
func Format(name string, src []byte, inside *derive.Set) ([]byte, []*syntax.FileError) {
	return format(name, src, inside, nil)
}

// format is Format with a change of each expression, which may be nil.
func format(name string, src []byte, inside *derive.Set, change func(syntax.Expr) (syntax.Expr, *misfit)) ([]byte, []*syntax.FileError) {
	out, errs := check.Syntax().Format(name, src)
	if errs != nil || inside == nil {
		return out, errs
	}
	var own []*derive.Definition
	seen := make(map[string]bool) // the first definition of a name holds
	for c := range syntax.Chunks(name, out) {
		if d := c.Definition(); d != nil && !seen[d.Name] {
			if def, err := derive.CompileLine(d); err == nil {
				own, seen[d.Name] = append(own, def), true
			}
		}
	}
	places := definedAt(name, src)
	defs := inside.Replace(own)
	n := expand.New(defs.Find)
	var b strings.Builder
	for c := range syntax.Chunks(name, out) {
		d := c.Definition()
		if d == nil {
			if change == nil || c.Line > 1 || strings.TrimSpace(c.Raw) != syntax.Mark {
				b.WriteString(c.Raw)
			}
			continue
		}
		d.Place, places = places[0], places[1:]
		x, err := n.Expand(defs.Find(d.Name))
		if err != nil {
			p := diagnose.Check(d.Expr(), err, nil)
			msg := strings.Join(append([]string{p.Msg}, p.Notes...), ": ")
			errs = append(errs, &syntax.FileError{Place: d.Place, Msg: d.Name + ": " + msg})
			continue
		}
		if change != nil {
			var bad *misfit
			if x, bad = change(x); bad != nil {
				errs = append(errs, bad.error(d))
				continue
			}
		}
		b.WriteString(syntax.FormatDefinition(d.Name, x))
	}
	if errs != nil {
		return nil, errs
	}
	return []byte(strings.TrimLeft(b.String(), "\n")), nil
}

// definedAt returns the places of the definitions in a file.
func definedAt(name string, src []byte) (places []syntax.Place) {
	for c := range syntax.Chunks(name, src) {
		if d := c.Definition(); d != nil {
			places = append(places, d.Place)
		}
	}
	return places
}
