// Package helptext reads and writes the help texts of agents: it parses their sources, compiles
// them as newhelp does, and checks the compiled files as chkhelp does.
package helptext

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A File has the help texts that newhelp has compiled. It may be shared by goroutines.
type File struct {
	order binary.ByteOrder // of the machine on which the file was made
	index []byte           // the records of NAME.dir
	texts []byte           // NAME.pag
}

const (
	magic   = 0x50635068
	version = 0x31320000
	record  = 12 // bytes of a record, and of the header
	isInDom = 1 << 31
	idMask  = 1<<22 - 1 // the domain is whatever the agent was started with

	textsMagic = "PcPh22\n" // begins NAME.pag
)

var errFormat = errors.New("bad format, not version 2 help text")

// Open reads the help texts in NAME.dir and NAME.pag.
func Open(name string) (*File, error) {
	dir, err := os.ReadFile(name + ".dir")
	if err != nil {
		return nil, fmt.Errorf("help texts: %w", err)
	}
	pag, err := os.ReadFile(name + ".pag")
	if err != nil {
		return nil, fmt.Errorf("help texts: %w", err)
	}
	f, err := decode(dir, pag)
	if err != nil {
		return nil, fmt.Errorf("help texts: %s: %w", name, err)
	}
	return f, nil
}

// decode returns the File that two files are. It keeps them.
func decode(dir, pag []byte) (*File, error) {
	f := &File{texts: pag}
	if len(dir) < record || len(dir)%record != 0 || !bytes.HasPrefix(pag, []byte(textsMagic)) {
		return nil, errFormat
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if order.Uint32(dir) == magic && order.Uint32(dir[4:]) == version {
			f.order, f.index = order, dir[record:]
		}
	}
	if f.order == nil || int64(f.order.Uint32(dir[8:])) != int64(len(f.index)/record) {
		return nil, errFormat
	}
	return f, nil
}

// Text returns a help text of a metric, or pmerr.Text. If the file has the metric's cluster and
// item in other domains only, it returns the text of one of these. A text may be empty.
func (f *File) Text(id pcp.ID, kind pcp.TextKind) (string, error) {
	return f.find(uint32(id)&^isInDom, kind, isInDom|idMask)
}

// InDomText returns a help text of an instance domain, as Text does.
func (f *File) InDomText(d pcp.InDom, kind pcp.TextKind) (string, error) {
	return f.find(uint32(d)|isInDom, kind, isInDom|idMask)
}

// find returns a text of the record with the key, or else of one with equal bits of mask.
func (f *File) find(key uint32, kind pcp.TextKind, mask uint32) (string, error) {
	found := []byte(nil)
	for rec := range slices.Chunk(f.index, record) {
		switch k := f.order.Uint32(rec); {
		case k == key:
			return f.text(rec, kind)
		case found == nil && (k^key)&mask == 0:
			found = rec
		}
	}
	if found == nil {
		return "", pmerr.Text
	}
	return f.text(found, kind)
}

func (f *File) text(rec []byte, kind pcp.TextKind) (string, error) {
	at := f.order.Uint32(rec[8:])
	if kind == pcp.OneLine {
		at = f.order.Uint32(rec[4:])
	}
	if uint64(at) < uint64(len(f.texts)) {
		if s, _, ok := bytes.Cut(f.texts[at:], []byte{0}); ok {
			return string(s), nil
		}
	}
	return "", pmerr.Text
}

// Keys returns the metrics and instance domains that have texts, in the order of the file.
func (f *File) Keys() (ids []pcp.ID, indoms []pcp.InDom) {
	for rec := range slices.Chunk(f.index, record) {
		if key := f.order.Uint32(rec); key&isInDom != 0 {
			indoms = append(indoms, pcp.InDom(key&^isInDom))
		} else {
			ids = append(ids, pcp.ID(key))
		}
	}
	return ids, indoms
}

// A Show says which texts are printed.
type Show struct{ OneLine, Long bool }

// ShowID prints the texts of a metric as chkhelp does; names are its names.
func (f *File) ShowID(w io.Writer, s Show, id pcp.ID, names ...string) {
	title := "PMID " + id.String()
	if len(names) > 0 {
		title += " " + strings.Join(names, " or ")
	}
	f.show(w, s, title, uint32(id)&^isInDom)
}

// ShowInDom prints the texts of an instance domain as chkhelp does.
func (f *File) ShowInDom(w io.Writer, s Show, d pcp.InDom) {
	f.show(w, s, "InDom "+d.String(), uint32(d)|isInDom)
}

// show prints the texts of a key, in its own domain only.
func (f *File) show(w io.Writer, s Show, title string, key uint32) {
	fmt.Fprintf(w, "\n%s:", title)
	text := func(kind pcp.TextKind, what string) string {
		text, err := f.find(key, kind, ^uint32(0))
		switch {
		case err != nil:
			return "<empty " + what + " string>"
		case text == "":
			return "<no " + what + " available>"
		}
		return text
	}
	if s.OneLine {
		fmt.Fprintf(w, " %s\n", text(pcp.OneLine, "one line"))
	}
	if s.Long {
		fmt.Fprintln(w, text(pcp.Help, "full text"))
	}
}
