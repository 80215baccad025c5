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

// TestExportConflict: archives of a host that describe a metric differently are an error that names
// the metric and both.
func TestExportConflict(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"setA", "othertype", "otherunits"} {
		if err := archivetest.Build(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	one := filepath.Join(dir, "setA")
	for other, want := range map[string]string{
		"othertype":  "t.n (245.0.1) is 32-bit int, instant, indom PM_INDOM_NULL in " + one + ", but 32-bit unsigned int, instant, indom PM_INDOM_NULL in ",
		"otherunits": "t.n (245.0.1) is 32-bit int, instant, indom PM_INDOM_NULL in " + one + ", but 32-bit int, instant, indom PM_INDOM_NULL, count in ",
	} {
		other = filepath.Join(dir, other)
		got := clitest.RunWith("pmderive", newCommand, "", []string{"-a", one + "," + other, "export", "-o", filepath.Join(dir, "out")}, nil)
		if got.Status != 1 || !strings.Contains(got.Stderr, want+other+"; export these to directories of their own") {
			t.Errorf("status %d, %s\nwant %s", got.Status, got.Stderr, want+other)
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
