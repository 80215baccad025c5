package repl

import (
	"context"
	"errors"
	"slices"

	"pmtools/derive/internal/insts"
	"pmtools/derive/summary"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A Digest is the summary of a window of a recording.
type Digest struct {
	*summary.Summary
	Run *Run // the source, and the window that was asked for
	// Names has the names of instances, if there is a summary of each.
	Names map[pcp.InDom]map[int32]string
}

// Summarize summarizes expressions over a window of a recording, record by record, and each of
// their instances if each is set. Without expressions it takes all metrics that have numbers as
// values there. An error beside a Digest is why some expressions, or the rest of the recording, are
// not in it.
func (s *Session) Summarize(ctx context.Context, exprs []string, win *Window, each bool) (*Digest, error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	if s.line == nil {
		return nil, &Problem{
			Msg:   "only archives can be summarized, and the source is live",
			Notes: []string{"name an archive with -a; eval --archive-out BASE records one"},
		}
	}
	d := &Digest{Summary: summary.New(each), Names: make(map[pcp.InDom]map[int32]string)}
	bad, err := s.digest(ctx, d.Summary, exprs)
	if err != nil {
		return nil, err
	}
	d.Run = s.runOf("", &query{}, win)
	d.Run.Host, _ = pmapi.HostName(ctx, s.src) // beside an error there is a guess
	if err := s.line.SetMode(pcp.Forward, &win.Start, 0); err != nil {
		return nil, &Problem{Msg: err.Error(), Err: err}
	}
	if err = s.readAll(ctx, win, d.Summary); err != nil {
		bad = append(bad, &Problem{Msg: err.Error(), Err: err})
	} else if d.Records == 0 && bad == nil {
		return nil, problemf("there are no samples in that time")
	}
	if len(exprs) == 0 {
		d.Metrics = slices.DeleteFunc(d.Metrics, func(m *summary.Metric) bool { return m.All.Samples == 0 })
	}
	if each {
		s.nameInstances(ctx, d)
	}
	if bad == nil {
		return d, nil
	}
	return d, bad
}

// digest adds the expressions, or all metrics, to a summary. The Problems are those of expressions
// that are wrong.
func (s *Session) digest(ctx context.Context, sum *summary.Summary, exprs []string) (bad Problems, err error) {
	wanted := exprs
	if len(exprs) == 0 {
		if err := s.all(ctx).WalkNames(ctx, "", func(name string) bool { wanted = append(wanted, name); return true }); err != nil {
			return nil, err
		}
		slices.Sort(wanted)
	}
	list, err := s.expand(ctx, wanted)
	if err != nil {
		return nil, err
	}
	texts, names := make([]string, len(list)), make([]string, len(list))
	defs := s.defs
	for i, e := range list {
		texts[i], names[i], defs = named(e, defs)
	}
	b := s.newBinder(ctx, defs, true)
	for i, text := range texts {
		c, err := b.compileAs(ctx, text, names[i])
		p, wrong := errors.AsType[*Problem](err)
		if err == nil && !c.info.Root.Type.Arithmetic() {
			p, wrong = problemf("the values of %s are not numbers: %s", names[i], metadata(c.info.Root)), true
		}
		switch {
		case wrong && (len(exprs) == 0 || !slices.Contains(exprs, list[i])):
			// It is only one of many.
		case wrong:
			bad = append(bad, p)
		case err != nil:
			return nil, err
		case c.rate && !s.raw():
			m := sum.Add(names[i], c.change, c.rateOf, true)
			counter := c.info.Root.Desc(pcp.NullID)
			m.Counter = &counter
		default:
			sum.Add(names[i], c.tree, c.info, changes(c.tree))
		}
	}
	return bad, nil
}

// changes reports whether an expression has values of the time between two samples.
func changes(x syntax.Expr) (found bool) {
	syntax.Walk(x, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			found = found || call.Fun == syntax.RATE || call.Fun == syntax.DELTA
		}
		return !found
	})
	return found
}

// readAll hands the records of a window to a summary.
func (s *Session) readAll(ctx context.Context, win *Window, sum *summary.Summary) error {
	in := insts.New(s.src)
	var res pcp.Result
	var last pcp.Timestamp
	defer func() { sum.End(last) }()
	for {
		mark, err := s.line.FetchRecord(ctx, &pmapi.Request{}, &res)
		switch {
		case errors.Is(err, pmerr.EOL):
			return nil
		case err != nil:
			return err
		case win.HasEnd && res.Time.Compare(win.End) > 0:
			last = win.End
			return nil
		case mark:
			sum.Mark(res.Time)
			continue
		}
		last = res.Time
		in.Begin(ctx, res.Time)
		sum.Record(&res, in)
	}
}

// InstanceName returns the name that an instance has, or its number.
func (d *Digest) InstanceName(dom pcp.InDom, inst int32) string {
	if name, ok := d.Names[dom][inst]; ok {
		return name
	}
	return number(inst)
}

// nameInstances finds the names of the instances in a Digest.
func (s *Session) nameInstances(ctx context.Context, d *Digest) {
	for _, m := range d.Metrics {
		dom := m.Desc.InDom
		if dom == pcp.NullInDom || d.Names[dom] != nil {
			continue
		}
		d.Names[dom] = make(map[int32]string)
		if all, err := s.line.AllInstances(ctx, dom); err == nil {
			for _, in := range all {
				d.Names[dom][in.ID] = in.Name
			}
		}
	}
}
