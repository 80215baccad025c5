package pmda

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

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
	case "hide":
		id, err = c.Deactivate(arg)
	case "delete":
		id, err = c.Delete(arg)
	case "find":
		id, active, err = c.Lookup(arg)
		name = fmt.Sprint(" ", active)
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
		ops  string
		want string
	}{
		{"numbers count up", "add a -> 0; add b -> 1; add a -> 0; add c -> 2", "0 a,1 b,2 c"},
		{"hidden ones keep their numbers", "add a -> 0; add b -> 1; hide a -> 0; find a -> 0 false; find b -> 1 true; add c -> 2; name 0 -> 0 a false", "1 b,2 c"},
		{"and come back", "add a -> 0; add b -> 1; none -> ; add b -> 1; add a -> 0", "0 a,1 b"},
		{"unknown ones", "add a -> 0; find b -> PM_ERR_INST; hide b -> PM_ERR_INST; delete b -> PM_ERR_INST; name 7 -> PM_ERR_INST; add  -> PM_ERR_GENERIC", "0 a"},
		{"first words count", "add sdb two words -> 0; add sdb -> 0; add sdb other -> EINVAL; find sdb x -> 0 true; add sdc d -> 1; hide sdc zz -> 1", "0 sdb two words"},
		{"deleted numbers are not given again", "add a -> 0; add b -> 1; add c -> 2; delete b -> 1; add d -> 3; find b -> PM_ERR_INST", "0 a,2 c,3 d"},
	} {
		var c Cache
		for op := range strings.SplitSeq(tt.ops, "; ") {
			op, want, _ := strings.Cut(op, " -> ")
			if got := do(&c, op); got != want {
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
	if c.Len() != len(names) {
		t.Error(c.Len())
	}
	if _, err := c.Add("000001 other command"); !errors.Is(err, pmerr.EINVAL) {
		t.Error(err)
	}
}

// TestCachePurge: instances that were not active for some time are forgotten, the others keep their
// numbers.
func TestCachePurge(t *testing.T) {
	now := time.Now().Unix()
	c, err := parseCache(fmt.Sprintf("2 0 100\n0 %d old\n1 %d young\n2 %d [6b] keyed\n", now-7200, now-60, now-7200))
	if err != nil {
		t.Fatal(err)
	}
	add := func(name string, want int32) {
		t.Helper()
		if id, err := c.Add(name); id != want || err != nil {
			t.Errorf("Add(%s) = %d, %v, want %d", name, id, err, want)
		}
	}
	add("here", 3)
	if n := c.Purge(3 * time.Hour); n != 0 {
		t.Errorf("%d are not active for 3 hours", n)
	}
	if n := c.Purge(time.Hour); n != 2 || c.Len() != 2 {
		t.Errorf("%d are not active for an hour, %d left", n, c.Len())
	}
	if _, _, err := c.Lookup("old"); err != pmerr.Inst {
		t.Errorf("old: %v", err)
	}
	add("young", 1)
	c.DeactivateAll()
	if n := c.Purge(time.Hour); n != 0 {
		t.Errorf("%d were active just now", n)
	}
	add("here", 3)
	if n := c.Purge(0); n != 1 || len(c.Active()) != 1 {
		t.Errorf("%d are not active, active %v", n, c.Active())
	}
	add("new", 4)
}

// TestCacheDump shows a Cache.
func TestCacheDump(t *testing.T) {
	c, err := parseCache("2 0 100\n0 1700000000 sda\n2 1700000000 [6b] keyed one\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Add("sda"); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	const want = "2 instances, 1 active\n0 \"sda\" active\n2 \"keyed one\" inactive since 2023-11-14 22:13:20\n"
	if err := c.Dump(&b); err != nil || b.String() != want {
		t.Errorf("%q, %v, want %q", &b, err, want)
	}
}
