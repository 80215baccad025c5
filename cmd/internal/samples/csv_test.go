package samples

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// TestCSV: the columns are those of the first line, whatever values come when.
func TestCSV(t *testing.T) {
	load := metric("load", pcp.Uint32, indom)
	n := metric("n", pcp.Uint32, pcp.NullInDom)
	n.Desc.Units = pcp.Units{DimSpace: 1, ScaleSpace: 1}
	x := metric("a, \"b\"", pcp.String, pcp.NullInDom)
	text := func(s string) sampling.Set {
		return sampling.SetOf(sampling.Value{ID: -1, Instance: "", Value: pcp.BlobValue(pcp.String, []byte(s))})
	}
	one := sampling.SetOf(value(-1, "", 7))
	late := sampling.SetOf(value(15, "15 minute", 3), value(1, "1 minute", 1), value(5, "5 minute", 2))
	tests := []struct {
		name    string
		metrics []sampling.Metric
		opt     Options
		samples []*sampling.Sample
		want    string
	}{
		{"no values at first", []sampling.Metric{load}, Options{}, []*sampling.Sample{at(0, sampling.Set{}), at(1, late)},
			"time,metric,instance,value|01Z,load,1 minute,1|01Z,load,5 minute,2|01Z,load,15 minute,3|"},
		{"new instances", []sampling.Metric{load}, Options{}, []*sampling.Sample{at(0, sampling.SetOf(value(1, "1 minute", 1))), at(1, late)},
			"time,metric,instance,value|00Z,load,1 minute,1|01Z,load,1 minute,1|01Z,load,5 minute,2|01Z,load,15 minute,3|"},
		{"wide", []sampling.Metric{n, x}, Options{}, []*sampling.Sample{at(0, sampling.Set{}, sampling.Set{}), at(1, one, text("x\ny"))},
			"time,n,\"a, \"\"b\"\"\"|00Z,,|01Z,7,\"x\ny\"|"},
		{"units", []sampling.Metric{n, x}, Options{CSV: CSV{Units: true}}, nil, "time,n [Kbyte],\"a, \"\"b\"\"\"|"},
		{"long", []sampling.Metric{n, x}, Options{CSV: CSV{Long: true}}, []*sampling.Sample{at(0, one, text(" z"))},
			"time,metric,instance,value|00Z,n,,7|00Z,\"a, \"\"b\"\"\",,\" z\"|"},
		{"long with units", []sampling.Metric{n, x}, Options{CSV: CSV{Long: true, Units: true}}, []*sampling.Sample{at(0, one, text("z"))},
			"time,metric,instance,value,units|00Z,n,,7,Kbyte|00Z,\"a, \"\"b\"\"\",,z,|"},
		{"instances with units", []sampling.Metric{load}, Options{CSV: CSV{Units: true}}, []*sampling.Sample{at(1, late)},
			"time,metric,instance,value,units|01Z,load,1 minute,1,|01Z,load,5 minute,2,|01Z,load,15 minute,3,|"},
		{"a column for each", []sampling.Metric{load, n}, Options{Wide: true, CSV: CSV{Units: true}}, []*sampling.Sample{at(0, late, one), at(1, sampling.SetOf(value(5, "5 minute", 4)), sampling.Set{})},
			"time,load[1 minute],load[5 minute],load[15 minute],n [Kbyte]|00Z,1,2,3,7|01Z,,4,,|"},
		{"long before wide", []sampling.Metric{n}, Options{Wide: true, CSV: CSV{Long: true}}, []*sampling.Sample{at(0, one)}, "time,metric,instance,value|00Z,n,,7|"},
		{"wide after a gap", []sampling.Metric{n}, Options{Wide: true}, []*sampling.Sample{{Time: pcp.Timestamp{Sec: 1700000000}, Missing: "why"}, at(1, one)}, "time,n|00Z,|01Z,7|"},
		{"both", []sampling.Metric{n, load}, Options{}, []*sampling.Sample{at(0, one, sampling.Set{Err: errors.New("no")})}, "time,metric,instance,value|00Z,n,,7|"},
		{"gap", []sampling.Metric{n}, Options{}, []*sampling.Sample{{Time: pcp.Timestamp{Sec: 1700000000}, Missing: "why"}}, "time,n|00Z,|"},
		{"long gap", []sampling.Metric{load}, Options{}, []*sampling.Sample{{Missing: "why"}}, "time,metric,instance,value|"},
		{"unknown", []sampling.Metric{load}, Options{}, []*sampling.Sample{at(0, sampling.SetOf(sampling.Value{ID: 1, Instance: "1 minute", Value: pcp.Value{}}))},
			"time,metric,instance,value|00Z,load,1 minute,|"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.opt.Precision = -1
			got := write(t, NewCSV, &sampling.Header{Metrics: tt.metrics}, &tt.opt, tt.samples...)
			rows, err := csv.NewReader(strings.NewReader(got)).ReadAll() // all rows have the same fields
			if err != nil {
				t.Error(err)
			}
			for range rows {
				got = strings.Replace(got, "\r\n", "|", 1)
			}
			if got = fixTimes(strings.ReplaceAll(got, "2023-11-14T22:13:2", "")); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// fixTimes gives seconds two digits.
func fixTimes(s string) string {
	return strings.NewReplacer("|0Z", "|00Z", "|1Z", "|01Z").Replace(s)
}

// TestCSVSafe: text that a spreadsheet would take for a formula is defused on request; numbers are not
// touched.
func TestCSVSafe(t *testing.T) {
	for field, want := range map[string]string{
		"": "", "a=1": "a=1", "=1+1": `"'=1+1"`, "+x": `"'+x"`, "-x": `"'-x"`, "@SUM(A1)": `"'@SUM(A1)"`, "\tx": "\"'\tx\"", "\rx": "\"'\rx\"",
		"-1": "-1", "+2.5e3": "+2.5e3", "-inf": "-inf", `="a"`: `"'=""a"""`,
	} {
		if got := string((&csvWriter{opt: Options{CSV: CSV{Safe: true}}}).appendField(nil, field)); got != want {
			t.Errorf("%q: got %q, want %q", field, got, want)
		}
	}
	if got := string((&csvWriter{}).appendField(nil, "=1+1")); got != "=1+1" {
		t.Errorf("without --safe-csv: %q", got)
	}
}

// TestCSVAllocates: the lines of a sample need no memory of their own.
func TestCSVAllocates(t *testing.T) {
	w, err := NewCSV(io.Discard, &sampling.Header{Metrics: []sampling.Metric{metric("load", pcp.Uint32, indom)}}, &Options{Precision: -1})
	if err != nil {
		t.Fatal(err)
	}
	s := at(0, sampling.SetOf(value(1, "one", 1), value(2, "two", 2)))
	if n := testing.AllocsPerRun(100, func() { _ = w.Sample(context.Background(), s) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestWideCSVKnows: the instances that the source knows are columns, before those of the first sample; a domain is asked for once.
func TestWideCSVKnows(t *testing.T) {
	asked := 0
	h := &sampling.Header{Metrics: []sampling.Metric{metric("a", pcp.Uint32, indom), metric("b", pcp.Uint32, indom)}}
	h.Instances = func(context.Context, int) ([]pcp.Instance, error) {
		asked++
		return []pcp.Instance{{ID: 5, Name: "5 minute"}, {ID: 1, Name: "1 minute"}}, nil
	}
	opt := &Options{Precision: -1, CSV: CSV{Delimiter: ';'}, Wide: true}
	got := write(t, NewCSV, h, opt, at(0, sampling.Set{}, sampling.SetOf(value(7, "new", 7))), at(1, sampling.SetOf(value(5, "5 minute", 2)), sampling.Set{}))
	want := "time;a[1 minute];a[5 minute];b[1 minute];b[5 minute];b[new]\r\n2023-11-14T22:13:20Z;;;;;7\r\n2023-11-14T22:13:21Z;;2;;;\r\n"
	if got != want || asked != 1 {
		t.Errorf("asked %d times: got %q, want %q", asked, got, want)
	}
}

// TestWideCSVLosesNothing: a value without a column is an error, after all other values.
func TestWideCSVLosesNothing(t *testing.T) {
	load := metric("load", pcp.Uint32, indom)
	var b strings.Builder
	w, err := NewCSV(&b, &sampling.Header{Metrics: []sampling.Metric{load}}, &Options{Precision: -1, Wide: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, smp := range []*sampling.Sample{at(0, sampling.SetOf(value(1, "1 minute", 1))), at(1, sampling.SetOf(value(1, "1 minute", 2), value(5, "5 minute", 3)))} {
		if err := w.Sample(t.Context(), smp); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "load[5 minute]") {
		t.Errorf("the end is %v", err)
	}
	if want := "load[1 minute]\r\n2023-11-14T22:13:20Z,1\r\n2023-11-14T22:13:21Z,2\r\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %q, want %q at its end", b.String(), want)
	}
}

// TestPrefixes: the text before a value is that of its instance in each sample, whichever instances and names
// stood in its place before, and however many there are.
func TestPrefixes(t *testing.T) {
	names := map[int32]string{1: "one", 2: "t,wo"}
	column := func(insts ...int32) sampling.Set {
		return sampling.ColumnSet(&pcp.Values{Type: pcp.Uint32, Insts: insts, Words: make([]uint64, len(insts))}, nil, func(inst int32) string { return names[inst] })
	}
	h := &sampling.Header{Metrics: []sampling.Metric{metric("m", pcp.Uint32, indom)}}
	for form, want := range map[string]string{
		"csv":  "1 one|2 \"t,wo\"|2 \"t,wo\"|1 one|1 uno|",
		"json": `1 "one"|2 "t,wo"|2 "t,wo"|1 "one"|1 "uno"|`,
	} {
		names[1] = "one"
		var b, got strings.Builder
		open := NewCSV
		if form == "json" {
			open = NewJSON
		}
		w, err := open(&b, h, &Options{Precision: format.Full})
		if err != nil {
			t.Fatal(err)
		}
		for i, set := range []sampling.Set{column(1, 2), column(2), column(1), column(1)} {
			if i == 3 {
				names[1] = "uno"
			}
			if err := w.Sample(t.Context(), at(int64(i), set)); err != nil {
				t.Fatal(err)
			}
		}
		line := regexp.MustCompile(`(?m)^[^,]*Z,m,(.*),0\r$`)
		if form == "json" {
			line = regexp.MustCompile(`"id":\d+,"name":("[^"]*"),"value":0`)
		}
		for _, m := range line.FindAllStringSubmatch(b.String(), -1) {
			id := "1"
			if strings.Contains(m[1], "wo") {
				id = "2"
			}
			got.WriteString(id + " " + m[1] + "|")
		}
		if got.String() != want {
			t.Errorf("%s: %s, want %s\n%s", form, got.String(), want, b.String())
		}
	}
	var many []int32
	for i := range int32(maxPrefixes + 3) {
		many = append(many, i)
		names[i] = fmt.Sprint("n", i)
	}
	out := write(t, NewCSV, h, &Options{Precision: format.Full}, at(0, column(many...)), at(1, column(many...)))
	if n := strings.Count(out, fmt.Sprintf(",n%d,0\r\n", maxPrefixes+1)); n != 2 || strings.Count(out, "\r\n") != 2*len(many)+1 {
		t.Errorf("an instance beyond %d is there %d times", maxPrefixes, n)
	}
}
