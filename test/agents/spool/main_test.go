package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmda/pmdatest"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SPOOL_DIR", dir)
	for _, name := range []string{"cron/a", "mail/b", "mail/c"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("12345"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	agent, err := newSpool(new(pmda.Options))
	if err != nil {
		t.Fatal(err)
	}
	var r pcp.Result
	req := &pmda.Request{Client: new(pmda.Client), IDs: []pcp.ID{pcp.NewID(450, 1, 1)}}
	if err := agent.Fetch(context.Background(), req, &r); err != nil {
		t.Fatal(err)
	}
	size := r.Sets[0]
	if len(size.Words) != 2 || size.Words[0] != 5 || size.Words[1] != 10 {
		t.Errorf("sizes %v", size.Words)
	}
}

// TestGone checks queues that come and go, and a spool directory that does.
func TestGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	t.Setenv("SPOOL_DIR", dir)
	agent, err := newSpool(&pmda.Options{Domain: 7})
	if err != nil {
		t.Fatal(err)
	}
	queues := func() string {
		list, err := agent.Instances(context.Background(), new(pmda.Client), pcp.NewInDom(7, 0))
		if err != nil {
			return pmerr.Of(err).Name() + pmerr.Of(err).Error()
		}
		var names []string
		for _, i := range list {
			names = append(names, i.Name)
		}
		return strings.Join(names, " ")
	}
	if got, want := queues(), pmerr.ENOENT.Error(); got != want {
		t.Errorf("no directory: %s, want %s", got, want)
	}
	for _, tt := range []struct {
		do   func(string) error
		name string
		want string
	}{
		{func(d string) error { return os.MkdirAll(d, 0o777) }, "b", "b"},
		{func(d string) error { return os.MkdirAll(d, 0o777) }, "a", "b a"},
		{os.Remove, "b", "a"},
		{func(d string) error { return os.WriteFile(d, nil, 0o666) }, "file", "a"},
		{func(d string) error { return os.MkdirAll(d, 0o777) }, "b", "b a"},
	} {
		if err := tt.do(filepath.Join(dir, tt.name)); err != nil {
			t.Fatal(err)
		}
		if got := queues(); got != tt.want {
			t.Errorf("after %s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestGuide checks that the guide shows this program and its test as they are.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile(filepath.FromSlash("../../../docs/writing-an-agent.md"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("main_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{"the program": string(program)}
	for _, name := range []string{"TestSpool", "TestConformance"} {
		_, test, _ := strings.Cut(string(own), "\nfunc "+name+"(")
		test, _, _ = strings.Cut(test, "\n}\n")
		shown[name] = "func " + name + "(" + test + "\n}\n"
	}
	for name, text := range shown {
		if !strings.Contains(string(guide), "```go\n"+text+"```\n") {
			t.Errorf("the guide does not show %s as it is", name)
		}
	}
}

func TestConformance(t *testing.T) {
	t.Setenv("SPOOL_DIR", t.TempDir())
	pmdatest.Run(t, pmdatest.Serve(newSpool))
}
