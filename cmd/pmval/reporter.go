package main

import (
	"math"

	"pmtools/lib/pcp"
)

// A reporter prints what is sampled in one of the forms.
type reporter interface {
	// begin prints what stands above the values.
	begin(h *header) error
	// labels tells which columns there are from now on.
	labels(columns []column)
	// sample prints a sample. An error ends everything.
	sample(s *sample) error
	// gap prints that there is no sample, and why.
	gap(t pcp.Timestamp, why string)
	// end prints what stands below the values.
	end() error
}

// The reasons of gaps.
const (
	unavailable = "No values available"
	suspended   = "Archive logging suspended"
)

// A sample is one result, with the one before it if values are rates.
type sample struct {
	*session
	now, before *pcp.Result
}

// A cell is the value of one column in a sample.
type cell struct {
	kind cellKind
	real float64 // for isReal: a rate, or a number that is printed like one
	at   int     // for isValue: which of the column's values it is
}

// A cellKind says what is known of a cell.
type cellKind uint8

// The kinds.
const (
	isAbsent cellKind = iota // no value, or none before
	isValue
	isReal
	isWrapped // a counter that went down, or is negative
	isOdd     // a counter that is no number
)

// column returns the sample's values.
func (s *sample) column() *pcp.Values { return &s.now.Sets[0] }

// cell returns the value of a column.
func (s *sample) cell(c *column) cell {
	v := s.column()
	i := s.position(v, c, c.hint)
	if i < 0 {
		return cell{}
	}
	c.hint = i
	if s.rate {
		if s.before == nil {
			return cell{}
		}
		j := s.position(&s.before.Sets[0], c, i)
		if j < 0 {
			return cell{}
		}
		return s.rateOf(v, i, &s.before.Sets[0], j)
	}
	if v.Odd == nil || !v.Odd[i].Bad {
		switch v.Type {
		case pcp.Float, pcp.Double:
			c := cell{kind: isReal, real: number(v, i)}
			if s.desc.Sem == pcp.Counter && c.real < 0 {
				c.kind = isWrapped
			}
			return c
		}
	}
	return cell{kind: isValue, at: i}
}

// position returns the place of a column's instance, or -1; a metric without
// instances has its value in front. The place where it was the last time, or is
// in another sample, is looked at first.
func (s *session) position(v *pcp.Values, c *column, hint int) int {
	switch {
	case s.singular():
		return min(0, v.Len()-1)
	case hint < len(v.Insts) && v.Insts[hint] == c.inst:
		return hint
	}
	return v.Find(c.inst)
}

// rateOf returns the rate between two samples of a counter (commands.md T6.6).
func (s *sample) rateOf(now *pcp.Values, i int, before *pcp.Values, j int) cell {
	if !now.Type.Arithmetic() || now.Odd != nil && now.Odd[i].Bad || before.Odd != nil && before.Odd[j].Bad {
		return cell{kind: isOdd}
	}
	change := number(now, i) - number(before, j)
	if change < 0 && s.wraps {
		switch now.Type {
		case pcp.Int32, pcp.Uint32:
			change += 1 << 32
		case pcp.Int64, pcp.Uint64:
			change += 1 << 64
		}
	}
	if change < 0 {
		return cell{kind: isWrapped}
	}
	return cell{kind: isReal, real: change / (timeScale(s.desc.Units) * (seconds(s.now.Time) - seconds(s.before.Time)))}
}

// number returns value i of a column as a double.
func number(v *pcp.Values, i int) float64 {
	switch w := v.Words[i]; v.Type {
	case pcp.Float:
		return float64(math.Float32frombits(uint32(w)))
	case pcp.Double:
		return math.Float64frombits(w)
	case pcp.Int32, pcp.Int64:
		return float64(int64(w))
	default:
		return float64(w)
	}
}

// timeScale returns how many of a counter's units of time are in a second; 1 if it
// does not count time.
func timeScale(u pcp.Units) float64 {
	if u.DimTime == 0 {
		return 1
	}
	switch u.ScaleTime {
	case pcp.Nsec:
		return 1e9
	case pcp.Usec:
		return 1e6
	case pcp.Msec:
		return 1e3
	case pcp.Min:
		return 1.0 / 60
	case pcp.Hour:
		return 1.0 / 3600
	}
	return 1
}

// seconds returns the seconds of t, rounded to a double: the reference subtracts
// such numbers, and so has the time between two samples to some 100 nanoseconds.
func seconds(t pcp.Timestamp) float64 { return float64(t.Sec) + float64(t.Nsec)/1e9 }
