package remotewrite

import (
	"encoding/hex"
	"math"
	"testing"

	"github.com/klauspost/compress/snappy"
)

// TestMessage: the bytes are those that protoc writes for the message.
func TestMessage(t *testing.T) {
	var r Request
	r.Add(of(EncodeLabels(Label{"b", "1"}, Label{"__name__", "up"}, Label{"b", "2"}, Label{"c", ""})), 1000, 1)
	b := r.Block()
	got, err := snappy.Decode(nil, b.message(1))
	// timeseries { labels { name: "__name__" value: "up" } labels { name: "b" value: "2" } samples { value: 1 timestamp: 1000 } }
	want := "0a26" + "0a0e0a085f5f6e616d655f5f12027570" + "0a060a016212" + "0132" + "120c" + "09000000000000f03f" + "10e807"
	if err != nil || hex.EncodeToString(got) != want {
		t.Errorf("%v\n%x\n%s", err, got, want)
	}
	if r.Reset(); r.Samples != 0 || r.Len() != 0 {
		t.Errorf("%d samples, %d bytes after Reset", r.Samples, r.Len())
	}
}

// of returns a series without metadata.
func of(l Labels) *Series { return &Series{Labels: l} }

// TestMessage2: the bytes are those that protoc writes for the message.
func TestMessage2(t *testing.T) {
	var r Request
	up := &Series{EncodeLabels(Label{"b", "2"}, Label{"__name__", "up"}), &Metadata{Kind: Counter, Name: "up", Help: "is up", Unit: "s"}, 999}
	r.Add(up, 999, 1)
	r.Add(up, 1000, 1)
	r.Add(&Series{Labels: EncodeLabels(Label{"__name__", "b"})}, 1000, 1)
	b := r.Block()
	got, err := snappy.Decode(nil, b.message(2))
	// symbols: "" symbols: "__name__" symbols: "up" symbols: "b" symbols: "2" symbols: "is up" symbols: "s"
	// timeseries { labels_refs: 1 labels_refs: 2 labels_refs: 3 labels_refs: 4
	//   samples { value: 1 timestamp: 999 } samples { value: 1 timestamp: 1000 start_timestamp: 999 }
	//   metadata { type: COUNTER help_ref: 5 unit_ref: 6 } created_timestamp: 999 }
	// timeseries { labels_refs: 1 labels_refs: 3 samples { value: 1 timestamp: 1000 } }
	want := "2200" + "22085f5f6e616d655f5f" + "22027570" + "220162" + "220132" + "22056973207570" + "220173" +
		"2a30" + "0a0401020304" + "120c" + "09000000000000f03f" + "10e707" + "120f" + "09000000000000f03f" + "10e807" + "18e707" + "2a06" + "080118052006" + "30e707" +
		"2a12" + "0a020103" + "120c" + "09000000000000f03f" + "10e807"
	if err != nil || hex.EncodeToString(got) != want {
		t.Errorf("%v\n%x\n%s", err, got, want)
	}
}

func message1(r *Request) []byte {
	b := r.Block()
	return b.message1()
}

// TestSeries: samples of a series are together, whatever comes between; a request is used again.
func TestSeries(t *testing.T) {
	var r Request
	a, b := EncodeLabels(Label{"a", "1"}), EncodeLabels(Label{"b", "1"})
	for range 2 {
		r.Add(of(a), 1, 1)
		r.Add(of(b), 1, 1)
		r.Add(of(a), 2, -1)
		want := "0a22" + "0a06" + "0a0161" + "120131" + "120b" + "09000000000000f03f" + "1001" + "120b" + "09000000000000f0bf" + "1002" +
			"0a15" + "0a06" + "0a0162" + "120131" + "120b" + "09000000000000f03f" + "1001"
		if got := hex.EncodeToString(message1(&r)); got != want || r.Samples != 3 {
			t.Errorf("%d samples, %s\nwant %s", r.Samples, got, want)
		}
		r.Reset()
	}
}

// TestDescribe: the bytes are those that protoc writes for the message.
func TestDescribe(t *testing.T) {
	var r Request
	r.Add(&Series{Meta: &Metadata{Kind: Counter, Name: "up", Help: "is up", Unit: "s"}}, 1, 0)
	r.Describe = true
	// timeseries { samples { timestamp: 1 } } metadata { type: COUNTER metric_family_name: "up" help: "is up" unit: "s" }
	if got, want := hex.EncodeToString(message1(&r)), "0a0d"+"120b"+"090000000000000000"+"1001"+"1a10"+"0801"+"12027570"+"22056973207570"+"2a0173"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestNaN: only the value of Stale says that a series has ended.
func TestNaN(t *testing.T) {
	for _, tt := range []struct {
		in   float64
		want string
	}{
		{math.Float64frombits(0x7ff0000000000001), "010000000000f87f"},
		{math.NaN(), "010000000000f87f"},
		{Stale(), "020000000000f07f"},
	} {
		var r Request
		r.Add(of(""), 1, tt.in)
		if got := hex.EncodeToString(message1(&r)); got != "0a0d"+"120b09"+tt.want+"1001" {
			t.Errorf("%x: %s", math.Float64bits(tt.in), got)
		}
	}
}

func TestLabelName(t *testing.T) {
	for in, want := range map[string]string{"a.b": "a_b", "": "_", "1x": "_1x", "Über": "_ber", "a:b": "a_b", "_x9": "_x9"} {
		if got := LabelName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
