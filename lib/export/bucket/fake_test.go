package bucket

import (
	"crypto/md5"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// A server is a bucket whose requests fail as a test says. The tests of test/peer use a real server.
type server struct {
	mu      sync.Mutex
	objects map[string]string
	uploads map[string]*upload
	begun   int // uploads
	count   int // requests
	failed  int // of them
	aborted int
	fault   func(n int, r *http.Request) fault // of the request of that number
}

type upload struct {
	key   string
	parts map[string]string
}

// A fault is how a request fails: with a status and a code, or with neither of them, without an answer. It may have
// been carried out before.
type fault struct {
	fails, done bool
	status      int
	code        string
}

func newServer(t *testing.T) (*server, *Bucket) {
	s := &server{objects: make(map[string]string), uploads: make(map[string]*upload)}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	env := &settings{wait: time.Minute, region: "r", endpoint: h.URL, credentials: aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}}
	b := open(env, "bucket", "some/prefix/")
	b.part = 3000
	return s, b
}

// failing makes requests fail from now on as a function says.
func (s *server) failing(f func(n int, r *http.Request) fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// failures returns how many requests have failed.
func (s *server) failures() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// text returns an object.
func (s *server) text(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects["some/prefix/"+path]
}

// keys returns the objects below a path, and removes the prefix of the bucket.
func (s *server) keys(below string) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if path, ok := strings.CutPrefix(key, "some/prefix/"); ok && strings.HasPrefix(path, below) {
			list = append(list, path)
		}
	}
	return list
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.count++
	f := fault{}
	if n, next := s.count, s.fault; next != nil {
		s.mu.Unlock()
		f = next(n, r) // may use the server
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	if f.fails {
		s.failed++
	}
	if !f.fails {
		s.serve(w, r)
		return
	}
	if f.done {
		s.serve(httptest.NewRecorder(), r)
	}
	if f.status == 0 {
		panic(http.ErrAbortHandler)
	}
	refuse(w, f.status, f.code)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>a \u009bmessage</Message></Error>", code)
}

func tag(text string) string { return fmt.Sprintf(`"%x"`, md5.Sum([]byte(text))) }

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	key, _ := strings.CutPrefix(r.URL.Path, "/bucket/")
	q := r.URL.Query()
	body, _ := io.ReadAll(r.Body)
	up := s.uploads[q.Get("uploadId")]
	if q.Has("uploadId") && (up == nil || up.key != key) {
		refuse(w, 404, "NoSuchUpload")
		return
	}
	text, there := s.objects[key]
	switch {
	case q.Has("list-type"):
		s.list(w, q.Get("prefix"))
	case q.Has("uploads"):
		s.begun++ // requests may be counted between the count of this one and its turn
		id := fmt.Sprintf("id/../%d", s.begun)
		s.uploads[id] = &upload{key, make(map[string]string)}
		answer(w, "InitiateMultipartUploadResult", struct{ UploadId string }{id})
	case up != nil:
		s.upload(w, r, up, q.Get("uploadId"), string(body))
	case r.Method == "PUT":
		if was := r.Header.Get("If-Match"); was != "" && was != tag(text) || r.Header.Get("If-None-Match") == "*" && there {
			refuse(w, 412, "PreconditionFailed")
			return
		}
		s.objects[key] = string(body)
	case r.Method == "DELETE":
		delete(s.objects, key)
		w.WriteHeader(204)
	case !there:
		refuse(w, 404, "NoSuchKey")
	default:
		w.Header().Set("ETag", tag(text))
		io.WriteString(w, text)
	}
}

func answer(w io.Writer, name string, v any) {
	_ = xml.NewEncoder(w).EncodeElement(v, xml.StartElement{Name: xml.Name{Local: name}})
}

func (s *server) list(w io.Writer, prefix string) {
	type object struct{ Key string }
	type below struct{ Prefix string }
	var list struct {
		Contents       []object
		CommonPrefixes []below
	}
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		name, ok := strings.CutPrefix(key, prefix)
		dir, _, deeper := strings.Cut(name, "/")
		switch dirs := len(list.CommonPrefixes); {
		case ok && !deeper:
			list.Contents = append(list.Contents, object{key})
		case ok && (dirs == 0 || list.CommonPrefixes[dirs-1].Prefix != prefix+dir+"/"):
			list.CommonPrefixes = append(list.CommonPrefixes, below{prefix + dir + "/"})
		}
	}
	answer(w, "ListBucketResult", list)
}

func (s *server) upload(w http.ResponseWriter, r *http.Request, up *upload, id, body string) {
	numbers := slices.SortedFunc(maps.Keys(up.parts), func(a, b string) int { return len(a)*1000 - len(b)*1000 + strings.Compare(a, b) })
	switch r.Method {
	case "PUT":
		up.parts[r.URL.Query().Get("partNumber")] = body
		w.Header().Set("ETag", tag(body))
	case "GET":
		type part struct{ PartNumber, ETag string }
		var list struct{ Part []part }
		for _, n := range numbers {
			list.Part = append(list.Part, part{n, tag(up.parts[n])})
		}
		answer(w, "ListPartsResult", list)
	case "POST":
		text := ""
		for _, n := range numbers {
			text += up.parts[n]
		}
		s.objects[up.key] = text
		delete(s.uploads, id)
		answer(w, "CompleteMultipartUploadResult", struct{ ETag string }{tag(text)})
	case "DELETE":
		delete(s.uploads, id)
		s.aborted++
		w.WriteHeader(204)
	}
}
