package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/pmerr"
	"pmtools/test/env"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pmerr": main})
}

// TestScript runs the command lines of testdata/script. The expected output was recorded from PCP
// 7.2.2, so there is nothing to update.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			env.Set(e.Setenv)
			return nil
		},
	})
}

// pmerrRun runs the command in this process.
func pmerrRun(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	env := &cli.Env{
		Prog:      "pmerr",
		Args:      args,
		Stdin:     strings.NewReader(""),
		Stdout:    &out,
		Stderr:    &errs,
		LookupEnv: func(string) (string, bool) { return "", false },
	}
	status = cli.Run(context.Background(), env, newCommand)
	return status, out.String(), errs.String()
}

func TestDecode(t *testing.T) {
	tests := []struct {
		arg  string
		want pmerr.Code
		ok   bool
	}{
		{"0", 0, true},
		{"-12345", -12345, true},
		{"12345", 12345, true},
		{" 5", 5, true},
		{"\t-7", -7, true},
		{"+5", 5, true},
		{"12abc", 12, true},
		{"5 6", 5, true},
		{"0x", 0, true},
		{"0xg", 0, true},
		{"0x10g", 0, true},
		{"-0x10", 0, true},
		{" 0x10", 0, true},
		{"0x10", 16, true},
		{"0X1f", 31, true},
		{"0xFFFFCFC7", -12345, true},
		{"0x1ffffcfc7", -12345, true},
		{"0xffffffffffffffffff", -1, true},
		{"4294954951", -12345, true},
		{"2147483648", -2147483648, true},
		{"99999999999999999999", -1, true},
		{"-99999999999999999999", 0, true},
		{"", 0, false},
		{"x", 0, false},
		{"-", 0, false},
		{"+-5", 0, false},
		{"- 5", 0, false},
		{"ffffcfc7", 0, false},
		{"PM_ERR_NAME", 0, false},
	}
	for _, test := range tests {
		if got, ok := decode(test.arg); got != test.want || ok != test.ok {
			t.Errorf("decode(%q) = %d, %v, want %d, %v", test.arg, int32(got), ok, int32(test.want), test.ok)
		}
	}
}

// TestStatus: only options in the first place end with status 1.
func TestStatus(t *testing.T) {
	tests := []struct {
		args   string
		status int
		stderr string // its first line
	}{
		{"", 0, ""},
		{"-5", 0, ""},
		{"-a", 0, ""},
		{"junk", 0, ""},
		{"5 -l -? --help -x", 0, ""},
		{"-l", 1, ""},
		{"--list 5", 1, ""},
		{"-?", 1, "Usage: pmerr [options] [code]"},
		{"--help", 1, "Usage: pmerr [options] [code]"},
		{"-x 5", 1, "Illegal option -- x"},
		{"-V", 1, "Illegal option -- V"},
		{"-", 1, "Illegal option -- "},
		{"--", 1, "Illegal option -- -"},
		{"--lis", 1, "Illegal option -- -lis"},
	}
	for _, test := range tests {
		status, _, stderr := pmerrRun(strings.Fields(test.args)...)
		line, _, _ := strings.Cut(stderr, "\n")
		if status != test.status || line != test.stderr {
			t.Errorf("pmerr %s: status %d, %q, want %d, %q", test.args, status, line, test.status, test.stderr)
		}
	}
}

// FuzzPmerr: an argument gives text on one of the two streams, and status 0 unless it is an option.
func FuzzPmerr(f *testing.F) {
	for _, seed := range []string{"0", "-l", "0xffffcfc7", "-?", "12abc", "-99999999999999999999", "--help", "-x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		status, stdout, stderr := pmerrRun(arg)
		if (stdout == "") == (stderr == "") {
			t.Errorf("%q: stdout %q, stderr %q", arg, stdout, stderr)
		}
		if status != 0 && !strings.HasPrefix(arg, "-") {
			t.Errorf("%q: status %d", arg, status)
		}
	})
}
