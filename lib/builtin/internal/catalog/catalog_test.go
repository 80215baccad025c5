package catalog

import (
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	_ "pmtools/test/env"
)

func TestNew(t *testing.T) {
	c := New(`# a comment
indom 4 Things
	{"kind":"thing"}
	There are always two.
a.b 3.5 FLOAT 4 discrete Mbyte/sec What it is
	{"x":1}
	More about it,
	in two lines.
a.c 4095.1023 U32 - counter count_x_10/Mbyte
a.none 0.1 NO_SUPPORT - ??? none Not here
a.temperature 0.2 DOUBLE - instant temperature_(C) How warm it is
another.name 3.5
tree *
`)
	things := pmda.InDom{Serial: 4, Labels: `{"kind":"thing"}`, Help: "There are always two.", OneLine: "Things"}
	if d := c.InDoms["4"]; d.Serial != things.Serial || d.Labels != things.Labels {
		t.Errorf("instance domain %+v", d)
	} else if d.Help != things.Help || d.OneLine != things.OneLine {
		t.Errorf("instance domain %+v", d)
	}
	for _, want := range []pmda.Metric{
		{
			Name: "a.b", Cluster: 3, Item: 5, Type: pcp.Float, InDom: c.InDoms["4"], Sem: pcp.Discrete,
			Units:   pcp.Units{DimSpace: 1, DimTime: -1, ScaleSpace: pcp.Mbyte, ScaleTime: pcp.Sec},
			OneLine: "What it is", Help: "More about it,\nin two lines.", Labels: `{"x":1}`,
		},
		{Name: "a.c", Cluster: 4095, Item: 1023, Type: pcp.Uint32, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1, ScaleCount: 1, DimSpace: -1, ScaleSpace: pcp.Mbyte}},
		{Name: "a.none", Item: 1, Type: pcp.NoSupport, OneLine: "Not here"},
		{Name: "a.temperature", Item: 2, Type: pcp.Double, Sem: pcp.Instant, Units: pcp.Units{Extra: pcp.Temperature, ExtraScale: 1}, OneLine: "How warm it is"},
		{Name: "another.name", Cluster: 3, Item: 5},
		{Name: "tree", Dynamic: true},
	} {
		got := *c.Metric(want.Name)
		if got.Name != want.Name || got.Cluster != want.Cluster {
			t.Errorf("\n got %+v\nwant %+v", got, want)
		} else if got.Item != want.Item || got.Type != want.Type || got.InDom != want.InDom {
			t.Errorf("\n got %+v\nwant %+v", got, want)
		} else if got.Sem != want.Sem || got.Units != want.Units || got.OneLine != want.OneLine {
			t.Errorf("\n got %+v\nwant %+v", got, want)
		} else if got.Help != want.Help || got.Labels != want.Labels || got.Dynamic != want.Dynamic {
			t.Errorf("\n got %+v\nwant %+v", got, want)
		}
	}
	if len(c.Metrics) != 6 {
		t.Errorf("%d rows", len(c.Metrics))
	}
}

// TestBind checks lists with values.
func TestBind(t *testing.T) {
	var bound []string
	c := &Catalog{
		Bind:      func(m *pmda.Metric, value string) error { bound = append(bound, m.Name+"="+value); return nil },
		BindInDom: func(d *pmda.InDom, value string) error { bound = append(bound, value); return nil },
	}
	if err := c.Parse("indom 7 table:key The rows\na.b 1.2 64 7 instant none cell+1 A sum\na.c 1.3 64 - instant none other\n"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(bound, " "); got != "table:key a.b=cell+1 a.c=other" {
		t.Errorf("bound %s", got)
	}
	if c.InDoms["7"].OneLine != "The rows" || c.Metrics[0].OneLine != "A sum" || c.Metrics[0].InDom != c.InDoms["7"] {
		t.Errorf("%+v, %+v", c.InDoms["7"], c.Metrics[0])
	}
}

func TestErrors(t *testing.T) {
	for line, want := range map[string]string{
		"a.b":                               "identifier",
		"a.b x":                             "identifier",
		"a.b 1":                             "identifier",
		"a.b 1.2 U32":                       "fields",
		"a.b 1.2 U16 - instant none":        "unknown type U16",
		"a.b 1.2 U32 5 instant none":        "unknown instance domain 5",
		"a.b 1.2 U32 - now none Now":        "unknown semantics now",
		"a.b 1.2 U32 - instant apples Some": "",
		"indom x Things":                    "",
	} {
		if err := new(Catalog).Parse(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong list is no panic")
		}
	}()
	New("wrong")
}

// FuzzParse reads any list: a list that is accepted makes metrics that have names.
func FuzzParse(f *testing.F) {
	f.Add("indom 4 Things\n\t{}\n\thelp\na.b 3.5 FLOAT 4 discrete Mbyte/sec What\n\tMore\nx 1.2\ny *\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := &Catalog{}
		if c.Parse(text) != nil {
			return
		}
		for _, m := range c.Metrics {
			if c.Metric(m.Name) == nil {
				t.Errorf("%q cannot be found", m.Name)
			}
		}
	})
}
