package main

import (
	"context"
	"fmt"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// printEvents prints the records of a sample (commands.md T6.8).
func (t *textReporter) printEvents(s *sample) {
	b := t.buf[:0]
	if t.timeline != nil {
		b = append(t.appendStamp(b, s.now.Time), "  "...)
	}
	v := s.column()
	for i := range t.columns {
		c := &t.columns[i]
		if at := t.position(v, c, c.hint); at >= 0 {
			b = t.appendEvents(b, c, v.Value(at))
		}
	}
	t.flush(b)
}

// appendEvents appends the records of one instance.
func (t *textReporter) appendEvents(b []byte, c *column, v pcp.Value) []byte {
	b = append(b, t.name...)
	if !t.singular() {
		b = append(append(append(b, '['), c.name...), ']')
	}
	records, err := pcp.UnpackEvents(v)
	if err != nil {
		call := "pmUnpackEventRecords"
		if v.Type() == pcp.HighResEvent {
			call = "pmUnpackHighResEventRecords"
		}
		t.flush(append(b, ": "...))
		t.env.Errorf("%s: %s", call, pmerr.Message(err))
		return t.buf[:0]
	}
	b = fmt.Appendf(b, ": %d event records\n", len(records))
	for i := range records {
		b = t.appendEvent(b, i, &records[i], v.Type() == pcp.HighResEvent)
	}
	return b
}

// appendEvent appends one record.
func (t *textReporter) appendEvent(b []byte, i int, rec *pcp.EventRecord, highRes bool) []byte {
	b = append(b, "  "...)
	if highRes {
		b = format.AppendTimeNanos(b, rec.Time, t.zone)
	} else {
		b = format.AppendTime(b, rec.Time, t.zone)
	}
	b = fmt.Appendf(b, " --- event record [%d]", i)
	switch {
	case rec.Flags == 0 && len(rec.Params) == 0:
		b = append(b, " ---\n    ==> No parameters\n"...)
	case rec.Flags == 0:
		b = append(b, " ---\n"...)
	default:
		b = fmt.Appendf(b, " flags 0x%x (%s) ---\n", uint32(rec.Flags), rec.Flags)
	}
	if rec.Flags&pcp.EventMissed != 0 {
		b = fmt.Appendf(b, "    ==> %d missed event records\n", rec.Missed)
	}
	for j := range rec.Params {
		b = t.appendParam(b, &rec.Params[j])
	}
	return b
}

// appendParam appends one parameter of a record.
func (t *textReporter) appendParam(b []byte, p *pcp.Param) []byte {
	ctx := context.Background()
	names, err := t.src.Names(ctx, p.ID)
	if err != nil {
		return fmt.Appendf(b, "\t%s: pmNameID: %s\n", p.ID, pmerr.Message(err))
	}
	ds, err := t.src.Describe(ctx, []pcp.ID{p.ID})
	if err == nil {
		err = ds[0].Err
	}
	if err != nil {
		return fmt.Appendf(b, "\t%s: pmLookupDesc: %s\n", names[0], pmerr.Message(err))
	}
	v := p.Column(ds[0].Value.Type)
	b = append(append(append(b, "    "...), names[0]...), ' ')
	if v.Type == pcp.Aggregate || v.Type == pcp.AggregateStatic {
		b = append(b, '[')
		for _, c := range v.Blobs[0] {
			b = append(b, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		}
		return append(b, "]\n"...)
	}
	return append(t.values.AppendValue(b, &v, 0, 1), '\n')
}
