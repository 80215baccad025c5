package archive_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A chooser turns the bytes of the fuzzer into decisions; when they are used up it always chooses
// zero.
type chooser struct{ b []byte }

// below returns a number less than n.
func (c *chooser) below(n int) int {
	if len(c.b) == 0 {
		return 0
	}
	x := int(c.b[0])
	c.b = c.b[1:]
	return x % n
}

// bytes returns at most n bytes.
func (c *chooser) bytes(n int) []byte {
	n = min(n, len(c.b))
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

// word returns a value of type t.
func (c *chooser) word(t pcp.Type) uint64 {
	var raw [8]byte
	copy(raw[:], c.bytes(8))
	w := binary.LittleEndian.Uint64(raw[:])
	switch t {
	case pcp.Int32:
		return uint64(int64(int32(w)))
	case pcp.Uint32, pcp.Float:
		return uint64(uint32(w))
	}
	return w
}

// column returns values of a metric, no values, or an error.
func (c *chooser) column(d pcp.Desc) pcp.Values {
	v := pcp.Values{ID: d.ID, Type: d.Type}
	n := 1
	switch {
	case c.below(8) == 7:
		v.Err = []pmerr.Code{pmerr.Again, pmerr.AppVersion, pmerr.EINVAL, -1}[c.below(4)]
		return v
	case d.InDom != pcp.NullInDom:
		n = c.below(5)
	default:
		n = c.below(4) & 1
	}
	for i := range n {
		inst := pcp.NullInst
		if d.InDom != pcp.NullInDom {
			inst = int32(i*i + c.below(2))
		}
		v.Insts = append(v.Insts, inst)
		if d.Type.Arithmetic() {
			v.Words = append(v.Words, c.word(d.Type))
		} else {
			b := slices.Clone(c.bytes(c.below(12)))
			if d.Type == pcp.String { // the text ends at the first NUL
				b, _, _ = bytes.Cut(b, []byte{0})
			} else if d.Type == pcp.Event || d.Type == pcp.HighResEvent {
				b = c.event(d.Type, b)
			}
			v.Blobs = append(v.Blobs, b)
		}
	}
	return v
}

// event returns an event value with a record that has b as its parameter.
func (c *chooser) event(t pcp.Type, b []byte) []byte {
	stamp := make([]byte, 8)
	if t == pcp.HighResEvent {
		stamp = make([]byte, 16)
	}
	copy(stamp, c.bytes(len(stamp)))
	v := slices.Concat([]byte{0, 0, 0, 1}, stamp, []byte{0, 0, 0, 0, 0, 0, 0, 1}, make([]byte, 4))
	v = append(v, byte(pcp.String), 0, 0, byte(len(b)+4))
	return append(append(v, b...), make([]byte, -len(b)&3)...)
}

// fuzzDescs returns one metric of each type, with one value and with several.
func fuzzDescs() []pcp.Desc {
	var all []pcp.Desc
	for t := pcp.Int32; t <= pcp.HighResEvent; t++ {
		for i, d := range []pcp.InDom{pcp.NullInDom, testDom} {
			all = append(all, pcp.Desc{ID: pcp.NewID(245, uint32(i), uint32(t)), Type: t, InDom: d, Sem: pcp.Instant,
				Units: pcp.Units{DimSpace: int8(t%3) - 1}})
		}
	}
	return all
}

// results chooses a sequence of records and marks; a mark has no sets.
func (c *chooser) results(descs []pcp.Desc) []pcp.Result {
	at := seconds(0)
	var out []pcp.Result
	for len(out) < 20 && (len(out) == 0 || len(c.b) > 0) {
		r := pcp.Result{Time: at}
		if len(out) == 0 || c.below(6) != 5 {
			for range 1 + c.below(4) {
				d := descs[c.below(len(descs))]
				if !slices.ContainsFunc(r.Sets, func(v pcp.Values) bool { return v.ID == d.ID }) {
					r.Sets = append(r.Sets, c.column(d))
				}
			}
		}
		out = append(out, r)
		at.Sec += int64(1 + c.below(3)*c.below(100))
		at.Nsec = int32(c.below(1000)) * 1000
	}
	return out
}

// writeResults makes an archive of results and returns its base name.
func writeResults(t testing.TB, opt *archive.WriterOptions, descs []pcp.Desc, results []pcp.Result) string {
	t.Helper()
	w, base := newWriter(t, opt)
	for _, d := range descs {
		must(t, w.AddMetric(d, fmt.Sprintf("m%d.t%d", d.ID.Cluster(), d.ID.Item())))
	}
	for i := range results {
		if len(results[i].Sets) == 0 {
			must(t, w.Mark(results[i].Time))
		} else {
			must(t, w.Put(&results[i]))
		}
	}
	must(t, w.Close())
	return base
}

// readResults returns all records of an archive in the direction of mode.
func readResults(t testing.TB, base string, mode pcp.Mode) []pcp.Result {
	t.Helper()
	set, err := archive.Open(bg, base, nil)
	must(t, err)
	defer set.Close()
	c := set.Cursor()
	end, err := set.End(bg)
	must(t, err)
	if mode == pcp.Back {
		must(t, c.SetMode(mode, &end, 0))
	}
	var out []pcp.Result
	for {
		var r pcp.Result
		err := c.Next(bg, &r)
		if errors.Is(err, pmerr.EOL) {
			return out
		}
		must(t, err)
		out = append(out, r)
	}
}

// blobs returns the bytes of the values of a column, and whether all values are as they should be.
// Static aggregates can only be shown, so the reader finds them odd.
func blobs(v *pcp.Values) ([][]byte, bool) {
	if v.Odd == nil || v.Type != pcp.AggregateStatic {
		return v.Blobs, v.Odd == nil
	}
	var out [][]byte
	ok := true
	for _, o := range v.Odd {
		out = append(out, o.Blob)
		ok = ok && o.Bad && !o.InSitu && o.Type == v.Type
	}
	return out, ok
}

// diff describes the first difference of two results, "" if there is none. The type of a column
// without values is of no account.
func diff(got, want *pcp.Result) string {
	if got.Time != want.Time || len(got.Sets) != len(want.Sets) {
		return fmt.Sprintf("time %v with %d sets, want %v with %d", got.Time, len(got.Sets), want.Time, len(want.Sets))
	}
	for i := range got.Sets {
		g, w := &got.Sets[i], &want.Sets[i]
		raw, ok := blobs(g)
		same := g.ID == w.ID && g.Err == w.Err && slices.Equal(g.Insts, w.Insts) && slices.Equal(g.Words, w.Words) &&
			slices.EqualFunc(raw, w.Blobs, bytes.Equal) && (g.Len() == 0 || g.Type == w.Type)
		if !ok || !same {
			return fmt.Sprintf("got  %+v\nwant %+v", *g, *w)
		}
	}
	return ""
}

// checkRoundTrip writes results and reads them in both directions.
func checkRoundTrip(t *testing.T, opt archive.WriterOptions, results []pcp.Result) {
	t.Helper()
	descs := fuzzDescs()
	base := writeResults(t, &opt, descs, results)
	got := readResults(t, base, pcp.Forward)
	back := readResults(t, base, pcp.Back)
	slices.Reverse(back)
	for direction, got := range map[string][]pcp.Result{"forward": got, "back": back} {
		if len(got) != len(results) {
			t.Fatalf("%s: %d records, want %d", direction, len(got), len(results))
		}
		for i := range got {
			if d := diff(&got[i], &results[i]); d != "" {
				t.Fatalf("%s: record %d: %s", direction, i, d)
			}
		}
	}
}

// FuzzWriterRoundTrip: results that are written are read as the same, in both versions and over several volumes.
func FuzzWriterRoundTrip(f *testing.F) {
	f.Add([]byte(nil), byte(0))
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), byte(1))
	f.Add(bytes.Repeat([]byte{1, 250, 3, 128, 7, 77, 0}, 100), byte(2))
	f.Add(bytes.Repeat([]byte{0xff, 4, 19, 2, 201, 33}, 70), byte(7))
	f.Fuzz(func(t *testing.T, data []byte, how byte) {
		opt := archive.WriterOptions{Version: 2 + int(how&1), FloatInSitu: how&4 != 0}
		if how&2 != 0 {
			opt.VolumeBytes = 1000 + 4*int64(how)
		}
		c := chooser{data}
		checkRoundTrip(t, opt, c.results(fuzzDescs()))
	})
}

// TestRoundTripMetadata writes metadata and reads it back.
func TestRoundTripMetadata(t *testing.T) {
	for _, version := range []int{2, 3} {
		t.Run(fmt.Sprint("version ", version), func(t *testing.T) {
			opt := archive.WriterOptions{Version: version, Host: "there", Zone: "CET-1", PID: 77, Start: seconds(0)}
			w, base := newWriter(t, &opt)
			d := setDesc
			d.Units = pcp.Units{DimSpace: 1, ScaleSpace: pcp.Gbyte, DimTime: -1, ScaleTime: pcp.Hour, DimCount: -2, ScaleCount: -8}
			steps := [][]pcp.Instance{instances("1=one", "2=two words", "30="), instances("1=one", "3=\u00fc", "30="), instances("1=uno")}
			labels := []pcp.LabelSet{
				{Inst: 1, Labels: []pcp.Label{{Name: "a", Value: `"x"`, Flags: 32}, {Name: "b.c", Value: "2", Flags: 32 | 64}}},
				{Inst: 3},
			}
			must(t, w.AddMetric(d, "s.x", "s.y"), w.SetText(uint32(d.ID), false, pcp.OneLine, "short"),
				w.SetText(uint32(testDom), true, pcp.Help, "long\ntext"), w.SetLabels(seconds(0), pcp.InstanceLabels, uint32(testDom), labels))
			for i, insts := range steps {
				must(t, w.SetInDom(seconds(int64(10*i)), testDom, insts))
			}
			finish(t, w, base)
			set, err := archive.Open(bg, base, nil)
			must(t, err)
			defer set.Close()
			if l := set.Label(); l.Version != version || l.Host != "there" {
				t.Errorf("label %+v", l)
			} else if l.Zone != "CET-1" || l.PID != 77 || l.Start != seconds(0) {
				t.Errorf("label %+v", l)
			}
			if got, err := set.Desc(d.ID); err != nil || got != d {
				t.Errorf("desc %+v, %v", got, err)
			}
			if id, err := set.Lookup("s.y"); err != nil || id != d.ID {
				t.Errorf("s.y is %v, %v", id, err)
			}
			for i, insts := range steps {
				if got, err := set.Instances(testDom, seconds(int64(10*i+5))); err != nil || !slices.Equal(got, insts) {
					t.Errorf("step %d: %v, %v", i, got, err)
				}
			}
			for _, kind := range []struct {
				ident   uint32
				isInDom bool
				kind    pcp.TextKind
				want    string
			}{{uint32(d.ID), false, pcp.OneLine, "short"}, {uint32(testDom), true, pcp.Help, "long\ntext"}} {
				if got, err := set.Text(kind.ident, kind.isInDom, kind.kind); err != nil || got != kind.want {
					t.Errorf("text %q, %v, want %q", got, err, kind.want)
				}
			}
			got, err := set.Labels(pcp.InstanceLabels, uint32(testDom), seconds(5))
			if err != nil {
				t.Errorf("labels %+v, %v", got, err)
			} else if len(got) != 2 || got[0].Inst != 1 {
				t.Errorf("labels %+v, %v", got, err)
			} else if !slices.Equal(got[0].Labels, labels[0].Labels) || len(got[1].Labels) != 0 {
				t.Errorf("labels %+v, %v", got, err)
			}
		})
	}
}

// TestWriteWhileReading reads records as soon as they are flushed.
func TestWriteWhileReading(t *testing.T) {
	w, base := newWriter(t, nil)
	must(t, w.AddMetric(miniDesc, "mini.x"), w.Put(mini(seconds(0), 0)), w.Flush())
	set, err := archive.Open(bg, filepath.Clean(base), nil)
	must(t, err)
	defer set.Close()
	c := set.Cursor()
	for i := range int32(5) {
		var r pcp.Result
		must(t, c.Next(bg, &r))
		if d := diff(&r, mini(seconds(int64(i)), i)); d != "" {
			t.Error(d)
		}
		if err := c.Next(bg, &r); !errors.Is(err, pmerr.EOL) {
			t.Errorf("after record %d: %v", i, err)
		}
		must(t, w.Put(mini(seconds(int64(i+1)), i+1)), w.Flush())
	}
}

// TestCopy reads the records of archives and writes them again: the data must be the same to the
// byte, odd values included.
func TestCopy(t *testing.T) {
	for _, name := range archivetest.Names() {
		if strings.HasPrefix(name, "truncated") || strings.HasPrefix(name, "oldfloat") || strings.HasPrefix(name, "volumes") {
			continue // their data cannot be the same
		}
		t.Run(name, func(t *testing.T) {
			from := archivetest.Path(t, name)
			set, err := archive.Open(bg, from, nil)
			must(t, err)
			defer set.Close()
			l := set.Label()
			results := readResults(t, from, pcp.Forward)
			w, base := newWriter(t, &archive.WriterOptions{Version: l.Version, Host: l.Host, Zone: l.Zone, ZoneInfo: l.ZoneInfo,
				PID: l.PID, Features: l.Features, Start: l.Start})
			for _, r := range results {
				for i := range r.Sets {
					d, err := set.Desc(r.Sets[i].ID)
					names, nameErr := set.Names(d.ID)
					if nameErr != nil { // hidden by a node of the name space
						names = []string{"hidden." + strconv.Itoa(int(d.ID))}
					}
					must(t, err, w.AddMetric(d, names...))
				}
				if len(r.Sets) == 0 {
					must(t, w.Mark(r.Time))
				} else {
					must(t, w.Put(&r))
				}
			}
			must(t, w.Close())
			if !bytes.Equal(file(t, base+".0"), file(t, from+".0")) {
				t.Error("data differ")
			}
		})
	}
}
