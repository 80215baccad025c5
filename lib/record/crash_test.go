package record_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/record"
	"pmtools/lib/safefile/safefiletest"
)

// recording records one sample of a host into the folio f of a directory, and tells when it has started and ended.
func recording(dir string, told func(string)) error {
	h := bin("h")
	h.Interval = 0
	s, err := record.Start(context.Background(), &record.Config{Folio: filepath.Join(dir, "f"), Creator: "mytool", Replay: "play it\n", Open: inside}, h)
	if err != nil {
		return err
	}
	told("started " + filepath.Base(s.Recordings[0].Archive))
	if err := s.Stop(context.Background()); err != nil {
		return err
	}
	told("stopped")
	return nil
}

// wholeSession checks that a folio and its archive, which has one sample, are whole.
func wholeSession(dir, archiveName string) error {
	folio, err := os.ReadFile(filepath.Join(dir, "f"))
	if err != nil {
		return err
	}
	if text := string(folio); !strings.HasPrefix(text, "PCPFolio\n") || !strings.HasSuffix(text, " "+archiveName+"\n") {
		return fmt.Errorf("the folio is %q", folio)
	}
	base, _, _ := strings.Cut(archiveName, ".")
	if replay, err := os.ReadFile(filepath.Join(dir, base)); err != nil || string(replay) != "play it\n" {
		return fmt.Errorf("to replay: %q, %v", replay, err)
	}
	set, err := archive.Open(context.Background(), filepath.Join(dir, archiveName), nil)
	if err != nil {
		return err
	}
	defer set.Close()
	var r pcp.Result
	if err := set.Cursor().Next(context.Background(), &r); err != nil || r.Sets[0].Len() != 9 {
		return fmt.Errorf("the sample is %v, %v", r, err)
	}
	return nil
}

// TestCrash: a loss of power leaves what a session that has started has recorded, and its folio; and before that a folio that is whole or
// empty, or none.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	tr, err := safefiletest.Record(dir, func(mark func(string)) {
		if err := recording(dir, mark); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.Images(t, 6, func(dir string, marks []string) error {
		if len(marks) > 0 {
			return wholeSession(dir, strings.TrimPrefix(marks[0], "started "))
		}
		folio, err := os.ReadFile(filepath.Join(dir, "f"))
		if err == nil && len(folio) > 0 && !(strings.HasPrefix(string(folio), "PCPFolio\n") && strings.HasSuffix(string(folio), ".h\n")) {
			return fmt.Errorf("the folio is %q", folio)
		}
		return nil
	})
}

// TestFaults: calls of the file system fail. A session that cannot start leaves nothing, one that started without an error and stopped so is
// whole, and the next one works.
func TestFaults(t *testing.T) {
	for f := range safefiletest.Faults(t, 2) {
		dir := t.TempDir()
		var told []string
		var err error
		f.During(func() { err = recording(dir, func(s string) { told = append(told, s) }) })
		left, _ := os.ReadDir(dir)
		switch {
		case len(told) == 2:
			if err := wholeSession(dir, strings.TrimPrefix(told[0], "started ")); err != nil {
				t.Errorf("%v: %v", f, err)
			}
		case err == nil:
			t.Errorf("%v: no error", f)
		case told == nil && len(left) > 0 && !f.Forever:
			t.Errorf("%v: %v; %v are left", f, err, left)
		}
		if f.Forever {
			for _, e := range left {
				err = errors.Join(os.Remove(filepath.Join(dir, e.Name())))
			}
		}
		if told == nil {
			if err := recording(dir, func(string) {}); err != nil {
				t.Errorf("%v: the next session: %v", f, err)
			}
		}
	}
}
