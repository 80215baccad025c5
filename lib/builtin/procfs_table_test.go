package builtin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// procfsTestTable returns a table that wants some keys.
func procfsTestTable(keys ...string) *procfsTable {
	t := newProcfsTable(func(*procfsTable, *pmda.Request) error { return nil })
	for _, k := range keys {
		t.slot(k)
	}
	return t
}

// procfsDump writes the rows of a table: "7 name a=1 b="x"", cells without a value left
// out, rows separated by "; ".
func procfsDump(t *procfsTable) string {
	var rows []string
	for i := range t.rows {
		r := &t.rows[i]
		row := fmt.Sprint(r.inst)
		if r.name != "" {
			row += " " + r.name
		}
		for _, key := range slices.Sorted(maps.Keys(t.slots)) {
			c := &r.cells[t.slots[key]]
			switch c.kind {
			case procfsNumber:
				row += fmt.Sprintf(" %s=%d", key, c.num)
			case procfsFloat:
				row += fmt.Sprintf(" %s=%v", key, c.real())
			case procfsText:
				row += fmt.Sprintf(" %s=%q", key, c.text)
			}
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "; ")
}

// procfsCheck fails if the rows of a table are not in order, or cells are missing.
func procfsCheck(t *testing.T, table *procfsTable) {
	t.Helper()
	for i := range table.rows {
		if i > 0 && table.rows[i].inst <= table.rows[i-1].inst {
			t.Errorf("instance %d after %d", table.rows[i].inst, table.rows[i-1].inst)
		}
		if len(table.rows[i].cells) != len(table.slots) {
			t.Errorf("instance %d has %d cells of %d", table.rows[i].inst, len(table.rows[i].cells), len(table.slots))
		}
	}
}

func TestProcfsTable(t *testing.T) {
	table := procfsTestTable("a", "b", "2")
	if table.slot("a") != 0 || table.slot("b") != 1 {
		t.Error("the cells of keys are not those of the first time")
	}
	r := table.row(5)
	table.cell(r, []byte("a")).setUint(1)
	table.cell(r, []byte("b")).setText([]byte("x"))
	table.cell(r, []byte("c")).setUint(2) // nobody wants it
	r = table.row(3)
	table.setFields(r, 1, []byte("10 20 30"))
	table.cell(r, []byte("a")).setReal(1.5)
	r = table.row(5)
	table.cell(r, []byte("a")).setUint(9)
	table.sort()
	procfsCheck(t, table)
	if got, want := procfsDump(table), `3 2=20 a=1.5; 5 a=1 b="x"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if table.find(3) == nil || table.find(4) != nil || table.find(5).inst != 5 {
		t.Error("find is wrong")
	}
	table.reset()
	if got := procfsDump(table); got != "" {
		t.Errorf("after reset: %s", got)
	}
	if got := procfsDump(&procfsTable{slots: table.slots, rows: []procfsRow{*table.row(1)}}); got != "1" {
		t.Errorf("a new row is not empty: %s", got)
	}
}

func TestProcfsTableAt(t *testing.T) {
	table := procfsTestTable("n")
	for round := range 2 {
		table.reset()
		for i, inst := range []int32{4, 2, 4, 9, 2} {
			r := table.at(inst)
			c := table.cell(r, []byte("n"))
			if c.kind == procfsNone {
				c.setUint(0)
			}
			c.setUint(c.num + uint64(i) + 1)
		}
		table.sort()
		if got, want := procfsDump(table), "2 n=7; 4 n=4; 9 n=4"; got != want {
			t.Errorf("round %d: got %s, want %s", round, got, want)
		}
	}
}

func TestProcfsTableNamed(t *testing.T) {
	table, ids := procfsTestTable(), &procfsIDs{}
	for _, c := range []struct{ names, want string }{
		{"a b c", "0 a; 1 b; 2 c"},
		{"c a", "0 a; 2 c"},
		{"d b d", "1 b; 3 d"},
		{"", ""},
		{"a", "0 a"},
	} {
		table.reset()
		for _, n := range strings.Fields(c.names) {
			table.named(ids, []byte(n))
		}
		table.sort()
		procfsCheck(t, table)
		if got := procfsDump(table); got != c.want {
			t.Errorf("%s: got %s, want %s", c.names, got, c.want)
		}
	}
}

func TestProcfsTableKeep(t *testing.T) {
	table := procfsTestTable("n")
	for i := range int32(6) {
		r := table.row(i)
		table.cell(r, []byte("n")).setUint(uint64(i))
	}
	table.keep(func(r *procfsRow) bool { return r.inst%2 == 1 })
	if got, want := procfsDump(table), "1 n=1; 3 n=3; 5 n=5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for range 3 {
		table.row(7)
	}
	if len(table.rows) != 6 || table.rows[3].cells == nil {
		t.Error("rows that were removed are not used again")
	}
}

func TestProcfsCellNil(t *testing.T) {
	var c *procfsCell
	c.setUint(1)
	c.setWord([]byte("1"))
	c.setReal(1)
	c.setText(nil)
	c.setString("")
	table := procfsTestTable()
	r := table.row(0)
	table.setFields(r, 1, []byte(strings.Repeat("1 ", 200)))
	if table.field(r, 1000) != nil {
		t.Error("a field that nobody wants has a cell")
	}
}

func TestProcfsKeyed(t *testing.T) {
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
			table := procfsTestTable("MemTotal", "MemFree", "Active(anon)")
			procfsKeyed(table, table.row(0), []byte(c.text))
			if got := procfsDump(table); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func FuzzProcfsKeyed(f *testing.F) {
	f.Add([]byte("MemTotal: 12 kB\nMemFree: 3\n"))
	f.Add([]byte("a\n:\n\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		table := procfsTestTable("MemTotal", "MemFree")
		procfsKeyed(table, table.row(0), text)
		procfsCheck(t, table)
	})
}

func TestProcfsInDom(t *testing.T) {
	table, ids := procfsTestTable(), &procfsIDs{}
	table.named(ids, []byte("x"))
	table.named(ids, []byte("y"))
	d := procfsInDom(7, table, "Things")
	list, err := d.List()
	if want := []pcp.Instance{{ID: 0, Name: "x"}, {ID: 1, Name: "y"}}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%v, %v", list, err)
	}
	if d.Serial != 7 || d.Needs != table.reading || d.OneLine != "Things" {
		t.Errorf("%+v", d)
	}
}

func TestProcfsTableLoad(t *testing.T) {
	bad := errors.New("bad")
	loads := 0
	table := newProcfsTable(func(t *procfsTable, _ *pmda.Request) error {
		loads++
		t.row(int32(loads))
		return bad
	})
	table.row(99)
	if err := table.reading.Read(context.Background(), &pmda.Request{}); !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
	if got := procfsDump(table); got != "1" {
		t.Errorf("old rows are still there: %s", got)
	}
	if b := table.beside(); b.reading != table.reading || len(b.slots) != 0 {
		t.Error("a table beside another is not read with it")
	}
	if needs := newProcfsTable(nil, table).reading.Needs; len(needs) != 1 || needs[0] != table.reading {
		t.Error("what is needed is not read first")
	}
}

func TestProcfsTableAllocs(t *testing.T) {
	table, ids := procfsTestTable("1", "2", "k"), &procfsIDs{}
	name, line, text := []byte("sda"), []byte("1 2 3 4"), []byte("text")
	n := testing.AllocsPerRun(100, func() {
		table.reset()
		r := table.named(ids, name)
		table.setFields(r, 1, line)
		table.cell(r, []byte("k")).setText(text)
		table.sort()
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}
