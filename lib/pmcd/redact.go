package pmcd

import "regexp"

// secrets matches the passwords of a host specification, and what may follow them unencoded.
var secrets = regexp.MustCompile(`([?&](?:pass|password)=)[^&\s"]*`)

// Redact returns a text with the passwords of host specifications in it replaced by xxxxx. It is
// the way in which a specification becomes part of a message, a history or a report.
func Redact(text string) string { return secrets.ReplaceAllString(text, "${1}xxxxx") }

// Redacted returns the specification as it was typed, without its passwords.
func (s *Spec) Redacted() string { return Redact(s.text) }
