package lint

import (
	"fmt"
	"slices"
)

// A File is a configuration file.
type File struct {
	Name string
	Text []byte
}

// Severities of diagnostics.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// A Diagnostic is something wrong or doubtful in a line of a configuration file.
type Diagnostic struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"` // in bytes, from 1
	Severity string `json:"severity"`
	Rule     string `json:"rule,omitempty"` // that is reported; "" for what PCP refuses
	Metric   string `json:"metric,omitempty"`
	Message  string `json:"message"`

	Notes  []string `json:"notes,omitempty"`
	Source string   `json:"-"` // the line
	Fixes  []Fix    `json:"-"`
}

// A Fix is a proposed change of a file. Columns count as in a Diagnostic.
type Fix struct {
	Title                            string
	Line, Column, EndLine, EndColumn int
	Text                             string
}

// String returns the diagnostic on one line, with the rule at its end.
func (d *Diagnostic) String() string {
	rule := ""
	if d.Rule != "" {
		rule = " [" + d.Rule + "]"
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s%s", d.File, d.Line, d.Column, d.Severity, d.Message, rule)
}

// Wrong reports whether there is an error among diagnostics.
func Wrong(found []Diagnostic) bool {
	return slices.ContainsFunc(found, func(d Diagnostic) bool { return d.Severity == SeverityError })
}
