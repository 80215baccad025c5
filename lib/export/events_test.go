package export

import (
	"fmt"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// eventLines returns the rows in the files of events.
func eventLines(t *testing.T, dir string) (list []string) {
	t.Helper()
	files := filesOf(dir, "events")
	if len(files) == 0 {
		t.Fatal("no files")
	}
	for _, file := range files {
		rows, err := parquet.ReadFile[eventRow](file)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			line := fmt.Sprint(r.Recorded, " ", r.Time, " ", r.Metric, " ", r.Record, " ", r.Flags)
			if r.Missed != nil {
				line += fmt.Sprint(" missed ", *r.Missed)
			}
			if r.PMID != nil {
				line += " " + *r.PMID
			}
			switch {
			case r.I64 != nil:
				line += fmt.Sprint(" i64 ", *r.I64)
			case r.U64 != nil:
				line += fmt.Sprint(" u64 ", *r.U64)
			case r.F64 != nil:
				line += fmt.Sprint(" f64 ", *r.F64)
			case r.Text != nil:
				line += fmt.Sprintf(" text %q", *r.Text)
			case r.Bytes != nil:
				line += fmt.Sprintf(" bytes %q", *r.Bytes)
			}
			list = append(list, line)
		}
	}
	return list
}

// unpacked returns the same lines, read from the archive.
func unpacked(t *testing.T, path string) (list []string) {
	t.Helper()
	a, err := pmapi.OpenArchive(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var res pcp.Result
	for {
		if err := a.Fetch(t.Context(), &pmapi.Request{Records: true}, &res); err != nil {
			return list
		}
		for i := range res.Sets {
			v := &res.Sets[i]
			for n := range v.Len() {
				records, err := pcp.UnpackEvents(v.Value(n))
				if err != nil {
					continue
				}
				for k, rec := range records {
					head := fmt.Sprint(res.Time.Time().UnixNano(), " ", rec.Time.Time().UnixNano(), " ", pmapi.NamesOf(t.Context(), a, v.ID), " ", k, " ", uint32(rec.Flags))
					if rec.Flags&pcp.EventMissed != 0 {
						head += fmt.Sprint(" missed ", rec.Missed)
					}
					if len(rec.Params) == 0 {
						list = append(list, head)
					}
					for _, p := range rec.Params {
						column, text := valueText(p.Value)
						if column == "f64" {
							f, _ := p.Value.Float64()
							text = fmt.Sprint(f)
						}
						if !p.Value.IsSet() {
							text = fmt.Sprintf("%q", p.Odd.Blob)
						}
						list = append(list, head+" "+p.ID.String()+" "+column+" "+text)
					}
				}
			}
		}
	}
}

// TestEvents: the table of events has the records of the archives, parameter by parameter.
func TestEvents(t *testing.T) {
	for _, name := range []string{"events", "events_v2"} {
		dir, path := t.TempDir(), archivetest.Path(t, name)
		recs := open(t, path)
		sum, err := Write(t.Context(), recs, recs, &Config{Dir: dir, Name: name})
		if err != nil {
			t.Fatal(err)
		}
		got, want := eventLines(t, dir), unpacked(t, path)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || sum.Events != int64(len(want)) || len(want) < 20 {
			t.Errorf("%s: %d rows\n%q\nwant %d\n%q", name, len(got), got, len(want), want)
		}
	}
}
