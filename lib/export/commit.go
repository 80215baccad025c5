package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"time"

	"pmtools/lib/pmapi"
)

// open makes the stage of an export, and finds the records that are to be exported. cover is nil, or what a
// read before has found.
func (r *reader) open(ctx context.Context, wide bool, cover *coverage) (*stage, error) {
	m, unlock, err := openManifest(ctx, r.cfg.store(), r.host)
	if err != nil {
		return nil, err
	}
	p := r.cfg.place(r.host)
	s, err := (*stage)(nil), errors.Join(r.earlier(ctx, m, p), r.sameMachine(m), r.resolve(ctx, m))
	if err == nil {
		s, err = newStage(ctx, p, m)
	}
	if err = errors.Join(err, unlock()); err != nil {
		return nil, err
	}
	s.form = r.form(wide)
	if err = r.attach(ctx, m, &s.form, cover); err != nil {
		err = errors.Join(err, s.remove())
	}
	return s, err
}

func (r *reader) form(wide bool) form {
	f := form{Partition: r.cfg.Partition.String(), Wide: wide}
	if r.recs.grows() {
		f.Period = day
	}
	asked := r.cfg.Selection
	if asked == nil {
		asked = r.cfg.Metrics
	}
	for _, text := range asked {
		f.Metrics = append(f.Metrics, utf8Text(text))
	}
	slices.Sort(f.Metrics)
	return f
}

// attach finds out which records of an archive are in the tables.
func (r *reader) attach(ctx context.Context, m *manifest, f *form, cover *coverage) error {
	a, ok := pmapi.As[*pmapi.Archive](r.recs.Source)
	if _, live := r.recs.origin.(*live); live || !ok {
		return nil
	}
	if b := r.recs.resume; cover == nil && b.fits(ctx, a.Set(), m) {
		cover = &coverage{gaps: []gap{b.gap}, exact: true}
	}
	if cover == nil {
		var err error
		s := survey{set: a.Set(), m: m, form: f, machine: r.machine, said: r.cfg.Machine != "", from: r.recs.from, until: r.recs.until, grows: r.recs.grows()}
		if cover, err = s.cover(ctx); err != nil {
			return err
		}
	}
	cover.at = 0
	derived := slices.ContainsFunc(r.metrics, func(m metric) bool { return m.desc.ID.IsDerived() })
	return r.recs.attach(a, cover, derived)
}

// earlier returns an error if there are tables of the host without a manifest.
func (r *reader) earlier(ctx context.Context, m *manifest, p place) error {
	if len(m.Exports) > 0 {
		return nil
	}
	dir := p.dir("metrics")
	files, err := m.store.List(ctx, dir)
	for _, name := range files {
		if path.Ext(name) != ".parquet" {
			continue
		}
		file := path.Join(dir, name)
		f, table, e := openTable(ctx, m.store, file)
		if e != nil {
			return e
		}
		host, _ := table.Lookup("pmtools.host")
		f.Close()
		if host == utf8Text(r.host) {
			return fmt.Errorf("%s: the tables of host %s have no manifest, as an earlier version wrote them: it is not known which records they hold; "+
				"export into another directory, or remove the files of the host first", m.store.Name(file), r.host)
		}
	}
	return err
}

// sameMachine returns an error if the tables are those of another machine with the name of the host.
func (r *reader) sameMachine(m *manifest) error {
	if r.machine == "" || m.Machine == "" || r.machine == m.Machine {
		return nil
	}
	return fmt.Errorf("%s: two machines are called %s: %s is that of the tables, and %s that of what is exported now; keep them apart by a name of your own, "+
		"as in --label host=%s-2, or if it is one machine, say so by --label machineid=%s", m.name(), r.host, m.Machine, r.machine, r.host, m.Machine)
}

// commit makes the complete files and the records that were read part of the tables: all or nothing, also if
// the process or the machine stops in the middle.
func (s *stage) commit(r *reader, damage error, values int64) error {
	done, ctx := s.done(), context.Background() // what was read until ctx ended is kept
	m, unlock, err := openManifest(ctx, s.m.store, r.host)
	if err != nil {
		return err
	}
	defer unlock()
	if err := errors.Join(s.conflict(m, r), r.resolve(ctx, m)); err != nil {
		return err
	}
	if len(done) == 0 {
		return nil
	}
	m.Machine, m.Commit = cmp.Or(m.Machine, r.machine), change{}
	if r.recs.cover != nil {
		s.replace(m, r.recs.cover)
	}
	s.number(m, done)
	u := s.unit(m, r, done)
	u.Values += values
	if u.Damage = ""; damage != nil {
		u.Damage = utf8Text(damage.Error())
	}
	if err := s.metrics(ctx, m, r, damage); err != nil {
		return err
	}
	if m.Commit.Move, err = s.put(ctx); err != nil {
		return err
	}
	for _, move := range m.Commit.Move { // a wide table with other columns takes the name of the one before
		m.Commit.Remove = slices.DeleteFunc(m.Commit.Remove, func(old string) bool { return old == move[1] })
	}
	if err := r.claim(ctx, m); errors.Is(err, ErrChanged) {
		return s.meanwhile(r)
	} else if err != nil {
		return err
	}
	return s.publish(ctx, m, r, u)
}

// moveWait is how long files may still get their names after an interrupt: a server that does not answer does not keep an export from
// its end.
var moveWait = 10 * time.Second

// publish writes the manifest, and does what it says.
func (s *stage) publish(ctx context.Context, m *manifest, r *reader, u *unit) error {
	if err := m.write(ctx); err != nil {
		if errors.Is(err, ErrChanged) {
			err = s.meanwhile(r)
		}
		now, e := readManifest(ctx, m.store, r.host)
		if s.kept = e != nil || now.Check == m.Check; e != nil || now.Check != m.Check {
			return err
		}
	}
	s.kept = true
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.end, func() { time.AfterFunc(moveWait, cancel) })()
	if err := m.Commit.apply(ctx, m.store); err != nil {
		return fmt.Errorf("%w; the export is complete, and the next one of the host moves the rest of its files", err)
	}
	s.kept, s.m, s.key = false, m, u.Files[0]
	if n := len(u.Pieces); n > 0 {
		r.recs.tally.commit(u.Pieces[n-1])
	}
	for _, o := range s.outputs {
		if o.synced != nil {
			s.moved[o.table] = append(s.moved[o.table], o.to)
		}
	}
	s.outputs = slices.DeleteFunc(s.outputs, func(o *output) bool { return o.synced != nil })
	return nil
}

// done returns the outputs that were closed.
func (s *stage) done() (list []*output) {
	for _, o := range s.outputs {
		if o.synced != nil {
			list = append(list, o)
		}
	}
	return list
}

// put stores these for good.
func (s *stage) put(ctx context.Context) (moves [][2]string, err error) {
	var files [][2]string
	for _, o := range s.done() {
		e := <-o.synced
		o.synced <- e
		if err == nil {
			err = o.failed(e)
		}
		files = append(files, [2]string{o.Name(), o.to})
	}
	if err != nil {
		return nil, err
	}
	return s.files.Put(ctx, files)
}

var errMeanwhile = errors.New("another export has written records of the same time meanwhile")

func (s *stage) meanwhile(r *reader) error {
	return fmt.Errorf("%w: host %s in %s: run this one again", errMeanwhile, r.host, s.m.store.Name(""))
}

// conflict returns an error if another export has changed the tables where this one does.
func (s *stage) conflict(m *manifest, r *reader) error {
	failed := s.meanwhile(r)
	has := func(list []unit, u *unit) bool {
		return slices.ContainsFunc(list, func(v unit) bool { return reflect.DeepEqual(v, *u) })
	}
	if c := r.recs.cover; c != nil {
		for _, u := range c.replace {
			if !has(m.Exports, &s.m.Exports[u]) {
				return failed
			}
		}
	}
	for i := range m.Exports {
		u := &m.Exports[i]
		if u.Form.Wide != s.form.Wide || has(s.m.Exports, u) {
			continue
		}
		for _, mine := range r.recs.tally.complete() {
			if slices.ContainsFunc(u.Pieces, func(p piece) bool { return p.From <= mine.To && p.To >= mine.From }) {
				return failed
			}
		}
	}
	return r.sameMachine(m)
}

// replace removes the units that are exported again.
func (s *stage) replace(m *manifest, c *coverage) {
	for _, i := range c.replace {
		old := &s.m.Exports[i]
		m.Exports = slices.DeleteFunc(m.Exports, func(u unit) bool { return reflect.DeepEqual(u, *old) })
		m.Commit.Remove = append(m.Commit.Remove, old.Files...)
	}
}

// number gives files the numbers after those of the manifest, whose files an export beside this one may have
// written.
func (s *stage) number(m *manifest, done []*output) {
	base := s.place.base()
	shift := make(map[string]int)
	for _, o := range slices.Backward(done) {
		if o.number >= 0 && o.table != "wide" {
			shift[o.table] = max(m.next(o.table, base)-o.number, 0)
		}
	}
	for _, o := range s.outputs {
		switch {
		case o.table == "wide": // all of an export have the same number, the first ones none
			if o.number = m.next(o.table, base); o.number == 0 {
				o.number = -1
			}
		case o.number >= 0:
			o.number += shift[o.table]
		}
		o.to = o.path(base, o.number)
	}
	for table, n := range shift {
		s.numbers[table] += n
	}
}

// unit returns the unit to which the files and the records belong: a new one, or the one whose records these
// follow.
func (s *stage) unit(m *manifest, r *reader, done []*output) *unit {
	t := &r.recs.tally
	u := (*unit)(nil)
	if r.recs.cover == nil {
		u = m.find(func(u *unit) bool { return slices.Contains(u.Files, s.key) })
	} else if before := t.before(r.recs.cover, s.m); before != nil {
		u = m.find(func(u *unit) bool {
			return reflect.DeepEqual(u.Form, s.form) && len(u.Pieces) > 0 && u.Pieces[len(u.Pieces)-1] == *before
		})
	}
	pieces := t.complete()
	if u == nil {
		m.Exports = append(m.Exports, unit{Name: utf8Text(s.place.name), Form: s.form, Labels: r.labelling()})
		u = &m.Exports[len(m.Exports)-1]
	} else if len(u.Pieces) > 0 {
		u.Pieces[len(u.Pieces)-1].join(&pieces[0].piece)
		pieces = pieces[1:]
	}
	for i := range pieces {
		u.Pieces = append(u.Pieces, pieces[i].piece)
	}
	for _, o := range done {
		u.Files = append(u.Files, o.path(s.place.base(), o.number))
	}
	return u
}

func (m *manifest) find(has func(*unit) bool) *unit {
	for i := range m.Exports {
		if has(&m.Exports[i]) {
			return &m.Exports[i]
		}
	}
	return nil
}

// metrics writes the table of metrics: those of the reader, and those of other exports of the host.
func (s *stage) metrics(ctx context.Context, m *manifest, r *reader, damage error) error {
	rows := slices.Clone(r.table)
	for i := range rows {
		rows[i].Since = &r.first
	}
	old := m.Metrics
	m.Metrics = path.Join(s.place.dir("metrics"), s.place.base()+".parquet")
	if old != "" && len(m.Exports) > 1 {
		was := metricsOf(ctx, m.store, old)
		if was.err != nil && !errors.Is(was.err, fs.ErrNotExist) {
			return was.err
		}
		rows = history(was.rows, rows, r.latest, r.latest < m.latest())
		if path.Dir(old) == path.Dir(m.Metrics) {
			m.Metrics = old
		}
	}
	if old != "" && old != m.Metrics {
		m.Commit.Remove = append(m.Commit.Remove, old)
	}
	o, err := s.create("metrics", path.Dir(m.Metrics), -1)
	if err != nil {
		return err
	}
	o.to = m.Metrics
	values := int64(0)
	for i := range m.Exports {
		values += m.Exports[i].Values
	}
	meta := r.meta(damage)
	meta["pmtools.values"] = fmt.Sprint(values)
	if m.labelling() {
		meta[labelsKey] = labelsOfRecords
	}
	return writeMetrics(o, s.place, rows, meta)
}

func writeMetrics(o *output, p place, rows []metricRow, meta map[string]string) error {
	t := newTable[metricRow](o, p)
	for _, k := range slices.Sorted(maps.Keys(meta)) { // each time the same bytes
		t.out.SetKeyValueMetadata(k, utf8Text(meta[k]))
	}
	if err := t.write(rows...); err != nil {
		return err
	}
	return t.close()
}

// history returns the rows of a table of metrics by metric and time, with rows that hold until a time. If there are later
// records, the rows that held before hold again after it.
func history(was, is []metricRow, until int64, later bool) (rows []metricRow) {
	byName := make(map[string][]metricRow)
	for _, row := range was {
		byName[row.Metric] = append(byName[row.Metric], row)
	}
	for _, row := range is {
		byName[row.Metric] = row.over(byName[row.Metric], until, later)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		rows = append(rows, byName[name]...)
	}
	return rows
}

// over returns the rows of a metric, ascending by time, with one that holds until a time.
func (r metricRow) over(was []metricRow, until int64, later bool) (rows []metricRow) {
	for i := range was {
		if was[i].since() < *r.Since {
			rows = append(rows, was[i])
		}
	}
	rows, after := append(rows, r), until+1
	for i := range was {
		switch row := was[i]; {
		case row.since() > until:
			rows = append(rows, row)
		case later && (i+1 == len(was) || was[i+1].since() > after):
			row.Since = &after
			rows = append(rows, row)
		}
	}
	same := func(a, b metricRow) bool { return a.says() == b.says() && a.domain() == b.domain() }
	rows = slices.CompactFunc(rows, same)
	for i, row := range rows {
		if same(row, r) { // the help may be new
			rows[i], rows[i].Since = r, row.Since
		}
	}
	return rows
}

// latest returns the time of the latest record of the exports.
func (m *manifest) latest() (at int64) {
	at = always
	for i := range m.Exports {
		for _, p := range m.Exports[i].Pieces {
			at = max(at, int64(p.To))
		}
	}
	return at
}
