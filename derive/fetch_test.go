package derive_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// fetch fetches metrics and returns their values as text.
func fetch(t *testing.T, f *fake, s pmapi.Source, ids ...pcp.ID) []string {
	t.Helper()
	var res pcp.Result
	if err := s.Fetch(context.Background(), &pmapi.Request{IDs: ids}, &res); err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range res.Sets {
		if res.Sets[i].ID != ids[i] {
			t.Errorf("column %d is of %v, want %v", i, res.Sets[i].ID, ids[i])
		}
		d, _ := describe(t, s, ids[i])
		out = append(out, show(f, d, &res.Sets[i]))
	}
	return out
}

// TestSeveralSamples covers rows of derived.md D13; the evaluator's own tests have the rest.
func TestSeveralSamples(t *testing.T) {
	const again, value = "Error: Try again. Information not currently available", "Error: Missing metric value(s)"
	tests := []struct {
		expr string
		want []string
	}{
		{"delta(t.a)", []string{"none", "101", again, again, "none", "none"}},
		{"rate(t.a*2)", []string{"none", "202", again, "208", "none", "none"}},
		{"delta(t.s)", []string{"none", value, value, "1", "1", "1"}},
		{`t.b[a\]b]`, []string{"a]b=40", "a]b=41", "a]b=42", "a]b=23", "a]b=44"}},
		{"matchinst(/^t/, t.b)", []string{"two blank=20 three=30", "two blank=21 three=31", "two blank=22 three=32", "none"}},
		{"delta(sample.byte_ctr)", []string{"none", "339", "1452", "1106"}},
		{"delta(delta(sample.byte_ctr))", []string{"none", "none", "1113", "-346"}},
		{"delta(sum(sample.mirage))", []string{"none", "-128", "0"}},
		{`delta(rescale(sample.byte_ctr,"Kbyte"))`, []string{"none", "1", "1", "1"}},
		{"delta(sample.byte_ctr>24000)", []string{"none", "1", "0", "0"}},
		{"(delta(sample.mirage))[m-00]", []string{"none", "m-00=-16", "m-00=0"}},
		{"delta(sample.mirage[m-46])", []string{"none", "m-46=-16", "m-46=0"}},
	}
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			f := newFake(qa)
			reg := derive.NewRegistry(nil)
			if err := reg.Register("x.y", tt.expr); err != nil {
				t.Fatal(err)
			}
			src := derive.NewSource(f, reg.Set(), nil)
			id := lookup(t, src, "x.y")
			for i, want := range tt.want {
				if got := fetch(t, f, src, id)[0]; got != want {
					t.Errorf("sample %d: %s, want %s", i, got, want)
				}
			}
		})
	}
}

// TestFetch covers requests of several metrics: one request below, with each operand once, and
// columns in the order asked.
func TestFetch(t *testing.T) {
	f := newFake(qa)
	var w lines
	src, _ := define(t, f, &w, "x.sum=sample.long.one + sample.long.million", "x.two=sample.long.one * 2", "x.delta=delta(sample.byte_ctr)",
		"x.bad=no.such", "x.const=3")
	sum, two, delta := lookup(t, src, "x.sum"), lookup(t, src, "x.two"), lookup(t, src, "x.delta")
	bad, con := lookup(t, src, "x.bad"), lookup(t, src, "x.const")
	one, ctr := f.metrics["sample.long.one"].desc.ID, f.metrics["sample.byte_ctr"].desc.ID
	million := f.metrics["sample.long.million"].desc.ID
	tests := []struct {
		name  string
		ids   []pcp.ID
		want  string
		asked []pcp.ID
	}{
		{"base only", []pcp.ID{one, ctr}, "1, 23833", []pcp.ID{one, ctr}},
		{"mixed", []pcp.ID{two, one, sum}, "2, 1, 1000001", []pcp.ID{one, million}},
		{"delta, first", []pcp.ID{delta, ctr}, "none, 25624", []pcp.ID{ctr}},
		{"twice", []pcp.ID{delta, delta, two}, "1106, 1106, 2", []pcp.ID{ctr, one}},
		{"constant", []pcp.ID{con}, "3", nil},
		{"invalid", []pcp.ID{bad}, "Error: Unknown or illegal metric identifier", nil},
		{"unknown", []pcp.ID{pcp.NewID(511, 9, 9), con}, "Error: Unknown or illegal metric identifier, 3", []pcp.ID{pcp.NewID(511, 9, 9)}},
		{"base twice", []pcp.ID{one, two, one}, "1, 2, 1", []pcp.ID{one, one}},
		{"nothing", nil, "", nil},
	}
	for _, tt := range tests {
		got := fetch(t, f, src, tt.ids...)
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
		if asked := f.fetched[len(f.fetched)-1]; !slices.Equal(asked, tt.asked) {
			t.Errorf("%s: asked for %v, want %v", tt.name, asked, tt.asked)
		}
	}
}

// TestInvalidInArchive fetches a metric that is invalid: no values, but an error beside a valid
// derived metric.
func TestInvalidInArchive(t *testing.T) {
	f := newFake(qa)
	var w lines
	src, _ := define(t, fakeArchive{f}, &w, "x.bad=no.such", "x.ok=1")
	bad, ok := lookup(t, src, "x.bad"), lookup(t, src, "x.ok")
	if got := fetch(t, f, src, bad)[0]; got != "none" {
		t.Errorf("alone: %s", got)
	}
	if got := fetch(t, f, src, ok, bad)[1]; got != "Error: Unknown or illegal metric identifier" {
		t.Errorf("beside a valid one: %s", got)
	}
}

// TestSteadyFetch repeats one request into one result: the columns are reused and only values are
// requested.
func TestSteadyFetch(t *testing.T) {
	f := newFake(qa)
	var w lines
	src, _ := define(t, f, &w, "x.y=matchinst(/m-4/,sample.mirage)*2", "x.z=sample.mirage[m-10]")
	req := &pmapi.Request{IDs: []pcp.ID{lookup(t, src, "x.y"), f.metrics["sample.mirage"].desc.ID, lookup(t, src, "x.z")}}
	var res pcp.Result
	ctx := context.Background()
	for range 3 {
		if err := src.Fetch(ctx, req, &res); err != nil {
			t.Fatal(err)
		}
	}
	asked := f.asked
	for range 20 {
		if err := src.Fetch(ctx, req, &res); err != nil {
			t.Fatal(err)
		}
		if res.Sets[0].Len() != 2 || res.Sets[1].Len() != 8 || res.Sets[2].Len() != 1 {
			t.Errorf("lengths %d, %d, %d", res.Sets[0].Len(), res.Sets[1].Len(), res.Sets[2].Len())
		}
	}
	if f.asked != asked {
		t.Errorf("%d more questions", f.asked-asked)
	}
}
