package pmda

import (
	"errors"
	"reflect"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestEvents checks values of events against ones of the reference (wire.md W6.5).
func TestEvents(t *testing.T) {
	param := pcp.NewID(30, 0, 134)
	ev := NewEvents(pcp.Event)
	ev.Record(pcp.Timestamp{Sec: 0x6b0020b1, Nsec: 0x4c32b*1000 + 999}, pcp.EventPoint)
	ev.Param(param, pcp.BlobValue(pcp.String, []byte("fetch #4")))
	if got, want := wordsOf(ev.Bytes()), "00000001 6b0020b1 0004c32b 00000001 00000001 07800086 0600000c 66657463 68202334"; got != want {
		t.Errorf("event:\n got %s\nwant %s", got, want)
	}
	high := NewEvents(pcp.HighResEvent)
	high.Record(pcp.Timestamp{Sec: 0x6b0020bd, Nsec: 0x174cc4ae}, pcp.EventPoint)
	high.Param(param, pcp.BlobValue(pcp.String, []byte("fetch #2")))
	if got, want := wordsOf(high.Bytes()), "00000001 00000000 6b0020bd 00000000 174cc4ae 00000001 00000001 07800086 0600000c 66657463 68202332"; got != want {
		t.Errorf("highres event:\n got %s\nwant %s", got, want)
	}
	ev.Reset()
	ev.Missed(pcp.Timestamp{Sec: 0x6b0020aa, Nsec: 0x4c60f * 1000}, 7)
	if got, want := wordsOf(ev.Bytes()), "00000001 6b0020aa 0004c60f 80000000 00000007"; got != want || ev.Len() != 1 {
		t.Errorf("missed:\n got %s\nwant %s", got, want)
	}
}

// TestEventRoundTrip checks that what is put in can be taken out.
func TestEventRoundTrip(t *testing.T) {
	for _, typ := range []pcp.Type{pcp.Event, pcp.HighResEvent} {
		ev, at := NewEvents(typ), pcp.Timestamp{Sec: 1, Nsec: 2000}
		params := []pcp.Param{
			{ID: 1, Value: pcp.WordValue(pcp.Int32, uint64(1<<64-5))}, {ID: 2, Value: pcp.WordValue(pcp.Uint32, 6)},
			{ID: 3, Value: pcp.WordValue(pcp.Int64, uint64(1<<64-7))}, {ID: 4, Value: pcp.WordValue(pcp.Uint64, 8)},
			{ID: 5, Value: pcp.FloatValue(1.5)}, {ID: 6, Value: pcp.DoubleValue(-2.5)},
			{ID: 7, Value: pcp.BlobValue(pcp.String, []byte("seven"))}, {ID: 8, Value: pcp.BlobValue(pcp.Aggregate, []byte{8, 8, 8})},
		}
		want := []pcp.EventRecord{
			{Time: at, Flags: pcp.EventStart | pcp.EventHasID, Params: params},
			{Time: at, Flags: pcp.EventMissed, Missed: 3},
			{Time: at, Flags: pcp.EventEnd},
		}
		if err := ev.Record(at, want[0].Flags); err != nil {
			t.Fatal(err)
		}
		for _, p := range params {
			if err := ev.Param(p.ID, p.Value); err != nil {
				t.Errorf("%v: %v", p.Value.Type(), err)
			}
		}
		ev.Missed(at, 3)
		if err := ev.Record(at, want[2].Flags); err != nil {
			t.Fatal(err)
		}
		got, err := pcp.UnpackEvents(pcp.BlobValue(typ, ev.Bytes()))
		if err != nil {
			t.Fatalf("%v: %v", typ, err)
		}
		if len(got) != 3 || ev.Len() != 3 {
			t.Fatalf("%d records, %d said", len(got), ev.Len())
		}
		for i := range want {
			if len(got[i].Params) == 0 {
				got[i].Params = nil
			}
			for j := range got[i].Params {
				if g, w := got[i].Params[j], want[i].Params[j]; g.ID != w.ID || shown(t, g.Value) != shown(t, w.Value) {
					t.Errorf("%v: parameter %d: %v", typ, j, g)
				}
			}
			got[i].Params, want[i].Params = nil, nil
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("%v: record %d: %+v, want %+v", typ, i, got[i], want[i])
			}
		}
	}
}

// TestBadEvents checks what cannot be put in.
func TestBadEvents(t *testing.T) {
	ev := NewEvents(pcp.Event)
	one := pcp.WordValue(pcp.Int32, 1)
	if err := ev.Param(1, one); !errors.Is(err, pmerr.EINVAL) {
		t.Errorf("parameter without a record: %v", err)
	}
	if err := ev.Record(pcp.Timestamp{}, pcp.EventMissed); !errors.Is(err, pmerr.Conv) {
		t.Errorf("record of missing ones: %v", err)
	}
	ev.Missed(pcp.Timestamp{}, 1)
	if err := ev.Param(1, one); !errors.Is(err, pmerr.EINVAL) {
		t.Errorf("parameter of missing records: %v", err)
	}
	if err := ev.Record(pcp.Timestamp{}, 0); err != nil {
		t.Fatal(err)
	}
	before := len(ev.Bytes())
	for _, tt := range []struct {
		value pcp.Value
		want  error
	}{
		{pcp.Value{}, pmerr.Value},
		{pcp.BlobValue(pcp.Event, nil), pmerr.Type},
		{pcp.BlobValue(pcp.AggregateStatic, nil), pmerr.Type},
		{pcp.WordValue(pcp.NoSupport, 1), pmerr.Type},
		{pcp.BlobValue(pcp.String, make([]byte, 1<<24)), pmerr.TooBig},
	} {
		if err := ev.Param(1, tt.value); !errors.Is(err, tt.want) {
			t.Errorf("%v: %v, want %v", tt.value.Type(), err, tt.want)
		}
	}
	if len(ev.Bytes()) != before {
		t.Error("refused parameters were added")
	}
}

// shown returns a value as text.
func shown(t *testing.T, v pcp.Value) string {
	t.Helper()
	if v.Type() == pcp.Aggregate {
		return string(v.Bytes())
	}
	s, err := v.Text()
	if err != nil {
		t.Error(err)
	}
	return s
}
