package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A reporter prints metrics and instance domains of one source.
type reporter struct {
	*flags
	prog     string
	traced   bool // -Dderive
	src      pmapi.Source
	out      *bufio.Writer
	errs     io.Writer
	origin   pcp.Timestamp // where the first record of each metric is looked for
	values   format.Options
	known    func(domain uint32) bool // whether a domain number is assigned
	labelled map[pcp.LabelKind]*labelCache
	last     *names // instances of the domain that came last
	result   pcp.Result
	buf      []byte
}

// A metric is one metric to report on.
type metric struct {
	name string
	id   pcp.ID
}

// metric prints what the options ask for about m.
func (r *reporter) metric(ctx context.Context, m metric) {
	var d pcp.Desc
	if r.needsDesc() {
		ds, err := r.src.Describe(ctx, []pcp.ID{m.id})
		if err == nil {
			d, err = ds[0].Desc, ds[0].Err
		}
		if err != nil {
			fmt.Fprintf(r.out, "%s: pmLookupDesc: %s\n", m.name, reason(err))
			return
		}
	}
	if r.verify {
		r.verifyMetric(ctx, m, &d)
		return
	}
	var v *pcp.Values
	if r.fetch || r.labels {
		var err error
		if v, err = r.fetchMetric(ctx, m.id); err != nil {
			fmt.Fprintf(r.out, "%s: pmFetch: %s\n", m.name, reason(err))
			return
		}
		if r.fetchAll && v.Err == pmerr.Profile {
			if v, err = r.fetchExplicit(ctx, m, &d); err != nil {
				fmt.Fprintf(r.out, "\n%s: pmGetIndom: %s\n", m.name, reason(err))
				return
			}
		}
	}
	r.head(ctx, m, &d)
	if r.help {
		r.helpText(r.text(ctx, m.id, pcp.Help))
	}
	if r.fetch {
		r.printValues(ctx, &d, v)
	}
	if r.series || r.labels {
		r.instances(ctx, &d)
	}
}

// head prints what stands above the values: name, identifier, one-line text,
// description, series and labels.
func (r *reporter) head(ctx context.Context, m metric, d *pcp.Desc) {
	if r.spaced() {
		r.out.WriteByte('\n')
	}
	r.out.WriteString(m.name)
	if r.pmid {
		fmt.Fprintf(r.out, " PMID: %s", m.id)
		if r.fullPMID {
			fmt.Fprintf(r.out, " = %d = 0x%x", uint32(m.id), uint32(m.id))
		}
	}
	if r.oneline {
		text, err := r.text(ctx, m.id, pcp.OneLine)
		r.onelineText(text, err, r.fullPMID)
	}
	r.out.WriteByte('\n')
	switch {
	case r.line:
		r.buf = format.AppendDescLine(r.buf[:0], m.name, d, r.decimal)
		r.out.Write(r.buf)
	case r.desc:
		r.buf = format.AppendDesc(r.buf[:0], d, r.decimal)
		r.out.Write(r.buf)
	}
	if r.series {
		r.printSeries(ctx, m, d)
	}
	if r.labels {
		fmt.Fprintf(r.out, "    labels %s\n", pcp.AppendLabels(nil, r.metricLabels(ctx, d, d.ID.Domain())))
	}
}

// indom prints what the options ask for about an instance domain.
func (r *reporter) indom(ctx context.Context, d pcp.InDom) {
	if r.verify {
		return
	}
	r.buf = format.AppendInDom(append(r.buf[:0], "\nInDom: "...), d, r.decimal)
	r.out.Write(r.buf)
	if r.oneline {
		text, err := r.indomText(ctx, d, pcp.OneLine)
		r.onelineText(text, err, r.decimal)
	}
	r.out.WriteByte('\n')
	if r.labels {
		fmt.Fprintf(r.out, "    labels %s\n", pcp.AppendLabels(nil, r.indomLabels(ctx, d)))
	}
	if r.help {
		r.helpText(r.indomText(ctx, d, pcp.Help))
	}
}

// text returns a help text of a metric.
func (r *reporter) text(ctx context.Context, id pcp.ID, kind pcp.TextKind) (string, error) {
	if t, ok := pmapi.As[pmapi.Texter](r.src); ok {
		return t.Text(ctx, id, kind)
	}
	return "", pmerr.Text
}

// indomText returns a help text of an instance domain.
func (r *reporter) indomText(ctx context.Context, d pcp.InDom, kind pcp.TextKind) (string, error) {
	if t, ok := pmapi.As[pmapi.Texter](r.src); ok {
		return t.InDomText(ctx, d, kind)
	}
	return "", pmerr.Text
}

// onelineText prints a one-line text behind a name, or below it; an error always
// stands behind.
func (r *reporter) onelineText(text string, err error, below bool) {
	switch {
	case err != nil:
		fmt.Fprintf(r.out, " One-line Help: Error: %s", reason(err))
	case below:
		fmt.Fprintf(r.out, "\n    [%s]", text)
	default:
		fmt.Fprintf(r.out, " [%s]", text)
	}
}

// helpText prints a full help text, without the line ends that it ends in.
func (r *reporter) helpText(text string, err error) {
	if err != nil {
		fmt.Fprintf(r.out, "Full Help: Error: %s\n", reason(err))
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

// reason returns the text of the code that err stands for.
func reason(err error) string {
	if c := pmerr.Of(err); c != pmerr.Generic {
		return c.Error()
	}
	return err.Error()
}

// position moves an archive to the origin: each metric is looked for on its own.
func (r *reporter) position() error {
	t, ok := pmapi.As[pmapi.Timeline](r.src)
	if !ok {
		return nil
	}
	return t.SetMode(pmapi.Forward, &r.origin, time.Duration(0))
}
