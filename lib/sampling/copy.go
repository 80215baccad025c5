package sampling

import (
	"context"
	"slices"

	"pmtools/lib/pcp"
)

// A Copier copies the samples of a run into memory of their own. Columns of numbers stay columns, and the names of
// instances are shared by samples that have the same instances.
type Copier struct {
	Size int // bytes of the copies so far, about; the caller may set it to 0

	known  []*roster // of the sets of the sample before
	words  []uint64  // room for other columns
	values []pcp.Values
}

// A roster is the instances of a column.
type roster struct {
	ids   []int32
	names []string // nil if they have none
}

// Copy copies a sample.
func (c *Copier) Copy(ctx context.Context, s *Sample) (*Sample, error) {
	if c.known == nil {
		c.known = make([]*roster, len(s.Sets))
	}
	own := *s
	own.Sets = make([]Set, len(s.Sets))
	for i := range s.Sets {
		set := &s.Sets[i]
		if column, ok := set.Column(); ok && set.Err == nil {
			own.Sets[i] = c.column(i, &column)
			continue
		}
		var err error
		if own.Sets[i], err = set.Own(ctx); err != nil {
			return nil, err
		}
		c.Size += setSize
		for k := range own.Sets[i].list {
			v := &own.Sets[i].list[k]
			c.Size += valueSize
			if v.Value.IsSet() && !v.Value.Type().Arithmetic() {
				c.Size += len(v.Value.Bytes())
			}
		}
	}
	return &own, ctx.Err() // after its end instances may have got no names
}

// Sizes in bytes, about.
const (
	setSize   = 300
	valueSize = 120
)

func (c *Copier) column(i int, column *Column) Set {
	if c.known[i] == nil || !c.known[i].is(column) {
		c.known[i] = rosterOf(column)
	}
	n := len(column.Words)
	c.Size += setSize + 8*n
	if cap(c.words)-len(c.words) < n {
		c.words = make([]uint64, 0, max(n, min(2*cap(c.words), 1<<14)))
	}
	at := len(c.words)
	c.words = append(c.words, column.Words...)
	if len(c.values) == cap(c.values) {
		c.values = make([]pcp.Values, 0, min(2*cap(c.values)+1, 1<<8))
	}
	c.values = append(c.values, pcp.Values{Type: column.Type, Insts: c.known[i].ids, Words: c.words[at:len(c.words):len(c.words)]})
	return Set{values: &c.values[len(c.values)-1], names: c.known[i].names}
}

// is reports whether a column has the instances of a roster.
func (r *roster) is(column *Column) bool {
	if !slices.Equal(r.ids, column.Insts) || (r.names != nil) != column.named() {
		return false
	}
	for i := range r.names {
		if column.Name(i) != r.names[i] {
			return false
		}
	}
	return true
}

func rosterOf(column *Column) *roster {
	r := &roster{ids: slices.Clone(column.Insts)}
	if column.named() {
		r.names = make([]string, len(r.ids))
		for i := range r.names {
			r.names[i] = column.Name(i)
		}
	}
	return r
}
