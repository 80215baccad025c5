package main

import (
	"fmt"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

func (r *reporter) verifyMetric(m *metric) {
	d := &m.desc
	var findings []pcp.Finding
	if m.noDesc == nil {
		findings = d.Check(r.known())
	}
	why := r.missing(m)
	if r.show.json {
		r.verifyJSON(m.name, findings, why)
		return
	}
	if len(findings) > 0 {
		fmt.Fprintf(r.out, "%s: Questionable metadata ...\n", m.name)
		r.buf = format.AppendDesc(r.buf[:0], d, r.show.decimal)
		r.out.Write(r.buf)
		for _, f := range findings {
			fmt.Fprintf(r.out, "%s\n", f)
		}
		r.out.WriteByte('\n')
	}
	if why != "" {
		fmt.Fprintf(r.out, "%s: %s\n", m.name, why)
	}
}

// missing returns why a metric has no values, "" if it has some or -e does not care.
func (r *reporter) missing(m *metric) string {
	v := m.fetched
	switch {
	case m.noDesc == nil && m.desc.Type == pcp.NoSupport:
		return "Not Supported"
	case v.Err != nil:
		return v.Err.Error()
	case v.Len() == 0 && !r.show.errorsOnly:
		return "No value(s) available"
	}
	return ""
}
