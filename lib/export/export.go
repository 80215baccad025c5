// Package export writes recorded metrics as tables in Parquet, which analytical engines read:
// a row for each value, and tables of the metrics, their instances and labels (docs/scale.md has the
// columns).
//
// [Write] exports one recording, [Check] reads the files back and compares them with it. Memory
// does not grow with the recording. Processes that export different recordings into one directory
// do not disturb each other, and no file stands under its name before it is complete.
package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/version"
)

// A Config selects metrics, and the directory of their tables.
type Config struct {
	Dir       string   // holds the tables; it is made if it is not there
	Store     Store    // holds the tables, nil for Dir
	Name      string   // of the recording: names of files begin with it
	Metrics   []string // names; an inner name stands for all metrics below it; an empty list stands for all metrics
	Selection []string // what was asked for, as the manifest says it; nil means Metrics
	Host      string   // the name of the host, "" for the one that the recording has
	Machine   string   // the host's identity, "" for the one that the recording has
	Partition Partition
	Micros    bool // times are rounded down to microseconds, and unsigned integers of 64 bits are decimals
	// Progress is called after each record with its time, and how many values there were; it may be
	// nil.
	Progress func(at pcp.Timestamp, values int64)
}

// A Summary counts the rows and files of an export.
type Summary struct {
	Metrics int
	Values  int64    // without those of events
	Events  int64    // rows
	Files   []string // those of values, in the order of their rows
	// Written says that the export is complete, whatever a Job does after it.
	Written bool
	// Damage is why reading ended before the end of the recording, nil if it did not.
	Damage error

	tables map[string][]string // files by table
	cover  *coverage           // what was read
	end    archive.Place       // until there
	next   *bookmark           // where the next export goes on
	tail   error               // why the record after that cannot be read
	unread bool                // there are more records, which need metadata that have not been read
}

// Write exports records from the first one. src has their metrics, and others derived from them;
// recs is below it. If the recording is damaged, the records before the damage are exported and the
// Summary has the reason. After an error (a metric is unknown, a file cannot be written, ctx is
// done) no new files remain. A live source and a growing recording have no end: ctx ends them
// without an error, and the records until then are exported.
func Write(ctx context.Context, src pmapi.Source, recs *Records, cfg *Config) (sum Summary, failed error) {
	r, err := newReader(ctx, src, recs, cfg)
	if err != nil {
		return sum, err
	}
	defer r.group.release()
	st, err := r.open(ctx, false, nil)
	if err != nil {
		return sum, err
	}
	defer func() { failed = errors.Join(failed, st.remove()) }()
	w := newWriter(r, st)
	damage, err := r.read(ctx, w)
	if err == nil {
		err = w.finish(damage)
	}
	sum = Summary{Metrics: len(r.metrics), Values: w.committed, Events: w.event.rows, Damage: damage, tables: st.moved, cover: recs.cover, end: recs.place}
	sum.Files = st.namesOf("values")
	if now, ok := recs.origin.(*snapshot); ok {
		sum.next, sum.tail, sum.unread = recs.bookmark(st), now.tail, !now.done && now.tail == nil
	}
	return sum, err
}

// store returns the Store of the tables.
func (c *Config) store() Store {
	if c.Store != nil {
		return c.Store
	}
	return Dir(c.Dir)
}

func (c *Config) place(host string) place { return place{host, c.Name, c.Partition, c.Micros} }

func (r *reader) meta(damage error) map[string]string {
	m := map[string]string{
		"pmtools.version": version.Version, "pmtools.host": r.host, "pmtools.zone": r.zone,
		"pmtools.values": strconv.FormatInt(r.values, 10),
	}
	if damage != nil {
		m["pmtools.incomplete"] = damage.Error()
	}
	return m
}

type metric struct {
	name  string
	units string
	desc  pcp.Desc

	// Instances and series of the record before, which the next record often repeats.
	insts  []int32
	series []int32
	round  int // of the domain's names
	group  int // number of the group to which the series belong, plus one: 0 for none
}

type domain struct {
	id    pcp.InDom
	list  []pcp.Instance
	names map[int32]string
	round int // how often the list has changed
}

// A reader makes groups of records. Write and Check get the same groups.
type reader struct {
	src     pmapi.Source
	recs    *Records
	cfg     *Config
	host    string
	zone    string
	machine string
	metrics []metric // ascending by name
	objects []pmapi.LabelObject
	table   []metricRow
	request pmapi.Request
	result  pcp.Result
	domains map[pcp.InDom]*domain
	group   *group
	values  int64
	begun   bool
	first   int64              // the time of the earliest record
	latest  int64              // of the latest one
	left    bool               // records were left out before the one that is read
	params  map[pcp.ID]*string // names of parameters of events
}

// A sink receives rows, events and changes in the order of the records.
type sink interface {
	// rows gets a group of values, sorted.
	rows(g *group, metrics []metric) error
	events(e *eventValue, records []pcp.EventRecord) error
	watcher
	// labels is called at each record, which may begin a group.
	labels(ctx context.Context, rec record, begins bool) error
	// missing is called for a metric that a record has without values.
	missing(metric string, rec record, why pmerr.Code) error
	// turn is called when a day has ended.
	turn() error
}

type watcher interface {
	instances(d pcp.InDom, at int64, was, is []pcp.Instance) error
}

func newReader(ctx context.Context, src pmapi.Source, recs *Records, cfg *Config) (*reader, error) {
	r := &reader{src: src, recs: recs, cfg: cfg, domains: make(map[pcp.InDom]*domain)}
	// Without an answer they stay empty, or a guess.
	r.host, _ = pmapi.HostName(ctx, recs.Source)
	r.zone, _ = pmapi.Zone(ctx, recs.Source)
	r.host, r.machine = cmp.Or(cfg.Host, r.host), cfg.Machine
	if r.machine == "" {
		r.machine = machineOf(ctx, recs.Source)
	}
	if err := cfg.place(r.host).fits(); err != nil {
		return nil, err
	}
	r.group, recs.tick = newGroup(recs.origin.endless()), tick(cfg.Micros)
	if err := recs.rewind(); err != nil {
		return nil, err
	}
	return r, r.find(ctx, cfg.Metrics)
}

func (r *reader) find(ctx context.Context, names []string) error {
	if len(names) == 0 {
		names = []string{""}
	}
	found := make(map[pcp.ID]bool)
	for _, name := range names {
		n := len(found)
		err := r.src.Walk(ctx, name, true, func(leaf string, id pcp.ID) bool {
			if !found[id] {
				found[id] = true
				r.metrics = append(r.metrics, metric{name: leaf, desc: pcp.Desc{ID: id}})
			}
			return true
		})
		if err == nil && len(found) == n && name != "" {
			_, err = pmapi.LookupName(ctx, r.src, name) // named twice, or nothing is below it
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	slices.SortFunc(r.metrics, func(a, b metric) int { return strings.Compare(a.name, b.name) })
	return r.describe(ctx)
}

var errNoMetrics = errors.New("there are no metrics to export")

// describe omits metrics without a description: they cannot have values.
func (r *reader) describe(ctx context.Context) error {
	ids := make([]pcp.ID, len(r.metrics))
	for i, m := range r.metrics {
		ids[i] = m.desc.ID
	}
	descs, err := r.src.Describe(ctx, ids)
	if err != nil {
		return err
	}
	known := r.metrics[:0]
	for i, d := range descs {
		if d.Err == nil {
			r.metrics[i].desc, r.metrics[i].units = d.Value, d.Value.Units.String()
			known = append(known, r.metrics[i])
			r.request.IDs = append(r.request.IDs, ids[i])
		}
	}
	r.metrics = known
	if len(known) == 0 {
		return errNoMetrics
	}
	r.objects, r.table = labelObjects(known), r.metricRows(ctx)
	return nil
}

// read reads all records into a sink. damage is that of the records, failed the error of the sink or of ctx.
func (r *reader) read(ctx context.Context, to sink) (damage, failed error) {
	damage, failed = r.each(ctx, func() (damage, failed error) { return r.take(ctx, to) })
	if failed != nil {
		return nil, failed
	}
	return damage, r.flush(to)
}

func (r *reader) each(ctx context.Context, take func() (damage, failed error)) (damage, failed error) {
	for {
		err := r.src.Fetch(ctx, &r.request, &r.result)
		if err == nil && r.recs.wanted() {
			err, failed = take()
		} else if err == nil {
			r.recs.settle() // there is a coverage
			r.left = true
		}
		switch {
		case failed != nil:
			return nil, failed
		case err == nil:
			continue
		case ctx.Err() != nil && !r.recs.origin.endless():
			return nil, ctx.Err()
		case errors.Is(err, pmerr.EOL), ctx.Err() != nil:
			return nil, nil
		}
		return err, nil
	}
}

func (r *reader) flush(to sink) error {
	if r.group.len() == 0 {
		return nil
	}
	r.group.sort(r.metrics)
	r.values += int64(r.group.len())
	err := to.rows(r.group, r.metrics)
	r.group.reset()
	return err
}

const day = int64(24 * time.Hour)

// nanoseconds returns a time since 1970. A time that does not fit is damage.
func nanoseconds(t pcp.Timestamp) (int64, error) {
	const most = math.MaxInt64/1_000_000_000 - 2
	if t.Sec > most || t.Sec < -most {
		return 0, fmt.Errorf("the time of a record, %d seconds after 1970, does not fit 64 bits of nanoseconds", t.Sec)
	}
	return t.Sec*1_000_000_000 + int64(t.Nsec), nil
}

func floor(at, period int64) int64 {
	n := at / period
	if at%period < 0 {
		n--
	}
	return n
}

func (r *reader) take(ctx context.Context, to sink) (damage, failed error) {
	at, err := nanoseconds(r.result.Time)
	if err != nil {
		return err, nil
	}
	g := r.group
	if err := r.begin(to, at); err != nil {
		return nil, err
	}
	r.recs.accept(at)
	rec := r.recs.record(at)
	if err := to.labels(ctx, rec, g.len() == 0); err != nil {
		return nil, err
	}
	g.begin(rec)
	for i := range r.result.Sets {
		v := &r.result.Sets[i]
		if v.Len() == 0 {
			if v.Empty || v.Err != nil {
				if err := to.missing(r.metrics[i].name, rec, pmerr.Of(v.Err)); err != nil {
					return nil, err
				}
			}
			continue
		}
		series, err := r.seriesOf(ctx, i, v.Insts, at, to)
		if err == nil && (v.Type == pcp.Event || v.Type == pcp.HighResEvent) {
			err = r.takeEvents(ctx, i, v, series, to)
		} else if err == nil {
			g.add(v, series, 0)
		}
		if err != nil {
			return nil, err
		}
	}
	if r.cfg.Progress != nil {
		r.cfg.Progress(r.result.Time, r.values+int64(g.len()))
	}
	return nil, nil
}

// begin ends the group before a record of another group.
func (r *reader) begin(to sink, at int64) error {
	g := r.group
	date := floor(at, day)
	turned := r.begun && date != g.date
	if turned || g.full() {
		if err := r.flush(to); err != nil {
			return err
		}
	}
	if turned {
		if err := to.turn(); err != nil {
			return err
		}
	}
	if !r.begun {
		r.first, r.latest = at, at
	}
	r.first, r.latest = min(r.first, at), max(r.latest, at)
	r.begun, g.date = true, date
	return nil
}

func (r *reader) seriesOf(ctx context.Context, i int, insts []int32, at int64, to sink) ([]int32, error) {
	m := &r.metrics[i]
	same := slices.Equal(m.insts, insts)
	var dom *domain
	round := 0
	if m.desc.InDom != pcp.NullInDom {
		of := insts
		if same {
			of = nil // the domain had these instances
		}
		var err error
		if dom, err = r.domain(ctx, m.desc.InDom, at, of, to); err != nil {
			return nil, err
		}
		round = dom.round
	}
	if m.group == r.group.number+1 && m.round == round && same {
		return m.series, nil
	}
	m.group, m.round = r.group.number+1, round
	m.insts = append(m.insts[:0], insts...)
	m.series = m.series[:0]
	for _, inst := range insts {
		k := key{metric: int32(i), inst: inst}
		if dom != nil {
			k.instance, k.named = dom.names[inst], dom.names[inst] != ""
			k.member = true
		}
		m.series = append(m.series, r.group.seriesOf(k))
	}
	return m.series, nil
}

// domain returns a domain at the time of the record. An unknown domain has no names.
func (r *reader) domain(ctx context.Context, d pcp.InDom, at int64, of []int32, to watcher) (*domain, error) {
	dom := r.domains[d]
	if dom == nil {
		dom = &domain{id: d, names: make(map[int32]string)}
		r.domains[d] = dom
	}
	list, _ := r.recs.origin.instances(ctx, dom, r.result.Time, of)
	if len(list) == len(dom.list) && (len(list) == 0 || &list[0] == &dom.list[0]) || slices.Equal(list, dom.list) {
		return dom, nil
	}
	if err := to.instances(d, at, dom.list, list); err != nil {
		return nil, err
	}
	dom.list, dom.round = list, dom.round+1
	clear(dom.names)
	for _, in := range list {
		dom.names[in.ID] = utf8Text(in.Name)
	}
	return dom, nil
}

// utf8Text replaces invalid bytes: readers of Parquet reject them in strings.
func utf8Text(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
