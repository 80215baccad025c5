package pmda

import (
	"math"
	"testing"

	"pmtools/lib/pcp"
)

// TestColumnTypes checks how numbers become values of each type.
func TestColumnTypes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		typ   pcp.Type
		value func(*Column) error
		want  string
	}{
		{"int of 32", pcp.Int32, One(func() int { return -7 }), "-7"},
		{"int that wraps", pcp.Int32, One(func() int64 { return 1<<31 + 1 }), "-2147483647"},
		{"int of u32", pcp.Uint32, One(func() int32 { return -1 }), "4294967295"},
		{"u32 that wraps", pcp.Uint32, One(func() uint64 { return 1<<32 + 5 }), "5"},
		{"int of 64", pcp.Int64, One(func() int64 { return math.MinInt64 }), "-9223372036854775808"},
		{"uint of u64", pcp.Uint64, One(func() uint64 { return math.MaxUint64 }), "18446744073709551615"},
		{"uint of double", pcp.Double, One(func() uint64 { return 1 << 63 }), "9.223372036854776e+18"},
		{"int of float", pcp.Float, One(func() int { return -3 }), "-3"},
		{"float of float", pcp.Float, One(func() float32 { return 1.5 }), "1.5"},
		{"double of 32", pcp.Int32, One(func() float64 { return -2.9 }), "-2"},
		{"double of u64", pcp.Uint64, One(func() float64 { return 1 << 63 }), "9223372036854775808"},
		{"u32 of double", pcp.Double, One(func() uint32 { return 9 }), "9"},
		{"string", pcp.String, One(func() string { return "" }), ""},
		{"aggregate", pcp.Aggregate, func(c *Column) error { c.Bytes(pcp.NullInst, []byte{0, 1}); return nil }, `"\x00\x01"`},
	} {
		a, err := New(Table{Domain: 30, Metrics: []Metric{{Type: tt.typ, Fetch: tt.value}}})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got, want := fetched(t, a, nil, 0), "30.0.0 -1="+tt.want+"\n"; got != want {
				t.Errorf("%s: %q, want %q", tt.name, got, want)
			}
		}
	}
}

// TestColumnSelects checks what a column says about itself.
func TestColumnSelects(t *testing.T) {
	d := &InDom{Serial: 1, Instances: []pcp.Instance{{ID: 0, Name: "a"}, {ID: 1, Name: "b"}}}
	var selected [2]bool
	var first []pcp.Instance
	a, err := New(Table{Domain: 30, Metrics: []Metric{
		{Item: 0, Type: pcp.String, InDom: d, Fetch: func(c *Column) error {
			selected = [2]bool{c.Selects(0), c.Selects(1)}
			first = c.Instances()
			c.Text(0, "no")
			c.Bytes(1, []byte("yes"))
			if c.Client() == nil || c.Metric().Item != 0 {
				t.Error("column of something else")
			}
			return nil
		}},
		{Item: 1, Type: pcp.Int32, Fetch: func(c *Column) error {
			if i := c.Instances(); len(i) != 1 || i[0].ID != pcp.NullInst {
				t.Errorf("instances of a singular metric: %v", i)
			}
			return nil
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var p pcp.Profile
	p.Add(pcp.NewInDom(30, 1))
	p.Del(pcp.NewInDom(30, 1), 0)
	if got, want := fetched(t, a, &p, 0, 1), "30.0.0 1=yes\n30.0.1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if selected != [2]bool{false, true} || len(first) != 1 || first[0].Name != "b" {
		t.Errorf("selected %v, instances %v", selected, first)
	}
}
