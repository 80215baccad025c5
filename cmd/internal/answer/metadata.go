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
