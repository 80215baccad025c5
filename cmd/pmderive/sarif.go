package main

import (
	"encoding/json"
	"io"
	"path/filepath"

	"pmtools/derive/lint"
	"pmtools/lib/version"
)

// The parts of a SARIF 2.1.0 log that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID   string    `json:"id"`
		Text sarifText `json:"fullDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule      string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPlace `json:"physicalLocation"`
	}
	sarifPlace struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn"`
	}
)

// refused is the rule of what PCP refuses.
const refused = "refused"

// writeSARIF writes diagnostics as a SARIF log, the form in which services that review code take
// them.
func writeSARIF(w io.Writer, found []lint.Diagnostic) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{"pmderive check", version.Version, []sarifRule{{refused, sarifText{"PCP refuses it."}}}}}, Results: []sarifResult{}}
	for _, r := range lint.Rules() {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{r.Name, sarifText{r.Doc}})
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
		place := sarifPlace{sarifArtifact{filepath.ToSlash(d.File)}, sarifRegion{d.Line, d.Column}}
		run.Results = append(run.Results, sarifResult{rule, d.Severity, sarifText{text}, []sarifLocation{{place}}})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}
