package main

import (
	"path/filepath"
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

// TestExportChange: an archive that describes a metric otherwise than the one before is exported for itself.
func TestExportChange(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"setA", "othertype", "otherunits"} {
		if err := archivetest.Build(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{"othertype", "otherunits"} {
		list := filepath.Join(dir, "setA") + "," + filepath.Join(dir, other)
		got := clitest.RunWith("pmderive", newCommand, "", []string{"-a", list, "export", "--check", "-o", filepath.Join(dir, "out", other)}, nil)
		if got.Status != 0 || strings.Count(got.Stdout, "read back and equal\n") != 2 || got.Stderr != "" {
			t.Errorf("status %d, %s%s", got.Status, got.Stdout, got.Stderr)
		}
	}
}

// TestExportTypes: on different hosts a metric may have different types.
func TestExportTypes(t *testing.T) {
	dir := t.TempDir()
	id := pcp.NewID(60, 0, 1)
	for host, typ := range map[string]pcp.Type{"h1": pcp.Uint64, "h2": pcp.Double} {
		w, err := archive.Create(filepath.Join(dir, host), &archive.WriterOptions{Host: host})
		if err != nil {
			t.Fatal(err)
		}
		r := &pcp.Result{Time: pcp.Timestamp{Sec: 1700000000}, Sets: []pcp.Values{{ID: id, Type: typ, Insts: []int32{pcp.NullInst}, Words: []uint64{1}}}}
		for _, err := range []error{w.AddMetric(pcp.Desc{ID: id, Type: typ, InDom: pcp.NullInDom}, "a.b"), w.Put(r), w.Close()} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	got := clitest.RunWith("pmderive", newCommand, "", []string{"-a", dir, "export", "--check", "-o", filepath.Join(dir, "out")}, nil)
	if got.Status != 0 || strings.Count(got.Stdout, ": 1 values of 3 metrics; files: 1, read back and equal\n") != 2 {
		t.Errorf("status %d, %s%s", got.Status, got.Stdout, got.Stderr)
	}
}

// apart writes an archive with ten records, which have one of two metrics in turn.
func apart(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "apart")
	w, err := archive.Create(path, &archive.WriterOptions{Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	ids := []pcp.ID{pcp.NewID(60, 0, 1), pcp.NewID(60, 0, 2)}
	for i, id := range ids {
		if err := w.AddMetric(pcp.Desc{ID: id, Type: pcp.Uint64, Sem: pcp.Counter, InDom: pcp.NullInDom}, []string{"m.a", "m.b"}[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		v := pcp.Values{ID: ids[i%2], Type: pcp.Uint64, Insts: []int32{pcp.NullInst}, Words: []uint64{uint64(i)}}
		if err := w.Put(&pcp.Result{Time: pcp.Timestamp{Sec: 1700000000 + int64(i)}, Sets: []pcp.Values{v}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestExportApart: what is derived from metrics of other records has the values that it has alone.
func TestExportApart(t *testing.T) {
	path, out := apart(t), t.TempDir()
	for _, tt := range []struct {
		metrics []string
		values  string
	}{
		{[]string{"x=rate(m.a)"}, "4 values of 1 "},
		{[]string{"y=rate(m.b)"}, "4 values of 1 "},
		{[]string{"z=m.a+m.b"}, "0 values of 1 "},
		{[]string{"one=mkconst(1, type=\"u32\")"}, "10 values of 1 "},
		{[]string{"x=rate(m.a)", "y=rate(m.b)", "z=m.a+m.b", "one=mkconst(1, type=\"u32\")", "m.a"}, "23 values of 5 "},
	} {
		args := append([]string{"-a", path, "export", "--check", "-o", out}, tt.metrics...)
		got := clitest.RunWith("pmderive", newCommand, "", args, nil)
		if got.Status != 0 || !strings.HasPrefix(got.Stdout, "apart: "+tt.values) {
			t.Errorf("%v: status %d, %s%s, want %s", tt.metrics, got.Status, got.Stdout, got.Stderr, tt.values)
		}
	}
}
