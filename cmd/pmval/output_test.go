package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

func TestSetOutput(t *testing.T) {
	f := &flags{}
	if err := f.setOutput("csv"); err != nil || f.output != csvOutput {
		t.Errorf("csv: %v, %v", f.output, err)
	}
	if err := f.setOutput("json"); err != nil || f.output != jsonOutput {
		t.Errorf("json: %v, %v", f.output, err)
	}
	if err := f.setOutput("xml"); err == nil {
		t.Error("xml is accepted")
	}
}

// TestBare: numbers have all their digits, strings no quotes.
func TestBare(t *testing.T) {
	tests := []struct {
		typ       pcp.Type
		word      uint64
		precision int
		want      string
	}{
		{pcp.Int32, math.MaxUint64, -1, "-1"},
		{pcp.Uint64, math.MaxUint64, -1, "18446744073709551615"},
		{pcp.Float, uint64(math.Float32bits(0.1)), -1, "0.1"},
		{pcp.Double, math.Float64bits(1.0 / 3), -1, "0.3333333333333333"},
		{pcp.Double, math.Float64bits(1.0 / 3), 2, "0.33"},
	}
	for _, tt := range tests {
		s := &session{flags: &flags{precision: tt.precision}, desc: pcp.Desc{Type: tt.typ, InDom: 1}}
		smp := &sample{session: s, now: columnOf(tt.typ, tt.word)}
		if got := s.bare(smp, smp.cell(&column{})); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.typ, got, tt.want)
		}
	}
	r := &pcp.Result{Sets: []pcp.Values{{Type: pcp.String, Insts: []int32{0}, Blobs: [][]byte{[]byte(`a "b"`)}}}}
	s := &session{flags: &flags{}, desc: pcp.Desc{Type: pcp.String, InDom: 1}}
	smp := &sample{session: s, now: r}
	if got := s.bare(smp, smp.cell(&column{})); got != `a "b"` {
		t.Errorf("a string is %q", got)
	}
	if got := s.bare(smp, cell{}); got != "" {
		t.Errorf("nothing is %q", got)
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
		var fromCSV, fromJSON []string
		for _, l := range lines[1:] {
			fromCSV = append(fromCSV, l[0]+" "+l[2]+" "+l[3])
		}
		out := run(append([]string{"--output", "json"}, args...), nil).Stdout
		dec := json.NewDecoder(strings.NewReader(out))
		dec.UseNumber()
		var head jsonHeader
		if err := dec.Decode(&head); err != nil || head.Metric != metric || head.Host != "specbox" {
			t.Errorf("%s: header %+v, %v", metric, head, err)
		}
		for dec.More() {
			var line jsonSample
			if err := dec.Decode(&line); err != nil {
				t.Fatalf("%s: %v", metric, err)
			}
			if line.Instances == nil && line.Missing == "" {
				fromJSON = append(fromJSON, line.Time+"  "+textOfJSON(line.Value))
			}
			for _, v := range line.Instances {
				fromJSON = append(fromJSON, line.Time+" "+v.Name+" "+textOfJSON(v.Value))
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

// TestJSONNumbers: what JSON has no number for is null.
func TestJSONNumbers(t *testing.T) {
	r := &jsonReporter{session: &session{flags: &flags{precision: -1}}}
	smp := &sample{session: r.session, now: columnOf(pcp.Double, 0)}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := r.jsonValue(smp, cell{kind: isReal, real: f}); got != nil {
			t.Errorf("%v is %v", f, got)
		}
	}
	if got := r.jsonValue(smp, cell{kind: isWrapped}); got != nil {
		t.Errorf("a wrapped counter is %v", got)
	}
}
