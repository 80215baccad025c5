package export

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A coverage says which records of a recording are not in the tables yet. Records are known by their
// content, not by the names of files: an archive may have been renamed, packed or merged with others.
type coverage struct {
	gaps    []gap
	replace []int // units of the manifest, whose records are read again
	at      int   // the gap that is read
	broken  error // why the records after the last gap could not be read, nil if there are none
	exact   bool  // the recording has all records of the units of its time
}

// A gap is a run of records that are not in the tables. The last one has no end if nothing of its time is in the
// tables.
type gap struct {
	after archive.Place
	to    archive.Place // of its last record
	open  bool
	start pcp.Timestamp // of the first record
	state stretch       // before the records of that time
	first archive.Place // of the first record
	unit  int           // the unit that has the record before, -1 if none has
}

func everything() *coverage { return &coverage{gaps: []gap{{open: true, unit: -1}}} }

// until returns the coverage without the records after a place.
func (c *coverage) until(end archive.Place) *coverage {
	bound := &coverage{gaps: slices.Clone(c.gaps)}
	last := &bound.gaps[len(bound.gaps)-1]
	last.open, last.to = false, end
	return bound
}

// has reports whether a record is to be exported. Places must rise.
func (c *coverage) has(p archive.Place) bool {
	for c.at < len(c.gaps)-1 && p.Compare(c.gaps[c.at].to) > 0 {
		c.at++
	}
	g := &c.gaps[c.at]
	return p.Compare(g.after) > 0 && (g.open || p.Compare(g.to) <= 0)
}

// ended reports whether no record after a place is to be exported.
func (c *coverage) ended(p archive.Place) bool {
	last := &c.gaps[len(c.gaps)-1]
	return !last.open && p.Compare(last.to) >= 0
}

// A candidate is a piece whose time overlaps with a recording.
type candidate struct {
	*piece
	unit     int
	after    archive.Place // the record before its first one
	last     archive.Place
	seen     int64 // records since the first one
	times    sum
	sum      sum
	near     int64 // records in its time, of whatever content
	nearby   sum   // of their times
	known    map[recordRow]bool
	hits     int64 // records that are known
	replaced bool
}

// whole reports whether the recording has exactly the records of the piece, where it was read.
func (c *candidate) whole() bool {
	return c.seen == c.Records && c.times == c.Times && c.sum == c.Sum
}

// rewritten reports whether the recording has other records at the times of the piece.
func (c *candidate) rewritten() bool {
	return !c.whole() && c.near == c.Records && c.nearby == c.Times
}

// take counts a record and reports whether it is one of the piece.
func (c *candidate) take(at int64, h sum, before, place archive.Place) bool {
	if at < int64(c.From) || at > int64(c.To) {
		return false
	}
	c.near++
	c.nearby += timeSum(at)
	if c.seen == 0 {
		if h != c.First {
			return false
		}
		c.after = before
	}
	if c.seen == c.Records {
		return false
	}
	c.seen++
	c.times += timeSum(at)
	c.sum += h
	c.last = place
	return true
}

// A survey compares a recording with a manifest.
type survey struct {
	set     *archive.Set
	m       *manifest
	form    *form
	machine string
	said    bool          // the user has named the machine
	from    pcp.Timestamp // zero for no bound
	until   pcp.Timestamp
	grows   bool // the recording
	cands   []*candidate
	end     archive.Place // of the records that were compared. Those after it may be in the tables, too.
	broken  error         // why it is the end
}

// cover reads all records of the recording, unless nothing of its time is in the tables.
func (s *survey) cover(ctx context.Context) (*coverage, error) {
	if err := s.find(ctx); err != nil || len(s.cands) == 0 {
		return everything(), err
	}
	simple := gaps{}
	active := s.cands
	err := s.walk(ctx, func(raw *archive.Raw, at int64, before archive.Place, state stretch) {
		h := recordSum(at, raw.Body)
		unit := -1
		for len(active) > 0 && int64(active[0].To) < at {
			active = active[1:]
		}
		for _, c := range active {
			if int64(c.From) > at {
				break
			}
			if c.take(at, h, before, raw.Place) {
				unit = c.unit
			}
		}
		s.end = raw.Place
		simple.add(raw, state, unit, s.outside(raw.Time))
	})
	if err != nil {
		return nil, err
	}
	replace, err := s.judge()
	if err != nil {
		return nil, err
	}
	if len(replace) == 0 && !slices.ContainsFunc(s.cands, func(c *candidate) bool { return !c.whole() }) {
		c := s.coverage(&simple, nil)
		c.exact = true
		return c, nil
	}
	return s.recover(ctx, replace)
}

// find finds the pieces of the time of the recording, in the order of their beginnings.
func (s *survey) find(ctx context.Context) error {
	start, err := nanoseconds(s.set.Label().Start)
	if err != nil {
		return nil // its export says so
	}
	end := int64(1<<63 - 1)
	if t, err := s.set.End(ctx); err == nil {
		if n, err := nanoseconds(t); err == nil {
			end = n
		}
	} else if ctx.Err() != nil {
		return ctx.Err()
	}
	for u := range s.m.Exports {
		unit := &s.m.Exports[u]
		for i := range unit.Pieces {
			p := &unit.Pieces[i]
			outside := s.before(timestamp(p.To)) || s.after(timestamp(p.From))
			if unit.Form.Wide == s.form.Wide && (int64(p.From) <= end || s.grows) && int64(p.To) >= start && !outside {
				s.cands = append(s.cands, &candidate{piece: p, unit: u})
			}
		}
	}
	slices.SortStableFunc(s.cands, func(a, b *candidate) int { return int(min(max(a.From-b.From, -1), 1)) })
	return nil
}

func (s *survey) outside(t pcp.Timestamp) bool { return s.before(t) || s.after(t) }

func (s *survey) before(t pcp.Timestamp) bool {
	return s.from != pcp.Timestamp{} && t.Compare(s.from) < 0
}

func (s *survey) after(t pcp.Timestamp) bool {
	return s.until != pcp.Timestamp{} && t.Compare(s.until) > 0
}

// walk reads the recording up to its end or its damage. state is that before the records of the time.
func (s *survey) walk(ctx context.Context, visit func(raw *archive.Raw, at int64, before archive.Place, state stretch)) error {
	now := stretch{tick: tick(s.m.micros())}
	then := now
	var before archive.Place
	var last pcp.Timestamp
	fits := true
	c := s.set.Cursor()
	c.Tap(func(raw *archive.Raw) {
		if raw.Body == nil {
			now.mark()
			before = raw.Place
			return
		}
		at, err := nanoseconds(raw.Time)
		if fits = fits && err == nil; !fits {
			return
		}
		if raw.Time != last || !now.begun {
			then, last = now, raw.Time
		}
		now.at(at)
		visit(raw, at, before, then)
		before = raw.Place
	})
	if err := c.SetMode(pcp.Forward, &pcp.Timestamp{}, 0); err != nil {
		return err
	}
	for fits {
		if err := c.Skip(ctx); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			if !errors.Is(err, pmerr.EOL) {
				s.broken = err
			}
			return nil
		}
	}
	return nil
}

// judge returns the units that are to be replaced: the recording has all of their records, and the export has
// another form, or the records were rewritten.
func (s *survey) judge() (replace []int, err error) {
	list := make(map[int][]*candidate)
	for _, c := range s.cands {
		list[c.unit] = append(list[c.unit], c)
	}
	for u := range s.m.Exports {
		cands := list[u]
		if cands == nil {
			continue
		}
		unit := &s.m.Exports[u]
		complete, again := len(cands) == len(unit.Pieces), false
		for _, c := range cands {
			again = again || c.rewritten()
			complete = complete && (c.whole() || c.rewritten() && s.labelled(c)) && !s.outside(timestamp(c.From)) && !s.outside(timestamp(c.To))
		}
		touched := slices.ContainsFunc(cands, func(c *candidate) bool { return c.seen > 0 || c.near > 0 && c.rewritten() })
		other := !unit.Form.same(s.form)
		switch {
		case touched && (other || again) && complete && unit.Shared:
			return nil, fmt.Errorf("the values of archive %s are in files with others, since compact has merged them, and cannot be replaced (by --partition %s, and the metrics "+
				"that were named): export with the same arguments, or into another directory", cands[0].Archive, s.form.Partition)
		case touched && (other || again) && complete, complete && unit.Form.Period != 0 && s.form.Period == 0 && !unit.Merged:
			for _, c := range cands {
				c.replaced = true
			}
			replace = append(replace, u)
		case touched && other:
			return nil, fmt.Errorf("the tables hold other values of these records (%s), and of records that are not in the archive any more: "+
				"export with the same arguments, or into another directory", unit.Form.describe())
		case again:
			return nil, fmt.Errorf("at the times of archive %s, which was exported before, there are other records: the archive is an extract of it or was rewritten; "+
				"export it into another directory, or begin after it with -S", cands[0].Archive)
		}
	}
	return replace, nil
}

// labelled reports whether an archive of the recording has the label of a piece.
func (s *survey) labelled(c *candidate) bool {
	return slices.ContainsFunc(s.set.Members(), func(m archive.Member) bool { return labelSum(&m.Label) == c.Label })
}

// recover finds the gaps where pieces are to be replaced, or the recording has only some of their records.
func (s *survey) recover(ctx context.Context, replace []int) (*coverage, error) {
	for _, c := range s.cands {
		if c.whole() || c.replaced || c.near == 0 {
			continue
		}
		var err error
		if c.known, err = identities(ctx, s.m.store, &s.m.Exports[c.unit], int64(c.From), int64(c.To)); err != nil {
			return nil, err
		}
	}
	var found gaps
	err := s.walk(ctx, func(raw *archive.Raw, at int64, before archive.Place, state stretch) {
		if raw.Place.Compare(s.end) > 0 {
			return
		}
		unit := -1
		for _, c := range s.cands {
			switch {
			case c.replaced || at < int64(c.From) || at > int64(c.To):
			case c.whole():
				if raw.Place.Compare(c.after) > 0 && raw.Place.Compare(c.last) <= 0 {
					unit = c.unit
				}
			case c.known == nil || c.known[recordRow{at, uint64(recordSum(at, raw.Body))}]:
				c.hits++
				unit = c.unit
			}
		}
		found.add(raw, state, unit, s.outside(raw.Time))
	})
	if err != nil {
		return nil, err
	}
	for _, c := range s.cands {
		if c.known != nil && c.hits == 0 && len(c.known) > 0 && (s.machine == "" || s.m.Machine == "" && !s.said) {
			return nil, fmt.Errorf("archives %s and %s record host %s at the same time, and not both name their machine: if there are two, call one otherwise, "+
				"as in --label host=%s-2; if two loggers record one machine, say so by --label machineid=NAME",
				s.set.Members()[0].Name, c.Archive, s.m.Host, s.m.Host)
		}
	}
	return s.coverage(&found, replace), nil
}

// coverage returns what was found, up to the end of the records that were compared.
func (s *survey) coverage(g *gaps, replace []int) *coverage {
	c := g.coverage(replace).until(s.end)
	c.replace, c.broken = replace, s.broken
	return c
}

// gaps makes a coverage.
type gaps struct {
	list []gap
	end  gap  // what follows the last record
	free bool // the last record is in the last gap
}

// add adds a record, which a unit has, or none has if unit is -1.
func (g *gaps) add(raw *archive.Raw, state stretch, unit int, outside bool) {
	free := unit < 0 && !outside
	switch {
	case free && g.free:
		g.list[len(g.list)-1].to = raw.Place
	case free:
		n := g.end
		if g.end.open {
			n.open, n.to, n.first, n.start, n.state = false, raw.Place, raw.Place, raw.Time, state
		} else {
			n = gap{to: raw.Place, first: raw.Place, start: raw.Time, state: state, unit: -1}
		}
		g.list = append(g.list, n)
	}
	if outside {
		unit = -1
	}
	g.free = free
	g.end = gap{after: raw.Place, first: raw.Place, open: true, start: raw.Time, state: state, unit: unit}
}

func (g *gaps) coverage(replace []int) *coverage {
	if g.free {
		g.list[len(g.list)-1].open = true
	} else {
		g.list = append(g.list, g.end)
	}
	return &coverage{gaps: g.list, replace: replace}
}

func timestamp(t stamp) pcp.Timestamp {
	n := floor(int64(t), 1e9)
	return pcp.Timestamp{Sec: n, Nsec: int32(int64(t) - n*1e9)}
}
