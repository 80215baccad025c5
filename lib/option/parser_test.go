package option

import (
	"errors"
	"strings"
	"testing"
)

// TestUsage compares with the usage texts of the reference.
func TestUsage(t *testing.T) {
	for _, prog := range []string{"pminfo", "pmval", "pmstore"} {
		got := world{}.run(t, prog, "-?")
		if want := testdata(t, prog+".usage"); got.stderr != want || got.status != 1 {
			t.Errorf("%s -?: status %d\n%s", prog, got.status, got.stderr)
		}
	}
}

// TestComplain: a late complaint is among the messages as it is, before the usage text, and the
// command ends.
func TestComplain(t *testing.T) {
	var messages strings.Builder
	p := world{}.parser("pmval")
	p.Operands, p.LateChecks, p.Messages, p.Stderr = "metric", true, &messages, &messages
	p.Shared("start", "archive")
	if _, err := p.Parse([]string{"-S", "1", "m"}); err != nil {
		t.Fatal(err)
	}
	p.Complain("first\n")
	err := p.CheckSource(func() { p.Complain("last\n") })
	want := "first\npmval: time window options are supported for archives only\nlast\nUsage: pmval metric\n"
	if !strings.HasPrefix(messages.String(), want) || !errors.Is(err, ErrUsage) {
		t.Errorf("got %q, %v", &messages, err)
	}
}

// TestProcess: a parser without functions of its own asks the process.
func TestProcess(t *testing.T) {
	t.Setenv("PCP_ARCHIVE", "A")
	t.Setenv("PCP_CONF", "/no/such/file")
	p := &Parser{Prog: "x"}
	p.Shared("origin")
	if operands, err := p.Parse([]string{"m"}); err != nil || len(operands) != 1 || p.Options.Archive != "A" {
		t.Errorf("operands %q, %v, %+v", operands, err, p.Options)
	}
	t.Setenv("PCP_ARCHIVE_DIR", "/d")
	if own := p.ownArchives(); !strings.HasPrefix(own, "/d/") {
		t.Errorf("own archives in %s", own)
	}
}

// TestSource: which source wins.
func TestSource(t *testing.T) {
	tests := []struct {
		o    Options
		kind SourceKind
		name string
	}{
		{Options{}, DefaultHost, "local:"},
		{Options{HasHost: true}, Host, ""},
		{Options{HasHost: true, Host: "h"}, Host, "h"},
		{Options{HasArchive: true, Archive: "a"}, Archive, "a"},
		{Options{HasArchive: true, Archive: "a", Local: true}, Local, ""},
	}
	for _, test := range tests {
		if kind, name := test.o.Source(); kind != test.kind || name != test.name {
			t.Errorf("%+v: %v %q, want %v %q", test.o, kind, name, test.kind, test.name)
		}
	}
}

// TestSetSource: the source of a metric specification and that of the options.
func TestSetSource(t *testing.T) {
	tests := []struct {
		o    Options
		spec string
		kind SourceKind
		name string
		ok   bool
	}{
		{Options{}, "m", DefaultHost, "local:", true},
		{Options{}, "h:m", Host, "h", true},
		{Options{}, "a/m", Archive, "a", true},
		{Options{}, "@:m", Local, "", true},
		{Options{HasHost: true, Host: "x"}, "h:m", Host, "h", true},
		{Options{HasHost: true, Host: "x"}, "m", Host, "x", true},
		{Options{HasHost: true, Host: "x"}, "a/m", Host, "x", false},
		{Options{HasArchive: true, Archive: "x"}, "h:m", Archive, "x", false},
		{Options{HasArchive: true, Archive: "x"}, "a/m", Archive, "a", true},
	}
	for _, test := range tests {
		m, err := ParseMetric(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		err = test.o.SetSource(m)
		if kind, name := test.o.Source(); kind != test.kind || name != test.name || (err == nil) != test.ok {
			t.Errorf("%s: %v %q, %v, want %v %q", test.spec, kind, name, err, test.kind, test.name)
		}
	}
}

// TestReadEnvironment: the error names the variable.
func TestReadEnvironment(t *testing.T) {
	p := world{vars: map[string]string{"PCP_HOST": "somewhere", "PCP_SAMPLES": "x", "PCP_CONTAINER": "c"}}.parser("x")
	err := p.ReadEnvironment()
	if err == nil || !strings.HasPrefix(err.Error(), "$PCP_SAMPLES: ") {
		t.Errorf("a bad variable: %v", err)
	}
	if p.Options.Host != "somewhere" || p.Options.Container != "c" {
		t.Errorf("%+v", p.Options)
	}
}

// TestSharedUnknown: a table cannot ask for an option that does not exist.
func TestSharedUnknown(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Shared(nosuch) did not panic")
		}
	}()
	new(Parser).Shared("nosuch")
}

// TestAllHelp: the hidden options follow the usage text where they are wanted, but not after errors.
func TestAllHelp(t *testing.T) {
	usage := func(all bool, args ...string) string {
		var b strings.Builder
		p := &Parser{Prog: "pmval", Operands: "metricname", Messages: &b, Stderr: &b, AllHelp: all,
			LookupEnv: func(string) (string, bool) { return "", false }}
		p.Shared("help")
		p.Func(func(string) error { return nil }, "", "output", "FORMAT", "print csv")
		p.Hide("output")
		if _, err := p.Parse(args); err != ErrUsage {
			t.Errorf("%q: %v", args, err)
		}
		return b.String()
	}
	plain := usage(false, "-?")
	own := "\nOptions that PCP's pmval does not have, to be written in full:\n  --output=FORMAT       print csv\n"
	if got := usage(true, "--help"); got != plain+own {
		t.Errorf("got\n%s", got)
	}
	if got := usage(true, "-k"); strings.Contains(got, "--output") {
		t.Errorf("after an error:\n%s", got)
	}
}
