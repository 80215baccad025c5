package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/source"
	"pmtools/lib/format"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A session shows one metric of one source.
type session struct {
	flags   *flags
	env     *cli.Env
	options *option.Options
	control *control // nil unless a time control server says when samples are due
	opened
	window
	metric

	out      reporter
	clock    clock
	values   format.Options
	complete bool // all samples asked for were taken, or the window is over
}

// An opened source answers for a host, live or from an archive.
type opened struct {
	src      pmapi.Source
	host     string         // that the metrics are of
	timeline pmapi.Timeline // nil if the source is live
}

// A window is when samples are taken.
type window struct {
	zone     *time.Location
	origin   pcp.Timestamp // of the first sample
	end      pcp.Timestamp // of the window, if it is bounded
	bounded  bool
	samples  int // how many, -1 for all
	interval time.Duration
}

// A metric is the one that is shown, with its instances.
type metric struct {
	name    string
	desc    pcp.Desc
	request pmapi.Request
	columns []column // ascending by identifier
	known   []int32  // instances of an earlier sample that all have a column
	rate    bool     // counters are converted
	width   int      // of a column
}

// A column is an instance that is shown.
type column struct {
	inst int32
	name string // as the user gave it
}

func (m *metric) events() bool { return m.desc.Type == pcp.Event || m.desc.Type == pcp.HighResEvent }

func (m *metric) singular() bool { return m.desc.InDom == pcp.NullInDom }

func (s *session) findInstances(ctx context.Context) error {
	if !s.flags.hasInsts {
		return s.allInstances(ctx)
	}
	s.columns = make([]column, 0, len(s.flags.insts))
	ids := make([]int32, 0, len(s.flags.insts))
	for _, name := range s.flags.insts {
		inst, ok := s.lookupInst(ctx, name)
		if !ok {
			return fmt.Errorf("instance %s not available", name)
		}
		s.columns = append(s.columns, column{inst: inst, name: name})
		ids = append(ids, inst)
	}
	s.sortColumns()
	if len(ids) == 0 {
		return nil // all are fetched, though none is shown
	}
	profile := new(pcp.Profile)
	profile.DelAll()
	profile.Add(s.desc.InDom, ids...)
	s.request.Profile = profile
	return nil
}

func (s *session) allInstances(ctx context.Context) error {
	insts, err := pmapi.InstancesOf(ctx, s.src, s.desc.InDom, pmapi.Ever())
	if err != nil {
		return fmt.Errorf("pmGetInDom(%s): %s", s.desc.InDom, pmerr.Message(err))
	}
	s.columns, s.known = make([]column, len(insts)), s.known[:0]
	for i, in := range insts {
		s.columns[i] = column{inst: in.ID, name: in.Name}
	}
	s.sortColumns()
	return nil
}

func (m *metric) sortColumns() {
	slices.SortStableFunc(m.columns, func(a, b column) int { return cmp.Compare(a.inst, b.inst) })
}

// lookupInst returns the identifier of an instance by its name. In an archive the instances of all
// times count; where no name fits, the part of it before a blank is enough, and anything may follow
// (commands.md T11.1).
func (s *session) lookupInst(ctx context.Context, name string) (int32, bool) {
	if s.timeline == nil {
		inst, err := s.src.LookupInst(ctx, s.desc.InDom, name)
		return inst, err == nil
	}
	insts, err := pmapi.InstancesOf(ctx, s.src, s.desc.InDom, pmapi.Ever())
	if err != nil {
		return 0, false
	}
	for _, in := range insts {
		if in.Name == name {
			return in.ID, true
		}
	}
	for _, in := range insts {
		if word, _, ok := strings.Cut(in.Name, " "); ok && strings.HasPrefix(name, word) {
			return in.ID, true
		}
	}
	return 0, false
}

// unknown reports whether a sample has an instance without a column, if all instances are to be
// shown.
func (s *session) unknown(v *pcp.Values) bool {
	if s.flags.hasInsts || s.singular() || slices.Equal(v.Insts, s.known) {
		return false
	}
	for _, inst := range v.Insts {
		if _, ok := findColumn(s.columns, inst); !ok {
			return true
		}
	}
	s.known = append(s.known[:0], v.Insts...)
	return false
}

func findColumn(columns []column, inst int32) (int, bool) {
	return slices.BinarySearchFunc(columns, inst, func(c column, inst int32) int { return cmp.Compare(c.inst, inst) })
}

func (s *session) setTime(ctx context.Context) error {
	zone, note, err := source.Zone(ctx, s.env, s.options, s.src)
	if err != nil {
		return s.env.Messages.Refuse(err)
	}
	if s.flags.output == "" {
		s.env.Out.WriteString(note)
	}
	s.zone, s.values.Location = zone, zone
	s.clock = clock{zone: zone, stamps: s.flags.stamps, recorded: s.timeline != nil}
	_, s.values.Squash = s.env.LookupEnv("PCP_SQUASH_NEWLINES")
	if s.interval = s.options.Interval; s.interval == 0 {
		s.interval = time.Second
	}
	return s.setWindow(ctx)
}

func (s *session) setWindow(ctx context.Context) error {
	w, err := s.options.Window(source.Base(ctx, s.env, s.options, s.src, s.zone))
	if err != nil {
		return s.env.Messages.Refuse(err)
	}
	s.origin = pcp.TimestampOf(w.Origin)
	// To the reference, an archive that ends when the epoch begins has no end.
	if s.bounded = !w.End.IsZero() && w.End.Unix() != 0; s.bounded {
		s.end = pcp.TimestampOf(w.End)
	}
	return nil
}

func (s *session) setSamples() {
	switch {
	case s.options.HasSamples:
		s.samples = s.options.Samples
	case !s.bounded || s.flags.recorded || s.events() || s.control != nil:
		s.samples = -1
	default:
		s.samples = 0
		if n := s.end.Sub(s.origin) / s.interval.Seconds(); n > -1 {
			s.samples = int(min(n, math.MaxInt32-1)) + 1
		}
	}
}
