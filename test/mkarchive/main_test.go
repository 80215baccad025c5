package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
	_ "pmtools/test/env"
)

func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "er")
	tests := []struct {
		name string
		args []string
		code int
		out  string // prefix
		err  string // prefix
	}{
		{"no arguments", nil, 2, "", "usage: mkarchive DIR NAME"},
		{"only a directory", []string{dir}, 2, "", "usage:"},
		{"option", []string{"-x", "ta"}, 2, "", "usage:"},
		{"list", []string{"-l"}, 0, "ta\nta_v2\n", ""},
		{"two", []string{dir, "demo", "ta"}, 0, "", ""},
		{"again", []string{dir, "ta"}, 0, "", ""},
		{"big", []string{dir, "big=2", "wide=30", "procs=2", "day=2", "members=2"}, 0, "", ""},
		{"unknown", []string{dir, "mini", "nonesuch", "setA"}, 1, "", "mkarchive: nonesuch: no such archive"},
		{"not a number", []string{dir, "big=x"}, 1, "", "mkarchive: big=x: not a positive number"},
		{"negative", []string{dir, "wide=-1"}, 1, "", "mkarchive: wide=-1: not a positive number"},
		{"number for another", []string{dir, "ta=3"}, 1, "", "mkarchive: ta=3: only big, wide, sparse, procs, day, fleet and members take a number"},
		{"fleet", []string{dir, "fleet=2"}, 0, "", ""},
		{"no fleet", []string{dir, "fleet=0"}, 1, "", "mkarchive: fleet=0: not a positive number"},
		{"not a directory", []string{filepath.Join(dir, "ta.0"), "ta"}, 1, "", "mkarchive: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, err bytes.Buffer
			code := run(tt.args, &out, &err)
			if code != tt.code || !strings.HasPrefix(out.String(), tt.out) {
				t.Errorf("code %d\n%s%s", code, &out, &err)
			} else if !strings.HasPrefix(err.String(), tt.err) || code == 0 && err.Len() > 0 {
				t.Errorf("code %d\n%s%s", code, &out, &err)
			}
		})
	}
	var left []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if base, ok := strings.CutSuffix(e.Name(), ".meta"); ok {
			left = append(left, base)
		}
	}
	slices.Sort(left)
	if want := "big day demo host0000 host0001 member0000 member0001 mini procs ta wide"; strings.Join(left, " ") != want {
		t.Errorf("archives %q, want %s", left, want)
	}
}

func TestAll(t *testing.T) {
	dir := t.TempDir()
	var out, err bytes.Buffer
	if code := run([]string{dir, "all"}, &out, &err); code != 0 || err.Len() > 0 {
		t.Fatalf("code %d\n%s", code, &err)
	}
	metas, _ := filepath.Glob(filepath.Join(dir, "*.meta"))
	if len(metas) != len(archivetest.Names()) {
		t.Errorf("%d archives of %d", len(metas), len(archivetest.Names()))
	}
}
