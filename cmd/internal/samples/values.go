package samples

import (
	"context"
	"errors"
	"io"

	"pmtools/lib/format"
	"pmtools/lib/sampling"
)

// ErrNone is the error of values for scripts of which there are none.
var ErrNone = errors.New("there are no values")

// A valueWriter writes each value as a line, and nothing else.
type valueWriter struct {
	text
	h    *sampling.Header
	opt  Options
	some bool
}

// NewValues returns a Writer of bare values, one in each line. Without any, Close returns ErrNone.
func NewValues(w io.Writer, h *sampling.Header, opt *Options) (sampling.Writer, error) {
	return &valueWriter{text: text{w: w}, h: h, opt: *opt}, nil
}

// Sample implements Writer. A value that is unknown is an empty line.
func (w *valueWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	if err := s.Sort(ctx); err != nil {
		return err
	}
	for i := range s.Sets {
		for j := range s.Sets[i].Len() {
			v := s.Sets[i].Value(j)
			if v.IsSet() {
				w.some = true
				w.b = format.AppendExact(w.b, v, w.opt.Precision, w.h.Location())
			}
			w.b = append(w.b, '\n')
			if err := w.next(ctx, j); err != nil {
				return err
			}
		}
	}
	return w.flush()
}

// Close implements Writer.
func (w *valueWriter) Close() error {
	if w.some {
		return nil
	}
	return ErrNone
}
