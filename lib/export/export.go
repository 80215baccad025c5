// Package export writes recorded metrics as tables in Parquet, which analytical engines read:
// a row for each value, and what is known of the metrics, their instances and labels beside it
// (docs/scale.md has the columns).
//
// [Write] exports one recording, [Check] reads the files back and compares them with it. Memory
// does not grow with the recording. Processes that export different recordings into one directory
// do not disturb each other, and no file stands under its name before it is complete.
package export

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/version"
)

// A Config says what is exported, and where to.
type Config struct {
	Dir     string   // holds the tables; it is made if it is not there
	Name    string   // of the recording: names of files begin with it
	Metrics []string // names; one that is no metric stands for all below it; none stands for all
}

// A Summary says what came of an export.
type Summary struct {
	Metrics int
	Values  int64
	Files   []string // those of values, in the order of their rows
	// Damage is why reading ended before the end of the recording, nil if it did not.
	Damage error
}

// Write exports a recording from its start. src has its metrics, and others derived from them;
// recs is below it. If the recording is damaged, what precedes the damage is exported and the
// Summary says so. After an error there are no new files: a metric is unknown, a file cannot be
// written, ctx is done.
func Write(ctx context.Context, src pmapi.Source, recs *Records, cfg *Config) (sum Summary, failed error) {
	r, err := newReader(ctx, src, recs, cfg.Metrics)
	if err != nil {
		return sum, err
	}
	st, err := newStage(cfg.Dir)
	if err != nil {
		return sum, err
	}
	defer func() { failed = errors.Join(failed, st.remove()) }()
	t := &tables{reader: r, stage: st, place: place{r.host, cfg.Name}}
	w := &valueWriter{stage: st, place: t.place}
	if err := t.begin(); err != nil {
		return sum, err
	}
	defer t.abandon()
	defer w.abandon()
	damage, err := r.read(ctx, w.write, t)
	if err == nil {
		err = w.close()
	}
	if err == nil {
		err = t.finish(ctx, damage)
	}
	if err == nil {
		err = st.commit(t.place)
	}
	return Summary{Metrics: len(r.metrics), Values: r.values, Files: w.files, Damage: damage}, err
}

// meta returns what a file of metrics says of the whole export.
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

// A metric is one that is exported.
type metric struct {
	name string
	desc pcp.Desc

	// These are those of the record before, which the next one often repeats.
	insts  []int32
	series []int32
	round  int // of the domain's names
	group  int // to which the series belong
}

// A domain is what the instances of a domain are called at present.
type domain struct {
	list  []pcp.Instance
	names map[int32]string
	round int // how often the list has changed
}

// A reader reads a recording as groups of rows, which are the same each time.
type reader struct {
	src     pmapi.Source
	recs    *Records
	line    pmapi.Timeline
	host    string
	zone    string
	metrics []metric // ascending by name
	request pmapi.Request
	result  pcp.Result
	domains map[pcp.InDom]*domain
	group   group
	values  int64
}

// A watcher sees what changes beside the values.
type watcher interface {
	// instances is called when the instances of a domain have changed.
	instances(d pcp.InDom, at int64, was, is []pcp.Instance) error
	// labels is called at the first record of a group.
	labels(ctx context.Context, at int64) error
}

// newReader looks up what is to be exported.
func newReader(ctx context.Context, src pmapi.Source, recs *Records, names []string) (*reader, error) {
	line, ok := pmapi.As[pmapi.Timeline](src)
	if !ok {
		return nil, pmerr.NotArchive
	}
	r := &reader{src: src, recs: recs, line: line, domains: make(map[pcp.InDom]*domain)}
	r.host, r.zone = line.Host()
	if err := recs.rewind(line); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = []string{""}
	}
	found := make(map[pcp.ID]bool)
	for _, name := range names {
		n := len(found)
		err := src.Walk(ctx, name, func(leaf string, id pcp.ID) bool {
			if !found[id] {
				found[id] = true
				r.metrics = append(r.metrics, metric{name: leaf, desc: pcp.Desc{ID: id}})
			}
			return true
		})
		if err == nil && len(found) == n && name != "" {
			_, err = pmapi.LookupName(ctx, src, name) // named twice, or nothing is below it
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	slices.SortFunc(r.metrics, func(a, b metric) int { return strings.Compare(a.name, b.name) })
	return r, r.describe(ctx)
}

// errNoMetrics is the error for a recording without metrics.
var errNoMetrics = errors.New("there are no metrics to export")

// describe asks for the descriptions. A metric without one has no values.
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
			r.metrics[i].desc = d.Value
			known = append(known, r.metrics[i])
			r.request.IDs = append(r.request.IDs, ids[i])
		}
	}
	r.metrics = known
	if len(known) == 0 {
		return errNoMetrics
	}
	return nil
}

// read reads all records. Groups of rows go to put. The first result is what is wrong with the
// recording; the second is a failure of put, of w or of ctx.
func (r *reader) read(ctx context.Context, put func(*group, []metric) error, w watcher) (damage, failed error) {
	for {
		err := r.src.Fetch(ctx, &r.request, &r.result)
		if err == nil {
			err, failed = r.take(ctx, put, w)
		}
		switch {
		case failed != nil:
			return nil, failed
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			continue
		case errors.Is(err, pmerr.EOL):
			err = nil
		}
		return err, r.flush(put)
	}
}

// flush hands a group over and begins another.
func (r *reader) flush(put func(*group, []metric) error) error {
	if r.group.len() == 0 {
		return nil
	}
	r.group.sort(r.metrics)
	r.values += int64(r.group.len())
	err := put(&r.group, r.metrics)
	r.group.reset()
	return err
}

// day is a day in nanoseconds.
const day = int64(24 * time.Hour)

// nanoseconds returns a time since 1970, as the tables have it. One that does not fit is damage.
func nanoseconds(t pcp.Timestamp) (int64, error) {
	const most = math.MaxInt64/1_000_000_000 - 2
	if t.Sec > most || t.Sec < -most {
		return 0, fmt.Errorf("the time of a record, %d seconds after 1970, does not fit 64 bits of nanoseconds", t.Sec)
	}
	return t.Sec*1_000_000_000 + int64(t.Nsec), nil
}

// take adds the values of a record to the group.
func (r *reader) take(ctx context.Context, put func(*group, []metric) error, w watcher) (damage, failed error) {
	at, err := nanoseconds(r.result.Time)
	if err != nil {
		return err, nil
	}
	date := at / day
	if at%day < 0 {
		date--
	}
	g := &r.group
	if g.len() > 0 && (date != g.date || g.full()) {
		if err := r.flush(put); err != nil {
			return nil, err
		}
	}
	if g.len() == 0 {
		g.date = date
		if err := w.labels(ctx, at); err != nil {
			return nil, err
		}
	}
	g.begin(at, r.recs.stretch(r.result.Time.Sec))
	for i := range r.result.Sets {
		if v := &r.result.Sets[i]; v.Len() > 0 {
			series, err := r.seriesOf(ctx, i, v.Insts, at, w)
			if err != nil {
				return nil, err
			}
			g.add(v, series)
		}
	}
	return nil, nil
}

// seriesOf returns the series of a group that values of a metric's instances belong to.
func (r *reader) seriesOf(ctx context.Context, i int, insts []int32, at int64, w watcher) ([]int32, error) {
	m := &r.metrics[i]
	var dom *domain
	round := 0
	if m.desc.InDom != pcp.NullInDom {
		var err error
		if dom, err = r.domain(ctx, m.desc.InDom, at, w); err != nil {
			return nil, err
		}
		round = dom.round
	}
	if m.group == r.group.number+1 && m.round == round && slices.Equal(m.insts, insts) {
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

// domain returns a domain as it is at the time of the record. One that the recording does not have
// has no names.
func (r *reader) domain(ctx context.Context, d pcp.InDom, at int64, w watcher) (*domain, error) {
	dom := r.domains[d]
	if dom == nil {
		dom = &domain{names: make(map[int32]string)}
		r.domains[d] = dom
	}
	list, _ := r.line.InstancesAt(ctx, d, r.result.Time)
	if len(list) == len(dom.list) && (len(list) == 0 || &list[0] == &dom.list[0]) || slices.Equal(list, dom.list) {
		return dom, nil
	}
	if err := w.instances(d, at, dom.list, list); err != nil {
		return nil, err
	}
	dom.list, dom.round = list, dom.round+1
	clear(dom.names)
	for _, in := range list {
		dom.names[in.ID] = utf8Text(in.Name)
	}
	return dom, nil
}

// utf8Text returns text as the tables have it, where others than UTF-8 cannot be read.
func utf8Text(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
