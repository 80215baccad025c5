package coverage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/derive/derivetest"
	_ "pmtools/test/env"
)

// profile runs cases over definitions in a directory of their own.
func profile(t *testing.T, conf string, cases ...string) Profile {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "d.conf"), []byte(conf), 0o666); err != nil {
		t.Fatal(err)
	}
	c := New()
	for _, text := range cases {
		f, err := derivetest.Parse(filepath.Join(dir, "d.cases"), []byte("definitions d.conf\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(t.Context(), f, &derivetest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Results {
			if len(r.Results[i].Failures) > 0 {
				t.Fatal(r.Results[i].Text())
			}
		}
	}
	p := c.Profile()
	for _, d := range p {
		d.File = filepath.Base(d.File)
	}
	return p
}

const metrics = `
metric a u32 instant none
  value 5 20
metric b u32 counter Kbyte
  value 1 3
metric m u32 counter millisec
  value 0 0
metric s u32 instant byte indom 60.1
  x 1024 2048
  y 4 _
`

func TestText(t *testing.T) {
	for _, c := range []struct {
		name, conf, cases, want string
	}{
		{"one arm", "x = a > 10 ? a : 2 * a\n", "case 1\neval x\nat 0s\nvalue 10\n", `d.conf:1: x: 6 of 8 reached
  x = a > 10 ? a : 2 * a
      ^^^^^^   ^
    the condition a > 10 is never true
coverage 75 %: results 1 of 1, operands 3 of 3, arms 1 of 2, outcomes 1 of 2
`},
		{"both arms", "x = a > 10 ? a : 2 * a\n", "case 1\neval x\nvalue 10 20\n",
			"coverage 100 %: results 1 of 1, operands 3 of 3, arms 2 of 2, outcomes 2 of 2\n"},
		{"no values are expected", "x = a + a\n", "case 1\neval x\nis u32 instant\n", `without a value that a case expects: 1 of 1 definitions
  x
coverage 0 %: results 0 of 1, operands 0 of 2
`},
		{"an arm without values", "x = a > 10 ? rate(a) : novalue()\n", "case 1\neval x\nvalue _ 1.5\ncase 2\neval rate(a)\nvalue _ 1.5\n",
			"coverage 100 %: results 1 of 1, operands 2 of 2, functions 1 of 1, arms 2 of 2, outcomes 2 of 2\n"},
		{"a condition of instances", "x = s > 1000 ? s : novalue()\n", "case 1\neval x\nx 1024 2048\n",
			"coverage 100 %: results 1 of 1, operands 2 of 2, arms 2 of 2, outcomes 2 of 2\n"},
		{"which metrics there are", "x = defined(none) ? none : \\\n  a\n", "case 1\neval x\nvalue 5 20\n", `d.conf:1: x: 4 of 7 reached
  x = defined(none) ? none : \
      ^^^^^^^^^^^^^   ^^^^
    the condition defined(none) is never true
coverage 57 %: results 1 of 1, operands 1 of 2, arms 1 of 2, outcomes 1 of 2
`},
		{"conversions", "x = rescale(b, \"Kbyte\")\ny = rate(m)\nz = s + b / mkconst(1, units=\"\")\nw = instant(b) + s\n",
			"case 1\neval x\nvalue 1 3\neval y\nvalue _ 0\neval w\nat 10s\nx 5\n", `d.conf:1: x: 2 of 3 reached
  x = rescale(b, "Kbyte")
      ^^^^^^^
    rescale never converts: its operand is 0, or has these units
d.conf:2: y: 3 of 4 reached
  y = rate(m)
      ^^^^
    rate never converts: its operand is 0, or has these units
without a value that a case expects: 1 of 4 definitions
  z
coverage 67 %: results 3 of 4, operands 4 of 6, functions 2 of 2, conversions 1 of 3
`},
		{"functions and instances", "x = sum(s) + scalar(matchinst(/^x/, s)) + s[y]\n", "case 1\neval x\nat 0s\ny 2056\n", "coverage 100 %: results 1 of 1, operands 3 of 3, functions 4 of 4\n"},
		{"definitions in others", "in = a > 7 ? 1 : 0\nx = in + in\n", "expand\ncase 1\neval x + 0\nat 0s\nvalue 0\n", `d.conf:1: in: 4 of 6 reached
  in = a > 7 ? 1 : 0
       ^^^^^   ^
    the condition a > 7 is never true
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, rest, expand := strings.Cut(c.cases, "expand\n")
			cases := metrics + c.cases
			if expand {
				cases = "expand\n" + metrics + before + rest
			}
			got := profile(t, c.conf, cases).Text(0, false)
			if expand {
				got, _, _ = strings.Cut(got, "coverage")
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestUnion: what files of cases reach adds up, and an operand without values, an arm without values and a function
// without values are not reached.
func TestUnion(t *testing.T) {
	const conf = "x = a > 10 ? s : novalue()\ny = delta(a)\nz = a\n"
	first, second := "case 1\neval x\nat 0s\nvalue _\n", "case 2\neval x\nat 10s\nx 2048\n"
	for _, c := range []struct {
		cases []string
		want  Count
	}{
		{[]string{first}, Count{4, 12}},
		{[]string{second}, Count{5, 12}},
		{[]string{first, second}, Count{7, 12}},
		{[]string{"case 1\neval y\nat 0s\nvalue _\n"}, Count{1, 12}},
		{[]string{"case 1\neval delta(a)\nvalue _ 15\n"}, Count{0, 12}},
		{[]string{"case 1\neval z\nvalue 5 20\n"}, Count{2, 12}},
	} {
		var texts []string
		for _, text := range c.cases {
			texts = append(texts, metrics+text)
		}
		if got := profile(t, conf, texts...).Total(); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.cases, got, c.want)
		}
	}
}

func TestMachines(t *testing.T) {
	p := profile(t, "# a comment\nx = a > 10 ? a \\\n  : 2 * a\ny = a\n", metrics+"case 1\neval x\nat 10s\nvalue 20\n")
	const want = `TN:
SF:d.conf
FN:2,x
FN:4,y
FNDA:1,x
FNDA:0,y
FNF:2
FNH:1
BRDA:2,0,0,1
BRDA:2,0,1,1
BRDA:2,0,2,0
BRDA:2,0,3,0
BRF:4
BRH:2
DA:2,0
DA:3,0
DA:4,0
LF:3
LH:0
end_of_record
`
	if d := cmp.Diff(want, string(p.LCOV())); d != "" {
		t.Error(d)
	}
	j := p.JSON()
	if j.Count != (Count{6, 10}) || j.Percent != 60 {
		t.Errorf("%+v", j)
	}
	if got := j.Files[0].Definitions[0].List[7]; got != (jsonPart{"operand", 3, 9, "a", 1}) {
		t.Errorf("%+v", got)
	}
}

// TestSecret: lines of files that are not beside the cases are not shown.
func TestSecret(t *testing.T) {
	p := profile(t, "x = a > 10 ? a : 2 * a\n", metrics+"case 1\neval x\nat 0s\nvalue 10\n")
	for _, d := range p {
		d.Quoted = false
	}
	const want = `d.conf:1: x: 6 of 8 reached
    the condition is never true
coverage 75 %: results 1 of 1, operands 3 of 3, arms 1 of 2, outcomes 1 of 2
`
	if d := cmp.Diff(want, p.Text(0, true)); d != "" {
		t.Error(d)
	}
	if j := p.JSON(); j.Files[0].Definitions[0].List[0].Text != "" {
		t.Errorf("%+v", j)
	}
}
