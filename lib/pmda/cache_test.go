package pmda

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
)

// codeName returns the symbolic name of an error's code.
func codeName(err error) string {
	switch c := pmerr.Of(err); {
	case c == pmerr.EINVAL:
		return "EINVAL"
	case c == pmerr.ENOENT:
		return "ENOENT"
	default:
		return c.Name()
	}
}

// do runs operations on a cache, "add NAME" say, and returns what they give.
func do(c *Cache, op string) string {
	verb, arg, _ := strings.Cut(op, " ")
	var id int32
	var active bool
	var name string
	var err error
	switch verb {
	case "add":
		id, err = c.Add(arg)
	case "none":
		c.DeactivateAll()
		return ""
	case "name":
		fmt.Sscan(arg, &id)
		name, active, err = c.Name(id)
		name = fmt.Sprintf(" %s %v", name, active)
	}
	if err != nil {
		return codeName(err)
	}
	return fmt.Sprint(id, name)
}

// TestCache runs sequences of operations (collector.md C5.2), "op -> result", and checks the active
// instances at the end.
func TestCache(t *testing.T) {
	for _, tt := range []struct {
		name string
		file string
		ops  string
		want string
	}{
		{"numbers count up", "", "add a -> 0; add b -> 1; add a -> 0; add c -> 2", "0 a,1 b,2 c"},
		{"hidden ones keep their numbers", "", "add a -> 0; add b -> 1; none -> ; add b -> 1; name 1 -> 1 b true; add c -> 2; name 0 -> 0 a false", "1 b,2 c"},
		{"and come back", "", "add a -> 0; add b -> 1; none -> ; add b -> 1; add a -> 0", "0 a,1 b"},
		{"unknown ones", "", "add a -> 0; name 7 -> PM_ERR_INST; add  -> PM_ERR_GENERIC", "0 a"},
		{"first words count", "", "add sdb two words -> 0; add sdb -> 0; add sdb other -> EINVAL", "0 sdb two words"},
		{"free numbers are not given", "2 0 9\n0 1 a\n2 1 c\n", "add d -> 3", "3 d"},
		{"unless the file says so", "2 1 9\n0 1 a\n2 1 c\n", "add d -> 1; add e -> 3", "1 d,3 e"},
		{"or none is above", "2 0 2\n1 1 b\n2 1 c\n", "add d -> 0; add e -> PM_ERR_GENERIC", "0 d"},
	} {
		c := new(Cache)
		if tt.file != "" {
			var err error
			if c, err = parseCache(tt.file); err != nil {
				t.Fatal(err)
			}
		}
		for op := range strings.SplitSeq(tt.ops, "; ") {
			op, want, _ := strings.Cut(op, " -> ")
			if got := do(c, op); got != want {
				t.Errorf("%s: %s gives %s, want %s", tt.name, op, got, want)
			}
		}
		var active []string
		for _, i := range c.Active() {
			active = append(active, fmt.Sprintf("%d %s", i.ID, i.Name))
		}
		if got := strings.Join(active, ","); got != tt.want {
			t.Errorf("%s: active %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestSteadyCache checks that finding the same instances again allocates nothing.
func TestSteadyCache(t *testing.T) {
	var c Cache
	names := make([]string, 500)
	for i := range names {
		names[i] = fmt.Sprintf("%06d some command", i)
	}
	refresh := func() {
		c.DeactivateAll()
		for _, n := range names {
			if _, err := c.Add(n); err != nil {
				t.Fatal(err)
			}
		}
		if len(c.Active()) != len(names) {
			t.Fatal(len(c.Active()))
		}
	}
	refresh()
	if n := testing.AllocsPerRun(10, refresh); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := len(c.All()); n != len(names) {
		t.Error(n)
	}
	if _, err := c.Add("000001 other command"); !errors.Is(err, pmerr.EINVAL) {
		t.Error(err)
	}
}
