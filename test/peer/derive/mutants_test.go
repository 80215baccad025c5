package derive

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pmtools/derive/derivetest"
	"pmtools/derive/lint"
	"pmtools/derive/repl"
	"pmtools/derive/syntax"
	"pmtools/lib/pmapi"
	"pmtools/test/peer/harness"
)

// Mutants of the definitions that the reference ships: how many, from which seed, and how many in a
// hundred of those that mean something else have to be noticed.
const (
	mutants     = 300
	mutantsSeed = 17
	noticed     = 95
)

// A mutant is a definition with one mistake.
type mutant struct {
	file, kind  string
	name        string
	from, text  string // expressions
	replacement []byte // of the file
}

// changes are the kinds of mistakes: each returns the expressions that a definition may become.
var changes = []struct {
	kind string
	make func(expr string) []string
}{
	{"wrong function", func(x string) []string {
		return append(swapAll(x, `\b(rate|delta|instant)\(`, "rate(", "delta(", "instant("), swapAll(x, `\b(sum|avg|count|max|min)\(`, "sum(", "avg(", "max(")...)
	}},
	{"wrong operator", func(x string) []string {
		return append(swapAll(x, ` [-+*/] `, " + ", " - ", " * ", " / "), swapAll(x, ` (==|&&) `, " != ", " == ", " || ", " > ")...)
	}},
	{"wrong unit", func(x string) []string {
		return append(swapAll(x, `(?i)(kbyte|millisec|byte)\b`, "mbyte", "byte", "sec"), swapAll(x, `(?i)type="?(double|u32|u64)"?`, "type=float", "type=u32", "type=double")...)
	}},
	{"misspelt", func(x string) []string {
		return append(swapAll(x, `\b(read|write|total|discard|flush|user|sys|idle|utime|stime)`, "read", "write", "raed", "total", "flush", "stime"), swapAll(x, `_(rawactive|bytes|base)\b`, "_bytes", "_rawactive", "_byte", "")...)
	}},
	{"swapped arms", swappedArms},
	{"lost parentheses", lostParentheses},
	{"wrong number", func(x string) []string { return swapAll(x, `\b(100|3600|0)\b`, "10", "1", "60", "1000") }},
}

// swapAll returns a text with each match of a pattern, one at a time, replaced by each of some texts.
func swapAll(text, pattern string, with ...string) (list []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringIndex(text, -1) {
		for _, w := range with {
			if w != text[m[0]:m[1]] {
				list = append(list, text[:m[0]]+w+text[m[1]:])
			}
		}
	}
	return list
}

// swappedArms returns an expression with the arms of each of its choices swapped.
func swappedArms(text string) (list []string) {
	for n := range syntax.Preorder(parsed(text)) {
		if c, ok := n.(*syntax.TernaryExpr); ok {
			list = append(list, exchanged(text, c.X, c.Y))
		}
		if b, ok := n.(*syntax.BinaryExpr); ok && (b.Op == syntax.SLASH || b.Op == syntax.MINUS) {
			list = append(list, exchanged(text, b.X, b.Y))
		}
	}
	return list
}

// exchanged returns a text with two of its parts exchanged.
func exchanged(text string, x, y syntax.Node) string {
	a, b := x.Span()
	c, d := y.Span()
	return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
}

// lostParentheses returns an expression without each of its pairs of parentheses.
func lostParentheses(text string) (list []string) {
	for n := range syntax.Preorder(parsed(text)) {
		if p, ok := n.(*syntax.ParenExpr); ok {
			a, b := p.Span()
			list = append(list, text[:a]+" "+text[a+1:b-1]+" "+text[b:])
		}
	}
	return list
}

// parsed returns the tree of an expression that can be parsed.
func parsed(text string) syntax.Expr {
	var c syntax.Config
	x, err := c.Parse(text)
	if err != nil {
		panic(err)
	}
	return x
}

// mutate returns mutants of the definitions in a file.
func mutate(name string, src []byte) (list []mutant) {
	for chunk := range syntax.Chunks(name, src) {
		d := chunk.Definition()
		if d == nil {
			continue
		}
		for _, c := range changes {
			for _, text := range c.make(d.Expr()) {
				now := strings.Replace(string(src), chunk.Raw, d.Name+" = "+text+"\n", 1)
				list = append(list, mutant{filepath.Base(name), c.kind, d.Name, d.Expr(), text, []byte(now)})
			}
		}
	}
	return list
}

// TestMutants makes mistakes in the definitions that the reference ships. Those that mean something
// else are noticed by check or by the cases, but for a few.
func TestMutants(t *testing.T) {
	_, _, root := harness.Setup(t)
	m := newMutation(t, filepath.Join(root, "etc/pcp/derived"))
	rng := rand.New(rand.NewPCG(mutantsSeed, 0))
	var all []mutant
	for _, name := range m.files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, mutate(name, src)...)
	}
	all = drawn(rng, all, harness.Number("PMTOOLS_RUNS", mutants))
	same, seen, byKind := 0, 0, make(map[string][2]int)
	var missed []string
	for _, x := range all {
		by := m.notice(x)
		k := byKind[x.kind]
		switch {
		case by == "" && !m.differs(x):
			same++
			t.Logf("means the same: %s: %s\n\t%s\n\t%s", x.kind, x.name, x.from, x.text)
			continue
		case by == "":
			missed = append(missed, fmt.Sprintf("%s: %s\n\t%s\n\t%s", x.kind, x.name, x.from, x.text))
			k[1]++
		default:
			seen++
			k[0]++
		}
		byKind[x.kind] = k
	}
	t.Logf("%d mutants: %d noticed, %d mean the same, %d missed", len(all), seen, same, len(missed))
	for kind, k := range byKind {
		t.Logf("%s: %d noticed, %d missed", kind, k[0], k[1])
	}
	if 100*seen < noticed*(seen+len(missed)) {
		t.Errorf("less than %d of 100 are noticed", noticed)
	}
	for _, text := range missed {
		t.Log("missed: " + text)
	}
}

// drawn returns n mutants by chance, as many as possible of each kind.
func drawn(rng *rand.Rand, all []mutant, n int) (list []mutant) {
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	byKind := make(map[string][]mutant)
	for _, x := range all {
		byKind[x.kind] = append(byKind[x.kind], x)
	}
	for len(list) < min(n, len(all)) {
		for _, c := range changes {
			if k := byKind[c.kind]; len(k) > 0 && len(list) < n {
				list, byKind[c.kind] = append(list, k[0]), k[1:]
			}
		}
	}
	return list
}

// A mutation is what mutants are tried on.
type mutation struct {
	t      *testing.T
	ctx    context.Context
	conf   string
	files  []string
	cases  map[string][]*derivetest.File // by the name of the file under test
	worlds map[string][]*derivetest.File // random ones
	before map[string][]string           // what check finds in the file as it is
	record map[*derivetest.File]string   // what comes out of random worlds
	kept   string
}

// newMutation prepares the trials.
func newMutation(t *testing.T, conf string) *mutation {
	m := &mutation{t: t, ctx: t.Context(), conf: conf, kept: t.TempDir(), cases: make(map[string][]*derivetest.File),
		worlds: make(map[string][]*derivetest.File), before: make(map[string][]string), record: make(map[*derivetest.File]string)}
	m.files, _ = filepath.Glob(filepath.Join(conf, "*.conf"))
	for _, f := range shippedCases(t) {
		if _, err := f.Run(m.ctx, &derivetest.Options{Definitions: conf, Keep: m.kept}); err != nil {
			t.Fatal(err)
		}
		name := f.Definitions[0]
		m.cases[name] = append(m.cases[name], f)
		for seed := range 2 {
			w := randomWorld(t, f, uint64(seed))
			m.worlds[name] = append(m.worlds[name], w)
			text, err := w.Record(m.ctx, &derivetest.Options{Definitions: conf})
			if err != nil {
				t.Fatal(err)
			}
			m.record[w] = string(text)
		}
	}
	for _, file := range m.files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m.before[filepath.Base(file)] = m.check(filepath.Base(file), src)
	}
	return m
}

// notice returns what notices a mutant, "" for nothing.
func (m *mutation) notice(x mutant) string {
	for _, d := range m.check(x.file, x.replacement) {
		if !slices.Contains(m.before[x.file], d) {
			return "check: " + d
		}
	}
	for _, f := range m.cases[x.file] {
		r, err := f.Run(m.ctx, m.options(x))
		if err != nil {
			m.t.Fatal(err)
		}
		if r.Failed() > 0 {
			return "cases"
		}
	}
	return ""
}

// differs reports whether a mutant means something else in one of the random worlds.
func (m *mutation) differs(x mutant) bool {
	for _, w := range m.worlds[x.file] {
		text, err := w.Record(m.ctx, m.options(x))
		if err != nil {
			m.t.Fatal(err)
		}
		if string(text) != m.record[w] {
			return true
		}
	}
	return false
}

// options puts a mutant in the place of the file under test.
func (m *mutation) options(x mutant) *derivetest.Options {
	if err := os.WriteFile(filepath.Join(m.kept, x.file), x.replacement, 0o666); err != nil {
		m.t.Fatal(err)
	}
	return &derivetest.Options{Definitions: m.kept}
}

// check returns what check finds in a file, over the archive of the first cases for it; without
// places, which move.
func (m *mutation) check(file string, src []byte) (list []string) {
	for _, f := range m.cases[file] {
		archive := filepath.Join(m.kept, strings.TrimSuffix(filepath.Base(f.Name), derivetest.Suffix), "input")
		s := repl.New(&repl.Options{Sources: repl.Sources{Kind: repl.Archive, Name: archive, Open: func(ctx context.Context, _, name string) (pmapi.Source, error) {
			return pmapi.OpenArchive(ctx, name, nil)
		}}})
		found, err := s.Lint(m.ctx, []lint.File{{Name: file, Text: src}}, lint.Options{Rules: lint.Rules()})
		s.Close()
		if err != nil {
			m.t.Fatal(err)
		}
		for _, d := range found {
			list = append(list, f.Name+" "+d.Metric+" "+d.Rule+" "+d.Message)
		}
	}
	return list
}

// value is the values of a row of a metric, in a file of cases.
var value = regexp.MustCompile(`^(  (?:value|"[^"]*"|\S+) +).*$`)

// randomWorld returns a file of cases with the metrics of another and random values: counters grow,
// wrap and stand still, instances come and go. It expects nothing.
func randomWorld(t *testing.T, f *derivetest.File, seed uint64) *derivetest.File {
	t.Helper()
	text, err := os.ReadFile(f.Name)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(mutantsSeed, seed))
	var b strings.Builder
	counter := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "case ") {
			break
		}
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "metric ") {
			counter = strings.Contains(line, " counter ")
		}
		if m := value.FindStringSubmatch(line); m != nil {
			line = m[1] + randomRow(rng, counter)
		}
		b.WriteString(line + "\n")
	}
	for i, name := range f.Exprs() {
		fmt.Fprintf(&b, "case %d\n  eval %s\n", i, name)
	}
	w, err := derivetest.Parse(f.Name, []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// randomRow returns ten values.
func randomRow(rng *rand.Rand, counter bool) string {
	var list []string
	at := uint64(rng.IntN(1 << 20))
	if counter && rng.IntN(4) == 0 {
		at = 1<<32 - at%2000 // it wraps, if it has 32 bits
	}
	for range 10 {
		switch step := uint64(rng.IntN(1000)); {
		case rng.IntN(12) == 0:
			list = append(list, "_")
			continue
		case !counter:
			at = step
		case rng.IntN(3) > 0:
			at += step
		}
		list = append(list, fmt.Sprint(at))
	}
	return strings.Join(list, " ")
}
