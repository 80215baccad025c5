package live

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pmtools/lib/builtin"
	"pmtools/lib/pmapi"
	"pmtools/lib/record"
	"pmtools/test/peer/harness"
)

// recordedMetrics are what the sessions of the tests record: values of all types, instances that
// come and go, events, errors.
var recordedMetrics = []string{"sample.bin", "sample.long", "sample.double", "sample.string", "sample.aggregate", "sample.event", "sample.proc", "sample.bad", "disk.dev"}

// sound runs the reference's checks over an archive.
func sound(t *testing.T, base string) {
	t.Helper()
	_, theirs, root := harness.Setup(t)
	for _, line := range [][]string{{"pmlogcheck", "-w"}, {"pmlogdump", "-a"}, {"pmlogdump", "-L"}} {
		o, err := theirs.Run(harness.Command{Args: append(line, base)}, root)
		if err != nil {
			t.Fatal(err)
		}
		if o.Status != 0 || len(o.Stderr) > 0 || line[0] == "pmlogcheck" && len(o.Stdout) > 0 {
			t.Errorf("%v: status %d\n%s%s", line, o.Status, o.Stdout, o.Stderr)
		}
	}
}

// compareArchive compares both sides' commands over an archive.
func compareArchive(t *testing.T, base string) {
	t.Helper()
	var cs []harness.Command
	for _, line := range []string{"pminfo -dfmtTsIl", "pminfo -f -O -0", "pmval -U sample.bin", "pmval -t 0.1 sample.long.ten", "pmval -z -r -t 0.1 disk.dev.read", "pmval sample.proc.ordinal"} {
		words := strings.Fields(line)
		if words[1] != "-U" {
			words = slices.Insert(words, 1, "-a")
		}
		at := slices.IndexFunc(words, func(w string) bool { return w == "-U" || w == "-a" })
		cs = append(cs, harness.Command{Args: slices.Insert(words, at+1, base)})
	}
	harness.Compare(t, cs)
}

// lasting waits until an archive has some bytes of values.
func lasting(t *testing.T, r *record.Recording, size int64) {
	t.Helper()
	for range 200 {
		if info, err := os.Stat(r.Archive + ".0"); err == nil && info.Size() > size {
			return
		}
		select {
		case <-r.Done():
			t.Fatalf("recording has ended: %v", r.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatalf("%s does not grow", r.Archive)
}

// copyGrowing copies an archive that is being written, at a time when all its files are of the same sample.
func copyGrowing(t *testing.T, from, to string) {
	t.Helper()
	kinds := []string{".index", ".0", ".meta"} // in the order that keeps them consistent
	sizes := func() (all [3]int64) {
		for i, kind := range kinds {
			info, err := os.Stat(from + kind)
			if err != nil {
				t.Fatal(err)
			}
			all[i] = info.Size()
		}
		return all
	}
	for range 3000 {
		before := sizes()
		for _, kind := range kinds {
			text, err := os.ReadFile(from + kind)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to+kind, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Millisecond) // a sample whose metadata were read is written by then
		if sizes() == before {
			return
		}
	}
	t.Fatalf("%s does not rest between two samples", from)
}

// TestRecordOwn: archives that this process records from the reference's daemon, and from the
// collectors inside, are sound to the reference's eyes, also while they grow, and both sides read
// the same.
func TestRecordOwn(t *testing.T) {
	harness.Live(t)
	live := func(ctx context.Context, host string) (pmapi.Source, error) {
		if host == "inside" {
			return builtin.Default(nil), nil
		}
		return pmapi.OpenHost(ctx, host, nil)
	}
	for _, version := range []int{2, 3} {
		for _, host := range []string{"127.0.0.1:45399", "inside"} {
			dir := t.TempDir()
			cfg := &record.Config{Folio: filepath.Join(dir, "folio"), Creator: "test", Open: live, Version: version}
			s, err := record.Start(t.Context(), cfg, record.Host{Name: host, Metrics: recordedMetrics, Interval: 50 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			r := s.Recordings[0]
			lasting(t, r, 4000)
			copyGrowing(t, r.Archive, filepath.Join(dir, "copy"))
			sound(t, filepath.Join(dir, "copy"))
			if err := s.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			sound(t, r.Archive)
			compareArchive(t, r.Archive)
		}
	}
}

// TestArchiveOut: what eval writes of an archive into another one is sound, and the reference shows
// the same values of both.
func TestArchiveOut(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	dir := harness.Own(t, "demo")
	defs := filepath.Join(dir, "defs")
	if err := os.WriteFile(defs, []byte("d.size = delta(disk.dev.total_bytes) / delta(disk.dev.total)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields("pmderive -a demo -c defs eval --archive-out out -t 10 kernel.all.load d.size disk.dev.total")
	o, err := ours.Run(harness.Command{Args: words, Dir: dir}, root)
	if err != nil || o.Status != 0 || len(o.Stdout)+len(o.Stderr) > 0 {
		t.Fatalf("%v, status %d\n%s%s", err, o.Status, o.Stdout, o.Stderr)
	}
	sound(t, filepath.Join(dir, "out"))
	for _, metric := range []string{"kernel.all.load", "d.size", "disk.dev.total"} {
		line := strings.Fields("pmval -z -t 30 -f 3 --derived defs -a demo " + metric)
		want, err := theirs.Run(harness.Command{Args: line, Dir: dir}, root)
		if err != nil {
			t.Fatal(err)
		}
		line = strings.Fields("pmval -z -t 30 -f 3 -T @22:22:50 -a out " + metric)
		got, err := theirs.Run(harness.Command{Args: line, Dir: dir}, root)
		if err != nil {
			t.Fatal(err)
		}
		w, g := values(want.Stdout), values(got.Stdout)
		if len(g) < 10 || len(w) < len(g) || !slices.Equal(w[:len(g)], g) {
			t.Errorf("%s\n%s%s\nrecorded again\n%s%s", metric, want.Stdout, want.Stderr, got.Stdout, got.Stderr)
		}
	}
}

// values returns the lines of pmval's output that begin with a time.
func values(out []byte) (lines []string) {
	for line := range strings.Lines(string(out)) {
		if len(line) > 2 && line[2] == ':' {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return lines
}

// TestRecordLogger: the reference's pmlogger records for us, and what it writes is what we write
// about the same metrics.
func TestRecordLogger(t *testing.T) {
	_, theirs, root := harness.Setup(t)
	harness.Live(t)
	tmp := t.TempDir()
	t.Setenv("PCP_TMP_DIR", tmp)
	t.Setenv("PCP_RUN_DIR", tmp)
	dir := t.TempDir()
	host := record.Host{Name: "127.0.0.1:45399", Metrics: recordedMetrics, Interval: 100 * time.Millisecond, Default: true}
	start := func(folio, logger string) *record.Session {
		t.Helper()
		cfg := &record.Config{Folio: filepath.Join(dir, folio), Creator: "test", Logger: logger, Replay: "replay\n",
			Open: func(ctx context.Context, host string) (pmapi.Source, error) { return pmapi.OpenHost(ctx, host, nil) }}
		s, err := record.Start(t.Context(), cfg, host)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := start("theirs", filepath.Join(theirs.Bin, "pmlogger"))
	r := s.Recordings[0]
	lasting(t, r, 4000)
	if err := r.ShowStatus(""); err != nil {
		t.Error(err)
	}
	time.Sleep(300 * time.Millisecond)
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(r.LogFile)
	if err != nil || !strings.Contains(string(log), "has been in progress for") || !strings.Contains(string(log), "pmafm "+filepath.Join(dir, "theirs")+" replay") {
		t.Errorf("log %s, %v", log, err)
	}
	compareArchive(t, r.Archive)
	own := start("ours", "")
	lasting(t, own.Recordings[0], 4000)
	if err := own.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	describe := func(base string) string {
		o, err := theirs.Run(harness.Command{Args: []string{"pminfo", "-a", base, "-dl", "sample.bin", "sample.string.hullo", "sample.long.ten",
			"disk.dev.read", "sample.event.records"}}, root)
		if err != nil || o.Status != 0 {
			t.Fatalf("%v\n%s", err, o.Stderr)
		}
		return string(o.Stdout)
	}
	if ours, theirs := describe(own.Recordings[0].Archive), describe(r.Archive); ours != theirs {
		t.Errorf("ours\n%s\ntheirs\n%s", ours, theirs)
	}
	checkFolios(t, root, dir)
}

// checkFolios runs the reference's pmafm over the folios of both, in its root.
func checkFolios(t *testing.T, root, dir string) {
	t.Helper()
	inside, err := os.MkdirTemp(filepath.Join(root, "tmp"), "folio")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(inside)
	if err := os.CopyFS(inside, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`\[  1\] 127\.0\.0\.1:45399 +\w{6}\.127\.0\.0\.1_45399\n`)
	for _, folio := range []string{"ours", "theirs"} {
		out, _ := exec.Command("chroot", root, "sh", "-c", "cd '"+strings.TrimPrefix(inside, root)+"' && pmafm "+folio+" list").CombinedOutput()
		if !line.Match(out) { // its status says nothing
			t.Errorf("pmafm %s: %s", folio, out)
		}
	}
}

// TestRecordLoggerFails: pmlogger's own words about why it ends.
func TestRecordLoggerFails(t *testing.T) {
	_, theirs, _ := harness.Setup(t)
	tmp := t.TempDir()
	t.Setenv("PCP_TMP_DIR", tmp)
	t.Setenv("PCP_RUN_DIR", tmp)
	for _, c := range []struct {
		host record.Host
		want string
	}{
		{record.Host{Name: "127.0.0.1:1", Metrics: []string{"sample.bin"}}, "127.0.0.1:1"},
		{record.Host{Name: "127.0.0.1:45399", Config: "log nonsense {\n"}, "rror"},
		{record.Host{Name: "127.0.0.1:45399", Metrics: []string{"sample.bin"}, Args: []string{"--nosuch"}}, "unrecognized option '--nosuch'"},
	} {
		cfg := &record.Config{Folio: filepath.Join(t.TempDir(), "f"), Creator: "test", Logger: filepath.Join(theirs.Bin, "pmlogger")}
		s, err := record.Start(t.Context(), cfg, c.host)
		if err != nil {
			t.Fatal(err)
		}
		r := s.Recordings[0]
		select {
		case <-r.Done():
			t.Log(r.Err())
			if r.Err() == nil || !strings.Contains(r.Err().Error(), c.want) {
				t.Errorf("%v: %v", c.host, r.Err())
			}
		case <-time.After(30 * time.Second):
			t.Errorf("%v does not end", c.host)
		}
	}
}

// TestRecordShell records in the foreground: the archive has the name that was asked for.
func TestRecordShell(t *testing.T) {
	ours, _, root := harness.Setup(t)
	for _, source := range []string{"-h 127.0.0.1:45399", "", "-L"} {
		dir := t.TempDir()
		args := append([]string{"pmderive"}, strings.Fields(source)...)
		o, err := ours.Run(harness.Command{Dir: dir, Env: harness.Live(t), Args: append(args, "record", "-t", "100msec", "-s", "5", "a name", "sum(sample.bin) / sample.long.ten", "sample.string")}, root)
		if err != nil {
			t.Fatal(err)
		}
		if want := "recorded 5 samples of 3 metrics to a name\n"; o.Status != 0 || string(o.Stdout) != want {
			t.Errorf("%s: status %d\n%s%s", source, o.Status, o.Stdout, o.Stderr)
			continue
		}
		sound(t, filepath.Join(dir, "a name"))
		compareArchive(t, filepath.Join(dir, "a name"))
	}
}

// TestRecordKilled: whatever ends the program, what it has recorded is an archive.
func TestRecordKilled(t *testing.T) {
	ours, _, _ := harness.Setup(t)
	for _, kill := range []os.Signal{os.Kill, os.Interrupt, syscall.SIGTERM} {
		dir := t.TempDir()
		cmd := exec.Command(filepath.Join(ours.Bin, "pmderive"), "-L", "record", "-t", "1msec", "out", "sample.bin", "sample.proc")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PCP_DERIVED_CONFIG=")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var base string
		for range 3000 {
			volumes, err := filepath.Glob(filepath.Join(dir, "*.0"))
			if err != nil {
				t.Fatal(err)
			}
			if len(volumes) == 1 {
				if info, err := os.Stat(volumes[0]); err == nil && info.Size() > 20_000 {
					base = strings.TrimSuffix(volumes[0], ".0")
					break
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
		_ = cmd.Process.Signal(kill)
		_ = cmd.Wait() // its status is that of the signal
		if base == "" {
			t.Fatalf("%v: nothing is recorded", kill)
		}
		sound(t, base)
	}
}

// TestRecordFull: on a full disk recording ends with the error, and what there is is an archive.
func TestRecordFull(t *testing.T) {
	harness.Setup(t)
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no small disk here: %v %s", err, out)
	}
	defer func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	}()
	cfg := &record.Config{Folio: filepath.Join(dir, "folio"), Creator: "test",
		Open: func(context.Context, string) (pmapi.Source, error) { return builtin.Default(nil), nil }}
	s, err := record.Start(t.Context(), cfg, record.Host{Name: "inside", Metrics: []string{"sample"}, Interval: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Recordings[0]
	select {
	case <-r.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the disk is not full")
	}
	if !errors.Is(r.Err(), syscall.ENOSPC) || strings.Count(r.Err().Error(), "no space") != 1 {
		t.Errorf("error %v", r.Err())
	}
	sound(t, r.Archive)
}
