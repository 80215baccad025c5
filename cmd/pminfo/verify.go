package main

import (
	"fmt"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// verifyMetric prints the problems of a metric (-v, -e).
func (r *reporter) verifyMetric(m *metric) {
	d, v := &m.desc, &m.fetched.Value
	if findings := d.Check(r.known); m.noDesc == nil && len(findings) > 0 {
		fmt.Fprintf(r.out, "%s: Questionable metadata ...\n", m.name)
		r.buf = format.AppendDesc(r.buf[:0], d, r.show.decimal)
		r.out.Write(r.buf)
		for _, f := range findings {
			fmt.Fprintf(r.out, "%s\n", f)
		}
		r.out.WriteByte('\n')
	}
	switch {
	case m.noDesc == nil && d.Type == pcp.NoSupport:
		fmt.Fprintf(r.out, "%s: Not Supported\n", m.name)
	case v.Err != 0:
		fmt.Fprintf(r.out, "%s: %s\n", m.name, v.Err.Error())
	case v.Len() == 0 && !r.show.errorsOnly:
		fmt.Fprintf(r.out, "%s: No value(s) available\n", m.name)
	}
}
