package pmapi_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

func TestOpenArchive(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ta", "ta_v2", "setA", "setB", "overlap", "othertype"} {
		if err := archivetest.Build(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "junk.meta"), []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		want error
	}{
		{"ta", nil},
		{"ta_v2", nil},
		{"ta.meta", nil},
		{"ta.0", nil},
		{"setA," + filepath.Join(dir, "setB"), nil},
		{"setA," + filepath.Join(dir, "othertype"), pmerr.LogChangeType},
		{"nonesuch", pmerr.ENOENT},
		{"junk", pmerr.LogFile},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := pmapi.OpenArchive(t.Context(), filepath.Join(dir, tt.name), nil)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if (a == nil) != (tt.want != nil) {
				t.Errorf("archive %v beside error %v", a, err)
			}
			if a != nil {
				a.Close()
			}
		})
	}
}

// TestOptions opens a set with a missing member: the options get the warning.
func TestOptions(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.Build(dir, "setA"); err != nil {
		t.Fatal(err)
	}
	var warned []string
	opt := &archive.Options{Warn: func(line string) { warned = append(warned, line) }}
	list := filepath.Join(dir, "setA") + "," + filepath.Join(dir, "setB")
	a, err := pmapi.OpenArchive(t.Context(), list, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if len(warned) != 1 || !strings.HasPrefix(warned[0], "Warning: initarchive: skipping") {
		t.Errorf("warned %q", warned)
	}
}

// idOf looks a name up.
func idOf(t *testing.T, src pmapi.Source, name string) pcp.ID {
	t.Helper()
	rs, err := src.Lookup(context.Background(), []string{name})
	if err != nil || len(rs) != 1 || rs[0].Err != nil {
		t.Fatalf("Lookup(%s): %v, %v", name, rs, err)
	}
	return rs[0].Value
}

// TestArchiveMeta has the answers of one archive.
func TestArchiveMeta(t *testing.T) {
	ctx := context.Background()
	a := open(t, "labels")
	names, err := a.Names(ctx, idOf(t, a, "lab.single"))
	slices.Sort(names)
	if want := []string{"lab.alias", "lab.single"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("Names: %q, %v; want %q", names, err, want)
	}
	if list, err := a.Children(ctx, ""); err != nil || fmt.Sprint(list) != "[{lab false}]" {
		t.Errorf("Children: %v, %v", list, err)
	}
	set := idOf(t, a, "lab.set")
	if !a.Has(set) || a.Has(pcp.NewID(245, 9, 9)) || a.Has(pcp.NullID) {
		t.Error("Has: wrong")
	}
	rs, err := a.Describe(ctx, []pcp.ID{pcp.NullID, set})
	want := pcp.Desc{ID: set, Type: pcp.Int32, InDom: pcp.NewInDom(245, 1), Sem: pcp.Instant}
	if err != nil {
		t.Fatalf("Describe: %+v, %v; want %+v", rs, err, want)
	} else if len(rs) != 2 || !errors.Is(rs[0].Err, pmerr.PMIDLog) {
		t.Fatalf("Describe: %+v, %v; want %+v", rs, err, want)
	} else if rs[1].Err != nil || rs[1].Value != want {
		t.Fatalf("Describe: %+v, %v; want %+v", rs, err, want)
	}
	d := want.InDom
	list, err := pmapi.InstancesOf(ctx, a, d, pmapi.Now())
	if got := fmt.Sprint(list); err != nil || got != "[{0 zero} {1 one} {7 seven up}]" {
		t.Errorf("Instances: %s, %v", got, err)
	}
	if id, err := a.LookupInst(ctx, d, "seven up"); id != 7 || err != nil {
		t.Errorf("LookupInst: %d, %v", id, err)
	}
	if name, err := a.InstName(ctx, d, 1); name != "one" || err != nil {
		t.Errorf("InstName: %q, %v", name, err)
	}
	if s, err := pmapi.LookupText(ctx, a, pcp.OneLine, uint32(set)); s != "a set of values" || err != nil {
		t.Errorf("Text: %q, %v", s, err)
	}
	if s, err := pmapi.LookupText(ctx, a, pcp.OneLine, uint32(pcp.NewID(pcp.DynamicDomain, 1, 1))); !errors.Is(err, pmerr.PMID) {
		t.Errorf("Text of a derived metric that is not defined: %q, %v", s, err)
	}
	if s, err := pmapi.LookupText(ctx, a, pcp.OneLine|pcp.InDomText, uint32(d)); s != "things" || err != nil {
		t.Errorf("InDomText: %q, %v", s, err)
	}
	host, zone := a.Host()
	if host != "specbox" || zone != "UTC" {
		t.Errorf("Host: %q, %q", host, zone)
	}
	start, end, err := a.Bounds(ctx)
	if start.Sec != archivetest.Start || end.Sec != archivetest.Start+30 || err != nil {
		t.Errorf("Bounds: %v, %v, %v", start, end, err)
	}
}

// TestPosition checks labels and instances, which depend on the position.
func TestPosition(t *testing.T) {
	ctx := context.Background()
	labels, indoms := open(t, "labels"), open(t, "indoms")
	single, d := idOf(t, labels, "lab.single"), pcp.NewInDom(245, 1)
	for i, want := range []struct{ measure, instances string }{
		{`"speed"`, "[{10 one} {20 two alpha} {30 three three}]"},
		{`"speed"`, "[{10 one} {25 two beta} {30 three three}]"},
		{`"distance"`, "[{10 one} {25 two beta} {40 four}]"},
	} {
		var res pcp.Result
		for _, a := range []*pmapi.Archive{labels, indoms} {
			if err := a.Fetch(ctx, &pmapi.Request{}, &res); err != nil {
				t.Fatal(err)
			}
		}
		sets, err := pmapi.LabelsOf(ctx, labels, pcp.ItemLabels, uint32(single))
		if err != nil {
			t.Errorf("labels in record %d: %+v, %v; want %s", i, sets, err, want.measure)
		} else if len(sets) != 1 || sets[0].Labels[0].Name != "measure" || sets[0].Labels[0].Value != want.measure {
			t.Errorf("labels in record %d: %+v, %v; want %s", i, sets, err, want.measure)
		}
		list, err := pmapi.InstancesOf(ctx, indoms, d, pmapi.Now())
		if got := fmt.Sprint(list); err != nil || got != want.instances {
			t.Errorf("instances in record %d: %s, %v; want %s", i, got, err, want.instances)
		}
	}
	all, err := pmapi.InstancesOf(ctx, indoms, d, pmapi.Ever())
	if err != nil || len(all) != 6 {
		t.Errorf("instances of all times: %v, %v", all, err)
	}
}

// TestMarks has the fetch without metrics, which passes over marks, and the fetch across one.
func TestMarks(t *testing.T) {
	ctx := context.Background()
	for name, req := range map[string]*pmapi.Request{
		"nothing": {}, "a metric": {IDs: []pcp.ID{pcp.NewID(245, 0, 1)}},
	} {
		a := open(t, "marks")
		var got []int64
		var res pcp.Result
		for {
			err := a.Fetch(ctx, req, &res)
			if errors.Is(err, pmerr.EOL) {
				break
			}
			if err != nil || len(res.Sets) != len(req.IDs) {
				t.Fatalf("%s: %d columns, %v", name, len(res.Sets), err)
			}
			got = append(got, res.Time.Sec-archivetest.Start)
		}
		if want := []int64{0, 10, 20, 30, 40, 50, 60}; !slices.Equal(got, want) {
			t.Errorf("%s: records at %v, want %v", name, got, want)
		}
	}
}

// TestDamage reads up to a record that is cut off.
func TestDamage(t *testing.T) {
	a := open(t, "truncated")
	var res pcp.Result
	n, err := 0, error(nil)
	for ; err == nil && n < 100; n++ {
		err = a.Fetch(context.Background(), &pmapi.Request{}, &res)
	}
	if n != 7 || !errors.Is(err, pmerr.LogRec) {
		t.Errorf("fetch %d fails with %v, want fetch 7 with %v", n, err, pmerr.LogRec)
	}
}

func TestSetMode(t *testing.T) {
	a := open(t, "ta")
	later := a.Origin()
	later.Sec += 3
	tests := []struct {
		mode pcp.Mode
		when *pcp.Timestamp
		want error
		sec  int64 // of the next record
	}{
		{pcp.Forward, nil, nil, 0},
		{pcp.Forward, &later, nil, 3},
		{pcp.Back, nil, nil, 3},
		{pcp.Live, &later, pmerr.Mode, 2},
		{pcp.Back, &later, nil, 3},
		{pcp.Mode(7), nil, pmerr.Mode, 2},
	}
	start := a.Origin().Sec
	for i, tt := range tests {
		if err := a.SetMode(tt.mode, tt.when, 0); !errors.Is(err, tt.want) {
			t.Errorf("%d: SetMode(%d): %v, want %v", i, tt.mode, err, tt.want)
		}
		var res pcp.Result
		err := a.Fetch(context.Background(), &pmapi.Request{}, &res)
		if err != nil || res.Time.Sec-start != tt.sec || a.Origin() != res.Time {
			t.Errorf("%d: record %d, %v; want %d", i, res.Time.Sec-start, err, tt.sec)
		}
	}
}
