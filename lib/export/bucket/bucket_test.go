package bucket

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/export"
	_ "pmtools/test/env"
)

// write exports the archive of the given name to a Store, or checks its tables there.
func write(t *testing.T, to export.Store, name string, change ...func(*export.Job)) (*export.Summary, error) {
	t.Helper()
	job := &export.Job{Config: &export.Config{Store: to, Name: name}, Open: opener(archivetest.Path(t, name))}
	for _, f := range change {
		f(job)
	}
	return job.Run(t.Context())
}

// tables returns what a directory has after the same export, without the manifest.
func tables(t *testing.T, name string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if _, err := write(t, export.Dir(dir), name); err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// holds compares the objects with tables.
func (s *server) holds(t *testing.T, want map[string]string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	manifests := 0
	for key, text := range s.objects {
		path := strings.TrimPrefix(key, "some/prefix/")
		if strings.HasPrefix(path, "_pmtools/") {
			manifests++
		} else if want[path] != text {
			t.Errorf("%s has %d bytes, want %d", path, len(text), len(want[path]))
		}
	}
	if len(s.objects)-manifests != len(want) || manifests != 2 || len(s.uploads) != 0 {
		t.Errorf("%d objects, %d manifests and %d uploads, want %d, 2 and none", len(s.objects)-manifests, manifests, len(s.uploads), len(want))
	}
}

// TestExport: a bucket has the tables that a directory has, and an export that is repeated adds nothing.
func TestExport(t *testing.T) {
	s, b := newServer(t)
	want := tables(t, "demo")
	for i := range 2 {
		sum, err := write(t, b, "demo", func(j *export.Job) { j.Check = true })
		if err != nil {
			t.Fatal(err)
		}
		if (len(sum.Files) > 0) != (i == 0) || i == 0 && !strings.HasPrefix(sum.Files[0], "s3://bucket/some/prefix/values/host=") {
			t.Errorf("export %d: files %q", i, sum.Files)
		}
		s.holds(t, want)
	}
}

// TestExpire: old dates go from a bucket too, and the archive adds nothing.
func TestExpire(t *testing.T) {
	s, b := newServer(t)
	if _, err := write(t, b, "demo"); err != nil {
		t.Fatal(err)
	}
	files := len(s.keys(""))
	x, err := export.Expire(t.Context(), b, time.Now(), false)
	if err != nil || x.Files == 0 || len(x.Left) > 0 {
		t.Fatalf("%+v, %v", x, err)
	}
	if left := s.keys(""); len(left) != files-x.Files || len(s.keys("values/")) > 0 {
		t.Errorf("there is %q, %+v", left, x)
	}
	if sum, err := write(t, b, "demo"); err != nil || len(sum.Files) > 0 {
		t.Errorf("exported again: %+v, %v", sum, err)
	}
}

// TestLost: whichever request is the last one that the server answers, no table is half there, and the next
// export makes them whole. A request that is carried out, but not answered, is another case than one that is not.
func TestLost(t *testing.T) {
	t.Parallel()
	want := tables(t, "gaps")
	for i, done := range []bool{false, true} {
		for k := 1 + i; ; k += 2 {
			s, b := newServer(t)
			s.failing(func(n int, _ *http.Request) fault {
				if n < k {
					return fault{}
				}
				return fault{fails: true, done: done && n == k}
			})
			_, err := write(t, b, "gaps")
			if s.failures() == 0 {
				break
			}
			if err == nil || !strings.Contains(err.Error(), "s3://bucket/some/prefix/") {
				t.Fatalf("request %d is lost: %v", k, err)
			}
			for _, path := range s.keys("") {
				if text := s.text(path); !strings.HasPrefix(path, "_pmtools/") && text != want[path] {
					t.Errorf("request %d is lost: %s is half there", k, path)
				}
			}
			if n := len(s.keys("")); n > 0 && len(s.keys("_pmtools/")) == 0 {
				t.Errorf("request %d is lost: there are %d objects before the manifest", k, n)
			}
			s.failing(nil)
			s.forget()
			if _, err := write(t, b.other(), "gaps"); err != nil {
				t.Fatalf("request %d was lost: %v", k, err)
			}
			s.holds(t, want)
		}
	}
}

// other returns the bucket as another process has it.
func (b *Bucket) other() *Bucket {
	return &Bucket{client: b.client, name: b.name, prefix: b.prefix, part: b.part, mine: make(map[string]bool)}
}

// forget ends the uploads that no manifest names, as a rule of the bucket does after some days.
func (s *server) forget() {
	for id := range s.uploads {
		if named := strings.TrimSuffix(uploadPath(id), "="); !slices.ContainsFunc(s.keys("_pmtools/"), func(path string) bool {
			return strings.Contains(s.objects["some/prefix/"+path], named)
		}) {
			delete(s.uploads, id)
		}
	}
}

// TestRetry: each request may be throttled or lost once.
func TestRetry(t *testing.T) {
	t.Parallel()
	want := tables(t, "gaps")
	for i, f := range []fault{{fails: true}, {fails: true, done: true}, {fails: true, status: 503, code: "SlowDown"}, {fails: true, status: 500, code: "InternalError"}} {
		for k := 1 + i; ; k += 3 {
			s, b := newServer(t)
			s.failing(func(n int, _ *http.Request) fault {
				if n == k {
					return f
				}
				return fault{}
			})
			if _, err := write(t, b, "gaps"); err != nil {
				t.Fatalf("%+v of request %d: %v", f, k, err)
			}
			if s.failures() == 0 {
				break
			}
			s.forget() // an upload that was begun twice: nobody knows of the first
			s.holds(t, want)
		}
	}
}

// TestErrors: an error says which object it is about and what to do. What was uploaded is aborted.
func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		method string // that fails, with a query
		query  string
		status int
		code   string
		want   string
	}{
		{"GET", "", 403, "AccessDenied", "read s3://bucket/some/prefix/_pmtools/host=specbox/_pmtools.json: the bucket denies it (AccessDenied): the credentials need s3:GetObject"},
		{"GET", "", 403, "InvalidAccessKeyId", "the credentials are not accepted (InvalidAccessKeyId): check AWS_ACCESS_KEY_ID"},
		{"GET", "", 403, "SignatureDoesNotMatch", "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"},
		{"GET", "", 404, "NoSuchBucket", "there is no bucket bucket (NoSuchBucket): make it"},
		{"GET", "", 400, "AuthorizationHeaderMalformed", "set AWS_REGION"},
		{"GET", "", 418, "Odd", "Odd: a  message"},
		{"GET", "", 503, "SlowDown", "the bucket throttles (SlowDown): 6 attempts failed"},
		{"GET", "", 403, "<html>", "the server answered with HTTP status 403, and not as S3 does: check AWS_ENDPOINT_URL"},
		{"PUT", "partNumber", 503, "SlowDown", ".parquet: the bucket throttles (SlowDown)"},
		{"PUT", "partNumber", 403, "AccessDenied", ".parquet: the bucket denies it"},
		{"PUT", "partNumber", 404, "NoSuchBucket", ".parquet: there is no bucket"},
		{"PUT", "partNumber", 0, "", ".parquet: "},
		{"POST", "uploads", 501, "NotImplemented", "the server does not know multipart uploads or conditional writes"},
		{"PUT", "", 403, "AccessDenied", "write s3://bucket/some/prefix/_pmtools/_pmtools.json: the bucket denies it"},
	} {
		s, b := newServer(t)
		s.failing(func(_ int, r *http.Request) fault {
			q := r.URL.Query()
			match := r.Method == tt.method && (tt.query == "" && len(q) <= 1 && !q.Has("list-type") || tt.query != "" && q.Has(tt.query))
			return fault{fails: match, status: tt.status, code: tt.code}
		})
		_, err := write(t, b, "gaps")
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", tt, err)
		}
		if len(s.objects) > 0 || len(s.uploads) > 0 {
			t.Errorf("%+v: %d objects and %d uploads are left", tt, len(s.objects), len(s.uploads))
		}
	}
}

// TestMeanwhile: of two exports at the same time, the later one to put its manifest adds what the other has not.
func TestMeanwhile(t *testing.T) {
	for _, change := range []func(*export.Job){nil, func(j *export.Job) { j.Machine = "other" }} {
		s, b := newServer(t)
		first := true
		s.failing(func(_ int, r *http.Request) fault {
			if first && r.Method == "PUT" && strings.HasSuffix(r.URL.Path, "_pmtools.json") {
				first = false
				if _, err := write(t, b.other(), "demo"); err != nil {
					t.Error(err)
				}
			}
			return fault{}
		})
		sum, err := write(t, b, "demo", func(j *export.Job) {
			if change != nil {
				change(j)
			}
		})
		if change == nil && (err != nil || len(sum.Files) > 0) {
			t.Errorf("the other has exported all: %v, %v", sum, err)
		}
		if s.aborted == 0 {
			t.Error("the uploads of the one that came later were not aborted")
		}
		if change == nil {
			s.holds(t, tables(t, "demo"))
		}
	}
}

// TestAborted: an upload that somebody aborts before it is complete is an error, never a table that is missing silently.
func TestAborted(t *testing.T) {
	s, b := newServer(t)
	s.failing(func(_ int, r *http.Request) fault {
		if r.Method == "POST" && r.URL.Query().Has("uploadId") {
			s.mu.Lock()
			clear(s.uploads)
			s.mu.Unlock()
		}
		return fault{}
	})
	if _, err := write(t, b, "demo"); err == nil || !strings.Contains(err.Error(), "its upload was aborted") {
		t.Error(err)
	}
}

// TestStore reads URLs and the environment.
func TestStore(t *testing.T) {
	full := map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "r"}
	for _, tt := range []struct {
		place string
		env   map[string]string
		want  string // the name of x, or the error
	}{
		{"dir", nil, filepath.Join("dir", "x")},
		{"s3://b", full, "s3://b/x"},
		{"s3://b//p/q/", full, "s3://b/p/q/x"},
		{"s3:///p", full, "want a directory, or s3://BUCKET/PREFIX"},
		{"gs://b/p", full, "want a directory, or s3://BUCKET/PREFIX"},
		{"s3://b/p", nil, "s3://b/p: no credentials: set AWS_ACCESS_KEY_ID"},
		{"s3://b/p", map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s"}, "no region: set AWS_REGION"},
		{"s3://b/p", map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s", "AWS_ENDPOINT_URL": "http://h:1"}, "s3://b/p/x"},
		{"s3://b/p", map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s", "AWS_ENDPOINT_URL": "h:1"}, "AWS_ENDPOINT_URL: want a URL"},
		{"s3://b/p", map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s", "AWS_ENDPOINT_URL": "http://u:secret@h"}, "AWS_ENDPOINT_URL: want a URL"},
	} {
		t.Run(fmt.Sprint(tt.place, len(tt.env)), func(t *testing.T) {
			for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
				t.Setenv(name, tt.env[name])
			}
			got := ""
			store, err := Store(tt.place)
			if err != nil {
				got = err.Error()
			} else {
				got = store.Name("x")
			}
			if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) || strings.Contains(got, "secret") {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestForeign: a manifest that was copied from a directory is an error.
func TestForeign(t *testing.T) {
	_, b := newServer(t)
	for _, from := range []string{"_pmtools/host=a/export-1/0.tmp", "uploads/%"} {
		if err := b.Move(t.Context(), [][2]string{{from, "x"}}); err == nil || !strings.Contains(err.Error(), "not an upload") {
			t.Errorf("%s: %v", from, err)
		}
	}
	if _, err := b.Open(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
