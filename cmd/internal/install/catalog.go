package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"pmtools/cmd/internal/answer"
	"pmtools/derive"
	"pmtools/derive/load"
	"pmtools/derive/syntax"
	"pmtools/lib/pmapi"
)

// The origins of definitions.
const (
	Option    = "option"    // a file that the command line names
	Stock     = "stock"     // a file of PCP's packages
	Installed = "installed" // another file that the tools read
	Session   = "session"   // no file
)

// An Entry is a definition in a file.
type Entry struct {
	Name     string `json:"name"`
	Expr     string `json:"expr"`
	Origin   string `json:"origin"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	HiddenBy string `json:"hidden_by,omitempty"` // FILE:LINE of the definition that counts, or Source
	Error    string `json:"error,omitempty"`     // why the expression cannot be parsed
}

// Source is the HiddenBy of a definition whose name a metric of the source has.
const Source = "source"

// Place returns where a definition is, FILE:LINE, or "" for one of a session.
func (e *Entry) Place() string {
	if e.File == "" {
		return ""
	}
	return e.File + ":" + strconv.Itoa(e.Line)
}

// A Catalog has the definitions of files in the order in which they are read.
type Catalog struct {
	Entries []Entry

	tools *Tools
	first map[string]*Entry // by name, those that count
	reg   *derive.Registry
}

// NewCatalog returns an empty Catalog.
func (t *Tools) NewCatalog() *Catalog {
	return &Catalog{tools: t, first: make(map[string]*Entry), reg: derive.NewRegistry(nil)}
}

// Read adds the definitions in files and directories. An origin of "" is found out for each file.
func (c *Catalog) Read(origin string, paths ...string) {
	from := make(map[string]string)
	load.Scan(c.reg, strings.Join(paths, string(filepath.ListSeparator)), func(d *syntax.Definition, err error) {
		e := Entry{Name: d.Name, Expr: d.Expr(), Origin: origin, File: d.File, Line: d.Line}
		if e.Origin == "" {
			if from[d.File] == "" {
				from[d.File] = c.tools.origin(d.File)
			}
			e.Origin = from[d.File]
		}
		switch before := c.first[d.Name]; {
		case before != nil:
			e.HiddenBy = before.Place()
		case err != nil:
			e.Error = err.Error()
			if bad, ok := errors.AsType[*syntax.Error](err); ok {
				e.Error = bad.Msg
			}
		default:
			c.first[d.Name] = &Entry{Name: d.Name, File: d.File, Line: d.Line}
		}
		c.Entries = append(c.Entries, e)
	})
}

// origin returns that of a file in which the tools look: PCP's packages put links there.
func (t *Tools) origin(file string) string {
	real, err := filepath.EvalSymlinks(file)
	if err == nil && same(filepath.Dir(real), t.Stock) {
		return Stock
	}
	return Installed
}

// Hide adds a definition of a session, which comes before those of files.
func (c *Catalog) Hide(name, expr string) {
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Name == name {
			e.HiddenBy = Session
		}
	}
	c.Entries = append([]Entry{{Name: name, Expr: expr, Origin: Session}}, c.Entries...)
}

// Mask marks the definitions that metrics of a source hide.
func (c *Catalog) Mask(ctx context.Context, src pmapi.Source) error {
	names := make([]string, len(c.Entries))
	for i := range c.Entries {
		names[i] = c.Entries[i].Name
	}
	found, err := src.Lookup(ctx, names)
	if err != nil {
		return err
	}
	for i := range found {
		if found[i].Err == nil {
			c.Entries[i].HiddenBy = Source
		}
	}
	return nil
}

// Keep leaves the entries of names, and of metrics below them. Without names all stay.
func (c *Catalog) Keep(names []string) error {
	if len(names) == 0 {
		return nil
	}
	var kept []Entry
	for _, name := range names {
		n := len(kept)
		for _, e := range c.Entries {
			if e.Name == name || strings.HasPrefix(e.Name, name+".") {
				kept = append(kept, e)
			}
		}
		if len(kept) == n {
			return c.unknown(name, "is defined in no file")
		}
	}
	c.Entries = kept
	return nil
}

// Table returns the entries as a table.
func (c *Catalog) Table() *answer.Table {
	t := &answer.Table{
		Header: []string{"definition", "origin", "place", "hidden by"},
		Keys:   []string{"name", "origin", "file", "line", "hidden_by", "error", "expr"}, Records: [][]string{}, Objects: []any{},
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		why := e.HiddenBy
		switch {
		case why == Source:
			why = "a metric of the source"
		case why == Session:
			why = "this session"
		case e.Error != "":
			why = "(" + e.Error + ")"
		}
		line := strings.TrimPrefix(e.Place(), e.File+":")
		t.Rows = append(t.Rows, []string{e.Name, e.Origin, e.Place(), why})
		t.Records = append(t.Records, []string{e.Name, e.Origin, e.File, line, e.HiddenBy, e.Error, e.Expr})
		t.Objects = append(t.Objects, e)
	}
	return t
}

// Conflicts says which definitions of a file that is installed as path other files have, too.
func (c *Catalog) Conflicts(path string, text []byte) (lines []string) {
	seen := make(map[string]bool)
	for chunk := range syntax.Chunks(path, text) {
		d := chunk.Definition()
		if d == nil || seen[d.Name] {
			continue
		}
		seen[d.Name] = true
		var places []string
		for i := range c.Entries {
			if e := &c.Entries[i]; e.Name == d.Name && e.Error == "" && !same(e.File, path) {
				places = append(places, e.Place())
			}
		}
		if places != nil {
			lines = append(lines, fmt.Sprintf("%s is defined in %s too; pmderive list %[1]s shows which definition counts: all tools complain about the others",
				d.Name, strings.Join(places, " and ")))
		}
	}
	return lines
}
