package main

import (
	"testing"

	"pmtools/lib/archive/archivetest"
)

// BenchmarkFetchAll prints the values of a whole name space, as pminfo -f does: each metric is
// looked for from the start of the archive.
func BenchmarkFetchAll(b *testing.B) {
	dir := b.TempDir()
	if err := archivetest.BuildWide(dir, "wide", 3000, 20); err != nil {
		b.Fatal(err)
	}
	b.Chdir(dir)
	for b.Loop() {
		if e := run([]string{"-a", "wide", "-f"}, nil); e.Status != 0 {
			b.Fatal(e.Stderr)
		}
	}
}

// BenchmarkStart is the work of a run that prints one metric of a small archive, but for what the
// process costs.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	if err := archivetest.Build(dir, "demo"); err != nil {
		b.Fatal(err)
	}
	b.Chdir(dir)
	b.ReportAllocs()
	for b.Loop() {
		if e := run([]string{"-a", "demo", "-f", "kernel.all.load"}, nil); e.Status != 0 {
			b.Fatal(e.Stderr)
		}
	}
}
