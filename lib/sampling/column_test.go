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
	if err := sorted.sortByID(t.Context()); err != nil {
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

// TestColumnNames: a column has the names that its source has, also when it was copied.
func TestColumnNames(t *testing.T) {
	names := map[int32]string{3: "c", 1: "a"}
	numbers := &pcp.Values{Type: pcp.Uint32, Insts: []int32{3, 1}, Words: []uint64{30, 10}}
	for name, of := range map[string]func(int32) string{"named": func(inst int32) string { return names[inst] }, "unnamed": nil} {
		smp := &Sample{Sets: []Set{ColumnSet(numbers, nil, of), ColumnSet(numbers, numbers, of)}}
		own, err := new(Copier).Copy(t.Context(), smp)
		if err != nil {
			t.Fatal(err)
		}
		numbers.Words[0] = 31 // as the next sample does
		for i := range own.Sets {
			c, ok := own.Sets[i].Column()
			if !ok || c.Words[0] != 30 || c.named() != (of != nil) {
				t.Errorf("%s: set %d is %+v, %v", name, i, c, ok)
			}
			for k, inst := range numbers.Insts {
				want := ""
				if of != nil {
					want = names[inst]
				}
				if c.Name(k) != want {
					t.Errorf("%s: set %d, value %d: %q, want %q", name, i, k, c.Name(k), want)
				}
				if v := own.Sets[i].At(k); v.Instance != want {
					t.Errorf("%s: set %d, value %d: %+v, want %q", name, i, k, v, want)
				}
			}
		}
		numbers.Words[0] = 30
	}
}
