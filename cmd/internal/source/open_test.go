package source

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// TestError: the messages of sources that cannot be opened.
func TestError(t *testing.T) {
	tests := []struct {
		what string
		err  error
		want string
	}{
		{"Cannot connect to PMCD on host \"local:\"", pmerr.NYI,
			"Cannot connect to PMCD on host \"local:\": Functionality not yet implemented"},
		{"Cannot open archive \"a,b\"", fmt.Errorf("a.meta: %w", os.ErrNotExist),
			"Cannot open archive \"a,b\": No such file or directory"},
	}
	for _, test := range tests {
		if got := (&Error{What: test.what, Err: test.err}).Error(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestOpen: the messages for sources that the options ask for.
func TestOpen(t *testing.T) {
	env := &cli.Env{
		Stderr:    new(strings.Builder),
		LookupEnv: func(string) (string, bool) { return "", false },
		Open:      func(string) (io.ReadCloser, error) { return nil, os.ErrNotExist },
	}
	for _, test := range []struct {
		options option.Options
		want    string
	}{
		{option.Options{HasArchive: true, Archive: "/no/such"}, "Cannot open archive \"/no/such\": No such file or directory"},
		{option.Options{HasHost: true, Host: "unix://no/such"},
			"Cannot connect to PMCD on host \"unix://no/such\": No such file or directory"},
	} {
		src, err := New(env, &option.Parser{Options: test.options}, "").WithArchives().OpenPlain(t.Context())
		if src != nil || err == nil || err.Error() != test.want {
			t.Errorf("%+v: %v, %v, want %s", test.options, src, err, test.want)
		}
	}
}

// TestStandIn: the collectors inside stand in for a daemon that does not run only where there is no
// PCP, and have no metrics of a daemon then.
func TestStandIn(t *testing.T) {
	connRefused := pmerr.Of(syscall.ECONNREFUSED)
	tests := []struct {
		vars, file string // NAME=VALUE, and a file that exists
		err        error
		want       bool
	}{
		{"", "", connRefused, true},
		{"", "", pmerr.ENOENT, true},
		{"", "", pmerr.Permission, false},
		{"", "/etc/pcp.conf", connRefused, false},
		{"", "/usr/local/etc/pcp.conf", connRefused, false},
		{"PCP_CONF=/etc/pcp.conf", "", connRefused, false},
		{"PCP_DIR=", "", connRefused, false},
		{"PMCD_PORT=1", "", connRefused, false},
		{"PMCD_SOCKET=/run/x", "", pmerr.ENOENT, false},
		{"PMCD_CONNECT_TIMEOUT=", "", connRefused, false},
	}
	for _, tt := range tests {
		var errs strings.Builder
		name, value, set := strings.Cut(tt.vars, "=")
		env := &cli.Env{
			Prog: "pminfo", Stderr: &errs, Now: time.Now, Hostname: func() (string, error) { return "here", nil },
			LookupEnv: func(n string) (string, bool) { return value, set && n == name },
			Open: func(n string) (io.ReadCloser, error) {
				if n != tt.file {
					return nil, os.ErrNotExist
				}
				return io.NopCloser(strings.NewReader("")), nil
			},
		}
		src := New(env, new(option.Parser), "").standIn(tt.err)
		if (src != nil) != tt.want || strings.HasPrefix(errs.String(), "pminfo: no pmcd on this host (") != tt.want {
			t.Errorf("%+v: source %v, %q", tt, src, &errs)
		}
		if src == nil {
			continue
		}
		found, err := src.Lookup(t.Context(), []string{"pmcd.version", "sample.bin"})
		if err != nil || found[0].Err == nil || found[1].Err != nil {
			t.Errorf("%+v: %v, %v", tt, found, err)
		}
		if name, _ := pmapi.HostName(t.Context(), src); name != "here" {
			t.Errorf("%+v: host %q", tt, name)
		}
		src.Close()
	}
}

// TestLocalAgents: -K chooses among the collectors inside by the names of libraries.
func TestLocalAgents(t *testing.T) {
	tests := []struct {
		specs string
		names string // that are found
		err   string
	}{
		{"", "sample.bin simple.now pmcd.version", ""},
		{"-K del,29", "simple.now pmcd.version", ""},
		{"-K del,,/var/lib/pcp/pmdas/pmcd/pmda_pmcd.so", "sample.bin simple.now", ""},
		{"-K clear", "", ""},
		{"-K clear -K add,29,sample/pmda_sample,sample_init", "sample.bin", ""},
		{"-K clear -K add,29,/x/pmda_sample.so,sample_init -K add,30,pmda_sample.so,sample_init", "sample.bin sampledso.bin", ""},
		{"-K clear -K add,29,pmda_sample.so,bad_init", "",
			"__pmConnectLocal: Warning: couldn't find init function \"bad_init\" in DSO \"pmda_sample.so\"\n"},
		{"-K clear -K add,11,xfs/pmda_xfs.so,xfs_init", "", "pminfo: agent 11: cannot load xfs/pmda_xfs.so: the collectors are inside the program, which loads no libraries; add,11,PROGRAM runs an agent that is a program\n"},
	}
	for _, tt := range tests {
		var errs strings.Builder
		env := &cli.Env{
			Prog: "pminfo", Stderr: &errs, Now: time.Now, Hostname: func() (string, error) { return "here", nil },
			LookupEnv: func(string) (string, bool) { return "", false },
			Open:      func(string) (io.ReadCloser, error) { return nil, os.ErrNotExist },
		}
		p := &option.Parser{LookupEnv: env.LookupEnv, Messages: &errs}
		p.Shared("spec-local")
		o := New(env, p, "")
		if _, err := p.Parse(strings.Fields(tt.specs)); err != nil {
			t.Fatal(err)
		}
		src := o.collectors()
		var found []string
		for _, name := range []string{"sample.bin", "sampledso.bin", "simple.now", "pmcd.version"} {
			if a, err := src.Lookup(t.Context(), []string{name}); err == nil && a[0].Err == nil {
				found = append(found, name)
			}
		}
		if got := strings.Join(found, " "); got != tt.names || errs.String() != tt.err {
			t.Errorf("%s: %s, %q, want %s, %q", tt.specs, got, &errs, tt.names, tt.err)
		}
		src.Close()
	}
}

// TestMain makes this program an agent where a test says so.
func TestMain(m *testing.M) {
	if os.Getenv("SOURCE_TEST_AGENT") == "" {
		os.Exit(m.Run())
	}
	os.Exit(pmda.Main(func(o *pmda.Options) (pmda.Provider, error) {
		return pmda.New(pmda.Table{Domain: o.DomainOr(3), Metrics: []pmda.Metric{{Name: "own.args", Type: pcp.String, Fetch: pmda.Always(strings.Join(os.Args[1:], " "))}}})
	}))
}

// TestLocalProgram: -K adds agents that are programs.
func TestLocalProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no scripts here")
	}
	t.Setenv("SOURCE_TEST_AGENT", "1")
	dir := t.TempDir()
	library := filepath.Join(dir, "pmda_x.so")
	for _, file := range []string{library, filepath.Join(dir, "fails")} {
		if err := os.WriteFile(file, []byte("#!/bin/sh\nexit 3\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	self := os.Args[0]
	for _, tt := range []struct{ spec, value, err string }{
		{"add,450," + self, "-d 450 -l *", ""},
		{"add,450," + self + " --log=" + filepath.Join(dir, "log") + " -d450", "--log=" + filepath.Join(dir, "log") + " -d450", ""},
		{"add,450," + self + " --log='" + filepath.Join(dir, "l,o g") + "' -d450", "--log=" + filepath.Join(dir, "l,o g") + " -d450", ""},
		{"add,450," + filepath.Join(dir, "fails"), "", "pminfo: agent 450: no names: " + filepath.Join(dir, "fails") + " --pmns: exit status 3: give them with -n FILE\n" +
			"pminfo: agent 450: " + filepath.Join(dir, "fails") + ": the agent does not introduce itself: No PMCD agent for domain of request: the agent has ended\n" +
			filepath.Join(dir, "fails") + ": exit status 3\n"},
		{"add,450," + library, "", "missing init-routine in spec"},
		{"add,450," + filepath.Join(dir, "nosuch"), "", "missing init-routine in spec"},
		{"add,450," + dir, "", "missing init-routine in spec"},
	} {
		var errs strings.Builder
		env := &cli.Env{
			Prog: "pminfo", Stderr: &errs, Now: time.Now, Hostname: func() (string, error) { return "here", nil },
			LookupEnv: func(string) (string, bool) { return "", false },
			Open:      func(string) (io.ReadCloser, error) { return nil, os.ErrNotExist },
		}
		p := &option.Parser{LookupEnv: env.LookupEnv, Messages: &errs}
		p.Shared("spec-local")
		o := New(env, p, "")
		if _, err := p.Parse([]string{"-K", "clear", "-K", tt.spec}); err != nil {
			if tt.value != "" || !strings.Contains(errs.String(), tt.err) {
				t.Errorf("%s: %v, %q, want %s", tt.spec, err, &errs, tt.err)
			}
			continue
		}
		src := o.collectors()
		got := ""
		if a, err := src.Lookup(t.Context(), []string{"own.args"}); err == nil && a[0].Err == nil {
			var r pcp.Result
			if err := src.Fetch(t.Context(), &pmapi.Request{IDs: []pcp.ID{a[0].Value}}, &r); err != nil {
				t.Errorf("%s: %v", tt.spec, err)
			}
			if len(r.Sets) == 1 && r.Sets[0].Len() == 1 {
				got, _ = r.Sets[0].Value(0).Text()
			}
		}
		if prefix, cut := strings.CutSuffix(tt.value, "*"); cut && strings.HasPrefix(got, prefix) {
			got = tt.value
		}
		if got != tt.value || errs.String() != tt.err {
			t.Errorf("%s: %q, %q, want %q, %q", tt.spec, got, &errs, tt.value, tt.err)
		}
		if err := src.Close(); err != nil {
			t.Errorf("%s: %v", tt.spec, err)
		}
	}
}

// TestLocalHangs: Ctrl-C ends the wait for an agent that says nothing, without a word about the agent, and the agent with its children.
func TestLocalHangs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no scripts here")
	}
	file := filepath.Join(t.TempDir(), "hangs")
	if err := os.WriteFile(file, []byte("#!/bin/sh\nsleep 600\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	env := &cli.Env{Prog: "pminfo", Stderr: &errs, Now: time.Now, Hostname: func() (string, error) { return "here", nil },
		LookupEnv: func(string) (string, bool) { return "", false }, Open: func(string) (io.ReadCloser, error) { return nil, os.ErrNotExist }}
	p := &option.Parser{LookupEnv: env.LookupEnv, Messages: &errs}
	p.Shared("spec-local")
	o := New(env, p, "")
	if _, err := p.Parse([]string{"-K", "add,450," + file}); err != nil {
		t.Fatal(err)
	}
	src := o.collectors()
	defer src.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _ = src.Lookup(ctx, []string{"own.args"})
	if errs.Len() > 0 { // an agent that has been waited for to the end is complained about
		t.Errorf("%s", &errs)
	}
}
