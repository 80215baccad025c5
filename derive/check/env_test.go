package check

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A fakeEnv is a name space in a table.
type fakeEnv struct {
	ids   map[string]pcp.ID
	descs map[pcp.ID]pcp.Desc
	loops map[pcp.ID]bool
}

func (e *fakeEnv) Lookup(name string) (pcp.ID, bool, error) {
	id, ok := e.ids[name]
	if !ok {
		return pcp.NullID, false, pmerr.Name
	}
	return id, id.IsDerived(), nil
}

func (e *fakeEnv) Describe(id pcp.ID) (pcp.Desc, error) {
	if e.loops[id] {
		return pcp.Desc{}, fmt.Errorf("metric %s: %w", id, ErrLoop)
	}
	d, ok := e.descs[id]
	if !ok {
		return pcp.Desc{}, pmerr.PMID
	}
	return d, nil
}

// newEnv returns a name space with the anonymous metrics of events.
func newEnv() *fakeEnv {
	e := &fakeEnv{ids: make(map[string]pcp.ID), descs: make(map[pcp.ID]pcp.Desc), loops: make(map[pcp.ID]bool)}
	event := Type{Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Discrete}
	e.add("event.flags", pcp.NewID(pcp.DynamicDomain, 0, 1), event)
	e.add("event.missed", pcp.NewID(pcp.DynamicDomain, 0, 2), event)
	return e
}

func (e *fakeEnv) add(name string, id pcp.ID, t Type) {
	e.ids[name] = id
	e.descs[id] = t.Desc(id)
}

// readEnvs reads testdata/metrics.txt. A metric of the type ERROR has no descriptor.
func readEnvs(tb testing.TB) map[string]*fakeEnv {
	tb.Helper()
	text, err := os.ReadFile("testdata/metrics.txt")
	if err != nil {
		tb.Fatal(err)
	}
	envs := make(map[string]*fakeEnv)
	var env *fakeEnv
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "== "); ok {
			env = newEnv()
			envs[name] = env
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, " ", 3)
		var domain, cluster, item uint32
		if _, err := fmt.Sscanf(f[1], "%d.%d.%d", &domain, &cluster, &item); err != nil {
			tb.Fatalf("%s: %v", line, err)
		}
		id := pcp.NewID(domain, cluster, item)
		if strings.HasPrefix(f[2], "ERROR ") {
			env.ids[f[0]] = id
			continue
		}
		env.add(f[0], id, parseType(tb, f[2]))
	}
	return envs
}

// parseType reads type, instance domain, semantics and units, as typeText writes them.
func parseType(tb testing.TB, text string) Type {
	tb.Helper()
	f := strings.SplitN(text, " ", 4)
	if len(f) != 4 {
		tb.Fatalf("bad type %q", text)
	}
	t := Type{Type: pcp.Unknown, InDom: pcp.NullInDom}
	for typ := pcp.NoSupport; typ <= pcp.HighResEvent; typ++ {
		if strings.ReplaceAll(typ.String(), "_", "") == f[0] {
			t.Type = typ
		}
	}
	var domain, serial uint32
	if n, _ := fmt.Sscanf(f[1], "%d.%d", &domain, &serial); n == 2 {
		t.InDom = pcp.NewInDom(domain, serial)
	} else if f[1] != "-" {
		tb.Fatalf("bad instance domain in %q", text)
	}
	sem, ok := SemNamed(f[2])
	if !ok {
		tb.Fatalf("bad semantics in %q", text)
	}
	t.Sem = sem
	units := f[3]
	if units == "none" {
		units = ""
	}
	u, _, err := pcp.ParseUnits(units)
	if err != nil {
		tb.Fatalf("bad units in %q", text)
	}
	t.Units = u
	return t
}

// typeText writes a type as "DOUBLE 29.3 instant Kbyte / sec".
func typeText(t Type) string {
	indom, units := t.InDom.String(), t.Units.String()
	if t.Singular() {
		indom = "-"
	}
	if units == "" {
		units = "none"
	}
	return strings.Join([]string{t.Type.String(), indom, t.Sem.String(), units}, " ")
}
