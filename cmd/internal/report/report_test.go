package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
	_ "pmtools/test/env"
)

// show returns a report as text, a line for each column.
func show(r *Report) string {
	var b strings.Builder
	for _, c := range r.Columns {
		var patterns []string
		for _, f := range c.Instances {
			patterns = append(patterns, f.pattern)
		}
		fmt.Fprintf(&b, "%s|%s|%s|%s|%s|%d|%d|%v|%s\n", c.Metric, c.Label, strings.Join(patterns, ","), c.Unit, c.Type, c.Width, c.Precision, c.Limit, c.Formula)
	}
	return b.String()
}

// TestColumns: the forms of columns.
func TestColumns(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"compact", "a.b = label,i1,KB,raw,8,2,-3\n", "a.b|label|i1|KB|raw|8|2|-3|\n"},
		{"colon", "a.b: label\n", "a.b|label||||0|-1|0|\n"},
		{"verbose", "x = a.b\nx.label = all of it\nx.unit = MB\nx.width = 3\nx.precision = 0\nx.limit = 1.5\nx.type = default\nx.instances = sd., 'a,b', \"c d\"\n",
			"a.b|all of it|sd.,a,b,c d|MB|default|3|0|1.5|\n"},
		{"formula of a name", "x = a.b\nx.formula = 1 + c\n", "a.b|||||0|-1|0|1 + c\n"},
		{"formula of the key", "x = %%x,,s,,\nx.formula = 1 + c\n", "x|%x||s||0|-1|0|1 + c\n"},
		{"continued", "x = a.b\nx.formula =\n  1 +\n\n  # no part of it\n  c\nd.e = f\n", "a.b|||||0|-1|0|\n1 +\nc\nd.e|f||||0|-1|0|\n"},
		{"quoted list", "a.b = r,\"'1 minute','5 minute'\",KB\n", "a.b|r|1 minute,5 minute|KB||0|-1|0|\n"},
		{"the later of two", "a.b = one\nc.d = x\ny = a.b\ny.label = two\n", "a.b|two||||0|-1|0|\nc.d|x||||0|-1|0|\n"},
		{"options are no columns", "header = no\nwidth = 3\nrepeat_header = auto\na.b = x\n", "a.b|x||||0|-1|0|\n"},
		{"blanks", "a.b  =  label , , KB \n", "a.b|label||KB||0|-1|0|\n"},
		{"carriage returns", "a.b = x\r\nc.d = y\r\n", "a.b|x||||0|-1|0|\nc.d|y||||0|-1|0|\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &Library{global: &Report{}}
			l.Add("f", "[r]\n"+tt.text)
			if len(l.Faults()) > 0 {
				t.Fatalf("%v", l.Faults())
			}
			if got := show(l.reports[0]); got != tt.want {
				t.Errorf("%q\n got %q\nwant %q", tt.text, got, tt.want)
			}
		})
	}
}

// TestSpecifierName: a metric whose name ends in that of a specifier is a column, if its value is one.
func TestSpecifierName(t *testing.T) {
	l := &Library{global: &Report{}}
	l.Add("f", "[r]\nfilesys.type = type,,,,12\nx = a.b\nx.label = l,m\n")
	r, err := l.Find("r")
	if err != nil || len(r.Columns) != 2 || len(l.Faults()) != 0 {
		t.Fatalf("%v %v %v", r, err, l.Faults())
	}
	if c := r.Columns[0]; c.Metric != "filesys.type" || c.Label != "type" || c.Width != 12 {
		t.Errorf("%+v", c)
	}
	if c := r.Columns[1]; c.Metric != "a.b" || c.Label != "l,m" {
		t.Errorf("%+v", c)
	}
}

// TestFaults: what is wrong, and where.
func TestFaults(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a = b\n", "f:1:1: error: a section [NAME] comes before the first setting"},
		{"[r]\nwhat\n", "f:2:1: error: this is neither a section [NAME] nor a setting KEY = VALUE"},
		{"[r\n", "f:1:1: error: the name of a section is not closed by ]"},
		{"[]\n", "f:1:1: error: the name of a section is not closed by ]"},
		{"[r]\n[r]\n", "f:2:1: error: the file has a section [r] already"},
		{"[r]\na.b = x\na.b = y\n", "f:3:1: error: the section has a.b already"},
		{"[r]\n= x\n", "f:2:1: error: there is no key before \"=\""},
		{"[r]\na.b = 5%\n", "f:2:8: error: a percent sign is written %%"},
		{"[r]\na.b =\n", "f:2:6: error: a.b has no value"},
		{"[r]\nglobals = perhaps\n", "f:2:11: error: globals = perhaps: yes or no is expected"},
		{"[r]\nwidth = -1\n", "f:2:9: error: width = -1: a number of 0 or more is expected"},
		{"[r]\ninterval = soon\n", "f:2:12: error: interval = soon: a time such as 10s is expected"},
		{"[r]\ntype = rawx\n", "f:2:8: error: type = rawx: raw or default is expected"},
		{"[r]\nx.label = l\n", "f:2:11: error: x is not declared before x.label: write x = METRIC"},
		{"[r]\nx = a.b\nx.lable = l\n", "f:3:11: error: there is no specifier lable; there are formula, label, instances, unit, type, width, precision, limit"},
		{"[r]\nx = a.b\nx.formula =\n", "f:3:12: error: x has no formula"},
		{"[r]\na.b = l,(,Foo,,w,p,m\n", "f:2:9: error: a.b: the filter of instances ( is not a regular expression: missing closing )\n" +
			"f:2:11: error: a.b: Foo is not a unit: unrecognized or duplicate base unit\n" +
			"f:2:16: error: a.b: a number of 0 or more is expected as width\n" +
			"f:2:18: error: a.b: a number of 0 or more is expected as precision\n" +
			"f:2:20: error: a.b: a number is expected as limit"},
		{"[r]\na.b = l,,,,,,,more\n", "f:2:15: error: a.b: a column has at most label, instances, unit, type, width, precision, limit"},
		{"[options]\nintervall = 3\n", "f:2:1: error: the section [options] has no option intervall"},
		{"[r]\n\x00\x01", "f:2:1: error: this is not a text, but binary data"},
		{"[r]\n" + strings.Repeat("what\n", 1000), strings.Repeat("f:2:1: error: this is neither a section [NAME] nor a setting KEY = VALUE\n", 1)[:6]},
	} {
		l := &Library{global: &Report{}}
		l.Add("f", tt.text)
		var got []string
		for i := range l.Faults() {
			got = append(got, l.Faults()[i].String())
		}
		if text := strings.Join(got, "\n"); text != tt.want && !(len(got) == maxFaults && strings.HasPrefix(text, tt.want)) {
			t.Errorf("%.80q\n got %.400s\nwant %s", tt.text, text, tt.want)
		}
	}
}

// TestPlace: each byte of a value has its place in the file.
func TestPlace(t *testing.T) {
	text := "[r]\nx = a.b\nx.formula = 1 %% 2 +\n  \t3 +\n   # c\n 4\n"
	l := &Library{global: &Report{}}
	l.Add("f", text)
	s := l.Reports()[0].Columns[0].formula
	lines := strings.Split(text, "\n")
	for pos, c := range []byte(s.value) {
		line, column, source := s.place(pos)
		if source != lines[line-1] {
			t.Fatalf("byte %d is in line %d, which is %q, not %q", pos, line, lines[line-1], source)
		}
		if c != '\n' && source[column-1] != c {
			t.Errorf("byte %d of %q is %c, at %d:%d there is %c", pos, s.value, c, line, column, source[column-1])
		}
	}
}

// TestFilters: names of instances that filters select.
func TestFilters(t *testing.T) {
	const java = "004711 /usr/lib/jvm/bin/java -jar x"
	for _, tt := range []struct {
		list, metric, instance string
		want                   bool
	}{
		{"sda", "disk.dev.read", "sda", true},
		{"sd", "disk.dev.read", "sda", false},
		{"sd.|x", "disk.dev.read", "sdb", true},
		{"a,sdb", "disk.dev.read", "sdb", true},
		{"4711", "proc.id.uid", java, true},
		{"java", "proc.id.uid", java, true},
		{"jav", "proc.id.uid", java, false},
		{".*jar.*", "proc.id.uid", java, true},
		{"java", "other.metric", java, false},
		{"", "proc.id.uid", "000000", false},
	} {
		list, wrong := filters(tt.list)
		if got := selects(list, tt.metric, tt.instance); got != tt.want || wrong != "" {
			t.Errorf("%q selects %q of %s: %v %s", tt.list, tt.instance, tt.metric, got, wrong)
		}
	}
}

// TestLibrary: sections of several files, directories, and the first place that exists.
func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"d/1.conf": "[options]\nprecision = 1\nwidth = 4\n[global]\ng.a = x\n[both]\na.a = 1\n[cpu]\nm.n = mine\n",
		"d/2.conf": "[options]\nprecision = 2\n[global]\ng.b = y\n[both]\nb.b = 2\n[bare]\nglobals = no\nc.c = 3\n",
		"d/3.txt":  "nonsense", "d/4.conf/x": "nonsense", "f": "[only]\na.a = 1\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Open([]string{filepath.Join(dir, "none"), filepath.Join(dir, "d"), filepath.Join(dir, "f")})
	if err != nil || len(l.Faults()) > 0 {
		t.Fatal(err, l.Faults())
	}
	both, err := l.Find(":both")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(both), "g.a|x||||0|-1|0|\ng.b|y||||0|-1|0|\nb.b|2||||0|-1|0|\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if p, w := both.Options.Number("precision", 9), both.Options.Number("width", 9); p != 2 || w != 4 {
		t.Errorf("precision %d, width %d", p, w)
	}
	bare, _ := l.Find("bare")
	if got := show(bare); got != "c.c|3||||0|-1|0|\n" {
		t.Errorf("bare: %q", got)
	}
	if cpu, _ := l.Find("cpu"); cpu.File == "" {
		t.Error("a report of a file does not hide the own one")
	}
	if _, err := l.Find("bear"); err == nil || !strings.Contains(err.Error(), "no report bear") {
		t.Errorf("bear: %v", err)
	}
	if l, err := Open([]string{filepath.Join(dir, "none")}); err != nil || len(l.Names()) != len(New().Names()) {
		t.Errorf("without files: %v %v", l.Names(), err)
	}
	if err := New().Load(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that does not exist is no error")
	}
}

// TestOwn: the reports that need no file have no mistakes, and each has a line about it.
func TestOwn(t *testing.T) {
	l := New()
	if len(l.Faults()) > 0 {
		t.Error(l.Faults())
	}
	if len(l.Names()) < 12 {
		t.Error(l.Names())
	}
	for _, name := range l.Names() {
		r, err := l.Find(name)
		if err != nil || len(r.Columns) == 0 || r.About == "" {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := r.Definitions(); err != nil {
			t.Error(err)
		}
	}
}

// TestChoose: filters, limits and ranks over 10,000 instances.
func TestChoose(t *testing.T) {
	const n = 10_000
	sample := func(columns int) *sampling.Sample {
		smp := &sampling.Sample{Sets: make([]sampling.Set, columns)}
		for i := range n {
			for j := range smp.Sets {
				smp.Sets[j].Append(sampling.Value{ID: int32(i), Instance: fmt.Sprintf("i%d", i), Value: pcp.DoubleValue(float64((i * (7 + j)) % n))})
			}
		}
		return smp
	}
	for _, tt := range []struct {
		text string
		want []int // how many values there are
	}{
		{"a.a = x,i1.*\nb.b = y\n", []int{1111, n}},
		{"a.a = x,,,,,,9990\nb.b = y,,,,,,-9\n", []int{10, 16}},
		{"limit_filter = 9990\na.a = x\nb.b = y,,,,,,-9\n", []int{10, 16}},
		{"limit_filter_force = 9990\na.a = x\nb.b = y,,,,,,-9\n", []int{10, 8}},
		{"rank = 3\na.a = x\nb.b = y\n", []int{3, 3}},
		{"rank = -3\npredicate = b.b\na.a = x\nb.b = y\n", []int{3, 3}},
		{"rank = 3\npredicate = b.b, a.a\na.a = x\nb.b = y\n", []int{3, 3}},
		{"rank = 1\npredicate = b.b, a.a\na.a = x\nb.b = y\nc.c = z\n", []int{1, 1, 2}},
		{"rank = 1000\ninstances = i1.*\na.a = x\nb.b = y\n", []int{1000, 1000}},
		{"a.a = x,none\nb.b = y\n", []int{0, n}},
	} {
		l := &Library{global: &Report{}}
		l.Add("f", "[r]\n"+tt.text)
		r, err := l.Find("r")
		if err != nil {
			t.Fatal(err)
		}
		c := chooser(r)
		smp := sample(len(c.columns))
		if err := c.choose(t.Context(), smp); err != nil {
			t.Fatal(err)
		}
		var got []int
		for i := range smp.Sets {
			got = append(got, smp.Sets[i].Len())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v values, want %v", tt.text, got, tt.want)
		}
	}
}

// chooser returns the choice of a report whose metrics have an instance domain.
func chooser(r *Report) *choice {
	b := &Bound{Report: r}
	c := &choice{ranking: b.ranking()}
	for _, col := range r.Columns {
		c.columns = append(c.columns, b.shown(col, 1))
	}
	return c
}

// TestOrder: the first metric of sort_metric decides the order of all, and instances without a value of it
// come last.
func TestOrder(t *testing.T) {
	sample := func(first, second []float64) *sampling.Sample {
		smp := &sampling.Sample{Sets: make([]sampling.Set, 2)}
		for j, values := range [][]float64{first, second} {
			for i, f := range values {
				smp.Sets[j].Append(sampling.Value{ID: int32(i), Instance: string(rune('a' + i)), Value: pcp.DoubleValue(f)})
			}
		}
		return smp
	}
	for _, tt := range []struct{ options, want string }{
		{"sort_metric = m.a", "c3 a2 b1; c6 a5 b4 d9"},
		{"sort_metric = -m.a", "b1 a2 c3; b4 a5 c6 d9"},
		{"sort_metric = m.b, m.a", "c3 a2 b1; d9 c6 a5 b4"},
		{"sort_metric = m.none", "a2 b1 c3; a5 b4 c6 d9"},
		{"sort_metric = m.a\nrank = 2", "c3 a2; c6 d9"},
	} {
		l := &Library{global: &Report{}}
		l.Add("f", "[r]\n"+tt.options+"\nm.a = x\nm.b = y\n")
		r, err := l.Find("r")
		if err != nil {
			t.Fatal(err)
		}
		c := chooser(r)
		smp := sample([]float64{2, 1, 3}, []float64{5, 4, 6, 9})
		if err := c.choose(t.Context(), smp); err != nil {
			t.Fatal(err)
		}
		var sets []string
		for i := range smp.Sets {
			var text []string
			for j := range smp.Sets[i].Len() {
				v := smp.Sets[i].At(j)
				text = append(text, fmt.Sprintf("%s%v", v.Instance, v.Number()))
			}
			sets = append(sets, strings.Join(text, " "))
		}
		if got := strings.Join(sets, "; "); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.options, got, tt.want)
		}
	}
}

// TestLarge: the time of a file is in proportion to its length, whatever is in it.
func TestLarge(t *testing.T) {
	for name, text := range map[string]string{
		"a value of many lines": "[r]\na.b = x\n" + strings.Repeat(" 1\n", maxFile/8),
		"a long value":          "[r]\na.b = " + strings.Repeat("%%", maxFile/8),
		"many sections":         numbered("[%d]\n"),
		"many settings":         "[r]\n" + numbered("a.b%d = x\n"),
		"many columns":          "[r]\na.b = " + strings.Repeat(",", maxFile/4),
	} {
		began := time.Now()
		l := New()
		l.Add("f", text)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

// numbered returns many lines.
func numbered(line string) string {
	var b strings.Builder
	for i := 0; b.Len() < maxFile/4; i++ {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

// TestShapeLater: over several hosts the Header comes with the first sample.
func TestShapeLater(t *testing.T) {
	l := &Library{global: &Report{}}
	l.Add("f", "[r]\na.a = x,i1\n")
	r, err := l.Find("r")
	if err != nil {
		t.Fatal(err)
	}
	b := &Bound{Report: r, by: make(map[string]*shown)}
	b.by["a.a"] = b.shown(r.Columns[0], 1)
	st := &query.Stream{}
	st.Samples = func(yield func(*sampling.Sample, error) bool) {
		st.Header = &sampling.Header{Hosts: []string{"a"}, Metrics: []sampling.Metric{{Name: "a.a"}}}
		yield(&sampling.Sample{Sets: []sampling.Set{sampling.SetOf(sampling.Value{Instance: "i1"}, sampling.Value{Instance: "i2"})}}, nil)
	}
	b.Shape(t.Context(), st)
	n := 0
	for smp, err := range st.Samples {
		if err != nil {
			t.Fatal(err)
		}
		n += smp.Sets[0].Len()
	}
	if n != 1 || st.Header.Metrics[0].Title() != "x" {
		t.Errorf("%d values of %q", n, st.Header.Metrics[0].Title())
	}
}

// FuzzAdd: no text makes reading a file fail, and what is wrong is in the file.
func FuzzAdd(f *testing.F) {
	f.Add("[r]\nx = a.b\nx.formula =\n 1 %% 2\n[options]\nwidth=3\n")
	f.Add("[r]\na.b: l,'1 m','x\n # c\n\t; d\n  e\n")
	f.Add("[\n]\n=\n%")
	f.Fuzz(func(t *testing.T, text string) {
		l := &Library{global: &Report{}}
		l.Add("f", text)
		lines := strings.Split(text, "\n")
		for _, d := range l.Faults() {
			if d.Line < 1 || d.Line > len(lines) || d.Column < 1 {
				t.Fatalf("%q: %+v is not in the text", text, d)
			}
			if d.Source != "" && d.Source != lines[d.Line-1] {
				t.Errorf("%q: %+v shows another line", text, d)
			}
		}
		for _, r := range l.Reports() {
			for _, c := range r.Columns {
				for pos := range len(c.from.value) {
					if line, column, source := c.from.place(pos); line < 1 || line > len(lines) || column > len(source)+1 {
						t.Errorf("%q: byte %d of %s at %d:%d", text, pos, c.from.key, line, column)
					}
				}
			}
		}
	})
}
