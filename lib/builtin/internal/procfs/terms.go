package procfs

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// A terms computes a value from cells of a row: their sum, multiplied and divided.
//
//	table:key+key-key*2/3
//
// A "?" after a key makes an empty cell count as zero, or as the number after it; without it an
// empty cell means that there is no value. A "!" at the end makes negative results zero, a "~"
// makes the value wrap in 32 bits, a "^" each cell. "sum:" before the terms makes the value
// the sum over all rows. "need:" before all makes it an error to have no value: this version of the
// kernel does not have the metric. Calculations have 64-bit unsigned numbers, unless a cell is not an
// integer. Beside numbers there are "hz", the ticks in a second, "hertz", by which
// the division is in floating point, and "page" and "pagesize", the size of a page in KiB and in bytes. Products wrap in 64 bits.
type terms struct {
	table     *Table
	terms     []term
	text      string
	mul       uint64
	div       uint64
	floor     bool
	wraps     bool
	wrapsEach bool
	real      bool // divided in floating point
	need      bool
}

type term struct {
	slot     int
	minus    bool
	optional bool
	other    uint64 // the value of an empty cell, if optional
}

func (c *Catalog) parse(text string) (*terms, string, error) {
	name, keys, ok := strings.Cut(text, ":")
	if c.Tables[name] == nil || !ok {
		return nil, "", fmt.Errorf("unknown table %q", name)
	}
	t := &terms{table: c.Tables[name], text: keys, mul: 1, div: 1}
	keys, t.floor = strings.CutSuffix(keys, "!")
	keys, t.wraps = strings.CutSuffix(keys, "~")
	keys, t.wrapsEach = strings.CutSuffix(keys, "^")
	var err error
	if before, n, ok := strings.Cut(keys, "/"); ok {
		keys, t.real = before, n == "hertz"
		t.div, err = c.constant(n)
	}
	if before, n, ok := strings.Cut(keys, "*"); ok && err == nil {
		keys = before
		t.mul, err = c.constant(n)
	}
	if err != nil || t.div == 0 {
		return nil, "", fmt.Errorf("bad number in %q", text)
	}
	for keys != "" {
		var term term
		if term.minus = keys[0] == '-'; term.minus || keys[0] == '+' {
			keys = keys[1:]
		}
		end := strings.IndexAny(keys, "+-")
		if end < 0 {
			end = len(keys)
		}
		key, other, optional := strings.Cut(keys[:end], "?")
		if key == "" {
			return nil, "", fmt.Errorf("empty key in %q", text)
		}
		term.slot, term.optional = t.table.Slot(key), optional
		term.other, _ = Uint([]byte(other))
		t.terms = append(t.terms, term)
		keys = keys[end:]
	}
	return t, name, nil
}

func (c *Catalog) constant(text string) (uint64, error) {
	switch text {
	case "hz", "hertz":
		return c.Hertz, nil
	case "pagesize":
		return c.PageSize, nil
	case "page":
		return c.PageSize >> 10, nil
	}
	return strconv.ParseUint(text, 10, 32)
}

func (t *terms) help(m *pmda.Metric, file, how string) {
	where := how + strings.ReplaceAll(strings.TrimRight(t.text, "!~^"), "?", "") + " in " + file
	if m.OneLine == "" {
		m.OneLine, m.Help = where, "Value: "+where
		return
	}
	m.Help = m.OneLine + "\nValue: " + where
}

func (t *terms) value(r *Row) (v Cell, ok bool) {
	if len(t.terms) == 1 {
		v = r.Cells[t.terms[0].slot]
	} else if v.Kind, v.Num, ok = Number, t.total(r), t.complete(r); !ok {
		return v, false
	}
	switch v.Kind {
	case None:
		v.Num, v.Text = t.terms[0].other, nil
		return v, t.terms[0].optional
	case Number:
		if v.Num = v.Num * t.mul / t.div; t.real {
			v.Num = t.quotient(r)
		}
		if t.floor && int64(v.Num) < 0 {
			v.Num = 0
		}
		if t.wraps {
			v.Num = uint64(uint32(v.Num))
		}
	case Float:
		v.Num = math.Float64bits(v.Real() * float64(t.mul) / float64(t.div))
	}
	return v, true
}

// quotient returns the value of a calculation in floating point, 0 where that is not a number of 64
// bits.
func (t *terms) quotient(r *Row) uint64 {
	x := float64(t.total(r)) * float64(t.mul) / float64(t.div)
	if x >= 1<<64 {
		return 0
	}
	return uint64(x)
}

func (t *terms) total(r *Row) uint64 {
	var sum uint64
	for _, term := range t.terms {
		n := term.other
		if c := &r.Cells[term.slot]; c.Kind == Number {
			n = c.Num
		}
		if t.wrapsEach {
			n = uint64(uint32(n))
		}
		if term.minus {
			n = -n
		}
		sum += n
	}
	return sum
}

func (t *terms) complete(r *Row) bool {
	for _, term := range t.terms {
		if !term.optional && r.Cells[term.slot].Kind != Number {
			return false
		}
	}
	return true
}

func (t *terms) fetch(col *pmda.Column) error {
	any := false
	for i := range t.table.Rows {
		r := &t.table.Rows[i]
		if !col.Selects(r.Inst) {
			continue
		}
		v, ok := t.value(r)
		if any = any || ok; !ok {
			continue
		}
		switch {
		case v.Kind == Text || v.Kind == None && col.Metric().Type == pcp.String:
			col.Bytes(r.Inst, v.Text)
		case v.Kind == Float:
			col.Float(r.Inst, v.Real())
		default:
			col.Uint(r.Inst, v.Num)
		}
	}
	if !any && t.table.Refused != nil {
		return Error(t.table.Refused)
	}
	return t.missing(any || t.table.Tried == 0)
}

// missing returns the error of a metric that needs a value, unless there is any.
func (t *terms) missing(any bool) error {
	if t.need && !any {
		return pmerr.AppVersion
	}
	return nil
}

func (t *terms) sum(col *pmda.Column) error {
	var sum uint64
	any := false
	for i := range t.table.Rows {
		if v, ok := t.value(&t.table.Rows[i]); ok {
			sum, any = sum+v.Num, true
		}
	}
	if err := t.missing(any); err != nil {
		return err
	}
	col.Uint(pcp.NullInst, sum)
	return nil
}
