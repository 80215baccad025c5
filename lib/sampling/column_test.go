package sampling

import (
	"slices"
	"testing"

	"pmtools/lib/pcp"
)

// TestColumn: a set is a column of numbers unless something is between them or in another order.
func TestColumn(t *testing.T) {
	values := func(typ pcp.Type, insts ...int32) *pcp.Values {
		v := &pcp.Values{Type: typ, Insts: insts, Words: make([]uint64, len(insts))}
		for i, inst := range insts {
			v.Words[i] = uint64(inst) * 10
		}
		return v
	}
	sorted := ColumnSet(values(pcp.Uint32, 2, 1), nil, nil)
	if err := sorted.SortByID(t.Context()); err != nil {
		t.Fatal(err)
	}
	odd := values(pcp.Uint32, 1, 2)
	odd.Odd = make([]pcp.Odd, 2)
	text := &pcp.Values{Type: pcp.String, Insts: []int32{1}, Blobs: [][]byte{{'x'}}}
	for name, tt := range map[string]struct {
		set  Set
		want []uint64 // nil for no column
		typ  pcp.Type
	}{
		"values":              {ColumnSet(values(pcp.Uint32, 1, 2), nil, nil), []uint64{10, 20}, pcp.Uint32},
		"rates":               {ColumnSet(values(pcp.Uint64, 1, 2), values(pcp.Double, 1, 2), nil), []uint64{10, 20}, pcp.Double},
		"rates of some":       {ColumnSet(values(pcp.Uint64, 1, 2), values(pcp.Double, 2), nil), nil, 0},
		"sorted":              {sorted, nil, 0},
		"of the wrong type":   {ColumnSet(odd, nil, nil), nil, 0},
		"texts":               {ColumnSet(text, nil, nil), nil, 0},
		"a list":              {SetOf(Value{ID: 1, Value: pcp.WordValue(pcp.Uint32, 10)}), nil, 0},
		"nothing of a metric": {Set{}, nil, 0},
	} {
		c, ok := tt.set.Column()
		if ok != (tt.want != nil) || ok && (!slices.Equal(c.Words, tt.want) || c.Type != tt.typ) {
			t.Errorf("%s: %+v, %v, want %v of type %v", name, c, ok, tt.want, tt.typ)
		}
	}
}
