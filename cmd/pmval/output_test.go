package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

func TestSetOutput(t *testing.T) {
	f := &flags{}
	for _, form := range []string{"csv", "json"} {
		if err := f.setOutput(form); err != nil || f.output != form {
			t.Errorf("%s: %v, %v", form, f.output, err)
		}
	}
	if err := f.setOutput("xml"); err == nil {
		t.Error("xml is accepted")
	}
}

// TestFormValue has what the forms get for each kind of cell.
func TestFormValue(t *testing.T) {
	s := &sample{values: &columnOf(pcp.Float, uint64(math.Float32bits(0.5)), 0x80).Sets[0]}
	s.values.Odd = []pcp.Odd{{}, {Bad: true, InSitu: true, Word: 'a'}}
	for _, tt := range []struct {
		c    cell
		rate bool
		want pcp.Value
	}{
		{cell{}, false, pcp.Value{}},
		{cell{kind: isWrapped}, true, pcp.Value{}},
		{cell{kind: isOdd}, true, pcp.Value{}},
		{cell{kind: isReal, real: 0.5}, false, pcp.FloatValue(0.5)},
		{cell{kind: isReal, real: 1.5}, true, pcp.DoubleValue(1.5)},
		{cell{kind: isValue, at: 1}, false, pcp.BlobValue(pcp.String, (&format.Options{}).AppendOdd(nil, &s.values.Odd[1], 1))},
	} {
		r := &formReporter{rate: tt.rate}
		if got := r.value(s, tt.c); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.c, got, tt.want)
		}
	}
}

// TestOutputAgrees: CSV and JSON hold the same values, for metrics of all types.
func TestOutputAgrees(t *testing.T) {
	base := archivetest.Path(t, "alltypes")
	for _, metric := range []string{"t.is.l", "t.is.ul", "t.is.ll", "t.is.ull", "t.is.f", "t.is.d", "t.is.s", "t.is.a", "t.cs.l", "t.ds.d", "t.i.s"} {
		args := []string{"-a", base, "-s", "4", metric}
		lines, err := csv.NewReader(strings.NewReader(run(append([]string{"--output", "csv"}, args...), nil).Stdout)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", metric, err)
		}
		singular := lines[0][1] == metric
		var fromCSV, fromJSON []string
		for _, l := range lines[1:] {
			if singular {
				l = []string{l[0], "", "", l[1]}
			}
			fromCSV = append(fromCSV, l[0]+" "+l[2]+" "+l[3])
		}
		out := run(append([]string{"--output", "json"}, args...), nil).Stdout
		dec := json.NewDecoder(strings.NewReader(out))
		dec.UseNumber()
		var head struct {
			Metrics []struct{ Metric string }
			Source  struct{ Host string }
		}
		if err := dec.Decode(&head); err != nil {
			t.Errorf("%s: header %+v, %v", metric, head, err)
		} else if len(head.Metrics) != 1 || head.Metrics[0].Metric != metric || head.Source.Host != "specbox" {
			t.Errorf("%s: header %+v, %v", metric, head, err)
		}
		for dec.More() {
			var line struct {
				Time, Missing string
				Values        []struct {
					Value     any
					Instances []struct {
						Name  string
						Value any
					}
				}
			}
			if err := dec.Decode(&line); err != nil {
				t.Fatalf("%s: %v", metric, err)
			}
			if singular && line.Missing == "" {
				fromJSON = append(fromJSON, line.Time+"  "+textOfJSON(line.Values[0].Value))
			} else if singular {
				fromJSON = append(fromJSON, line.Time+"  ")
			}
			for _, set := range line.Values {
				for _, v := range set.Instances {
					fromJSON = append(fromJSON, line.Time+" "+v.Name+" "+textOfJSON(v.Value))
				}
			}
		}
		if !slices.Equal(fromCSV, fromJSON) {
			t.Errorf("%s: CSV %q, JSON %q", metric, fromCSV, fromJSON)
		}
	}
}

// textOfJSON returns a decoded value as CSV has it.
func textOfJSON(v any) string {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case string:
		return v
	}
	return ""
}
