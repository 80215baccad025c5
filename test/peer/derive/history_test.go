package derive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/test/peer/harness"
)

// histories are the archives whose records are ten seconds apart and complete: there the values
// between the records that pmval wants are those of the records.
var histories = map[string]int{"demo": 7, "interp": 4}

// interpolated are expressions that are not the same between records and at them: what goes by the
// order of values, and strings that count.
var interpolated = regexp.MustCompile(`scalar\(|avg\(|t\.c\.s`)

// historyID is the name of a file that holds an expression with a history.
const historyID = "history"

// Width of pmval's columns, and of the time before them.
const (
	pmvalWidth = 40
	pmvalTime  = 12
)

// TestDerivedHistory compares random expressions with delta and rate over several records with what
// the reference's pmval prints. There are PMTOOLS_RUNS/10.
func TestDerivedHistory(t *testing.T) {
	d := newRun(t)
	own := harness.Own(t, "demo", "interp")
	seed, runs := harness.Number("PMTOOLS_SEED", 1), harness.Number("PMTOOLS_RUNS", 2000)/10
	for name, samples := range histories {
		w := readWorld(t, d.ours, d.root, filepath.Join(own, name))
		for n, number := 0, uint64(0); n < runs/len(histories); number++ {
			g := newGenerator(w, uint64(seed), number)
			for range perBatch {
				text := g.expression()
				if typ, ok := g.typeOf(text); ok && typ.Type.Arithmetic() && w.history(text) && !interpolated.MatchString(text) {
					d.history(t, w, text, samples)
					n++
				}
			}
		}
	}
	d.report(t, 0)
}

// history compares one expression.
func (d *derivedRun) history(t *testing.T, w *world, text string, samples int) {
	t.Helper()
	d.count("expressions", 1)
	b, err := newBatch(w, filepath.Join(d.dir, historyID), []string{text})
	if err != nil {
		t.Fatal(err)
	}
	c := harness.Command{Args: []string{"pmval", "-r", "-a", w.archive, "--derived", b.file, "-t", "10", "-s", fmt.Sprint(samples),
		"-f", "6", "-w", fmt.Sprint(pmvalWidth), derivedName(0)}}
	r, err := d.theirs.Run(c, d.root)
	if err != nil {
		t.Fatal(err)
	}
	ours := part{out: ourHistory(t, w, text, samples)}
	theirs := part{out: pmvalRows(string(r.Stdout))}
	switch {
	case theirs.out == "" && bytes.Contains(r.Stderr, []byte("pmval: ")), strings.Contains(theirs.out, "! "):
		d.count("not shown by pmval", 1) // no instances to make columns of; a counter that has a negative value
	case ours.out == theirs.out && !r.Crashed():
		d.count("equal", 1)
	case r.Crashed():
		d.known("crash", w, historyID, text, ours, theirs)
	default:
		d.known("", w, historyID, text, ours, theirs)
	}
}

// ourHistory returns the values of an expression at each record, a line for each.
func ourHistory(t *testing.T, w *world, text string, samples int) string {
	t.Helper()
	src, err := pmapi.OpenArchive(t.Context(), w.archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	reg := derive.NewRegistry(nil)
	if err := reg.Register(derivedName(0), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	s := derive.NewSource(src, reg.Set(), nil)
	defer s.Close()
	ctx := context.Background()
	names, err := s.Lookup(ctx, []string{derivedName(0)})
	if err != nil {
		t.Fatal(err)
	}
	descs, err := s.Describe(ctx, []pcp.ID{names[0].Value})
	if err != nil || descs[0].Err != nil {
		t.Fatalf("%s: %v %v", text, err, descs)
	}
	var b strings.Builder
	var res pcp.Result
	for range samples {
		if err := s.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{names[0].Value}}, &res); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		row(t, s, &b, descs[0].Value.InDom, &res.Sets[0])
	}
	return b.String()
}

// row writes a column as pmval would, with the names of the instances.
func row(t *testing.T, s *derive.Source, b *strings.Builder, d pcp.InDom, v *pcp.Values) {
	t.Helper()
	if v.Len() == 0 {
		b.WriteString("No values available")
	}
	names := map[int32]string{}
	if d != pcp.NullInDom && v.Len() > 0 {
		list, err := pmapi.InstancesOf(context.Background(), s, d, pmapi.Now())
		if err != nil && !errors.Is(err, pmerr.InDomLog) { // a domain that novalue() has made up
			t.Fatal(err)
		}
		for _, in := range list {
			names[in.ID] = in.Name + "="
		}
	}
	for i, inst := range v.Insts {
		b.WriteString(names[inst])
		b.WriteString(number6(v, i) + " ")
	}
	b.WriteByte('\n')
}

// number6 writes a number with six digits after the decimal point, if it has a point.
func number6(v *pcp.Values, i int) string {
	var f float64
	switch v.Type {
	case pcp.Double:
		f = math.Float64frombits(v.Words[i])
	case pcp.Float:
		f = float64(math.Float32frombits(uint32(v.Words[i])))
	case pcp.Int32, pcp.Int64:
		return fmt.Sprint(int64(v.Words[i]))
	default:
		return fmt.Sprint(v.Words[i])
	}
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(fmt.Sprint(f)), "+")
	}
	return fmt.Sprintf("%.6f", f)
}

// pmvalRows returns the rows of pmval's output in the form of row.
func pmvalRows(text string) string {
	var b strings.Builder
	var names []string
	_, text, _ = strings.Cut(text, "\ninterval:")
	_, text, _ = strings.Cut(text, "\n")
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		switch {
		case l == "":
			names = nil
		case strings.HasPrefix(l, " "):
			for at := pmvalTime; at < len(l); at += pmvalWidth + 1 {
				names = append(names, strings.TrimSpace(l[at:min(len(l), at+pmvalWidth+1)])+"=")
			}
		case strings.HasSuffix(l, "No values available"):
			b.WriteString("No values available\n")
		default:
			for i, f := range strings.Fields(l[min(len(l), pmvalTime):]) {
				if f != "?" && i < len(names) {
					f = names[i] + f
				}
				if f != "?" {
					b.WriteString(strings.ReplaceAll(f, "-nan", "nan") + " ")
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}
