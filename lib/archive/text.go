package archive

import (
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Text returns a help text of a metric or of an instance domain. Where there is
// no full help the one-line text stands in for it. Nothing recorded is pmerr.Text,
// or pmerr.NotHost if no text of that kind was recorded at all.
func (s *Set) Text(id uint32, isInDom bool, kind pcp.TextKind) (string, error) {
	text, err := s.text(id, isInDom, kind)
	if kind == pcp.Help && text == "" {
		return s.text(id, isInDom, pcp.OneLine)
	}
	return text, err
}

// text is Text for exactly one kind.
func (s *Set) text(id uint32, isInDom bool, kind pcp.TextKind) (string, error) {
	bits := textType(isInDom, kind)
	if text, ok := s.texts[textIdent{bits, id}]; ok {
		return string(text), nil
	}
	if s.textKinds[bits] {
		return "", pmerr.Text
	}
	return "", pmerr.NotHost
}
