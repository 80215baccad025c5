package pmda

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A helpFile is a Texter that has its texts from a file that the reference's newhelp made
// (collector.md C7.3). It may be shared by goroutines.
type helpFile struct {
	order binary.ByteOrder // of the machine on which the file was made
	index []byte           // the records of NAME.dir
	texts []byte           // NAME.pag
}

// The numbers in NAME.dir: its magic, and what is made of identifiers.
const (
	helpMagic   = 0x50635068
	helpVersion = 0x31320000
	helpRecord  = 12 // bytes of a record, and of the header
	helpInDom   = 1 << 31
	helpIDMask  = 1<<22 - 1 // the domain is whatever the agent was started with
)

// errHelp says that files are not what newhelp makes.
var errHelp = errors.New("bad format, not version 2 help text")

// openHelp reads the help texts in NAME.dir and NAME.pag.
func openHelp(name string) (*helpFile, error) {
	dir, err := os.ReadFile(name + ".dir")
	if err != nil {
		return nil, fmt.Errorf("help texts: %w", err)
	}
	pag, err := os.ReadFile(name + ".pag")
	if err != nil {
		return nil, fmt.Errorf("help texts: %w", err)
	}
	h, err := parseHelp(dir, pag)
	if err != nil {
		return nil, fmt.Errorf("help texts: %s: %w", name, err)
	}
	return h, nil
}

// parseHelp returns the helpFile that two files are.
func parseHelp(dir, pag []byte) (*helpFile, error) {
	h := &helpFile{texts: pag}
	if len(dir) < helpRecord || len(dir)%helpRecord != 0 || !bytes.HasPrefix(pag, []byte("PcPh22\n")) {
		return nil, errHelp
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if order.Uint32(dir) == helpMagic && order.Uint32(dir[4:]) == helpVersion {
			h.order, h.index = order, dir[helpRecord:]
		}
	}
	if h.order == nil || int64(h.order.Uint32(dir[8:])) != int64(len(h.index)/helpRecord) {
		return nil, errHelp
	}
	return h, nil
}

// Text implements Texter.
func (h *helpFile) Text(_ context.Context, _ *Client, id pcp.ID, kind pcp.TextKind) (string, error) {
	return h.find(uint32(id)&helpIDMask, kind)
}

// InDomText implements Texter.
func (h *helpFile) InDomText(_ context.Context, _ *Client, d pcp.InDom, kind pcp.TextKind) (string, error) {
	return h.find(uint32(d)&helpIDMask|helpInDom, kind)
}

// find returns a text of what has the identifier, whose domain is left out. A text may be empty.
func (h *helpFile) find(id uint32, kind pcp.TextKind) (string, error) {
	for rec := range slices.Chunk(h.index, helpRecord) {
		if h.order.Uint32(rec)&(helpInDom|helpIDMask) != id {
			continue
		}
		at := h.order.Uint32(rec[8:])
		if kind == pcp.OneLine {
			at = h.order.Uint32(rec[4:])
		}
		if uint64(at) < uint64(len(h.texts)) {
			if s, _, ok := bytes.Cut(h.texts[at:], []byte{0}); ok {
				return string(s), nil
			}
		}
		break
	}
	return "", pmerr.Text
}
