package repl_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/repl"
	"pmtools/lib/archive"
	"pmtools/lib/builtin"
	"pmtools/lib/pmapi"
)

// recorder changes the options to those of a session over the collectors inside the program.
func recorder(o *repl.Options) {
	o.Kind, o.Name = repl.Local, ""
	open := o.Open
	o.Open = func(ctx context.Context, kind, name string) (pmapi.Source, error) {
		if kind == repl.Local {
			return builtin.Default(nil), nil
		}
		return open(ctx, kind, name)
	}
}

// dialogue runs items and compares what each answers, its error included, with a pattern.
func dialogue(t *testing.T, s *repl.Session, items ...[2]string) {
	t.Helper()
	for _, item := range items {
		var out bytes.Buffer
		if err := s.Run(t.Context(), item[0], &out); err != nil {
			out.WriteString(err.Error() + "\n")
		}
		if !regexp.MustCompile("^" + item[1] + "\n$").Match(out.Bytes()) {
			t.Errorf("%s\ngot  %s\nwant %s", item[0], out.Bytes(), item[1])
		}
	}
}

// TestRecord records as many samples as wanted, or until the context ends.
func TestRecord(t *testing.T) {
	base := filepath.Join(t.TempDir(), "an archive")
	s := newSession(t, "ta", recorder, func(o *repl.Options) {
		o.ArchiveVersion, o.Progress = 2, func(text string) { t.Errorf("progress in less than a second: %q", text) }
	})
	dialogue(t, s, [][2]string{
		{`:record -t 10msec -s 3 '` + base + `' sample.bin 'sample.long.one + sample.long.ten'`, "recorded 3 samples of 3 metrics to " + regexp.QuoteMeta(base)},
		{`:record -s 1 '` + base + `' sample.bin`, "create .*: file already exists"},
		{":record", "nothing is recorded"},
		{":record --stop", "nothing is recorded"},
		{":record --background", `usage: :record FILE \[METRIC\|EXPR \.\.\.\]`},
		{":record --detach f", "--detach is gone: pmlogger records without the prompt; .*"},
		{":record f", "there is nothing to record: name metrics, or define some"},
		{":record f no.such", "(?s)unknown metric no.such.*"},
		{`:record "f sample.bin`, `a quote is not closed: "f sample.bin`},
		{":record no/f sample.bin", "open .*: no such file or directory"},
		{`:record -s 1 other 1+2`, `there are no metrics in 1\+2`},
		{`:record -s 1 other 'sample.bin +'`, "(?s).*found the end.*"},
		{`:record -t 100ms -s 0 other 1+2`, `-t 100ms is 1h40m0s: ms means minutes, and msec milliseconds\nthere are no metrics in 1\+2`},
	}...)
	set, err := archive.Open(t.Context(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if v := set.Label().Version; v != 2 {
		t.Errorf("version %d", v)
	}
	endless := filepath.Join(t.TempDir(), "endless")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for range 3000 {
			if info, err := os.Stat(endless + ".0"); err == nil && info.Size() > 1000 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	var out bytes.Buffer
	if err := s.Run(ctx, ":record -t 1msec "+endless+" sample.bin", &out); err != nil || !regexp.MustCompile(`^recorded \d+ samples of 1 metric to .*endless\n$`).Match(out.Bytes()) {
		t.Errorf("%v: %s", err, out.Bytes())
	}
	if got := run(s, "sample.long.one"); !strings.HasPrefix(got, "1") {
		t.Errorf("after an interrupt: %s", got)
	}
	whole, err := archive.Open(t.Context(), endless, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole.Close()
}

// TestRecordBackground records while other items run.
func TestRecordBackground(t *testing.T) {
	base := filepath.Join(t.TempDir(), "archive")
	s := newSession(t, "ta", recorder)
	dialogue(t, s, [][2]string{
		{":record --background -t 10msec " + base + " sample.bin", "recording 1 metric every 10ms to " + regexp.QuoteMeta(base)},
		{":record --background other sample.bin", regexp.QuoteMeta(base) + " is being recorded; :record --stop ends that"},
		{"sample.long.one", "1"},
	}...)
	grown := func(base string) {
		for range 3000 {
			if info, err := os.Stat(base + ".0"); err == nil && info.Size() > 1000 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	grown(base)
	dialogue(t, s, [][2]string{
		{":record", regexp.QuoteMeta(base) + ` has \d+ samples`},
		{":record --stop", `recorded \d+ samples of 1 metric to ` + regexp.QuoteMeta(base)},
		{":record -t 10msec --background " + base + "2 sample.long.one", "recording 1 metric every 10ms to .*"},
	}...)
	grown(base + "2")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{base, base + "2"} {
		set, err := archive.Open(t.Context(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		set.Close()
	}
}

// TestRecordNot: an archive cannot be recorded.
func TestRecordNot(t *testing.T) {
	s := newSession(t, "ta", recorder, func(o *repl.Options) { o.Kind, o.Name = repl.Archive, "ta" })
	dialogue(t, s, [2]string{":record f t.d", "the source is an archive, which is recorded already; .*"})
}
