package pcp

import (
	"math"
	"testing"
	"time"

	"pmtools/lib/pmerr"
)

func TestTimestamp(t *testing.T) {
	a, b := Timestamp{10, 5}, Timestamp{10, 6}
	for _, c := range []struct {
		one, other Timestamp
		want       int
	}{{a, b, -1}, {b, a, 1}, {a, a, 0}, {b, Timestamp{11, 0}, -1}} {
		if got := c.one.Compare(c.other); got != c.want {
			t.Errorf("%v against %v: %d, want %d", c.one, c.other, got, c.want)
		}
	}
	if got := (Timestamp{12, 250000000}).Sub(Timestamp{10, 750000000}); got != 1.5 {
		t.Errorf("Sub gives %v, want 1.5", got)
	}
	if got := (Timestamp{0, math.MaxInt32}).Sub(Timestamp{0, math.MinInt32}); math.Abs(got-4.294967295) > 1e-9 {
		t.Errorf("Sub of what is not normal gives %v", got)
	}
	tests := []struct {
		from Timestamp
		d    time.Duration
		want Timestamp
	}{
		{a, 0, a},
		{Timestamp{10, 900000000}, 200 * time.Millisecond, Timestamp{11, 100000000}},
		{Timestamp{10, 100000000}, -200 * time.Millisecond, Timestamp{9, 900000000}},
		{Timestamp{10, 0}, -time.Second, Timestamp{9, 0}},
		{Timestamp{10, 5}, 90 * time.Minute, Timestamp{5410, 5}},
	}
	for _, tt := range tests {
		if got := tt.from.Add(tt.d); got != tt.want {
			t.Errorf("%v.Add(%v) = %v, want %v", tt.from, tt.d, got, tt.want)
		}
	}
	if got := TimestampOf(Timestamp{-5, 7}.Time()); got != (Timestamp{-5, 7}) {
		t.Errorf("there and back: %v", got)
	}
}

func TestResultReset(t *testing.T) {
	var r Result
	r.Reset(2)
	r.Sets[1] = Values{ID: 7, Type: Int32, Err: pmerr.Code(-1), Insts: []int32{1, 2}, Words: []uint64{3, 4}, Odd: make([]Odd, 2)}
	r.Reset(1)
	r.Reset(3)
	if len(r.Sets) != 3 {
		t.Fatalf("%d columns, want 3", len(r.Sets))
	}
	v := &r.Sets[1]
	if v.ID != NullID || v.Type != Unknown || v.Err != nil {
		t.Errorf("column is not empty: %+v", v)
	} else if v.Len() != 0 || len(v.Words) != 0 || v.Odd != nil {
		t.Errorf("column is not empty: %+v", v)
	}
	if cap(v.Insts) < 2 || cap(v.Words) < 2 {
		t.Error("the column's memory is gone")
	}
	if n := testing.AllocsPerRun(10, func() { r.Reset(3) }); n != 0 {
		t.Errorf("Reset allocates %v times", n)
	}
}

func TestValuesValue(t *testing.T) {
	numbers := Values{Type: Int32, Insts: []int32{1, 5}, Words: []uint64{7, 8}, Odd: []Odd{{}, {Bad: true}}}
	if v := numbers.Value(0); !v.IsSet() || v.Type() != Int32 || v.Word() != 7 {
		t.Errorf("value 0 is %+v", v)
	}
	if v := numbers.Value(1); v.IsSet() {
		t.Errorf("an odd value is %+v", v)
	}
	texts := Values{Type: String, Insts: []int32{NullInst}, Blobs: [][]byte{[]byte("a")}}
	if v := texts.Value(0); !v.IsSet() || string(v.Bytes()) != "a" || v.Word() != 0 {
		t.Errorf("string is %+v", v)
	}
	if numbers.Find(5) != 1 || numbers.Find(2) != -1 {
		t.Error("Find is wrong")
	}
}
