package mmv_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pmtools/lib/mmv"
	"pmtools/lib/mmv/mmvtest"
	"pmtools/lib/pcp"
)

// demo returns the demonstration file in a version.
func demo(version int) []byte {
	s := mmvtest.Demo()
	s.Version = version
	return mmvtest.Build(s)
}

func TestParse(t *testing.T) {
	for version := 1; version <= 3; version++ {
		want := mmvtest.Demo()
		if version == 3 {
			want.Labels = []mmv.Label{
				{Kind: pcp.ClusterLabels, Ident: 321, Inst: -1, Text: `{"app":"demo"}`},
				{Kind: pcp.ItemLabels, Optional: true, Ident: 7, Inst: -1, Text: `{"scale":2}`},
				{Kind: pcp.InDomLabels, Ident: 61, Inst: -1, Text: `{"kind":true}`},
				{Kind: pcp.InstanceLabels, Ident: 61, Inst: 1, Text: `{"hue":[1,2]}`},
			}
		}
		want.Version = version
		f, err := mmv.Parse(mmvtest.Build(want))
		if err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		if f.Version != version || f.Cluster != 321 || f.Generation != 1 {
			t.Errorf("version %d: header %+v", version, f.Header)
		}
		for what, pair := range map[string][2]any{"indoms": {f.InDoms, want.InDoms}, "metrics": {f.Metrics, want.Metrics}, "labels": {f.Labels, want.Labels}} {
			if d := cmp.Diff(pair[0], pair[1], cmpopts.EquateEmpty()); d != "" {
				t.Errorf("version %d: %s:\n%s", version, what, d)
			}
		}
		if len(f.Values) != len(want.Values) {
			t.Fatalf("version %d: %d values, want %d", version, len(f.Values), len(want.Values))
		}
		for i, v := range want.Values {
			if got := f.Values[i]; got.Metric != v.Metric || got.Inst != v.Inst {
				t.Errorf("version %d: value %d is %+v, want %+v", version, i, got, v)
			}
		}
	}
}

func TestValue(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name  string
		typ   pcp.Type
		flags mmv.Flags
		word  uint64
		extra int64
		text  string
		want  pcp.Value
	}{
		{"int32", pcp.Int32, 0, 0xffff_ffff_ffff_fff9, 0, "", pcp.WordValue(pcp.Int32, math.MaxUint64-6)},
		{"uint32", pcp.Uint32, 0, 0xffff_ffff_ffff_fff9, 0, "", pcp.WordValue(pcp.Uint32, 0xfffffff9)},
		{"int64", pcp.Int64, 0, math.MaxUint64, 0, "", pcp.WordValue(pcp.Int64, math.MaxUint64)},
		{"uint64", pcp.Uint64, 0, math.MaxUint64, 0, "", pcp.WordValue(pcp.Uint64, math.MaxUint64)},
		{"float", pcp.Float, 0, 0xdddddddd_00000000 | uint64(math.Float32bits(1.5)), 0, "", pcp.FloatValue(1.5)},
		{"double", pcp.Double, 0, math.Float64bits(-1e300), 0, "", pcp.DoubleValue(-1e300)},
		{"string", pcp.String, 0, 0, 0, "running", pcp.BlobValue(pcp.String, []byte("running"))},
		{"empty string", pcp.String, 0, 0, 0, "", pcp.BlobValue(pcp.String, []byte{})},
		{"elapsed", mmv.Elapsed, 0, 2500, 0, "", pcp.WordValue(pcp.Int64, 2500)},
		{"elapsed, over", mmv.Elapsed, 0, 2500, 77, "", pcp.WordValue(pcp.Int64, 2500)},
		{"elapsed, lasting", mmv.Elapsed, 0, 2500, -now.Add(-time.Second).UnixMicro(), "", pcp.WordValue(pcp.Int64, 1002500)},
		{"no int32", pcp.Int32, mmv.Sentinel, math.MaxUint64, 0, "", pcp.Value{}},
		{"no uint32", pcp.Uint32, mmv.Sentinel, math.MaxUint64, 0, "", pcp.Value{}},
		{"int32 -1", pcp.Int32, mmv.Sentinel, 0xffffffff, 0, "", pcp.WordValue(pcp.Int32, math.MaxUint64)},
		{"largest uint32", pcp.Uint32, mmv.Sentinel, 0xffffffff, 0, "", pcp.WordValue(pcp.Uint32, 0xffffffff)},
		{"no int64", pcp.Int64, mmv.Sentinel, math.MaxUint64, 0, "", pcp.Value{}},
		{"no uint64", pcp.Uint64, mmv.Sentinel, math.MaxUint64, 0, "", pcp.Value{}},
		{"no float", pcp.Float, mmv.Sentinel, uint64(math.Float32bits(float32(math.NaN()))), 0, "", pcp.Value{}},
		{"no double", pcp.Double, mmv.Sentinel, math.Float64bits(math.NaN()), 0, "", pcp.Value{}},
		{"no string", pcp.String, mmv.Sentinel, 0, 0, "", pcp.Value{}},
		{"sentinels, a value", pcp.Int32, mmv.Sentinel, 5, 0, "", pcp.WordValue(pcp.Int32, 5)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := mmvtest.Build(&mmvtest.Spec{
				Flags: c.flags, Metrics: []mmv.Metric{{Name: "m", Type: c.typ}},
				Values: []mmvtest.Value{{Inst: pcp.NullInst, Word: c.word, Extra: c.extra, Text: c.text}},
			})
			f, err := mmv.Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Value(b, &f.Values[0], now)
			if err != nil {
				t.Errorf("got %v %#x %q, error %v; want %v %#x %q", got.Type(), got.Word(), got.Bytes(), err, c.want.Type(), c.want.Word(), c.want.Bytes())
			} else if got.IsSet() != c.want.IsSet() || got.Type() != c.want.Type() {
				t.Errorf("got %v %#x %q, error %v; want %v %#x %q", got.Type(), got.Word(), got.Bytes(), err, c.want.Type(), c.want.Word(), c.want.Bytes())
			} else if got.Word() != c.want.Word() || !bytes.Equal(got.Bytes(), c.want.Bytes()) {
				t.Errorf("got %v %#x %q, error %v; want %v %#x %q", got.Type(), got.Word(), got.Bytes(), err, c.want.Type(), c.want.Word(), c.want.Bytes())
			}
		})
	}
}

// TestValueShort reads values of a file that has become shorter.
func TestValueShort(t *testing.T) {
	b := demo(1)
	f, err := mmv.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		for i := range f.Values {
			if _, err := f.Value(b[:n], &f.Values[i], time.Unix(0, 0)); err != nil && !errors.Is(err, mmv.ErrFormat) {
				t.Fatalf("value %d in %d bytes: %v", i, n, err)
			}
		}
	}
	if _, err := f.Value(nil, &f.Values[0], time.Unix(0, 0)); !errors.Is(err, mmv.ErrFormat) {
		t.Errorf("value in no bytes: %v", err)
	}
}

// The places of numbers in the demonstration file of version 1.
const (
	tocs    = 40
	indoms  = tocs + 5*16
	insts   = indoms + 2*32
	metrics = insts + 3*80
	values  = metrics + 9*104
)

func TestDamaged(t *testing.T) {
	put32 := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.NativeEndian.PutUint32(b[at:], v); return b }
	}
	put64 := func(at int, v uint64) func([]byte) []byte {
		return func(b []byte) []byte { binary.NativeEndian.PutUint64(b[at:], v); return b }
	}
	for _, c := range []struct {
		name   string
		damage func(b []byte) []byte
		want   error
	}{
		{"empty", func([]byte) []byte { return nil }, mmv.ErrFormat},
		{"short header", func(b []byte) []byte { return b[:39] }, mmv.ErrFormat},
		{"magic", func(b []byte) []byte { b[0] = 'm'; return b }, mmv.ErrFormat},
		{"version 0", put32(4, 0), mmv.ErrFormat},
		{"version 4", put32(4, 4), mmv.ErrFormat},
		{"generation 0", put64(8, 0), mmv.ErrChanging},
		{"generations differ", put64(16, 2), mmv.ErrChanging},
		{"sections below zero", put32(24, 0xffffffff), mmv.ErrFormat},
		{"too many sections", put32(24, 1000), mmv.ErrFormat},
		{"cut sections", func(b []byte) []byte { return b[:tocs+20] }, mmv.ErrFormat},
		{"count below zero", put32(tocs+4, 0x80000000), mmv.ErrFormat},
		{"too many records", put32(tocs+4, 1000), mmv.ErrFormat},
		{"section after the end", put64(tocs+8, 1<<20), mmv.ErrFormat},
		{"section far after the end", put64(tocs+8, math.MaxUint64), mmv.ErrFormat},
		{"sections that overlap", put64(tocs+2*16+8, insts), mmv.ErrFormat},
		{"value of a metric beyond 32 bits", put64(values+16, 1<<32+metrics), mmv.ErrFormat},
		{"value of a metric below zero", put64(values+16, math.MaxUint64-103), mmv.ErrFormat},
		{"value after the metrics", put64(values+16, values), mmv.ErrFormat},
		{"kind of section unknown", put32(tocs+4*16, 99), nil},
		{"too many instances", put32(indoms+4, 1000), mmv.ErrFormat},
		{"instances below zero", put32(indoms+4, 0xffffffff), mmv.ErrFormat},
		{"instances that are none", put64(indoms+8, indoms), mmv.ErrFormat},
		{"instances far away", put64(indoms+8, math.MaxUint64), mmv.ErrFormat},
		{"instances of two domains", func(b []byte) []byte { return put32(indoms+4, 3)(put64(indoms+32+8, insts)(b)) }, mmv.ErrFormat},
		{"text far away", put64(indoms+16, math.MaxInt64), mmv.ErrFormat},
		{"text after the end", put64(metrics+88, 1<<30), mmv.ErrFormat},
		{"value of no metric", put64(values+16, metrics+1), mmv.ErrFormat},
		{"value of a metric far away", put64(values+16, math.MaxUint64), mmv.ErrFormat},
		{"value of no instance", put64(values+24, 3), mmv.ErrFormat},
		{"value of an instance far away", put64(values+24, math.MaxUint64), mmv.ErrFormat},
		{"undamaged", func(b []byte) []byte { return b }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := mmv.Parse(c.damage(demo(1)))
			if !errors.Is(err, c.want) || (f == nil) != (err != nil) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

// TestManySections names one section so often that it would not fit.
func TestManySections(t *testing.T) {
	b := demo(1)
	for i := range 5 {
		copy(b[tocs+16*i:], b[tocs+16*2:tocs+16*3])
	}
	if _, err := mmv.Parse(b); !errors.Is(err, mmv.ErrFormat) {
		t.Errorf("error %v, want %v", err, mmv.ErrFormat)
	}
}

// TestBigEndian reads a file of a machine with the other byte order: all numbers of a header
// without sections.
func TestBigEndian(t *testing.T) {
	b := make([]byte, 40)
	copy(b, "MMV")
	binary.BigEndian.PutUint32(b[4:], 2)
	binary.BigEndian.PutUint64(b[8:], 77)
	binary.BigEndian.PutUint64(b[16:], 77)
	binary.BigEndian.PutUint32(b[36:], 9)
	f, err := mmv.Parse(b)
	if err != nil {
		t.Errorf("%+v, error %v", f, err)
	} else if f.Version != 2 || f.Generation != 77 {
		t.Errorf("%+v, error %v", f, err)
	} else if f.Cluster != 9 || len(f.Metrics) != 0 {
		t.Errorf("%+v, error %v", f, err)
	}
}

// TestLongNames has names that only a later version can hold.
func TestLongNames(t *testing.T) {
	name := strings.Repeat("long", 40)
	f, err := mmv.Parse(mmvtest.Build(&mmvtest.Spec{Metrics: []mmv.Metric{{Name: name}}}))
	if err != nil || f.Version != 2 || f.Metrics[0].Name != name {
		t.Errorf("%+v, error %v", f, err)
	}
}

// FuzzParse takes anything for a file, and reads its values. Each value that can be read must be
// within the limits that the file's length sets.
func FuzzParse(f *testing.F) {
	for version := 1; version <= 3; version++ {
		f.Add(demo(version))
	}
	s := mmvtest.Demo()
	s.Labels = []mmv.Label{{Kind: pcp.ItemLabels, Ident: 7, Text: `{"a":1}`}}
	f.Add(mmvtest.Build(s))
	f.Add([]byte("MMV\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := mmv.Parse(b)
		if err != nil {
			if file != nil {
				t.Error("a file with an error")
			}
			return
		}
		n := 0
		for _, d := range file.InDoms {
			n += len(d.Instances)
		}
		if n+len(file.Metrics)+len(file.Values)+len(file.Labels) > len(b) {
			t.Errorf("%d bytes have %d instances, %d metrics, %d values, %d labels", len(b), n, len(file.Metrics), len(file.Values), len(file.Labels))
		}
		for i := range file.Values {
			_, _ = file.Value(b, &file.Values[i], time.Unix(0, 0))
			_, _ = file.Value(b[:len(b)/2], &file.Values[i], time.Unix(0, 0))
		}
	})
}
