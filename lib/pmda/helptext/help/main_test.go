package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "pmtools/test/env"
)

// TestCommands compiles a source and shows what was compiled.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	names := write("names", "root {\n\tx\n}\nx {\n\ta 7:0:1\n\tb 7:0:2\n}\n")
	help := write("help", "@ x.a one\ntext\n@ 7.1 indom\n")
	bad := write("bad", "@ x.c one\ntext\n@ x.a\n")
	for _, tt := range []struct {
		args   string
		status int
		out    string // standard output, or the end of standard error
	}{
		{"", 2, "NAME [METRIC ...]\n"},
		{"new -n " + names, 2, "for standard input\n"},
		{"new -n " + names + " " + help, 0, ""},
		{"new -V -n " + names + " " + help, 1, "x.a\n7.1\n"},
		{"new -n " + names + " -o " + filepath.Join(dir, "o") + " " + bad, 2, "newhelp: [" + bad + ":3] x.c: Unknown metric name, entry abandoned\n"},
		{"new -n /no/such/names " + help, 2, "no such file or directory\n"},
		{"new /no/such/help", 2, "no such file or directory\n"},
		{"new -o /no/such/help " + help, 2, "no such file or directory\n"},
		{"check -n " + names + " " + help, 0, ""},
		{"check -e -n " + names + " " + help, 0, "x.b\n"},
		{"check -p -i -n " + names + " " + help, 0, "\nPMID 7.0.1 x.a: one\n\nInDom 7.1: indom\n"},
		{"check -O -H -n " + names + " " + help + " x.a x", 0, "\nPMID 7.0.1 x.a: one\ntext\n\nx: Metric name is not a leaf in PMNS\n"},
		{"check", 1, "chkhelp: missing helpfile argument\n"},
		{"check -i " + help + " x.a", 1, "chkhelp: metricname arguments cannot be used with -i or -p\n"},
		{"check -e -p " + help, 1, "chkhelp: -e cannot be used with -i or -p\n"},
		{"check -O " + help, 1, "chkhelp: -O or -H require metricname arguments or -i or -p\n"},
		{"check /no/such/help", 1, "no such file or directory\n"},
		{"check -x", 1, ""},
	} {
		var out, errs strings.Builder
		status := run(strings.Fields(tt.args), &out, &errs)
		got := out.String()
		if status != 0 && strings.HasSuffix(errs.String(), tt.out) {
			got = tt.out
		}
		if status != tt.status || got != tt.out {
			t.Errorf("%s: status %d, %q, %q, want %d, %q", tt.args, status, &out, &errs, tt.status, tt.out)
		}
	}
}
