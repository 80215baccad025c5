package mmv

import (
	"errors"
	"path/filepath"

	"pmtools/lib/mmv"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// rows returns the table for the current files: the root, then the metrics in the order of the
// reference's tree. If an earlier file has a metric of the same identifier, the name becomes
// another name of that metric.
func (m *collector) rows() []pmda.Metric {
	rows := m.controls()
	taken := map[string]bool{}
	indoms, seen := map[uint32]*pmda.InDom{}, map[member]bool{}
	for _, r := range rows {
		taken[r.Name] = true
	}
	m.metrics = 0
	for _, f := range m.files {
		f.addInDoms(indoms, seen)
		items := map[int32]bool{}
		for i := range f.Metrics {
			fm := &f.Metrics[i]
			name := m.opts.Name + "." + filepath.Base(f.path) + "." + fm.Name
			if f.Flags&mmv.NoPrefix != 0 {
				name = m.opts.Name + "." + fm.Name
			}
			if !mmv.ValidName(fm.Name) || taken[name] || items[fm.Item] || fm.Item < 0 || fm.Item > 1023 {
				m.opts.Logf("%s: metric %q cannot be used", f.path, fm.Name)
				continue
			}
			taken[name], items[fm.Item] = true, true
			rows = append(rows, f.row(i, name, indoms))
			m.metrics++
		}
	}
	rows = inTreeOrder(rows)
	m.byName = make(map[string]pcp.ID, len(rows))
	for _, r := range rows {
		m.byName[r.Name] = pcp.NewID(m.opts.Domain, r.Cluster, r.Item)
	}
	return append([]pmda.Metric{{Name: m.opts.Name, Dynamic: true}}, rows...)
}

func (m *collector) controls() []pmda.Metric {
	row := func(item uint32, name string, t pcp.Type, oneLine string, fetch func(*pmda.Column) error) pmda.Metric {
		return pmda.Metric{Name: m.opts.Name + ".control." + name, Item: item, Type: t, Sem: pcp.Instant, OneLine: oneLine, Fetch: fetch}
	}
	reload := row(0, "reload", pcp.Int32, "Whether files will be read again", pmda.One(func() int {
		if m.reload || len(m.changing) > 0 {
			return 1
		}
		return 0
	}))
	reload.Help = "Storing a number other than 0 makes the collector read all files again."
	reload.Store = func(_ *pmda.Client, v *pcp.Values) error {
		if v.Len() != 1 || len(v.Words) != 1 {
			return pmerr.BadStore
		}
		m.reload = m.reload || uint32(v.Words[0]) != 0
		return nil
	}
	return []pmda.Metric{
		reload,
		row(1, "debug", pcp.String, "Debug options, of which there are none", pmda.Always("")),
		row(2, "files", pcp.Int32, "How many files are read", pmda.One(func() int { return len(m.files) })),
		row(3, "metrics", pcp.Int32, "How many metrics files have", pmda.One(func() int { return m.metrics })),
	}
}

type member struct {
	serial uint32
	inst   int32
}

// addInDoms adds the instance domains of a file to indoms, by their serial numbers: the
// instances of the result are seen. Files with the same cluster have their domains in common.
func (f *file) addInDoms(indoms map[uint32]*pmda.InDom, seen map[member]bool) {
	for _, d := range f.InDoms {
		serial := f.serial(d.Serial)
		in := indoms[serial]
		if in == nil {
			in = &pmda.InDom{Serial: serial, OneLine: d.OneLine, Help: d.Help, InstLabels: pmda.NoLabels}
			indoms[serial] = in
		}
		for _, i := range d.Instances {
			if who := (member{serial, i.ID}); !seen[who] {
				seen[who] = true
				in.Instances = append(in.Instances, i)
			}
		}
	}
}

func (f *file) serial(own uint32) uint32 { return f.cluster<<11 | own&(1<<11-1) }

func (f *file) row(number int, name string, indoms map[uint32]*pmda.InDom) pmda.Metric {
	fm := &f.Metrics[number]
	row := pmda.Metric{
		Name: name, Cluster: f.cluster, Item: uint32(fm.Item), Type: fm.Type, Sem: fm.Sem, Units: fm.Units,
		OneLine: fm.OneLine, Help: fm.Help, Needs: f.reading,
	}
	if row.Sem == 0 {
		row.Sem = pcp.Counter
	}
	if fm.Type == mmv.Elapsed {
		row.Type, row.Sem, row.Units = pcp.Int64, pcp.Counter, pcp.Units{DimTime: 1, ScaleTime: pcp.Usec}
	}
	if fm.Serial != 0 {
		row.InDom = indoms[f.serial(fm.Serial)]
	}
	values := distinct(f.values[number], row.InDom != nil)
	row.Fetch = func(c *pmda.Column) error { return f.fetch(c, values) }
	return row
}

// distinct returns the values that fit a metric, the first for each instance.
func distinct(values []*mmv.Value, instances bool) []*mmv.Value {
	var list []*mmv.Value
	seen := map[int32]bool{}
	for _, v := range values {
		if !seen[v.Inst] && instances == (v.Inst != pcp.NullInst) {
			seen[v.Inst] = true
			list = append(list, v)
		}
	}
	return list
}

func (f *file) fetch(c *pmda.Column, values []*mmv.Value) error {
	out := c.Values()
	for i := 0; i < len(values); i++ {
		err := f.Read(func() error {
			for ; i < len(values); i++ {
				if err := f.put(c, out, values[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			c.Fail(pmerr.Value) // and on with the next
		}
	}
	return nil
}

func (f *file) put(c *pmda.Column, out *pcp.Values, v *mmv.Value) error {
	if !c.Selects(v.Inst) {
		return nil
	}
	value, err := f.Value(f.content, v, f.at)
	switch {
	case err != nil:
		return err
	case !value.IsSet():
	case value.Type() == pcp.String:
		c.Text(v.Inst, string(value.Bytes()))
	default:
		out.Insts, out.Words = append(out.Insts, v.Inst), append(out.Words, value.Word())
	}
	return nil
}

// inTreeOrder returns the rows in the order of the reference's tree, in which a node comes before
// older ones. A name that is above or below an earlier one is left out.
func inTreeOrder(rows []pmda.Metric) []pmda.Metric {
	tree, byName := pmns.Tree{LatestFirst: true}, map[string]*pmda.Metric{}
	for i := range rows {
		name := rows[i].Name
		below := false
		for end, c := range name {
			below = below || c == '.' && byName[name[:end]] != nil
		}
		if _, err := tree.Lookup(name); !below && errors.Is(err, pmerr.Name) {
			tree.Add(name, pcp.NewID(0, rows[i].Cluster, rows[i].Item))
			byName[name] = &rows[i]
		}
	}
	var list []pmda.Metric
	_ = tree.Walk("", func(name string, _ pcp.ID) bool { // the root always exists
		list = append(list, *byName[name])
		return true
	})
	return list
}
