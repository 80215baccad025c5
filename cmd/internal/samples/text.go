package samples

import (
	"bytes"
	"context"
	"io"
	"slices"

	"pmtools/lib/sampling"
)

// A text buffers the output of a sample, and writes it in pieces, because it may be many times as
// large as the values.
type text struct {
	w io.Writer
	b []byte
}

// piece is how much is collected, about.
const piece = 64 << 10

// next is called after each step of a loop over values: it writes a full piece, and returns the
// error of an ended context. Trailing blanks stay in the buffer, because the line may end after
// them.
func (t *text) next(ctx context.Context, step int) error {
	if err := sampling.Ended(ctx, step); err != nil || len(t.b) < piece {
		return err
	}
	n := len(bytes.TrimRight(t.b, " "))
	_, err := t.w.Write(t.b[:n])
	t.b = append(t.b[:0], t.b[n:]...)
	return err
}

// flush hands on what there is.
func (t *text) flush() error {
	_, err := t.w.Write(t.b)
	t.b = t.b[:0]
	return err
}

// dim makes the lines after a place faint on a terminal.
func (t *text) dim(from int) {
	lines := slices.Collect(bytes.Lines(bytes.Clone(t.b[from:])))
	t.b = t.b[:from]
	for _, line := range lines {
		t.b = append(append(append(t.b, "\x1b[2m"...), bytes.TrimSuffix(line, []byte("\n"))...), "\x1b[0m\n"...)
	}
}
