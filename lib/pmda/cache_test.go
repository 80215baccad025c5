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
	case "key":
		name, key, _ := strings.Cut(arg, "=")
		id, err = c.AddKey(name, key)
	case "hide":
		id, err = c.Deactivate(arg)
	case "delete":
		id, err = c.Delete(arg)
	case "find":
		id, active, err = c.Lookup(arg)
		name = fmt.Sprint(" ", active)
	case "reuse":
		c.SetReuse(true)
		return ""
	case "none":
		c.DeactivateAll()
		return ""
	case "max":
		var n int32
		fmt.Sscan(arg, &n)
		err = c.SetMax(n)
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
		{"unless that is wished", "add a -> 0; add b -> 1; add c -> 2; delete b -> 1; reuse -> ; add d -> 1; add e -> 3", "0 a,1 d,2 c,3 e"},
		{"or needed", "max 2 -> 0; add a -> 0; add b -> 1; add c -> 2; delete a -> 0; add d -> 0; add e -> PM_ERR_GENERIC", "0 d,1 b,2 c"},
		{"bounds", "max -1 -> PM_ERR_SIGN; add a -> 0; add b -> 1; max 0 -> PM_ERR_TOOBIG; max 1 -> 0; add c -> PM_ERR_GENERIC", "0 a,1 b"},
		{"keys", "key k2=abc -> 622741395; key keyed= -> 208099984; key k2=abc -> 622741395; key k2=abd -> PM_ERR_INST; key k3=abc -> PM_ERR_INST; key = -> PM_ERR_GENERIC", "208099984 keyed,622741395 k2"},
		{"names with and without keys", "add a -> 0; key a=x -> PM_ERR_INST; key a= -> PM_ERR_INST", "0 a"},
		{"keys make numbers reused", "add a -> 0; key k=abc -> 622741395; add b -> 1", "0 a,1 b,622741395 k"},
		{"keys within bounds", "max 0 -> 0; key a=1 -> 0; key b=2 -> PM_ERR_GENERIC; key a=1 -> 0", "0 a"},
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

// TestKeyHash checks hashes of keys of all lengths around the size of a block: the known ones, and
// that all differ.
func TestKeyHash(t *testing.T) {
	for key, want := range map[string]uint32{"abc": 622741395, "keyed": 208099984} {
		if got := keyHash(key, 0) & (1<<31 - 1); got != want {
			t.Errorf("%q: %d, want %d", key, got, want)
		}
	}
	seen := map[uint32]string{}
	for n := range 40 {
		key := strings.Repeat("k", n)
		h := keyHash(key, 0)
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q have one hash", key, other)
		}
		seen[h] = key
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
	c.SetReuse(true)
	var b strings.Builder
	const want = "2 instances, 1 active, numbers up to 100, reused\n0 \"sda\" active\n2 \"keyed one\" inactive since 2023-11-14 22:13:20 key 6b\n"
	if err := c.Dump(&b); err != nil || b.String() != want {
		t.Errorf("%q, %v, want %q", &b, err, want)
	}
}
