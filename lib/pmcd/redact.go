package pmcd

import "strings"

// Redact returns a text with the passwords of host specifications in it replaced by xxxxx. Every
// specification in a message, a history or a report goes through it. A password ends at the next
// attribute, at a space, or at a quote.
func Redact(text string) string {
	inside := func(r rune) bool { return !strings.ContainsRune("& \t\n\f\r\"", r) }
	for i := 1; i < len(text); i++ {
		if c := text[i-1]; c != '?' && c != '&' {
			continue
		}
		for _, key := range [...]string{"pass=", "password="} {
			if rest, ok := strings.CutPrefix(text[i:], key); ok {
				text = text[:i] + key + "xxxxx" + strings.TrimLeftFunc(rest, inside)
			}
		}
	}
	return text
}

// Redacted returns the specification as it was typed, without its passwords.
func (s *Spec) Redacted() string { return Redact(s.text) }
