package record_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/builtin"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
	"pmtools/lib/record"
	"pmtools/lib/safefile"
	"pmtools/lib/sampling"
)

// recorded returns the values of a metric in the records of an archive, as text.
func recorded(t *testing.T, base, metric string) (values []string) {
	t.Helper()
	src, err := pmapi.OpenArchive(t.Context(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	id, err := pmapi.LookupName(t.Context(), src, metric)
	if err != nil {
		t.Fatal(err)
	}
	if err := src.SetMode(pcp.Forward, nil, 0); err != nil {
		t.Fatal(err)
	}
	var r pcp.Result
	for {
		err := src.Fetch(t.Context(), &pmapi.Request{IDs: []pcp.ID{id}, Records: true}, &r)
		if errors.Is(err, pmerr.EOL) {
			return values
		}
		if err != nil {
			t.Fatal(err)
		}
		var row []string
		for i := range r.Sets[0].Len() {
			text, err := r.Sets[0].Value(i).Text()
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, text)
		}
		values = append(values, strings.Join(row, " "))
	}
}

// TestRecorder records metrics of all kinds, and reads them while the archive grows.
func TestRecorder(t *testing.T) {
	for _, version := range []int{2, 3} {
		src := builtin.Default(nil)
		defer src.Close()
		base := filepath.Join(t.TempDir(), "a b")
		r, err := record.NewRecorder(t.Context(), src, base, []string{"sample.bin", "sample.string", "sample.aggregate", "sample.long.one", "sample.event", "sample.bad"},
			&archive.WriterOptions{Version: version, Host: "me"})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			if err := r.Sample(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
			want := slices.Repeat([]string{"100 200 300 400 500 600 700 800 900"}, n+1)
			if got := recorded(t, base, "sample.bin"); !slices.Equal(got, want) {
				t.Fatalf("version %d: after %d samples: %q", version, n+1, got)
			}
		}
		if err := r.Close(); err != nil || r.Samples() != 3 {
			t.Errorf("%d samples, %v", r.Samples(), err)
		}
		if got := recorded(t, base, "sample.string.hullo"); !slices.Equal(got, []string{"hullo world!", "hullo world!", "hullo world!"}) {
			t.Errorf("strings %q", got)
		}
		checkMetadata(t, base)
	}
}

// checkMetadata checks the metadata of an archive of TestRecorder.
func checkMetadata(t *testing.T, base string) {
	t.Helper()
	src, err := pmapi.OpenArchive(t.Context(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if host, zone := src.Host(); host != "me" || zone == "" {
		t.Errorf("host %q, zone %q", host, zone)
	}
	ids, err := src.Lookup(t.Context(), []string{"sample.bin"})
	if err != nil {
		t.Fatal(err)
	}
	desc, err := pmapi.LookupDesc(t.Context(), src, ids[0].Value)
	if err != nil {
		t.Fatal(err)
	}
	insts, err := pmapi.InstancesOf(t.Context(), src, desc.InDom, pmapi.Ever())
	if err != nil || len(insts) != 9 || insts[1].Name != "bin-200" {
		t.Errorf("instances %v, %v", insts, err)
	}
	if text, err := pmapi.LookupText(t.Context(), src, pcp.OneLine, uint32(ids[0].Value)); err != nil || text == "" {
		t.Errorf("text %q, %v", text, err)
	}
	if sets, err := pmapi.LabelsOf(t.Context(), src, pcp.DomainLabels, ids[0].Value.Domain()); err != nil || len(sets) != 1 || len(sets[0].Labels) == 0 {
		t.Errorf("labels %v, %v", sets, err)
	}
}

// TestRecorderErrors: names, and archives that exist.
func TestRecorderErrors(t *testing.T) {
	src := builtin.Default(nil)
	defer src.Close()
	dir := t.TempDir()
	for _, c := range []struct {
		name, file, base string
		metrics          []string
		want             error
	}{
		{"no such metric", "", "a", []string{"sample.bin", "no.such"}, pmerr.Name},
		{"no metrics", "", "a", nil, pmerr.Name},
		{"metadata is there", "b.meta", "b", []string{"sample.bin"}, fs.ErrExist},
		{"compressed metadata is there", "c.meta.xz", "c", []string{"sample.bin"}, fs.ErrExist},
		{"a volume is there", "d.7", "d", []string{"sample.bin"}, fs.ErrExist},
		{"no such directory", "", "no/e", []string{"sample.bin"}, fs.ErrNotExist},
	} {
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(dir, c.file), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := record.NewRecorder(t.Context(), src, filepath.Join(dir, c.base), c.metrics, nil)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	r, err := record.NewRecorder(t.Context(), src, filepath.Join(dir, "empty"), []string{"sample.bin"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); !errors.Is(err, pmerr.NoData) {
		t.Errorf("without samples: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 3 {
		t.Errorf("left: %q, %v", left, err)
	}
}

// TestRecorderRun: samples come in time until the context is done, which is not an error.
func TestRecorderRun(t *testing.T) { synctest.Test(t, testRecorderRun) }

func testRecorderRun(t *testing.T) {
	src := builtin.Default(nil)
	defer src.Close()
	base := filepath.Join(t.TempDir(), "a")
	r, err := record.NewRecorder(t.Context(), src, base, []string{"sample.long.one"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := r.Run(ctx, &sampling.Times{Interval: 10 * time.Millisecond}); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if got := recorded(t, base, "sample.long.one"); len(got) < 3 || int64(len(got)) != r.Samples() {
		t.Errorf("%d samples, %d recorded", r.Samples(), len(got))
	}
}

// TestRecorderSyncs: what is recorded is on the disk ten seconds later.
func TestRecorderSyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := builtin.Default(nil)
		defer src.Close()
		synced, late := time.Now(), time.Duration(0)
		base := filepath.Join(t.TempDir(), "a")
		defer safefile.Observe(func(op *safefile.Op) error {
			if op.Kind == safefile.OpSync && op.Name == base+".0" {
				synced, late = time.Now(), max(late, time.Since(synced))
			}
			return nil
		})()
		r, err := record.NewRecorder(t.Context(), src, base, []string{"sample.long.one"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := errors.Join(r.Run(ctx, &sampling.Times{Interval: time.Second}), r.Close()); err != nil {
			t.Error(err)
		}
		if late != 10*time.Second || time.Since(synced) > 0 {
			t.Errorf("synced after %v, and %v before the end", late, time.Since(synced))
		}
	})
}

// TestRecorderFaults records from a daemon that fails at each of its replies, in each way.
// Afterwards there is either a readable archive or none.
func TestRecorderFaults(t *testing.T) {
	run := func(edit pmcdtest.Edit, patience time.Duration) (base string, err error) {
		s := pmcdtest.NewServer(pmcdtest.Sample())
		defer s.Close()
		s.SetEdit(edit)
		d := pmcd.Dialer{DialContext: s.Dial, RequestTimeout: patience, ConnectTimeout: patience}
		src, err := pmapi.OpenHost(t.Context(), "127.0.0.1", &d)
		if err != nil {
			return "", err
		}
		defer src.Close()
		base = filepath.Join(t.TempDir(), "a")
		r, err := record.NewRecorder(t.Context(), src, base, []string{"sample.bin", "sample.long"}, nil)
		if err != nil {
			return "", err
		}
		for range 2 {
			if err == nil {
				err = r.Sample(t.Context())
			}
		}
		if closed := r.Close(); errors.Is(closed, pmerr.NoData) {
			base = ""
		}
		return base, err
	}
	replies := 0
	base, err := run(func(*pmcdtest.Reply) { replies++ }, time.Minute)
	if err != nil || replies < 5 {
		t.Fatalf("%d replies, %v", replies, err)
	}
	want := recorded(t, base, "sample.bin")
	if len(want) == 0 {
		t.Fatal("nothing is recorded")
	}
	for n := range replies {
		for _, f := range pmcdtest.Faults() {
			base, err := run(pmcdtest.Nth(n, f.Edit), 100*time.Millisecond)
			if base != "" {
				if got := recorded(t, base, "sample.bin"); err == nil && len(got) == 0 {
					t.Errorf("reply %d, %s: nothing is recorded, and no error", n, f.Name)
				}
			}
		}
	}
}

// limited is set in a process whose files may not grow beyond some blocks.
const limited = "PMTOOLS_TEST_LIMITED"

// TestDiskFull: on a full disk recording ends with an error, and the records before that are an
// archive.
func TestDiskFull(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	if dir := os.Getenv(limited); dir != "" {
		recordUntilFull(t, filepath.Join(dir, "a"))
		return
	}
	dir := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", `ulimit -f 64; exec "$0" -test.run='^TestDiskFull$'`, os.Args[0])
	cmd.Env = append(os.Environ(), limited+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	base := filepath.Join(dir, "a")
	got := recorded(t, base, "sample.bin")
	if len(got) < 10 {
		t.Errorf("%d records", len(got))
	}
	src, err := pmapi.OpenArchive(t.Context(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if _, _, err := src.Bounds(t.Context()); err != nil {
		t.Errorf("the archive is damaged: %v", err)
	}
}

// recordUntilFull records until an error.
func recordUntilFull(t *testing.T, base string) {
	signal.Ignore(syscall.Signal(25)) // SIGXFSZ, so that writing fails
	src := builtin.Default(nil)
	defer src.Close()
	r, err := record.NewRecorder(t.Context(), src, base, []string{"sample.bin", "sample.long"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		if err = r.Sample(t.Context()); err != nil {
			break
		}
	}
	if !errors.Is(err, syscall.EFBIG) {
		t.Errorf("sample: %v", err)
	}
	if closed := r.Close(); !errors.Is(closed, syscall.EFBIG) {
		t.Errorf("close: %v", closed)
	}
}
