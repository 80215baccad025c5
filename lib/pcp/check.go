package pcp

import "fmt"

// A Finding is an error or an oddity in a descriptor.
type Finding struct {
	Bad  bool // an error, not only a warning
	Text string
}

// String returns f as the tools print it.
func (f Finding) String() string {
	if f.Bad {
		return "Error: " + f.Text
	}
	return "Warning: " + f.Text
}

type findings []Finding

func (f *findings) warn(format string, args ...any) {
	*f = append(*f, Finding{Text: fmt.Sprintf(format, args...)})
}

func (f *findings) error(format string, args ...any) {
	*f = append(*f, Finding{Bad: true, Text: fmt.Sprintf(format, args...)})
}

// Check looks for errors and oddities in d. The function known reports whether a
// domain is known; nil means that every domain is known.
func (d Desc) Check(known func(domain uint32) bool) []Finding {
	var f findings
	recognized := func(domain uint32) bool {
		return known == nil || domain == DynamicDomain || known(domain)
	}
	if !recognized(d.ID.Domain()) {
		f.warn("domain (%d) in metric pmid (%s) is not recognized", d.ID.Domain(), d.ID)
	}
	if d.Type == NoSupport {
		return f
	}
	if d.InDom != NullInDom {
		if !recognized(d.InDom.Domain()) {
			f.warn("domain (%d) in metric indom (%s) is not recognized", d.InDom.Domain(), d.InDom)
		}
		if p, i := d.ID.Domain(), d.InDom.Domain(); p != i && p != DynamicDomain {
			f.warn("domain (%d) in metric pmid (%s) different to domain (%d) in metric indom (%s)", p, d.ID, i, d.InDom)
		}
	}
	if d.Type < Int32 || d.Type > HighResEvent {
		f.error("metric type (%d) is not one of the valid PM_TYPE_* values", int32(d.Type))
	}
	if d.Sem != Counter && d.Sem != Instant && d.Sem != Discrete {
		f.error("metric semantics (%d) is not one of the valid PM_SEM_* values", int32(d.Sem))
	}
	f.units(d.Units)
	return f
}

func (f *findings) units(u Units) {
	parts := [...]struct {
		name       string
		dim, scale int8
		limit      int8
	}{
		{"Space", u.DimSpace, u.ScaleSpace, Ebyte},
		{"Time", u.DimTime, u.ScaleTime, Hour},
		{"Count", u.DimCount, u.ScaleCount, 127},
	}
	for _, p := range parts {
		if p.dim < -2 || p.dim > 2 {
			f.warn("unusual dimension (%d) for %s in pmUnits", p.dim, p.name)
		}
	}
	for _, p := range parts {
		if p.dim == 0 && p.scale != 0 {
			f.error("non-zero scale (%d) with zero dimension for %s in pmUnits", p.scale, p.name)
		}
		if p.scale > p.limit {
			// The reference names the values of space for time, too.
			f.error("scale (%d) for %s in pmUnits is not one of the valid PM_SPACE_* values", p.scale, p.name)
		}
	}
	f.extra(u)
}

func (f *findings) extra(u Units) {
	names := [...]string{Temperature: "TEMPERATURE", Voltage: "VOLTAGE", Current: "CURRENT", Power: "POWER"}
	kind, n := extraOf(u)
	switch {
	case n == 0:
	case kind == nil, u.Extra < 0:
		f.error("extraUnit (%d) in pmUnits is not one of the valid PM_UNIT_* values", u.Extra)
	case u.ExtraScale < 1 || int(u.ExtraScale) > len(kind.scales):
		f.error("extraScale (%d) in pmUnits is not one of the valid PM_%s_* values", u.ExtraScale, names[n])
	}
}
