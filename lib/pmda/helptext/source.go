package helptext

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// An Entry is the part of a source about a metric or an instance domain.
type Entry struct {
	What    string // as the source names it
	OneLine string
	Text    string

	key uint32
}

// A Problem is something wrong with a source, in the words of newhelp.
type Problem struct {
	File string
	Line int    // of the source: that which ended the entry
	Text string // "simple.x: Unknown metric name, entry abandoned"
	// Warning is set if the entry is kept nevertheless.
	Warning bool
}

// String returns the problem as newhelp prints it.
func (p Problem) String() string { return fmt.Sprintf("newhelp: [%s:%d] %s", p.File, p.Line, p.Text) }

// nullEntry is the Problem of a line that starts no entry.
const nullEntry = "null entry?"

// Status returns the exit status of newhelp: 2 after errors, 1 after warnings, which count only if
// they are asked for, but for lines that begin no entry.
func Status(problems []Problem, warnings bool) int {
	status := 0
	for _, p := range problems {
		switch {
		case !p.Warning:
			return 2
		case warnings || p.Text == nullEntry:
			status = 1
		}
	}
	return status
}

const maxEntry = 2047 // bytes of an entry with its head and text, the most that newhelp compiles

type parser struct {
	file     string
	lookup   func(name string) (pcp.ID, error)
	line     int
	head     string   // of the current entry: what, and its line
	open     bool     // there is a current entry
	body     []string // lines of its text
	entries  []Entry
	problems []Problem
}

// Parse reads a source of help texts. lookup returns the metric of a name. A faulty entry is
// reported as a Problem; the other entries are returned.
func Parse(file, text string, lookup func(name string) (pcp.ID, error)) ([]Entry, []Problem) {
	p := &parser{file: file, lookup: lookup}
	for l := range strings.Lines(text) {
		p.line++
		l = strings.TrimSuffix(l, "\n")
		switch {
		case strings.HasPrefix(l, "#"):
		case strings.HasPrefix(l, "@"):
			p.end()
			p.head = strings.TrimLeft(l[1:], " \t")
			if p.open = p.head != ""; !p.open {
				p.problem(true, nullEntry)
			}
		case p.open:
			p.body = append(p.body, l)
		}
	}
	p.line++ // the end of the file counts
	p.end()
	return p.entries, p.problems
}

func (p *parser) problem(warning bool, format string, args ...any) {
	p.problems = append(p.problems, Problem{p.file, p.line, fmt.Sprintf(format, args...), warning})
}

func (p *parser) end() {
	if !p.open {
		return
	}
	e := Entry{What: p.head, Text: strings.TrimRight(strings.Join(p.body, "\n"), "\n")}
	p.open, p.body = false, nil
	if i := strings.IndexAny(p.head, " \t"); i >= 0 {
		e.What, e.OneLine = p.head[:i], strings.TrimLeft(p.head[i:], " \t")
	}
	var err error
	size := len(e.What) + len(e.OneLine) + len(e.Text)
	switch e.key, err = p.key(e.What); {
	case err != nil:
		p.problem(false, "%s: %v, entry abandoned", e.What, err)
		return
	case len(p.entries) > 1 && p.entries[len(p.entries)-1].key == e.key:
		p.problem(false, "duplicate key (%s) entry abandoned", keyText(e.key))
		return
	case size > maxEntry:
		p.problem(false, "%s: entry of %d bytes, more than %d, entry abandoned", e.What, size, maxEntry)
		return
	case strings.ContainsRune(e.OneLine+e.Text, 0):
		p.problem(false, "%s: a text with a byte 0, entry abandoned", e.What)
		return
	}
	if e.OneLine == "" {
		p.problem(true, "%s: warning, null oneline", p.head)
	}
	if e.Text == "" {
		p.problem(true, "%s: warning, null help", p.head)
	}
	p.entries = append(p.entries, e)
}

// key returns the identifier of a record: of a metric, given by name or as D.C.I, or of an instance
// domain, D.S, which has a bit set. Text after the numbers is ignored.
func (p *parser) key(what string) (uint32, error) {
	var n []uint32
	for part := range strings.SplitSeq(what, ".") {
		v, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			break
		}
		n = append(n, uint32(v))
	}
	switch {
	case len(n) >= 3:
		return uint32(pcp.NewID(n[0], n[1], n[2])), nil
	case len(n) == 2:
		return uint32(pcp.NewInDom(n[0], n[1])) | isInDom, nil
	}
	if p.lookup == nil {
		return 0, pmerr.Name
	}
	id, err := p.lookup(what)
	if err != nil {
		return 0, pmerr.Of(err)
	}
	return uint32(id), nil
}

func keyText(key uint32) string {
	if key&isInDom != 0 {
		return pcp.InDom(key &^ isInDom).String()
	}
	return pcp.ID(key).String()
}

var errLarge = errors.New("help texts of more than 2 GB")

// Compile returns the files NAME.dir and NAME.pag, as newhelp writes them on a machine of that byte
// order.
func Compile(entries []Entry, order binary.AppendByteOrder) (dir, pag []byte, err error) {
	type record struct{ key, oneLine, text uint32 }
	records := make([]record, len(entries))
	pag = append(pag, textsMagic...)
	for i, e := range entries {
		pag = append(append(pag, "\n@ "+e.What+" "...), e.OneLine...)
		records[i] = record{e.key, uint32(len(pag) - len(e.OneLine)), uint32(len(pag) + 1)}
		pag = append(append(append(pag, 0), e.Text...), 0)
	}
	if len(pag) > 1<<31-1 {
		return nil, nil, errLarge
	}
	slices.SortStableFunc(records, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.key&isInDom, b.key&isInDom), cmp.Compare(a.key&idMask, b.key&idMask))
	})
	dir = order.AppendUint32(order.AppendUint32(order.AppendUint32(dir, magic), version), uint32(len(records)))
	for _, r := range records {
		dir = order.AppendUint32(order.AppendUint32(order.AppendUint32(dir, r.key), r.oneLine), r.text)
	}
	return dir, pag, nil
}
