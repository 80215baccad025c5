package archivetest

import (
	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// A mixedHost is a host of a fleet whose kernels describe metrics differently.
type mixedHost struct {
	name string
	used pcp.Desc // of mem.used; one without an identifier is not recorded
	net  pcp.Desc // of net.bytes
}

var (
	usedKB = pcp.Desc{ID: pcp.NewID(60, 1, 1), Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Instant, Units: kbyte}
	netB   = pcp.Desc{ID: pcp.NewID(60, 3, 1), Type: pcp.Uint64, InDom: diskInDom, Sem: pcp.Counter, Units: byteU}
)

func mixedHosts() []mixedHost {
	with := func(d pcp.Desc, change func(*pcp.Desc)) pcp.Desc {
		change(&d)
		return d
	}
	return []mixedHost{
		{"web1", usedKB, netB},
		{"null", usedKB, netB},
		{"007", usedKB, netB},
		{"it's", with(usedKB, func(d *pcp.Desc) { d.Units.ScaleSpace = pcp.Mbyte }), netB},
		{"[db] %5B", with(usedKB, func(d *pcp.Desc) { d.Type, d.Units = pcp.Uint32, byteU }), with(netB, func(d *pcp.Desc) { d.Type, d.Units = pcp.Uint32, kbyte })},
		{"gauge", usedKB, with(netB, func(d *pcp.Desc) { d.Sem = pcp.Instant })},
		{"unsupported", with(usedKB, func(d *pcp.Desc) { d.Type = pcp.NoSupport }), netB},
		{"without", pcp.Desc{}, netB},
		{"float", with(usedKB, func(d *pcp.Desc) { d.Type, d.Sem = pcp.Double, pcp.Discrete }), with(netB, func(d *pcp.Desc) { d.Type, d.InDom = pcp.Int64, pcp.NullInDom })},
		{"text", with(usedKB, func(d *pcp.Desc) { d.Type, d.Units = pcp.String, noUnits }), netB},
	}
}

// MixedHosts returns the names of the hosts of BuildMixedHost.
func MixedHosts() (names []string) {
	for _, h := range mixedHosts() {
		names = append(names, h.name)
	}
	return names
}

// BuildMixedHost makes the archive dir/name of a host of MixedHosts. The hosts differ in the types, units,
// semantics and instances of mem.used and net.bytes; all of them have mem.total.
func BuildMixedHost(dir, name string, number int) error {
	h := mixedHosts()[number]
	return build(dir, name, archive.WriterOptions{Host: h.name, Zone: "UTC", ZoneInfo: ":UTC"}, func(k *kit) {
		k.t0 = pcp.Timestamp{Sec: fleetStart + 86400 - 300} // until after midnight
		total := pcp.NewID(60, 1, 0)
		k.metric(total, pcp.Uint64, pcp.NullInDom, pcp.Discrete, kbyte, "mem.total")
		if h.used.ID != 0 {
			k.metric(h.used.ID, h.used.Type, h.used.InDom, h.used.Sem, h.used.Units, "mem.used")
		}
		k.metric(h.net.ID, h.net.Type, h.net.InDom, h.net.Sem, h.net.Units, "net.bytes")
		k.indom(0, diskInDom, pcp.Instance{ID: 0, Name: "eth0"}, pcp.Instance{ID: 3, Name: "wlan0 1"})
		for i := range 20 {
			cols := []pcp.Values{k.col(total, nil, 16<<20)}
			switch {
			case h.used.ID == 0 || h.used.Type == pcp.NoSupport:
			case h.used.Type == pcp.String:
				cols = append(cols, k.col(h.used.ID, nil, "much"))
			default:
				cols = append(cols, k.col(h.used.ID, nil, 4000+1000*number+37*i))
			}
			if n := 1000*i*number + 17*i; h.net.InDom == pcp.NullInDom {
				cols = append(cols, k.col(h.net.ID, nil, n))
			} else {
				cols = append(cols, k.col(h.net.ID, []int32{0, 3}, n, 3*n+1))
			}
			k.put(60*float64(i), cols...)
		}
	})
}
