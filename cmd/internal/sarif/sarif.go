// Package sarif writes diagnostics as SARIF, the form in which services that review code take them.
package sarif

import (
	"io"
	"path/filepath"

	"pmtools/cmd/internal/answer"
	"pmtools/derive/lint"
	"pmtools/lib/version"
)

// The parts of a SARIF 2.1.0 log that are written.
type (
	logPart struct {
		Schema  string    `json:"$schema"`
		Version string    `json:"version"`
		Runs    []runPart `json:"runs"`
	}
	runPart struct {
		Tool    toolPart     `json:"tool"`
		Results []resultPart `json:"results"`
	}
	toolPart struct {
		Driver driverPart `json:"driver"`
	}
	driverPart struct {
		Name    string     `json:"name"`
		Version string     `json:"version"`
		Rules   []rulePart `json:"rules"`
	}
	rulePart struct {
		ID   string   `json:"id"`
		Text textPart `json:"fullDescription"`
	}
	textPart struct {
		Text string `json:"text"`
	}
	resultPart struct {
		Rule      string         `json:"ruleId"`
		Level     string         `json:"level"`
		Message   textPart       `json:"message"`
		Locations []locationPart `json:"locations"`
	}
	locationPart struct {
		Physical placePart `json:"physicalLocation"`
	}
	placePart struct {
		Artifact artifactPart `json:"artifactLocation"`
		Region   regionPart   `json:"region"`
	}
	artifactPart struct {
		URI string `json:"uri"`
	}
	regionPart struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn"`
	}
)

// refused is the rule of what PCP refuses.
const refused = "refused"

// Write writes diagnostics as a SARIF log.
func Write(w io.Writer, found []lint.Diagnostic) error {
	run := runPart{Tool: toolPart{driverPart{"pmderive check", version.Version, []rulePart{{refused, textPart{"PCP refuses it."}}}}}, Results: []resultPart{}}
	for _, r := range lint.Rules() {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rulePart{r.Name, textPart{r.Doc}})
	}
	for _, d := range found {
		rule := d.Rule
		if rule == "" {
			rule = refused
		}
		text := d.Message
		for _, note := range d.Notes {
			text += "\n" + note
		}
		place := placePart{artifactPart{filepath.ToSlash(d.File)}, regionPart{d.Line, d.Column}}
		run.Results = append(run.Results, resultPart{rule, d.Severity, textPart{text}, []locationPart{{place}}})
	}
	enc := answer.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(logPart{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []runPart{run}})
}
