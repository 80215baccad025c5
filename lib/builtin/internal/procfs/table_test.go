package procfs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// checkTable fails if the rows of a table are not in order, or cells are missing.
func checkTable(t *testing.T, table *procfs.Table) {
	t.Helper()
	for i := range table.Rows {
		if i > 0 && table.Rows[i].Inst <= table.Rows[i-1].Inst {
			t.Errorf("instance %d after %d", table.Rows[i].Inst, table.Rows[i-1].Inst)
		}
		if len(table.Rows[i].Cells) != len(table.Slots) {
			t.Errorf("instance %d has %d cells of %d", table.Rows[i].Inst, len(table.Rows[i].Cells), len(table.Slots))
		}
	}
}

func TestTable(t *testing.T) {
	table := procfstest.NewTable("a", "b", "2")
	if table.Slot("a") != 0 || table.Slot("b") != 1 {
		t.Error("the cells of keys are not those of the first time")
	}
	r := table.Row(5)
	table.Cell(r, []byte("a")).SetUint(1)
	table.Cell(r, []byte("b")).SetText([]byte("x"))
	table.Cell(r, []byte("c")).SetUint(2) // no metric needs it
	r = table.Row(3)
	table.SetFields(r, 1, []byte("10 20 30"))
	table.Cell(r, []byte("a")).SetReal(1.5)
	r = table.Row(5)
	table.Cell(r, []byte("a")).SetUint(9)
	table.Sort()
	checkTable(t, table)
	if got, want := procfstest.Dump(table), `3 2=20 a=1.5; 5 a=1 b="x"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if table.Find(3) == nil || table.Find(4) != nil || table.Find(5).Inst != 5 {
		t.Error("find is wrong")
	}
	table.Reset()
	if got := procfstest.Dump(table); got != "" {
		t.Errorf("after reset: %s", got)
	}
	if got := procfstest.Dump(&procfs.Table{Slots: table.Slots, Rows: []procfs.Row{*table.Row(1)}}); got != "1" {
		t.Errorf("a new row is not empty: %s", got)
	}
}

func TestTableAt(t *testing.T) {
	table := procfstest.NewTable("n")
	for round := range 2 {
		table.Reset()
		for i, inst := range []int32{4, 2, 4, 9, 2} {
			r := table.At(inst)
			c := table.Cell(r, []byte("n"))
			if c.Kind == procfs.None {
				c.SetUint(0)
			}
			c.SetUint(c.Num + uint64(i) + 1)
		}
		table.Sort()
		if got, want := procfstest.Dump(table), "2 n=7; 4 n=4; 9 n=4"; got != want {
			t.Errorf("round %d: got %s, want %s", round, got, want)
		}
	}
}

func TestTableNamed(t *testing.T) {
	table, ids := procfstest.NewTable(), &procfs.IDs{}
	for _, c := range []struct{ names, want string }{
		{"a b c", "0 a; 1 b; 2 c"},
		{"c a", "0 a; 2 c"},
		{"d b d", "1 b; 3 d"},
		{"", ""},
		{"a", "0 a"},
	} {
		table.Reset()
		for _, n := range strings.Fields(c.names) {
			table.Named(ids, []byte(n))
		}
		table.Sort()
		checkTable(t, table)
		if got := procfstest.Dump(table); got != c.want {
			t.Errorf("%s: got %s, want %s", c.names, got, c.want)
		}
	}
}

func TestTableKeep(t *testing.T) {
	table := procfstest.NewTable("n")
	for i := range int32(6) {
		r := table.Row(i)
		table.Cell(r, []byte("n")).SetUint(uint64(i))
	}
	table.Keep(func(r *procfs.Row) bool { return r.Inst%2 == 1 })
	if got, want := procfstest.Dump(table), "1 n=1; 3 n=3; 5 n=5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for range 3 {
		table.Row(7)
	}
	if len(table.Rows) != 6 || table.Rows[3].Cells == nil {
		t.Error("rows that were removed are not used again")
	}
}

func TestCellNil(t *testing.T) {
	var c *procfs.Cell
	c.SetUint(1)
	c.SetWord([]byte("1"))
	c.SetReal(1)
	c.SetText(nil)
	c.SetString("")
	table := procfstest.NewTable()
	r := table.Row(0)
	table.SetFields(r, 1, []byte(strings.Repeat("1 ", 200)))
	if table.Field(r, 1000) != nil {
		t.Error("a field that nobody wants has a cell")
	}
}

func TestKeyed(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "0"},
		{"colons", "MemTotal:   12 kB\nMemFree: 3 kB\nOther: 4\n", "0 MemFree=3 MemTotal=12"},
		{"blanks", "MemTotal 7\n", "0 MemTotal=7"},
		{"twice", "MemTotal 7\nMemTotal 8", "0 MemTotal=8"},
		{"no number", "MemTotal: kB\nMemFree:\n", "0"},
		{"no key", " : 12\n\n:\n", "0"},
		{"parentheses", "Active(anon): 5 kB", "0 Active(anon)=5"},
		{"binary", "\x00\x01MemTotal\xff 3\nMemFree\t9", "0 MemFree=9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := procfstest.NewTable("MemTotal", "MemFree", "Active(anon)")
			procfs.Keyed(table, table.Row(0), []byte(c.text))
			if got := procfstest.Dump(table); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// FuzzKeyed: rows of any text have as many cells as columns.
func FuzzKeyed(f *testing.F) {
	f.Add([]byte("MemTotal: 12 kB\nMemFree: 3\n"))
	f.Add([]byte("a\n:\n\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		table := procfstest.NewTable("MemTotal", "MemFree")
		procfs.Keyed(table, table.Row(0), text)
		checkTable(t, table)
	})
}

func TestInDom(t *testing.T) {
	table, ids := procfstest.NewTable(), &procfs.IDs{}
	table.Named(ids, []byte("x"))
	table.Named(ids, []byte("y"))
	c := procfs.NewCatalog("T", 9, &procfs.Options{})
	c.Tables["things"] = table
	metrics, err := c.Metrics("indom 7 things Things\na.b 1.2 U32 7 instant none things:n")
	if err != nil {
		t.Fatal(err)
	}
	d := metrics[0].InDom
	list, err := d.List()
	if want := []pcp.Instance{{ID: 0, Name: "x"}, {ID: 1, Name: "y"}}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%v, %v", list, err)
	}
	if d.Serial != 7 || d.Needs != table.Reading || d.OneLine != "Things" {
		t.Errorf("%+v", d)
	}
}

func TestTableLoad(t *testing.T) {
	bad := errors.New("bad")
	loads := 0
	table := procfs.NewTable(func(t *procfs.Table, _ *pmda.Request) error {
		loads++
		t.Row(int32(loads))
		return bad
	})
	table.Row(99)
	if err := table.Reading.Read(context.Background(), &pmda.Request{}); !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
	if got := procfstest.Dump(table); got != "1" {
		t.Errorf("old rows are still there: %s", got)
	}
	if b := table.Beside(); b.Reading != table.Reading || len(b.Slots) != 0 {
		t.Error("a table beside another is not read with it")
	}
	if needs := procfs.NewTable(nil, table).Reading.Needs; len(needs) != 1 || needs[0] != table.Reading {
		t.Error("what is needed is not read first")
	}
}

func TestTableAllocs(t *testing.T) {
	table, ids := procfstest.NewTable("1", "2", "k"), &procfs.IDs{}
	name, line, text := []byte("sda"), []byte("1 2 3 4"), []byte("text")
	n := testing.AllocsPerRun(100, func() {
		table.Reset()
		r := table.Named(ids, name)
		table.SetFields(r, 1, line)
		table.Cell(r, []byte("k")).SetText(text)
		table.Sort()
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}
