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

// A helpFile is a Texter with the texts that PCP's newhelp has compiled (collector.md C7.3).
type helpFile struct {
	order binary.ByteOrder // of the machine on which the file was made
	index []byte           // the records of NAME.dir: key, offsets of the line and the text
	texts []byte           // NAME.pag
}

const (
	helpMagic   = 0x50635068
	helpVersion = 0x31320000
	helpRecord  = 12        // bytes of a record, and of the header
	helpInDom   = 1 << 31   // in the key of an instance domain
	helpID      = 1<<22 - 1 // the domain is whatever the agent was started with

	helpTexts = "PcPh22\n" // begins NAME.pag
)

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
	h, err := decodeHelp(dir, pag)
	if err != nil {
		return nil, fmt.Errorf("help texts: %s: %w", name, err)
	}
	return h, nil
}

func decodeHelp(dir, pag []byte) (*helpFile, error) {
	h := &helpFile{texts: pag}
	if len(dir) < helpRecord || len(dir)%helpRecord != 0 || !bytes.HasPrefix(pag, []byte(helpTexts)) {
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

// Text implements Texter. If the file has the metric in other domains only, the text is that of one of
// them. A text may be empty.
func (h *helpFile) Text(_ context.Context, _ *Client, id pcp.ID, kind pcp.TextKind) (string, error) {
	return h.find(uint32(id)&^helpInDom, kind)
}

// InDomText implements Texter.
func (h *helpFile) InDomText(_ context.Context, _ *Client, d pcp.InDom, kind pcp.TextKind) (string, error) {
	return h.find(uint32(d)|helpInDom, kind)
}

// find returns a text of the record with the key, or else of one in another domain.
func (h *helpFile) find(key uint32, kind pcp.TextKind) (string, error) {
	var found []byte
	for rec := range slices.Chunk(h.index, helpRecord) {
		k := h.order.Uint32(rec)
		if k == key {
			return h.text(rec, kind)
		}
		if found == nil && (k^key)&(helpInDom|helpID) == 0 {
			found = rec
		}
	}
	if found == nil {
		return "", pmerr.Text
	}
	return h.text(found, kind)
}

func (h *helpFile) text(rec []byte, kind pcp.TextKind) (string, error) {
	at := h.order.Uint32(rec[8:])
	if kind == pcp.OneLine {
		at = h.order.Uint32(rec[4:])
	}
	if uint64(at) < uint64(len(h.texts)) {
		if s, _, ok := bytes.Cut(h.texts[at:], []byte{0}); ok {
			return string(s), nil
		}
	}
	return "", pmerr.Text
}
