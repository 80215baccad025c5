package answer

import (
	"time"

	"pmtools/lib/pcp"
)

// An Instance is how JSON has an instance.
type Instance struct {
	ID   int32  `json:"id"`
	Name string `json:"name"`
}

// A Desc is how JSON has what values are.
type Desc struct {
	Type      string `json:"type"`
	Semantics string `json:"semantics"`
	Units     string `json:"units"`
}

// DescOf returns what JSON has of a descriptor.
func DescOf(d *pcp.Desc) Desc { return Desc{d.Type.String(), d.Sem.String(), d.Units.String()} }

// A Metadata is how JSON has the descriptor of a metric. Members without a value are absent; a metric that has no units has them as "".
type Metadata struct {
	PMID      string  `json:"pmid,omitempty"`
	Type      string  `json:"type,omitempty"`
	Semantics string  `json:"semantics,omitempty"`
	Units     *string `json:"units,omitempty"`
	InDom     string  `json:"indom,omitempty"`
}

// MetadataOf returns what JSON has of a descriptor.
func MetadataOf(d *pcp.Desc) Metadata {
	units := d.Units.String()
	return Metadata{d.ID.String(), d.Type.String(), d.Sem.String(), &units, InDom(d)}
}

// Record returns the members for CSV, in their order.
func (m *Metadata) Record() []string {
	units := ""
	if m.Units != nil {
		units = *m.Units
	}
	return []string{m.PMID, m.Type, m.Semantics, units, m.InDom}
}

// InDom returns the instance domain of a descriptor for programs, "" if there is none.
func InDom(d *pcp.Desc) string {
	if d.InDom == pcp.NullInDom {
		return ""
	}
	return d.InDom.String()
}

// Time returns a time for programs.
func Time(t pcp.Timestamp, zone *time.Location) string {
	return t.Time().In(zone).Format(time.RFC3339Nano)
}
