package pdu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"pmtools/lib/pcp"
)

// TestBudget decodes messages of many elements. Memory is in proportion to the message, and the
// number of allocations does not depend on the number of elements.
func TestBudget(t *testing.T) {
	const n = 50_000
	names, short, insts := &Names{}, &Names{}, &Instance{}
	for i := range n {
		names.Names = append(names.Names, fmt.Sprintf("site.g%03d.m%06d", i/1000, i))
		short.Names = append(short.Names, "a")
		insts.Instances = append(insts.Instances, pcp.Instance{ID: int32(i), Name: fmt.Sprint("instance ", i)})
	}
	odd := make([]uint64, n)
	label := pcp.LabelSet{Labels: []pcp.Label{{Name: "a", Value: "1"}}}
	for _, row := range []struct {
		name string
		m    Message
		most float64 // bytes for each of the message
	}{
		{"names", names, 1.6},
		{"short names", short, 2.2},
		{"instances", insts, 2},
		{"instances without names", &Instance{Instances: make([]pcp.Instance, n)}, 3.2},
		{"help text", &Text{Text: strings.Repeat("help", n)}, 1.1},
		{"label sets", &Label{Kind: pcp.InstanceLabels, Sets: manySets(n, label)}, 3.5},
		{"empty label sets", &Label{Kind: pcp.InstanceLabels, Sets: make([]pcp.LabelSet, n)}, 3.2},
		{"identifiers", &IDs{IDs: make([]pcp.ID, n)}, 1.1},
		{"descriptions", &Descs{Descs: make([]pcp.Desc, n)}, 1.3},
		{"values", one(pcp.Values{Type: pcp.Uint32, Insts: make([]int32, n), Words: odd}), 1.7},
		{"text values", one(pcp.Values{Type: pcp.String, Insts: make([]int32, n), Blobs: make([][]byte, n)}), 2.8},
	} {
		t.Run(row.name, func(t *testing.T) {
			msg, err := row.m.Encode(nil)
			if err != nil {
				t.Fatal(err)
			}
			m := New(row.m.Type())
			bytes, pieces := allocated(t, func() error { return m.Decode(msg[HeaderSize:]) })
			if raceEnabled {
				return // decoded: further properties do not hold for such values
			}
			if factor := float64(bytes) / float64(len(msg)); factor > row.most || pieces > n/10 && row.name != "label sets" {
				t.Errorf("%.2f bytes for each of the message, at most %v expected; %d pieces", factor, row.most, pieces)
			}
		})
	}
}

// one returns a Result of one set.
func one(v pcp.Values) *Result { return &Result{Values: &pcp.Result{Sets: []pcp.Values{v}}} }

// manySets returns one label set for each of n instances.
func manySets(n int, set pcp.LabelSet) []pcp.LabelSet {
	sets := make([]pcp.LabelSet, n)
	for i := range sets {
		sets[i] = pcp.LabelSet{Inst: int32(i), Labels: set.Labels}
	}
	return sets
}

// allocated returns how many bytes f allocates, and in how many pieces.
func allocated(t *testing.T, f func() error) (bytes, pieces uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := f(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
}

// TestResultMost decodes more value sets than were asked for.
func TestResultMost(t *testing.T) {
	msg, err := (&Result{Values: &pcp.Result{Sets: make([]pcp.Values, 50_000)}}).Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := Result{Most: 10}
	bytes, _ := allocated(t, func() error {
		if err := m.Decode(msg[HeaderSize:]); !errors.Is(err, ErrFormat) {
			t.Errorf("error %v, want %v", err, ErrFormat)
		}
		return nil
	})
	if bytes > 10_000 {
		t.Errorf("%d bytes were allocated", bytes)
	}
}

// TestReaderLongest reads headers that announce as much as a message of the type may have, and one
// byte more.
func TestReaderLongest(t *testing.T) {
	for _, of := range []Type{TypeError, TypeNames, TypeText, TypeLabel, TypeDescs, TypeResult} {
		n := Longest(of)
		for _, more := range []int{0, 1} {
			want := map[int]error{0: io.ErrUnexpectedEOF, 1: ErrFormat}[more]
			head := binary.BigEndian.AppendUint32(nil, uint32(n+more))
			head = binary.BigEndian.AppendUint32(head, uint32(of))
			if _, err := NewReader(bytes.NewReader(append(head, 0, 0, 0, 0))).Next(); !errors.Is(err, want) {
				t.Errorf("%v of %d bytes: error %v, want %v", of, n+more, err, want)
			}
		}
	}
}

// TestReaderGrows reads a large message: memory is allocated for little more than that.
func TestReaderGrows(t *testing.T) {
	const size = 20_000_000
	msg := binary.BigEndian.AppendUint32(nil, size)
	msg = append(binary.BigEndian.AppendUint32(msg, uint32(TypeNames)), make([]byte, size-8)...)
	r := NewReader(bytes.NewReader(msg))
	bytes, _ := allocated(t, func() error {
		_, err := r.Next()
		return err
	})
	if bytes > size+size/4 {
		t.Errorf("%d bytes were allocated for %d", bytes, size)
	}
}
