package repl

import (
	"cmp"
	"context"
	"errors"
	"io"
	"pmtools/cmd/internal/item"
	"pmtools/derive/query"
	"strings"

	"pmtools/lib/pmcd"
)

// PlotSamples is how many samples a chart has if not set.
const PlotSamples = 60

func runPlot(ctx context.Context, s *Session, arg string, w io.Writer) error {
	if s.fleet != nil {
		return query.Problemf("charts are of one host; :source host %s leaves the others", pmcd.Redact(s.name))
	}
	arg, picture := s.cutPicture(arg)
	n, text := item.Count(arg)
	if n == 0 {
		n = cmp.Or(s.set.Samples, PlotSamples)
	}
	st, err := s.queryAll(ctx, s.over(text, 0, n))
	if err != nil {
		return err
	}
	s.noteExpanded(w, st.Used())
	if root := st.Exprs[0].Info.Root; !root.Type.Arithmetic() {
		return query.Problemf("the values are not numbers: %s", query.Metadata(root))
	}
	taken, err := s.Write(ctx, w, st, Form{Output: Chart, Picture: picture, Settings: &s.set})
	if errors.Is(err, context.Canceled) && taken > 0 {
		_ = s.noteLost(err)
		return nil // what there was has been drawn
	}
	return err
}

// cutPicture takes "> FILE" from the end of the argument of :plot, if the file is a picture: the sign
// may also be a relation.
func (s *Session) cutPicture(arg string) (rest, file string) {
	i := strings.LastIndexByte(arg, '>')
	if i < 0 || s.opt.IsPicture == nil {
		return arg, ""
	}
	if file = strings.TrimSpace(arg[i+1:]); !s.opt.IsPicture(file) {
		return arg, ""
	}
	return strings.TrimSpace(arg[:i]), file
}
