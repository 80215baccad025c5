package derivetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestGoTest runs files of cases by go test.
func TestGoTest(t *testing.T) {
	Run(t, "testdata/*.cases")
}

// A recorder is a test whose failures are noted.
type recorder struct {
	ctx  context.Context
	name string
	log  *[]string
}

func (r recorder) Context() context.Context { return r.ctx }
func (r recorder) Helper()                  {}
func (r recorder) Logf(string, ...any)      {}

func (r recorder) Errorf(format string, args ...any) {
	*r.log = append(*r.log, r.name+": "+fmt.Sprintf(format, args...))
}

func (r recorder) Fatal(args ...any) {
	*r.log = append(*r.log, r.name+": "+fmt.Sprint(args...))
	runtime.Goexit()
}

func (r recorder) Run(name string, f func(recorder)) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(recorder{r.ctx, r.name + "/" + name, r.log})
	}()
	<-done
	return true
}

// TestGoTestFails runs files that fail: by a case, by a mistake, and because there are none.
func TestGoTestFails(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.cases": "metric x u32 instant\nvalue 1 2\ncase good\neval x\nvalue 1 2\ncase bad\neval x\nvalue 1 3\n",
		"b.cases": "metric x u32 instant\nvalue 1 2\ncase good\nevl x\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var log []string
	all := recorder{t.Context(), "", &log}
	all.Run("T", func(r recorder) { Run(r, filepath.Join(dir, "*.cases")) })
	all.Run("N", func(r recorder) { Run(r, filepath.Join(dir, "*.none")) })
	want := []string{"/T/a.cases/bad: FAIL bad", "/T/b.cases: ", "/N: no file of cases matches"}
	if len(log) != len(want) {
		t.Fatalf("failures %q", log)
	}
	for i, text := range log {
		if !strings.HasPrefix(text, want[i]) {
			t.Errorf("failure %q, want %q", text, want[i])
		}
	}
}

// TestZero runs a File that Parse has not made.
func TestZero(t *testing.T) {
	if r, err := new(File).Run(t.Context(), nil); err == nil {
		t.Errorf("report %v", r)
	}
	if text, err := new(File).Record(t.Context(), nil); err == nil {
		t.Errorf("text %q", text)
	}
}
