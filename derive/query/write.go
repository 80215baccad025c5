package query

import (
	"cmp"
	"context"

	"pmtools/lib/sampling"
)

// Write hands the samples to what open returns, which gets their Header, and returns how many there
// were. A single sample that does not come opens nothing. The error is the first one: of the samples, of
// open, of writing; of a single sample also that of its expressions.
func (s *Stream) Write(ctx context.Context, open func(h *sampling.Header) (sampling.Writer, error)) (n int, err error) {
	var w sampling.Writer
	if s.Header != nil && !s.once {
		if w, err = open(s.Header); err != nil {
			return 0, err
		}
	}
	for smp, e := range s.Samples {
		if err = e; err != nil {
			break
		}
		if w == nil {
			if w, err = open(s.Header); err != nil {
				return n, err
			}
		}
		writing := ctx
		if smp.Average { // also of samples that an interrupt has ended
			writing = context.WithoutCancel(ctx)
		}
		if err = w.Sample(writing, smp); err != nil {
			break
		}
		if n++; s.once && s.Header.Hosts == nil {
			err = smp.Err()
		}
	}
	if w != nil {
		e := w.Close()
		err = cmp.Or(err, e)
	}
	return n, err
}

// Count makes the samples add the number of their values to n.
func (s *Stream) Count(n *int) {
	samples := s.Samples
	s.Samples = func(yield func(*sampling.Sample, error) bool) {
		for smp, err := range samples {
			for i := 0; err == nil && i < len(smp.Sets); i++ {
				*n += smp.Sets[i].Len()
			}
			if !yield(smp, err) {
				return
			}
		}
	}
}
