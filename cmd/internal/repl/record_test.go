package repl_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/repl"
	"pmtools/lib/archive"
	"pmtools/lib/builtin"
	"pmtools/lib/pmapi"
	"pmtools/lib/record"
)

// recorder returns the options of a session over the collectors inside the program, which records
// into a directory: by a script in the place of pmlogger, or by itself without one.
func recorder(dir, logger string) func(*repl.Options) {
	inside := func(context.Context, string) (pmapi.Source, error) { return builtin.Default(nil), nil }
	return func(o *repl.Options) {
		o.Kind, o.Name = repl.Local, ""
		open := o.Open
		o.Open = func(ctx context.Context, kind, name string) (pmapi.Source, error) {
			if kind == repl.Local {
				return builtin.Default(nil), nil
			}
			return open(ctx, kind, name)
		}
		o.Record = func(ctx context.Context, kind, name, folio string, h record.Host) (*record.Session, error) {
			h.Name = "here"
			return record.Start(ctx, &record.Config{Folio: filepath.Join(dir, folio), Creator: "test", Open: inside, Logger: logger}, h)
		}
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

// TestRecord records without pmlogger.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	s := newSession(t, "ta", recorder(dir, ""))
	dialogue(t, s, [][2]string{
		{":record", "nothing is recorded"},
		{":record --stop", "nothing is recorded"},
		{":record --background", `usage: :record FILE \[METRIC\|EXPR \.\.\.\]`},
		{":record --stop now", `usage: .*`},
		{":record --stop --detach", "--stop and --detach exclude each other; :help record lists the options"},
		{":record start f sample.bin", ":record start FILE is :record --background FILE now, and :record stop and detach are :record --stop and --detach"},
		{":record stop", ":record start FILE is :record --background FILE now, .*"},
		{":record --background f", "there is nothing to record: name metrics, or define some"},
		{":record --background f no.such", "(?s)unknown metric no.such.*"},
		{":record --background -t 1x f sample.bin", "(?s).*; :help record lists the options"},
		{":record --background -s 3 f sample.bin", "-s N ends a recording; one in the background is ended by :record --stop"},
		{`:record --background "f sample.bin`, `a quote is not closed: "f sample.bin`},
		{":record --background no/f sample.bin", "open .*: no such file or directory"},
		{"a = sample.bin + sample.long.one", "a: .*"},
		{"b = a + sample.long.ten", "(?s).*b: .*"},
		{`:record --background -t 10msec "my folio"`, `recording sample.bin sample.long.one sample.long.ten every 10ms to (.*)\.here; the folio is my folio`},
		{":record", "recording to .* since .*"},
		{":record --background g sample.bin", ".* is being recorded; :record --stop ends that"},
		{":record --detach", "this program records by itself; only pmlogger can go on without it"},
		{":record --stop", "recorded to .*"},
		{":record", "nothing is recorded"},
		{`:record --background "my folio" sample.bin`, "open .*: file exists"},
		{":record --background -t 10msec last b sample.string", "recording sample.string sample.long.ten sample.bin sample.long.one every 10ms .*"},
	}...)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	bases, err := filepath.Glob(filepath.Join(dir, "*.meta"))
	if err != nil || len(bases) != 2 {
		t.Fatalf("%q, %v", bases, err)
	}
	for _, base := range bases {
		src, err := pmapi.OpenArchive(t.Context(), base, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pmapi.LookupName(t.Context(), src, "sample.long.ten"); err != nil {
			t.Error(err)
		}
		src.Close()
	}
}

// TestRecordHere records in the foreground: as many samples as wanted, or until the context ends.
func TestRecordHere(t *testing.T) {
	base := filepath.Join(t.TempDir(), "an archive")
	s := newSession(t, "ta", recorder(t.TempDir(), ""), func(o *repl.Options) {
		o.ArchiveVersion, o.Progress = 2, func(text string) { t.Errorf("progress in less than a second: %q", text) }
	})
	dialogue(t, s, [][2]string{
		{`:record -t 10msec -s 3 '` + base + `' sample.bin 'sample.long.one + sample.long.ten'`, "recorded 3 samples of 3 metrics to " + regexp.QuoteMeta(base)},
		{`:record -s 1 '` + base + `' sample.bin`, "create .*: file already exists"},
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

// TestRecordNot: an archive cannot be recorded.
func TestRecordNot(t *testing.T) {
	s := newSession(t, "ta", recorder(t.TempDir(), ""), func(o *repl.Options) { o.Kind, o.Name = repl.Archive, "ta" })
	dialogue(t, s, [2]string{":record --background f t.d", "the source is an archive, which is recorded already; .*"})
}

// TestRecordLogger: a script in the place of pmlogger that records, dies, or goes on alone.
func TestRecordLogger(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	logger := func(script string) string {
		name := filepath.Join(t.TempDir(), "pmlogger")
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		return name
	}
	s := newSession(t, "ta", recorder(dir, logger("echo no such host >&2; exit 1")))
	dialogue(t, s, [2]string{":record --background f sample.bin", "pmlogger ended: exit status 1: no such host"})
	s = newSession(t, "ta", recorder(dir, logger(`for name; do :; done; echo x >$name.0; read a <&3; read b <&3; read c <&3; read d <&3; case $d in Q*) exit 0;; esac; sleep 0.2; exit 4`)))
	dialogue(t, s, [][2]string{
		{":record --background g sample.bin", `recording sample.bin every 1s to .* by pmlogger \d+; the folio is g`},
		{":record", `recording to .* by pmlogger \d+ since .*`},
		{":record --stop", "recorded to .*"},
		{":record --background h sample.bin", "recording .*"},
		{":record --detach", `pmlogger \d+ goes on recording to .*`},
		{":record", "nothing is recorded"},
	}...)
	s = newSession(t, "ta", recorder(dir, logger(`for name; do :; done; echo x >$name.0; sleep 0.1; exit 5`)))
	dialogue(t, s, [2]string{":record --background i sample.bin", "recording .*"})
	for range 3000 {
		var out bytes.Buffer
		if err := s.Run(t.Context(), ":record", &out); err != nil {
			if !strings.Contains(err.Error(), "has ended: pmlogger ended: exit status 5") {
				t.Error(err)
			}
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("nobody noticed that it died")
}
