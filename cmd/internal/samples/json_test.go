package samples

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// TestJSON has every kind of line that docs/output.md describes.
func TestJSON(t *testing.T) {
	rate := metric("disk", pcp.Double, indom)
	rate.Desc.Units = pcp.Units{DimCount: 1, DimTime: -1, ScaleTime: pcp.Sec}
	rate.Counter = &pcp.Desc{Type: pcp.Uint64, InDom: indom, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}}
	h := &sampling.Header{
		Metrics: []sampling.Metric{metric("a<b", pcp.Uint32, pcp.NullInDom), rate},
		Source:  sampling.Source{Kind: "archive", Name: "demo", Host: "box"}, Zone: time.UTC,
		Start: pcp.Timestamp{Sec: 1700000000}, End: pcp.Timestamp{Sec: 1700000009}, Samples: 4, Interval: 2500 * time.Millisecond,
	}
	both := []sampling.Value{{ID: 7, Instance: `sd"b`, Value: pcp.DoubleValue(1.5)}, {ID: 3, Instance: "sda", Value: pcp.Value{}}}
	got := write(t, NewJSON, h, &Options{Precision: -1},
		at(0, sampling.SetOf(value(-1, "", 5)), sampling.SetOf(both...)),
		at(1, sampling.Set{}, sampling.Set{}),
		at(2, sampling.Set{Err: errors.New("no value")}, sampling.Set{Err: errors.New("no agent")}),
		&sampling.Sample{Time: pcp.Timestamp{Sec: 1700000003}, Missing: "Archive logging suspended"})
	want := `{"metrics":[{"metric":"a<b","type":"U32","semantics":"instant","units":""},` +
		`{"metric":"disk","type":"DOUBLE","semantics":"instant","units":"count / sec","indom":"60.2",` +
		`"counter":{"type":"U64","semantics":"counter","units":"count"}}],` +
		`"source":{"kind":"archive","name":"demo","host":"box"},"zone":"UTC",` +
		`"start":"2023-11-14T22:13:20Z","end":"2023-11-14T22:13:29Z","samples":4,"interval":2.5}
{"time":"2023-11-14T22:13:20Z","values":[{"metric":"a<b","value":5},{"metric":"disk","instances":[{"id":3,"name":"sda","value":null},{"id":7,"name":"sd\"b","value":1.5}]}]}
{"time":"2023-11-14T22:13:21Z","values":[{"metric":"a<b","value":null},{"metric":"disk","instances":[]}]}
{"time":"2023-11-14T22:13:22Z","values":[{"metric":"a<b","error":"no value"},{"metric":"disk","error":"no agent"}]}
{"time":"2023-11-14T22:13:23Z","missing":"Archive logging suspended"}
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestJSONLive: what is not known of a live run is not there.
func TestJSONLive(t *testing.T) {
	h := &sampling.Header{Metrics: []sampling.Metric{metric("m", pcp.String, pcp.NullInDom)}, Source: sampling.Source{Kind: "host"}, Samples: -1}
	want := `{"metrics":[{"metric":"m","type":"STRING","semantics":"instant","units":""}],"source":{"kind":"host"},"zone":"UTC"}` + "\n"
	if got := write(t, NewJSON, h, &Options{}); got != want {
		t.Errorf("got %s", got)
	}
}

// TestJSONValues: numbers have all their digits; JSON has no infinities.
func TestJSONValues(t *testing.T) {
	for _, tt := range []struct {
		v    pcp.Value
		want string
	}{
		{pcp.WordValue(pcp.Uint64, math.MaxUint64), "18446744073709551615"},
		{pcp.DoubleValue(math.Inf(-1)), "null"},
		{pcp.DoubleValue(math.NaN()), "null"},
		{pcp.DoubleValue(1e23), "1e+23"},
		{pcp.BlobValue(pcp.String, []byte("<a>\n")), `"\u003ca\u003e\n"`},
		{pcp.BlobValue(pcp.Aggregate, []byte{1, 2, 3}), `"[010203]"`},
		{pcp.Value{}, "null"},
	} {
		j := &jsonWriter{h: &sampling.Header{}, opt: Options{Precision: -1}}
		got := string(j.appendValue(nil, tt.v))
		if got != tt.want || !json.Valid([]byte(got)) {
			t.Errorf("%v: got %s, want %s", tt.v, got, tt.want)
		}
	}
}

// TestFormsAgree: CSV and JSON have the same values.
func TestFormsAgree(t *testing.T) {
	for _, v := range []pcp.Value{pcp.DoubleValue(0.1), pcp.FloatValue(1.5e30), pcp.WordValue(pcp.Int64, 1<<63), pcp.WordValue(pcp.Uint32, 9)} {
		h, s := &sampling.Header{Metrics: []sampling.Metric{metric("m", v.Type(), pcp.NullInDom)}}, at(0, sampling.SetOf(sampling.Value{ID: -1, Instance: "", Value: v}))
		_, fromCSV, _ := strings.Cut(write(t, NewCSV, h, &Options{Precision: -1}, s), "20Z,")
		_, fromJSON, _ := strings.Cut(write(t, NewJSON, h, &Options{Precision: -1}, s), `"value":`)
		if fromCSV != strings.Replace(fromJSON, "}]}\n", "\r\n", 1) {
			t.Errorf("CSV %q, JSON %q", fromCSV, fromJSON)
		}
	}
}

// TestSchema: the schema in docs/output.md has every field.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("../../../docs/output.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "The schema")
	_, after, _ = strings.Cut(after, "```json\n")
	block, _, _ := strings.Cut(after, "```")
	var schema struct {
		Defs map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(block), &schema); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{"header": jsonHeader{}, "metric": jsonMetric{}, "desc": answer.Desc{}} {
		for typ, i := reflect.TypeOf(v), 0; i < typ.NumField(); i++ {
			field, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if _, ok := schema.Defs[name].Properties[field]; !ok && field != "" {
				t.Errorf("the schema of %s has no %s", name, field)
			}
		}
	}
	for name, fields := range map[string]string{"sample": "time missing values", "values": "metric value instances hosts error"} {
		for _, field := range strings.Fields(fields) {
			if _, ok := schema.Defs[name].Properties[field]; !ok {
				t.Errorf("the schema of %s has no %s", name, field)
			}
		}
	}
}

// TestJSONAllocates: the line of a sample needs no memory of its own.
func TestJSONAllocates(t *testing.T) {
	w, err := NewJSON(io.Discard, &sampling.Header{Metrics: []sampling.Metric{metric("load", pcp.Uint32, indom)}}, &Options{Precision: -1})
	if err != nil {
		t.Fatal(err)
	}
	s := at(0, sampling.SetOf(value(1, "one", 1), value(2, "two", 2)))
	if n := testing.AllocsPerRun(100, func() { _ = w.Sample(context.Background(), s) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
