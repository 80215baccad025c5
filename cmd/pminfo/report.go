package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

type reporter struct {
	show    show
	src     pmapi.Source
	batch   int           // how many metrics are fetched together
	ahead   bool          // more than a batch may be asked for at once
	traced  bool          // each call is shown where its answer is needed
	pending []string      // metrics that wait for a full batch
	origin  pcp.Timestamp // where the first record of each metric is looked for
	values  format.Options
	known   func() func(domain uint32) bool // tells whether a domain number is assigned, nil if that is unknown
	printer
	answers
}

// A printer is where a reporter prints.
type printer struct {
	prog string
	out  *bufio.Writer
	errs io.Writer
	buf  []byte
}

// The answers of the source are kept for the metrics that need them later.
type answers struct {
	result   pcp.Result
	explicit pcp.Result                   // of a metric that was fetched again by itself
	last     *names                       // instances of the domain that came last
	listed   map[pcp.InDom][]pcp.Instance // instances that were asked for in advance
	given    map[labelKey][]pcp.LabelSet  // labels that were asked for in advance
	labelled map[pcp.LabelKind]*labelCache
}

type metric struct {
	name    string
	id      pcp.ID
	noName  error // why there is no metric of that name, though it is listed
	desc    pcp.Desc
	noDesc  error               // why there is no description
	noDescs error               // why there is none of all that were asked for together
	oneline *pcp.Answer[string] // nil unless texts were asked for in advance
	help    *pcp.Answer[string]
	fetched *pcp.Values // without values if none were asked for
	unread  error       // why nothing was fetched
}

// ask gets what the options need of metrics: descriptions, values and instances, in one request
// each.
func (r *reporter) ask(ctx context.Context, ms []metric) {
	if r.show.onlyNames() {
		return
	}
	r.lookup(ctx, ms)
	ids := make([]pcp.ID, len(ms))
	for i := range ms {
		ids[i] = ms[i].id
	}
	if r.show.needsDesc() {
		ds, err := r.src.Describe(ctx, ids)
		for i := range ms {
			if m := &ms[i]; err != nil {
				m.noDescs = err
			} else {
				m.desc, m.noDesc = ds[i].Value, ds[i].Err
			}
		}
		if err != nil || len(ms) == 1 && ms[0].noDesc != nil {
			return
		}
	}
	if r.show.fetch || r.show.labels || r.show.verify {
		err := r.fetchAt(ctx, &pmapi.Request{IDs: ids}, &r.result)
		for i := range ms {
			if ms[i].unread = err; err == nil {
				ms[i].fetched = &r.result.Sets[i]
			}
		}
	}
	r.listInstances(ctx, ms)
	r.listLabels(ctx, ms)
	if r.show.oneline {
		r.listTexts(ctx, ms, ids, pcp.OneLine)
	}
	if r.show.help {
		r.listTexts(ctx, ms, ids, pcp.Help)
	}
}

// listTexts asks for the help texts of metrics, at once if there are several.
func (r *reporter) listTexts(ctx context.Context, ms []metric, ids []pcp.ID, kind pcp.TextKind) {
	if len(ms) == 1 {
		return
	}
	texts, err := r.src.Text(ctx, kind, pcp.Idents(ids))
	if err != nil {
		return // each is asked for by itself then
	}
	for i := range ms {
		if kind == pcp.OneLine {
			ms[i].oneline = &texts[i]
		} else {
			ms[i].help = &texts[i]
		}
	}
}

func (r *reporter) report(ctx context.Context, batch []metric) {
	if batch = r.without(batch, "pmLookupName", func(m metric) error { return m.noName }); len(batch) == 0 {
		return
	}
	if err := batch[0].noDescs; err != nil {
		if len(batch) > 1 && !r.show.json {
			fmt.Fprintf(r.out, "%s...%s: pmLookupDescs: %s\n", batch[0].name, batch[len(batch)-1].name, pmerr.Message(err))
			return
		}
		for i := range batch {
			r.fail(batch[i].name, "pmLookupDesc", err)
		}
		return
	}
	if len(batch) == 1 || !r.show.fetch && !r.show.verify {
		batch = r.without(batch, "pmLookupDesc", func(m metric) error { return m.noDesc })
	}
	for i := range batch {
		r.metric(ctx, &batch[i])
	}
}

// lookup asks for the identifiers of metrics. A name that is listed may have none: the agent that
// should know may be gone.
func (r *reporter) lookup(ctx context.Context, ms []metric) {
	names := make([]string, len(ms))
	for i := range ms {
		names[i] = ms[i].name
	}
	found, err := r.src.Lookup(ctx, names)
	for i := range ms {
		if m := &ms[i]; err != nil {
			m.id, m.noName = pcp.NullID, err
		} else {
			m.id, m.noName = found[i].Value, found[i].Err
		}
	}
}

// without returns the metrics of a batch for which failed returns nil, and prints the errors of the
// others. Call is the function that the reference names then.
func (r *reporter) without(batch []metric, call string, failed func(metric) error) []metric {
	return slices.DeleteFunc(batch, func(m metric) bool {
		err := failed(m)
		if err != nil {
			r.fail(m.name, call, err)
		}
		return err != nil
	})
}

func (r *reporter) fail(name, call string, err error) {
	if r.show.json {
		r.write(&record{Metric: name, Error: call + ": " + pmerr.Message(err)})
		return
	}
	fmt.Fprintf(r.out, "%s: %s: %s\n", name, call, pmerr.Message(err))
}

func (r *reporter) metric(ctx context.Context, m *metric) {
	if m.unread != nil {
		r.fail(m.name, "pmFetch", m.unread)
		return
	}
	if r.show.verify {
		r.verifyMetric(m)
		return
	}
	if r.show.fetchAll && m.fetched.Err == pmerr.Profile {
		if err := r.fetchExplicit(ctx, m); err != nil {
			if !r.show.json {
				r.out.WriteByte('\n')
			}
			r.fail(m.name, "pmGetIndom", err)
			return
		}
	}
	if r.show.json {
		r.metricJSON(ctx, m)
		return
	}
	r.head(ctx, m)
	if r.show.help {
		r.helpText(r.text(ctx, m.id, pcp.Help, m.help))
	}
	if r.show.fetch {
		r.printValues(ctx, m)
	}
	if r.show.series || r.show.labels {
		r.printInstances(ctx, &m.desc)
	}
}

// head prints what stands above the values: name, identifier, one-line text, description, series
// and labels.
func (r *reporter) head(ctx context.Context, m *metric) {
	if r.show.spaced() {
		r.out.WriteByte('\n')
	}
	r.out.WriteString(m.name)
	if r.show.pmid {
		fmt.Fprintf(r.out, " PMID: %s", m.id)
		if r.show.fullPMID {
			fmt.Fprintf(r.out, " = %d = 0x%x", uint32(m.id), uint32(m.id))
		}
	}
	if r.show.oneline {
		text, err := r.text(ctx, m.id, pcp.OneLine, m.oneline)
		r.onelineText(text, err, r.show.fullPMID)
	}
	r.out.WriteByte('\n')
	r.description(m)
	if r.show.series {
		r.printSeries(ctx, m)
	}
	if r.show.labels {
		fmt.Fprintf(r.out, "    labels %s\n", pcp.AppendLabels(nil, r.metricLabels(ctx, &m.desc, m.desc.ID.Domain())))
	}
}

func (r *reporter) description(m *metric) {
	switch {
	case !r.show.desc:
	case m.noDesc != nil && r.show.line:
		fmt.Fprintf(r.out, "%s\tMetadata unavailable\n", m.name)
	case m.noDesc != nil:
		r.out.WriteString("    Metadata unavailable\n")
	case r.show.line:
		r.buf = format.AppendDescLine(r.buf[:0], m.name, &m.desc, r.show.decimal)
		r.out.Write(r.buf)
	default:
		r.buf = format.AppendDesc(r.buf[:0], &m.desc, r.show.decimal)
		r.out.Write(r.buf)
	}
}

func (r *reporter) indom(ctx context.Context, d pcp.InDom) {
	if r.show.verify {
		return
	}
	if r.show.json {
		r.indomJSON(ctx, d)
		return
	}
	r.buf = format.AppendInDom(append(r.buf[:0], "\nInDom: "...), d, r.show.decimal)
	r.out.Write(r.buf)
	if r.show.oneline {
		text, err := pmapi.LookupText(ctx, r.src, pcp.OneLine|pcp.InDomText, uint32(d))
		r.onelineText(text, err, r.show.decimal)
	}
	r.out.WriteByte('\n')
	if r.show.labels {
		fmt.Fprintf(r.out, "    labels %s\n", pcp.AppendLabels(nil, r.indomLabels(ctx, d)))
	}
	if r.show.help {
		r.helpText(pmapi.LookupText(ctx, r.src, pcp.Help|pcp.InDomText, uint32(d)))
	}
}

func (r *reporter) text(ctx context.Context, id pcp.ID, kind pcp.TextKind, known *pcp.Answer[string]) (string, error) {
	if known != nil {
		return known.Value, known.Err
	}
	return pmapi.LookupText(ctx, r.src, kind, uint32(id))
}

// onelineText prints a one-line text after a name, or below it; an error always follows the name.
func (r *reporter) onelineText(text string, err error, below bool) {
	switch {
	case err != nil:
		fmt.Fprintf(r.out, " One-line Help: Error: %s", pmerr.Message(err))
	case below:
		fmt.Fprintf(r.out, "\n    [%s]", text)
	default:
		fmt.Fprintf(r.out, " [%s]", text)
	}
}

// helpText prints a full help text, without the line ends that it ends in.
func (r *reporter) helpText(text string, err error) {
	if err != nil {
		fmt.Fprintf(r.out, "Full Help: Error: %s\n", pmerr.Message(err))
		return
	}
	for len(text) > 0 && text[len(text)-1] == '\n' {
		text = text[:len(text)-1]
	}
	if text == "" {
		r.out.WriteString("Help: <empty entry>\n")
		return
	}
	fmt.Fprintf(r.out, "Help:\n%s\n", text)
}

// position moves an archive to the origin: each metric is looked for on its own.
func (r *reporter) position() error {
	t, ok := pmapi.As[pmapi.Timeline](r.src)
	if !ok {
		return nil
	}
	return t.SetMode(pcp.Forward, &r.origin, time.Duration(0))
}
