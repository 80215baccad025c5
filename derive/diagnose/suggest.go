package diagnose

import (
	"strings"

	"pmtools/derive/syntax"
	"pmtools/internal/suggest"
)

// DidYouMean returns the note that proposes the names most like an unknown one, or nothing.
func DidYouMean(unknown string, known []string) []string {
	if like := suggest.Names(unknown, known); len(like) > 0 {
		return []string{"did you mean " + OrList(like) + "?"}
	}
	return nil
}

// didYouMean proposes the names most like an unknown one, which stands at Pos, and reports whether
// there are any.
func (p *Problem) didYouMean(unknown string, known []string) bool {
	like := suggest.Names(unknown, known)
	if len(like) > 0 {
		p.propose(unknown, like)
	}
	return len(like) > 0
}

// propose proposes names for one that stands at Pos.
func (p *Problem) propose(unknown string, names []string) {
	p.Notes = append(p.Notes, "did you mean "+OrList(names)+"?")
	if p.Pos < 0 || p.Pos > len(p.Src) || !strings.HasPrefix(p.Src[p.Pos:], unknown) {
		return // it stands in another text
	}
	for _, name := range names {
		p.Fixes = append(p.Fixes, syntax.Fix{Title: "replace by " + name, Start: syntax.Pos(p.Pos), End: syntax.Pos(p.Pos + len(unknown)), Text: name})
	}
}
