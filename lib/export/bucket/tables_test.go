package bucket

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/export"
	"pmtools/lib/pcp"
)

// names returns the metrics of tables, and the hosts that have one.
func names(ctx context.Context, tables *export.Tables, metric string) (list []string, err error) {
	fleet, err := tables.Catalog(ctx, metric)
	if err != nil {
		return nil, err
	}
	err = fleet.Walk(ctx, "", true, func(name string, _ pcp.ID) bool {
		list = append(list, name)
		return true
	})
	kinds, bad := fleet.Kinds(ctx)
	for _, k := range kinds {
		list = append(list, strings.Join(append(k.Says, k.Hosts...), " "))
	}
	return list, cmp.Or(err, bad)
}

// TestTables: a bucket has the metadata and the partition that a directory has, as a whole and in one file.
func TestTables(t *testing.T) {
	for _, by := range []string{"host,date", "host", "date", "none"} {
		s, b := newServer(t)
		dir := export.Dir(t.TempDir())
		p, err := export.ParsePartition(by)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"demo", "labels", "gaps"} {
			for _, to := range []export.Store{dir, b} {
				if _, err := write(t, to, name, func(j *export.Job) { j.Partition = p }); err != nil {
					t.Fatal(err)
				}
			}
		}
		here, there := &export.Tables{Store: dir}, &export.Tables{Store: b}
		want, err := names(t.Context(), here, "hinv.ncpu")
		if err != nil || len(want) < 10 {
			t.Fatalf("%s: %q, %v", by, want, err)
		}
		if got, err := names(t.Context(), there, "hinv.ncpu"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", by, got, err, want)
		}
		if got, us, err := there.Layout(t.Context()); us || err != nil || got != p {
			t.Errorf("%s: partition %v, %v", by, got, err)
		}
		files := s.keys("metrics/")
		one := &export.Tables{Store: b, File: files[0]}
		if got, err := names(t.Context(), one, "hinv.ncpu"); err != nil || len(got) == 0 || slices.Equal(got, want) {
			t.Errorf("%s: %s has %q, %v", by, files[0], got, err)
		}
	}
}

// TestTablesMistakes: a bucket that is empty, denies, throttles, vanishes or has something else is an error that names the object.
func TestTablesMistakes(t *testing.T) {
	get := func(r *http.Request) bool { return r.Method == "GET" && !r.URL.Query().Has("list-type") }
	list := func(r *http.Request) bool { return r.URL.Query().Has("list-type") }
	for _, tt := range []struct {
		what  string
		fails func(r *http.Request) bool
		fault fault
		want  string
	}{
		{"denies to list", list, fault{fails: true, status: 403, code: "AccessDenied"}, "list s3://bucket/some/prefix/metrics/: the bucket denies it (AccessDenied): the credentials need s3:GetObject"},
		{"denies to read", get, fault{fails: true, status: 403, code: "AccessDenied"}, ".parquet: the bucket denies it (AccessDenied)"},
		{"throttles", get, fault{fails: true, status: 503, code: "SlowDown"}, ".parquet: the bucket throttles (SlowDown): 6 attempts failed; try again later"},
		{"vanishes", list, fault{fails: true, status: 404, code: "NoSuchBucket"}, "there is no bucket bucket (NoSuchBucket): make it, or check"},
		{"loses an object", get, fault{fails: true, status: 404, code: "NoSuchKey"}, ".parquet: file does not exist"},
		{"does not answer", get, fault{fails: true}, ".parquet: "},
	} {
		t.Run(tt.what, func(t *testing.T) {
			t.Parallel()
			s, b := newServer(t)
			if _, err := write(t, b, "demo"); err != nil {
				t.Fatal(err)
			}
			s.failing(func(_ int, r *http.Request) fault {
				if tt.fails(r) {
					return tt.fault
				}
				return fault{}
			})
			if _, err := names(t.Context(), &export.Tables{Store: b}, "x"); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "run the export") {
				t.Errorf("%v, want %s", err, tt.want)
			}
			s.failing(func(n int, r *http.Request) fault { // each second time
				if f := tt.fault; tt.fails(r) && n%2 == 0 && f.status != 403 && f.status != 404 {
					return f
				}
				return fault{}
			})
			if _, err := names(t.Context(), &export.Tables{Store: b}, "x"); err != nil {
				t.Errorf("then: %v", err)
			}
		})
	}
	s, b := newServer(t)
	if _, err := names(t.Context(), &export.Tables{Store: b}, "x"); err == nil ||
		!strings.Contains(err.Error(), "s3://bucket/some/prefix/: no table of metrics; want s3://bucket/some/prefix/metrics/host=*, as pmderive export writes it") {
		t.Errorf("empty: %v", err)
	}
	s.objects["some/prefix/metrics/host=h/x.parquet"] = "half a table PAR1"
	if _, err := names(t.Context(), &export.Tables{Store: b}, "x"); err == nil || !strings.Contains(err.Error(), "s3://bucket/some/prefix/metrics/host=h/x.parquet: ") {
		t.Errorf("damaged: %v", err)
	}
}

// TestPlaces finds the Store of tables, and the file.
func TestPlaces(t *testing.T) {
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "r"} {
		t.Setenv(name, value)
	}
	for place, want := range map[string]string{
		"none": "none ", "s3://b/p": "s3://b/p/ ", "s3://b/p/metrics/host=h/m.parquet": "s3://b/p/metrics/host=h/ m.parquet",
	} {
		tables, err := Tables(place)
		if err != nil {
			t.Fatal(err)
		}
		if got := tables.Name("") + " " + tables.File; got != want {
			t.Errorf("%s: %q, want %q", place, got, want)
		}
	}
	if _, err := Tables("ftp://b/p"); err == nil {
		t.Error("ftp is not known")
	}
}
