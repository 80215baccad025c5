package repl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/repl"
	"pmtools/derive"
	"pmtools/derive/diagnose"
	linter "pmtools/derive/lint"
	"pmtools/derive/query"
	"pmtools/internal/draw"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/format"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// memory is files in memory.
type memory map[string]string

func (m memory) ReadFile(name string) ([]byte, error) {
	text, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

func (m memory) WriteFile(name string, text []byte, replace bool) error {
	if _, ok := m[name]; ok && !replace {
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	}
	m[name] = string(text)
	return nil
}

func (m memory) Create(name string) (io.WriteCloser, error) {
	m[name] = ""
	return &memoryFile{m, name}, nil
}

// A memoryFile is a file that is written piece by piece.
type memoryFile struct {
	m    memory
	name string
}

func (f *memoryFile) Write(p []byte) (int, error) { f.m[f.name] += string(p); return len(p), nil }
func (f *memoryFile) Close() error                { return nil }

func (m memory) Glob(prefix string) []string {
	var names []string
	for name := range m {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// archives builds archives in one directory and returns what opens them.
func archives(t testing.TB, names ...string) func(ctx context.Context, kind, name string) (pmapi.Source, error) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := archivetest.Build(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	return func(ctx context.Context, kind, name string) (pmapi.Source, error) {
		if kind != repl.Archive {
			return nil, fmt.Errorf("no %s here", kind)
		}
		if _, err := os.Stat(filepath.Join(dir, name+".index")); err != nil {
			return nil, fmt.Errorf("cannot open archive \"%s\"", name)
		}
		return pmapi.OpenArchive(ctx, filepath.Join(dir, name), nil)
	}
}

// lines is a form of output for tests: a line for the run, and then one for each sample.
type lines struct {
	w    io.Writer
	h    *sampling.Header
	form repl.Form
}

func (l *lines) Sample(_ context.Context, smp *sampling.Sample) error {
	text := smp.Time.Time().In(l.h.Location()).Format("15:04:05")
	for i, set := range smp.Sets {
		text += " " + l.h.Metrics[i].Name
		if set.Err != nil {
			text += " (" + set.Err.Error() + ")"
		}
		for j := range set.Len() {
			v := set.At(j)
			text += " " + v.Instance + "=" + string(format.AppendPlain(nil, v.Value, -1))
		}
	}
	_, err := fmt.Fprintln(l.w, text)
	return err
}

func (l *lines) Close() error {
	_, err := fmt.Fprintln(l.w, l.form.Output, "ends")
	return err
}

// newLines returns lines.
func newLines(w io.Writer, h *sampling.Header, f repl.Form) (sampling.Writer, error) {
	return &lines{w, h, f}, nil
}

// world returns a world with files in memory, without an editor and a place for settings.
func world() repl.World {
	return repl.World{
		Files: memory{}, Now: func() time.Time { return time.Unix(1700000000, 0) }, Output: newLines,
		Read:    func([]string) ([]linter.File, error) { return nil, query.Problemf("there are no files here") },
		Debug:   func(string) error { return errors.New("there are no debug options here") },
		Confirm: func(string) bool { return false },
	}
}

// machines returns no recordings: no archive is of several machines.
func machines(context.Context, string) *query.Recordings { return &query.Recordings{} }

// newSession returns a session over one archive.
func newSession(t testing.TB, name string, more ...func(*repl.Options)) *repl.Session {
	t.Helper()
	opt := &repl.Options{
		Sources:     repl.Sources{Open: archives(t, "ta", "demo", "labels", "indoms"), Machines: machines, Kind: repl.Archive, Name: name},
		World:       world(),
		Definitions: derive.NewSet(),
	}
	for _, f := range more {
		f(opt)
	}
	s := repl.New(opt)
	t.Cleanup(func() { s.Close() })
	return s
}

// run runs items and returns their output. An error is shown behind two exclamation marks.
func run(s *repl.Session, items ...string) string {
	var b bytes.Buffer
	for _, item := range items {
		err := s.Run(context.Background(), item, &b)
		var p *diagnose.Problem
		switch {
		case errors.As(err, &p):
			fmt.Fprintf(&b, "!! %s", draw.Problem(p, 0, 0))
		case err != nil:
			fmt.Fprintf(&b, "!! %v\n", err)
		}
	}
	return b.String()
}

// TestStandIn: what is asked where there is no daemon is not called one.
func TestStandIn(t *testing.T) {
	open := archives(t, "ta")
	s := newSession(t, "", func(o *repl.Options) {
		o.Kind = repl.Default
		o.Open = func(ctx context.Context, _, _ string) (pmapi.Source, error) { return open(ctx, repl.Archive, "ta") }
	})
	if out := run(s, ":source"); out != "local collectors, metrics of specbox\n" {
		t.Errorf("%q", out)
	}
}

// TestUnsaved: definitions count until they are in a file.
func TestUnsaved(t *testing.T) {
	s := newSession(t, "ta")
	run(s, "a.b = t.b")
	if n := s.Unsaved(); n != 1 {
		t.Errorf("%d definitions are not saved", n)
	}
	if run(s, ":save f"); s.Unsaved() != 0 {
		t.Error("saved definitions count as not saved")
	}
}
