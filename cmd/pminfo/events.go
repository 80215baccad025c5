package main

import (
	"context"
	"fmt"
	"strings"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

func (r *reporter) printEvents(ctx context.Context, values *pcp.Values, i int) {
	v := values.Value(i)
	records, err := pcp.UnpackEvents(v)
	if err != nil {
		r.errs.Write(format.AppendEventDump(nil, values, i, err, func(id pcp.ID) string { return pmapi.NamesOf(ctx, r.src, id) }))
		call := "pmUnpackEventRecords"
		if v.Type() == pcp.HighResEvent {
			call = "pmUnpackHighResEventRecords"
		}
		fmt.Fprintf(r.errs, "%s: %s: %s\n", r.prog, call, pmerr.Message(err))
		return
	}
	for i := range records {
		r.printEvent(ctx, i, &records[i], v.Type())
	}
}

func (r *reporter) printEvent(ctx context.Context, i int, rec *pcp.EventRecord, t pcp.Type) {
	b := fmt.Appendf(r.buf[:0], "    --- event record [%d] timestamp ", i)
	b = format.AppendEventStamp(b, rec, t, r.values.Location)
	b = format.AppendEventHead(b, rec, "\tNo parameters", "        ")
	r.out.Write(b)
	r.buf = b
	for j := range rec.Params {
		r.printParam(ctx, &rec.Params[j], j == 0 && rec.Flags == 0)
	}
}

// printParam prints one parameter of an event record. If it is to end the line of the record, it
// does so, as in the reference, only if it has a name.
func (r *reporter) printParam(ctx context.Context, p *pcp.Param, ends bool) {
	if names, err := r.src.Names(ctx, p.ID); err != nil {
		fmt.Fprintf(r.out, "\tPMID: %s\n", p.ID)
	} else {
		if ends {
			r.out.WriteString(" ---\n")
		}
		fmt.Fprintf(r.out, "    %s (%s)\n", strings.Join(names, " or "), p.ID)
	}
	d, err := pmapi.LookupDesc(ctx, r.src, p.ID)
	if err != nil {
		fmt.Fprintf(r.out, "\tpmLookupDesc: %s\n", pmerr.Message(err))
		return
	}
	v := p.Column(d.Type)
	r.out.WriteString("    ")
	b := append(r.buf[:0], "    "...)
	if d.InDom != pcp.NullInDom { // a parameter still has no instance
		var named bool
		if b, named = r.appendInst(r.buf[:0], d.InDom, pcp.NullInst, r.names(ctx, d.InDom)); !named {
			return
		}
		b = append(b, ' ')
	}
	r.buf = append(r.values.AppendValue(append(b, "value "...), &v, 0, 1), '\n')
	r.out.Write(r.buf)
}
