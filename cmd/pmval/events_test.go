package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// paramSource knows the metrics of event parameters: 1.1.n is p.n, but for 3, which has no name,
// and 4, which has no description.
type paramSource struct{ pmapi.Source }

func (paramSource) Names(_ context.Context, id pcp.ID) ([]string, error) {
	if id.Item() == 3 {
		return nil, pmerr.PMID
	}
	return []string{"p." + string(rune('0'+id.Item()))}, nil
}

func (paramSource) Describe(_ context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	types := map[uint32]pcp.Type{1: pcp.Int32, 2: pcp.String, 5: pcp.Aggregate}
	t, ok := types[ids[0].Item()]
	if !ok {
		return []pcp.Answer[pcp.Desc]{{Err: pmerr.PMID}}, nil
	}
	return []pcp.Answer[pcp.Desc]{{Value: pcp.Desc{ID: ids[0], Type: t}}}, nil
}

// eventBytes builds the content of an event value: records of time, flags and parameters.
func eventBytes(records ...[]byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(records)))
	for _, r := range records {
		b = append(b, r...)
	}
	return b
}

// record builds one record.
func record(sec, flags, count uint32, params ...[]byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, sec)
	b = binary.BigEndian.AppendUint32(b, 5000)
	b = binary.BigEndian.AppendUint32(b, flags)
	b = binary.BigEndian.AppendUint32(b, count)
	for _, p := range params {
		b = append(b, p...)
	}
	return b
}

// param builds one parameter: metric 1.1.item, a type, and a value, which is padded.
func param(item uint32, t pcp.Type, value string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(pcp.NewID(1, 1, item)))
	b = binary.BigEndian.AppendUint32(b, uint32(t)<<24|uint32(len(value)+4))
	b = append(b, value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// eventsOf returns a reporter of live events, and what it prints to.
func eventsOf(t pcp.Type, d pcp.InDom) (*eventReporter, *strings.Builder) {
	out := new(strings.Builder)
	return &eventReporter{clock: new(clock), out: bufio.NewWriter(out), src: paramSource{}, name: "e", desc: pcp.Desc{Type: t, InDom: d}}, out
}

func TestEvents(t *testing.T) {
	value := eventBytes(
		record(1, 0, 0),
		record(2, 0, 1, param(1, pcp.Int32, "\x00\x00\x00\x07")),
		record(3, 1, 2, param(2, pcp.String, "hullo\x00"), param(5, pcp.Aggregate, "\xde\xad")),
		record(4, 1<<31, 9),
		record(5, 6, 2, param(3, pcp.Int32, "\x00\x00\x00\x07"), param(4, pcp.Int32, "\x00\x00\x00\x07")),
	)
	want := `e[one]: 5 event records
  00:00:01.005 --- event record [0] ---
    ==> No parameters
  00:00:02.005 --- event record [1] ---
    p.1 7
  00:00:03.005 --- event record [2] flags 0x1 (point) ---
    p.2 "hullo"
    p.5 [dead]
  00:00:04.005 --- event record [3] flags 0x80000000 (missed) ---
    ==> 9 missed event records
  00:00:05.005 --- event record [4] flags 0x6 (start,end) ---
	1.1.3: pmNameID: Unknown or illegal metric identifier
	p.4: pmLookupDesc: Unknown or illegal metric identifier
`
	r, out := eventsOf(pcp.Event, 1)
	columns := []column{{inst: 4, name: "one"}, {inst: 9, name: "nine"}}
	res := &pcp.Result{Sets: []pcp.Values{{Type: pcp.Event, Insts: []int32{4}, Blobs: [][]byte{value}}}}
	conv := converter{desc: r.desc}
	if err := r.sample(t.Context(), conv.convert(columns, res, nil)); err != nil {
		t.Fatal(err)
	}
	r.out.Flush()
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
}

// TestEventsDamaged: records that cannot be unpacked are reported, and listed as far as they go.
func TestEventsDamaged(t *testing.T) {
	for _, typ := range []pcp.Type{pcp.Event, pcp.HighResEvent} {
		r, out := eventsOf(typ, pcp.NullInDom)
		var errs strings.Builder
		r.errs = &errs
		conv := converter{desc: r.desc}
		res := &pcp.Result{Sets: []pcp.Values{{Type: typ, Insts: []int32{-1}, Blobs: [][]byte{{255, 255, 255, 255}}}}}
		if err := r.sample(t.Context(), conv.convert([]column{{inst: -1}}, res, nil)); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("Event Records Dump ...\nPMID: 0.0.0 numval: 1 valfmt: 1 vtype: %s vlen: 8\nnrecords: -1\nError: bad nrecords\n", typ)
		r.out.Flush()
		if text := out.String(); errs.String() != want || !strings.HasSuffix(text, ": pmUnpackEventRecords: Insufficient elements in list\n") {
			t.Errorf("%v: got %q, %q", typ, text, &errs)
		}
	}
}

// TestEventsWithout: a sample without values is a time and no more, unless more is asked for.
func TestEventsWithout(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		r, out := eventsOf(pcp.Event, 1)
		r.verbose, r.clock.recorded = verbose, true
		r.gap(pcp.Timestamp{Sec: 1}, unavailable)
		r.gap(pcp.Timestamp{Sec: 2}, suspended)
		r.out.Flush()
		want := "00:00:01.000  00:00:02.000  Archive logging suspended\n"
		if verbose {
			want = "00:00:01.000  e: No values available\n00:00:02.000  Archive logging suspended\n"
		}
		if out.String() != want {
			t.Errorf("%v: got %q, want %q", verbose, out, want)
		}
	}
}
