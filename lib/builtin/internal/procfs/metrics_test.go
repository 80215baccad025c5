package procfs_test

import (
	"context"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// newAgent returns the agent of a list of metrics.
func newAgent(c *procfs.Catalog, text, labels string) *pmda.Agent {
	return procfs.NewAgent(c, c.MustMetrics(text), labels)
}

// rows is the instance domain of the table t.
const rows = "indom 4 t Rows\n"

// testCatalog returns a catalog with a table t that has two rows, and one that fails.
func testCatalog() *procfs.Catalog {
	list := procfs.NewCatalog("T", 9, &procfs.Options{})
	c := &list
	c.Table("t", "/proc/t", func(t *procfs.Table, _ *pmda.Request) error {
		r := t.Row(1)
		r.Name = "one"
		t.Cell(r, []byte("a")).SetUint(10)
		t.Cell(r, []byte("b")).SetUint(3)
		t.Cell(r, []byte("s")).SetString("x")
		t.Cell(r, []byte("f")).SetReal(1.5)
		r = t.Row(2)
		r.Name = "two"
		t.Cell(r, []byte("a")).SetUint(1)
		return nil
	})
	c.Table("bad", "/proc/bad", func(*procfs.Table, *pmda.Request) error { return pmerr.ENOENT })
	c.Table("one", "/proc/one", func(t *procfs.Table, _ *pmda.Request) error {
		r := t.Row(pcp.NullInst)
		t.Cell(r, []byte("a")).SetUint(12)
		t.Cell(r, []byte("Active(anon)")).SetUint(5)
		return nil
	})
	return c
}

func TestMetricValues(t *testing.T) {
	const multi = "U64 4 counter count "
	for _, c := range []struct{ name, line, want string }{
		{"cell", multi + "t:a", "one=10|two=1"},
		{"missing in a row", multi + "t:b", "one=3"},
		{"optional", multi + "t:b?", "one=3|two=0"},
		{"sum", multi + "t:a+b", "one=13"},
		{"sum with optional", multi + "t:a+b?", "one=13|two=1"},
		{"difference", multi + "t:b?-a", "one=18446744073709551609|two=18446744073709551615"},
		{"difference not below zero", multi + "t:b?-a!", "one=0|two=0"},
		{"factor", multi + "t:a*10", "one=100|two=10"},
		{"divisor", multi + "t:a/4", "one=2|two=0"},
		{"both", multi + "t:a+b?*3/2", "one=19|two=1"},
		{"32 bits", "32 4 instant none t:b-a", "one=-7"},
		{"unsigned 32 bits", "U32 4 instant none t:b-a", "one=4294967289"},
		{"text", "STRING 4 instant none t:s", `one="x"`},
		{"real", "DOUBLE 4 instant none t:f*3/2", "one=2.25"},
		{"real as float", "FLOAT 4 instant none t:a/4", "one=2|two=0"},
		{"no such key", multi + "t:z", ""},
		{"no such key, optional", multi + "t:z?", "one=0|two=0"},
		{"over rows", "U64 - counter count sum:t:a*2", "22"},
		{"over rows, some missing", "U64 - counter count sum:t:b", "3"},
		{"singular", "U64 - instant Kbyte one:a", "12"},
		{"parentheses", "U64 - instant Kbyte one:Active(anon)+a", "17"},
		{"singular, missing", "U64 - instant Kbyte one:b", ""},
		{"not available", "U32 - instant none -", "error " + pmerr.AppVersion.Error()},
		{"file missing", "U32 - instant none bad:x", "error " + pmerr.ENOENT.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAgent(testCatalog(), rows+"m.m 3.5 "+strings.Replace(c.line, "DOUBLE", "DOUBLE", 1), "")
			if got := procfstest.Values(t, a, "m.m")[0]; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestMetricDesc(t *testing.T) {
	a := newAgent(testCatalog(), rows+`
# a comment
a.b 3.5 FLOAT 4 discrete Mbyte/sec t:f What it is
a.c 4095.1023 64 - counter /microsec one:a
`, `{"agent":"x"}`)
	ctx := context.Background()
	got, err := a.Desc(ctx, nil, pcp.NewID(9, 3, 5))
	if want := (pcp.Desc{ID: pcp.NewID(9, 3, 5), Type: pcp.Float, InDom: pcp.NewInDom(9, 4), Sem: pcp.Discrete,
		Units: pcp.Units{DimSpace: 1, DimTime: -1, ScaleSpace: pcp.Mbyte, ScaleTime: pcp.Sec}}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = a.Desc(ctx, nil, pcp.NewID(9, 4095, 1023))
	if err != nil {
		t.Errorf("%+v, %v", got, err)
	} else if got.Type != pcp.Int64 || got.InDom != pcp.NullInDom {
		t.Errorf("%+v, %v", got, err)
	} else if got.Sem != pcp.Counter || got.Units.DimTime != -1 {
		t.Errorf("%+v, %v", got, err)
	}
	for id, want := range map[pcp.ID][2]string{
		pcp.NewID(9, 3, 5):       {"What it is", "What it is\nValue: f in /proc/t"},
		pcp.NewID(9, 4095, 1023): {"a in /proc/one", "Value: a in /proc/one"},
	} {
		if m := a.Metric(id); m.OneLine != want[0] || m.Help != want[1] {
			t.Errorf("help %q, %q", m.OneLine, m.Help)
		}
	}
}

func TestMetricErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"a.b", "fields"},
		{"a.b 1.2 U32 - instant none", "fields"},
		{"a.b x U32 - instant none one:a", ""},
		{"a.b 1 U32 - instant none one:a", ""},
		{"a.b 1.2 U16 - instant none one:a", "unknown type U16"},
		{"a.b 1.2 U32 5 instant none one:a", "unknown instance domain 5"},
		{"indom 5 two Things", `unknown table "two"`},
		{"a.b 1.2 U32 - now none one:a", "unknown semantics now"},
		{"a.b 1.2 U32 - instant apples one:a", ""},
		{"a.b 1.2 U32 - instant none two:a", `unknown table "two"`},
		{"a.b 1.2 U32 - instant none one", `unknown table "one"`},
		{"a.b 1.2 U32 - instant none sum:two:a", `unknown table "two"`},
		{"a.b 1.2 U32 - instant none one:a+", "empty key"},
		{"a.b 1.2 U32 - instant none one:?", "empty key"},
		{"a.b 1.2 U32 - instant none one:a/0", "bad number"},
		{"a.b 1.2 U32 - instant none one:a*x", "bad number"},
		{"a.b 1.2 U32 - instant none one:a/99999999999", "bad number"},
	} {
		_, err := testCatalog().Metrics(c.line)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.line, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong list of metrics is no panic")
		}
	}()
	newAgent(testCatalog(), "wrong", "")
}

// FuzzMetrics: metrics of an accepted table can be fetched.
func FuzzMetrics(f *testing.F) {
	f.Add("a.b 1.2 U32 - instant none one:a+b?*2/3! Help")
	f.Add("a.b 1.2 U64 4 counter Kbyte/sec sum:t:a-b")
	f.Add("a.b 1.2 STRING - discrete none -")
	f.Fuzz(func(t *testing.T, line string) {
		c := testCatalog()
		metrics, err := c.Metrics(rows + line)
		if err != nil {
			return
		}
		a, err := pmda.New(pmda.Table{Domain: 9, Metrics: metrics})
		if err != nil {
			return
		}
		req := &pmda.Request{}
		for _, n := range a.Names() {
			req.IDs = append(req.IDs, n.ID)
		}
		var res pcp.Result
		if err := a.Fetch(context.Background(), req, &res); err != nil {
			t.Error(err)
		}
	})
}

func TestFetchProfile(t *testing.T) {
	a := newAgent(testCatalog(), rows+"m.m 3.5 U64 4 counter count t:a", "")
	var p pcp.Profile
	p.DelAll()
	p.Add(pcp.NewInDom(9, 4), 2)
	var res pcp.Result
	if err := a.Fetch(context.Background(), &pmda.Request{IDs: []pcp.ID{pcp.NewID(9, 3, 5)}, Profile: &p}, &res); err != nil {
		t.Fatal(err)
	}
	if v := &res.Sets[0]; v.Len() != 1 || v.Insts[0] != 2 || v.Words[0] != 1 {
		t.Errorf("%+v", v)
	}
}
