package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"io"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// An eventReporter prints records of events as the reference does (commands.md T6.8).
type eventReporter struct {
	out     *bufio.Writer
	errs    io.Writer // for values that cannot be taken apart
	clock   *clock
	src     pmapi.Source // knows the parameters
	name    string
	desc    pcp.Desc
	verbose bool
	values  format.Options
}

func (r *eventReporter) labels([]column) {}

// gap implements reporter. As in the reference, a sample without values gets only the time, and no
// newline, unless more is asked for.
func (r *eventReporter) gap(at pcp.Timestamp, why string) {
	b := r.clock.appendFront(nil, at, "  ")
	switch {
	case why != unavailable:
		b = append(append(b, why...), '\n')
	case r.verbose:
		b = fmt.Appendf(b, "%s: %s\n", r.name, why)
	}
	r.out.Write(b)
}

func (r *eventReporter) sample(_ context.Context, s *sample) error {
	b := r.clock.appendFront(nil, s.time, "  ")
	for i, c := range s.cells {
		if c.kind == isValue {
			b = r.appendEvents(b, &s.columns[i], s.values, c.at)
		}
	}
	r.out.Write(b)
	return nil
}

func (r *eventReporter) end() error { return nil }

func (r *eventReporter) appendEvents(b []byte, c *column, values *pcp.Values, at int) []byte {
	b = append(b, r.name...)
	if r.desc.InDom != pcp.NullInDom {
		b = append(append(append(b, '['), c.name...), ']')
	}
	v := values.Value(at)
	records, err := pcp.UnpackEvents(v)
	if err != nil {
		ctx := context.Background()
		r.errs.Write(format.AppendEventDump(nil, values, at, err, func(id pcp.ID) string { return pmapi.NamesOf(ctx, r.src, id) }))
		return fmt.Appendf(b, ": pmUnpackEventRecords: %s\n", pmerr.Message(err))
	}
	b = fmt.Appendf(b, ": %d event records\n", len(records))
	for i := range records {
		b = r.appendEvent(b, i, &records[i], v.Type())
	}
	return b
}

func (r *eventReporter) appendEvent(b []byte, i int, rec *pcp.EventRecord, t pcp.Type) []byte {
	b = format.AppendEventStamp(append(b, "  "...), rec, t, r.clock.zone)
	b = format.AppendEventHead(fmt.Appendf(b, " --- event record [%d]", i), rec, "    ==> No parameters", "    ")
	for j := range rec.Params {
		b = r.appendParam(b, &rec.Params[j], j == 0 && rec.Flags == 0)
	}
	return b
}

// appendParam appends one parameter of a record. If it is to end the line of the record, it does
// so, as in the reference, only if it has a name.
func (r *eventReporter) appendParam(b []byte, p *pcp.Param, ends bool) []byte {
	ctx := context.Background()
	names, err := r.src.Names(ctx, p.ID)
	if err != nil {
		return fmt.Appendf(b, "\t%s: pmNameID: %s\n", p.ID, pmerr.Message(err))
	}
	if ends {
		b = append(b, " ---\n"...)
	}
	desc, err := pmapi.LookupDesc(ctx, r.src, p.ID)
	if err != nil {
		return fmt.Appendf(b, "\t%s: pmLookupDesc: %s\n", names[0], pmerr.Message(err))
	}
	v := p.Column(desc.Type)
	b = append(append(append(b, "    "...), names[0]...), ' ')
	if v.Type == pcp.Aggregate || v.Type == pcp.AggregateStatic {
		return append(hex.AppendEncode(append(b, '['), v.Blobs[0]), "]\n"...)
	}
	return append(r.values.AppendValue(b, &v, 0, 1), '\n')
}
