package main

import "pmtools/lib/pcp"

type converter struct {
	desc  pcp.Desc
	rate  bool // counters become rates
	wraps bool // a counter that goes down has wrapped around
	out   sample

	now, before placement
}

// convert returns the cells of the columns in a result; for rates, since the one before. The sample
// holds until the next call.
func (c *converter) convert(columns []column, now, before *pcp.Result) *sample {
	s := &c.out
	s.time, s.columns, s.values, s.cells = now.Time, columns, &now.Sets[0], s.cells[:0]
	singular := c.desc.InDom == pcp.NullInDom
	c.now.find(columns, s.values, singular)
	if c.rate && before != nil {
		c.before.find(columns, &before.Sets[0], singular)
	}
	for k := range columns {
		s.cells = append(s.cells, c.cell(k, now, before))
	}
	return s
}

func (c *converter) cell(k int, now, before *pcp.Result) cell {
	v, i := &now.Sets[0], c.now.places[k]
	if i < 0 {
		return cell{}
	}
	if c.rate {
		if before == nil || c.before.places[k] < 0 {
			return cell{}
		}
		return c.rateOf(now, i, before, c.before.places[k])
	}
	if real := v.Type == pcp.Float || v.Type == pcp.Double; real && !odd(v, i) {
		f := number(v, i)
		if c.desc.Sem == pcp.Counter && f < 0 {
			return cell{kind: isWrapped}
		}
		return cell{kind: isReal, real: f, at: i}
	}
	return cell{kind: isValue, at: i}
}

// A placement says where in a result the values of the columns are. It is found in one pass: on a
// host where processes come and go most columns have no value.
type placement struct {
	places  []int // of each column's first value, or -1
	columns []int // the column that each value had last, which it often has again
}

func (p *placement) find(columns []column, v *pcp.Values, singular bool) {
	p.places = p.places[:0]
	for range columns {
		p.places = append(p.places, -1)
	}
	for i, inst := range v.Insts {
		if i == len(p.columns) {
			p.columns = append(p.columns, len(columns)) // none yet
		}
		k := p.columns[i] // most samples have the instances of the one before, in the same order
		if singular {
			k = 0
		} else if k >= len(columns) || columns[k].inst != inst {
			var ok bool
			if k, ok = findColumn(columns, inst); !ok {
				continue
			}
			p.columns[i] = k
		}
		for ; k < len(columns) && (singular || columns[k].inst == inst) && p.places[k] < 0; k++ {
			p.places[k] = i
		}
	}
}

// rateOf returns the rate between two values of a counter (commands.md T6.6).
func (c *converter) rateOf(now *pcp.Result, i int, before *pcp.Result, j int) cell {
	v, u := &now.Sets[0], &before.Sets[0]
	if !v.Type.Arithmetic() || odd(v, i) || odd(u, j) {
		return cell{kind: isOdd}
	}
	change := number(v, i) - number(u, j)
	if change < 0 && c.wraps {
		switch v.Type {
		case pcp.Int32, pcp.Uint32:
			change += 1 << 32
		case pcp.Int64, pcp.Uint64:
			change += 1 << 64
		}
	}
	if change < 0 {
		return cell{kind: isWrapped}
	}
	return cell{kind: isReal, real: change / (timeScale(c.desc.Units) * (seconds(now.Time) - seconds(before.Time)))}
}

func odd(v *pcp.Values, i int) bool { return v.Odd != nil && v.Odd[i].Bad }

func number(v *pcp.Values, i int) float64 {
	f, _ := v.Value(i).Float64() // all numbers convert to doubles
	return f
}

// timeScale returns how many of a counter's units of time are in a second; 1 if it does not count
// time.
func timeScale(u pcp.Units) float64 {
	scales := [...]float64{pcp.Nsec: 1e9, pcp.Usec: 1e6, pcp.Msec: 1e3, pcp.Sec: 1, pcp.Min: 1.0 / 60, pcp.Hour: 1.0 / 3600}
	if s := int(u.ScaleTime); u.DimTime != 0 && s >= 0 && s < len(scales) {
		return scales[s]
	}
	return 1
}

// seconds returns the seconds of t, rounded to a double. The reference subtracts such numbers, so
// the time between two samples is precise to about 100 nanoseconds.
func seconds(t pcp.Timestamp) float64 { return float64(t.Sec) + float64(t.Nsec)/1e9 }

func rateUnits(u pcp.Units) pcp.Units {
	if u.DimTime == 0 {
		u.ScaleTime = pcp.Sec
	}
	u.DimTime--
	return u
}
