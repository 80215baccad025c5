package pmda

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda/helptext"
)

// A helpFile is a Texter that has its texts from a file that newhelp made.
type helpFile struct{ *helptext.File }

// Text implements Texter.
func (h helpFile) Text(_ context.Context, _ *Client, id pcp.ID, kind pcp.TextKind) (string, error) {
	return h.File.Text(id, kind)
}

// InDomText implements Texter.
func (h helpFile) InDomText(_ context.Context, _ *Client, d pcp.InDom, kind pcp.TextKind) (string, error) {
	return h.File.InDomText(d, kind)
}
