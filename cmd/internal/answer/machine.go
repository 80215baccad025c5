package answer

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
)

// Forms returns the names of the forms of a table, the usual one first.
func Forms() []string { return []string{"table", "csv", "json"} }

// Write writes the table in a form. For people draw draws its rows.
func (t *Table) Write(w io.Writer, form string, draw func(w io.Writer, t *Table) error) error {
	switch form {
	case "csv":
		return t.WriteCSV(w)
	case "json":
		return t.WriteJSON(w)
	}
	for _, line := range t.Above {
		fmt.Fprintln(w, line)
	}
	if len(t.Rows) > 0 || len(t.Header) > 0 {
		if err := draw(w, t); err != nil {
			return err
		}
	}
	for _, note := range t.Notes {
		fmt.Fprintln(w, note)
	}
	return nil
}

// WriteCSV writes the records below the keys, which are the rows below the header where there are no others.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if keys := t.keys(); len(keys) > 0 {
		_ = out.Write(keys) // Flush has the error
	}
	for _, record := range t.records() {
		_ = out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// WriteJSON writes the objects, each on a line. Without any there is one for each record, with the keys.
func (t *Table) WriteJSON(w io.Writer) error {
	if t.Objects != nil {
		return WriteLines(w, t.Objects...)
	}
	enc := NewEncoder(w)
	keys := t.keys()
	for _, record := range t.records() {
		object := make(map[string]string, len(keys))
		for i, key := range keys {
			object[key] = record[i]
		}
		if err := enc.Encode(object); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) keys() []string {
	if t.Keys != nil {
		return t.Keys
	}
	return t.Header
}

func (t *Table) records() [][]string {
	if t.Records != nil {
		return t.Records
	}
	return t.Rows
}

// WriteLines writes objects in JSON, each on a line.
func WriteLines(w io.Writer, objects ...any) error {
	enc := NewEncoder(w)
	for _, object := range objects {
		if err := enc.Encode(object); err != nil {
			return err
		}
	}
	return nil
}

// NewEncoder returns what writes objects in JSON, each on a line, as all verbs do.
func NewEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}
