package coverage

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pmtools/derive/syntax"
)

// A JSON is a Profile for programs.
type JSON struct {
	Percent float64          `json:"percent"`
	Kinds   map[string]Count `json:"kinds"`
	Files   []jsonFile       `json:"files"`
	Count
}

type jsonFile struct {
	File        string           `json:"file"`
	Definitions []jsonDefinition `json:"definitions"`
}

type jsonDefinition struct {
	Name string `json:"name"`
	Line int    `json:"line"`
	Count
	List []jsonPart `json:"list"`
}

type jsonPart struct {
	Kind   string `json:"kind"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text,omitempty"` // of a file that may be quoted
	Hits   int    `json:"hits"`
}

// JSON returns the Profile for programs.
func (p Profile) JSON() *JSON {
	out := &JSON{Percent: p.Total().Percent(), Count: p.Total(), Kinds: make(map[string]Count), Files: []jsonFile{}}
	for k, c := range p.byKind() {
		if c.Parts > 0 {
			out.Kinds[Kind(k).String()] = c
		}
	}
	for _, d := range p {
		if n := len(out.Files); n == 0 || out.Files[n-1].File != d.File {
			out.Files = append(out.Files, jsonFile{File: d.File})
		}
		f := &out.Files[len(out.Files)-1]
		line, _, _ := d.At(d.Offset)
		def := jsonDefinition{Name: d.Name(), Line: line, Count: Count{d.Reached(), len(d.Parts)}}
		for i := range d.Parts {
			part := &d.Parts[i]
			text := part.Text
			if !d.Quoted {
				text = ""
			}
			line, column := d.place(part.Start)
			def.List = append(def.List, jsonPart{part.Kind.String(), line, column, text, part.Hits})
		}
		f.Definitions = append(f.Definitions, def)
	}
	return out
}

// place returns the line and column of a byte of the expression.
func (d *Definition) place(pos syntax.Pos) (line, column int) {
	line, column, _ = d.At(d.Offset + int(pos))
	return line, column
}

// LCOV returns the Profile as a tracefile of lcov: a definition is a function, the outcomes and the arms of a choice are
// branches, and a line is hit as often as the part that was reached least of those that begin in it.
func (p Profile) LCOV() []byte {
	var b bytes.Buffer
	for i := 0; i < len(p); {
		n := i
		for n < len(p) && p[n].File == p[i].File {
			n++
		}
		p[i:n].file(&b)
		i = n
	}
	return b.Bytes()
}

func (p Profile) file(b *bytes.Buffer) {
	fmt.Fprintf(b, "TN:\nSF:%s\n", oneLine(filepath.ToSlash(p[0].File)))
	called, found, taken, block := 0, 0, 0, 0
	lines := make(map[int]int)
	var functions, branches bytes.Buffer
	for _, d := range p {
		line, _, _ := d.At(d.Offset)
		fmt.Fprintf(b, "FN:%d,%s\n", line, d.Name())
		hits := d.hits()
		start, end := d.Expr().Span()
		calls := hits[key{start, end, Result}]
		fmt.Fprintf(&functions, "FNDA:%d,%s\n", calls, d.Name())
		if calls > 0 {
			called++
		}
		for k, n := range hits {
			line, _ := d.place(k.start)
			if before, known := lines[line]; !known || n < before {
				lines[line] = n
			}
		}
		for _, n := range choices(d.Expr()) {
			line, _ := d.place(n.Quest)
			for branch, k := range choice(n) {
				count := fmt.Sprint(hits[k])
				if found++; hits[k] > 0 {
					taken++
				} else if calls == 0 {
					count = "-" // its line has not been executed
				}
				fmt.Fprintf(&branches, "BRDA:%d,%d,%d,%s\n", line, block, branch, count)
			}
			block++
		}
	}
	fmt.Fprintf(b, "%sFNF:%d\nFNH:%d\n", functions.String(), len(p), called)
	fmt.Fprintf(b, "%sBRF:%d\nBRH:%d\n", branches.String(), found, taken)
	hit := 0
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		if fmt.Fprintf(b, "DA:%d,%d\n", line, lines[line]); lines[line] > 0 {
			hit++
		}
	}
	fmt.Fprintf(b, "LF:%d\nLH:%d\nend_of_record\n", len(lines), hit)
}

func (d *Definition) hits() map[key]int {
	list := make(map[key]int)
	for _, p := range d.Parts {
		list[key{p.Start, p.End, p.Kind}] = p.Hits
	}
	return list
}

// oneLine returns a name without line ends, which would begin another record.
func oneLine(name string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(name) }
