package export

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// metricTable writes a table of metrics of a host.
func metricTable(t *testing.T, dir, host, name string, rows []metricRow, meta ...parquet.WriterOption) {
	t.Helper()
	file := filepath.Join(dir, place{host: host}.dir("metrics"), name+".parquet")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), parquet.WriteFile(file, rows, meta...)); err != nil {
		t.Fatal(err)
	}
}

// TestKinds: hosts that describe metrics alike are of one kind, the largest first, and what cannot be used
// is the problem of its hosts alone.
func TestKinds(t *testing.T) {
	indom := "60.1"
	used := func(typ, units string) metricRow {
		return metricRow{Metric: "mem.used", Type: typ, Semantics: "instant", Units: units}
	}
	kb, other := used("double", "Kbyte"), metricRow{Metric: "other", Type: "float", Semantics: "instant", InDom: &indom}
	dir := t.TempDir()
	for _, c := range []struct {
		host, name string
		rows       []metricRow
	}{
		{"b", "1", []metricRow{kb, other}}, {"a", "1", []metricRow{other, kb}}, {"a", "2", []metricRow{kb}},
		{"007", "1", []metricRow{used("double", "Mbyte")}},
		{"it's [x] %5B", "1", []metricRow{other}},
		{"new", "1", []metricRow{used("string theory", ""), other}},
		{"odd", "1", []metricRow{used("double", "furlong")}},
		{"torn", "1", []metricRow{kb}}, {"torn", "2", []metricRow{used("float", "Kbyte")}}, {"torn", "3", []metricRow{kb}},
	} {
		metricTable(t, dir, c.host, c.name, c.rows)
	}
	f, err := catalogOf(t, dir, "mem.used", "none")
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := f.Kinds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&got, "%s: %s; %v\n", strings.Join(k.Hosts, ", "), k.Says[0], k.Err)
		ids, err := k.Lookup(t.Context(), []string{"mem.used", "none", "other"})
		if err != nil {
			t.Fatal(err)
		}
		if has, want := ids[0].Err == nil, k.Says[0] != Missing && k.Err == nil; has != want {
			t.Errorf("%v: %v, %q", k.Hosts, ids, k.Says)
		}
		if ids[1].Err == nil || ids[2].Err != nil || k.Says[1] != Missing {
			t.Errorf("%v: %v, %q", k.Hosts, ids, k.Says)
		}
	}
	want := `a, b: double, instant, units Kbyte; <nil>
007: double, instant, units Mbyte; <nil>
it's [x] %5B: missing; <nil>
new: string theory, instant, units none; mem.used: type 'string theory' and semantics 'instant' are not known
odd: double, instant, units furlong; mem.used: ` + unitsError("furlong") + `
torn: double, instant, units Kbyte and float, instant, units Kbyte; mem.used: archives of the host describe it differently, and the tables do not say since when: double, instant, units Kbyte and float, instant, units Kbyte; export them again, into another directory
`
	if got.String() != want {
		t.Errorf("the kinds are\n%swant\n%s", &got, want)
	}
	d, err := pmapi.LookupName(t.Context(), kinds[1], "mem.used")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := kinds[1].Describe(t.Context(), []pcp.ID{d}); err != nil || got[0].Value.Units.ScaleSpace != pcp.Mbyte {
		t.Errorf("007 has %v, %v", got, err)
	}
}

func unitsError(text string) string {
	_, _, err := pcp.ParseUnits(text)
	return err.Error()
}

// TestSchema: tables of a later version are not read by guessing.
func TestSchema(t *testing.T) {
	dir := t.TempDir()
	row := []metricRow{{Metric: "a", Type: "double", Semantics: "instant"}}
	metricTable(t, dir, "b", "1", row, parquet.KeyValueMetadata("pmtools.schema", "2"), parquet.KeyValueMetadata("pmtools.host", "B"))
	if f, err := catalogOf(t, dir, "a"); err != nil || f.hosts["b"] == nil {
		t.Errorf("%v, %v", f, err)
	}
	for _, version := range []string{"4", "x", ""} {
		metricTable(t, dir, "c", "1", row, parquet.KeyValueMetadata("pmtools.schema", version))
		if _, err := catalogOf(t, dir, "a"); err == nil || !strings.Contains(err.Error(), "use a later pmderive") {
			t.Errorf("version %q: %v", version, err)
		}
	}
	metricTable(t, dir, "c", "1", row, parquet.KeyValueMetadata("pmtools.schema", "1"))
	if _, err := catalogOf(t, dir, "a"); err == nil || !strings.Contains(err.Error(), "version 1, without the columns that queries need (record, position): export") {
		t.Errorf("an earlier version: %v", err)
	}
	file := filepath.Join(t.TempDir(), "x.parquet")
	if err := parquet.WriteFile(file, row); err != nil {
		t.Fatal(err)
	}
	if _, err := catalogOf(t, file, "a"); err == nil || !strings.Contains(err.Error(), "its host is not known") {
		t.Errorf("no host: %v", err)
	}
}

// TestHistory: a description holds from its first record on, until another one begins. Late records change only their own time.
func TestHistory(t *testing.T) {
	var rows []metricRow
	latest := int64(always)
	add := func(units string, first, last int64, want string) {
		t.Helper()
		latest = max(latest, last)
		rows = history(rows, []metricRow{{Metric: "m", Type: "double", Semantics: "instant", Units: units, Since: &first}}, last, last < latest)
		var got strings.Builder
		for _, r := range rows {
			fmt.Fprintf(&got, "%s %d ", r.Units, r.since())
		}
		if strings.TrimSpace(got.String()) != want {
			t.Errorf("%s from %d to %d: %s, want %s", units, first, last, &got, want)
		}
	}
	add("byte", 10, 19, "byte 10")
	add("byte", 20, 29, "byte 10")
	add("Kbyte", 40, 49, "byte 10 Kbyte 40")
	add("byte", 60, 69, "byte 10 Kbyte 40 byte 60")
	add("Kbyte", 12, 13, "byte 10 Kbyte 12 byte 14 Kbyte 40 byte 60")
	add("Kbyte", 14, 39, "byte 10 Kbyte 12 byte 60")
	add("byte", 0, 5, "byte 0 Kbyte 12 byte 60")
}
