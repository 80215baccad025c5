package pmda

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmns"
)

// withNames returns what makes an agent with some names.
func withNames(names ...string) func(*Options) (Provider, error) {
	return func(o *Options) (Provider, error) {
		queues := &InDom{Serial: 3, OneLine: "queues", Instances: Numbered(0, "a")}
		t := Table{Domain: o.DomainOr(400)}
		for i, n := range names {
			t.Metrics = append(t.Metrics, Metric{Name: n, Item: uint32(i), Type: pcp.Int32, InDom: queues, OneLine: "metric " + n, Help: "# first\n\n@ last"})
		}
		return New(t)
	}
}

// TestInstallFiles checks the files for PCP's installation of agents.
func TestInstallFiles(t *testing.T) {
	dir := t.TempDir()
	// A file that is there is overwritten, and becomes a program.
	if err := os.WriteFile(filepath.Join(dir, "Install"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &run{args: "-d 401 --install-files " + dir, agent: withNames("test.a", "test.sub.b")}
	if status := r.do(context.Background()); status != 0 {
		t.Fatalf("status %d: %s", status, &r.stderr)
	}
	if got := strings.Count(r.stdout.String(), dir); got != 7 {
		t.Errorf("%d files: %s", got, &r.stdout)
	}
	for name, want := range map[string]string{
		"domain.h": "#define TEST 401\n",
		"pmns":     "test {\n\ta\tTEST:0:0\n\tsub\n}\n\ntest.sub {\n\tb\tTEST:0:1\n}\n",
		"root":     "#include \"domain.h\"\n\nroot {\n\ttest\n}\n\n#include \"pmns\"\n",
		"help": "# Help texts of test. The agent has them itself; newhelp compiles this file.\n\n@ test.a metric test.a\n # first\n\n @ last\n\n" +
			"@ test.sub.b metric test.sub.b\n # first\n\n @ last\n\n@ TEST.3 queues\n",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	tree, err := pmns.Load(filepath.Join(dir, "root"), &pmns.Options{Preprocess: true, IncludeDirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	if id, err := tree.Lookup("test.sub.b"); err != nil || id != pcp.NewID(401, 0, 1) {
		t.Errorf("test.sub.b is %v, %v", id, err)
	}
	for _, script := range []string{"Install", "Remove"} {
		fi, err := os.Stat(filepath.Join(dir, script))
		if err != nil || fi.Mode()&0o111 == 0 && os.PathSeparator == '/' {
			t.Errorf("%s: %v, %v", script, fi, err)
		}
	}
}

// TestBadInstallFiles checks what cannot be installed.
func TestBadInstallFiles(t *testing.T) {
	for _, tt := range []struct {
		args  string
		agent func(*Options) (Provider, error)
		want  string
	}{
		{"--install-files /no/such/directory", withNames("test.a"), filepath.Join("/no/such/directory", "domain.h")},
		{"--install-files .", withNames("test.a", "other.b"), "other.b: PCP installs the names of an agent below one node"},
		{"--install-files .", withNames("test"), "below one node"},
		{"--install-files .", func(*Options) (Provider, error) { return nil, errors.New("sorry") }, "sorry"},
	} {
		r := &run{args: tt.args, agent: tt.agent}
		if status := r.do(context.Background()); status != 1 || !strings.Contains(r.stderr.String(), tt.want) {
			t.Errorf("status %d, %q, want %q", status, &r.stderr, tt.want)
		}
	}
	p := &program{newAgent: withNames("test.a"), args: []string{"spool", "--install-files", "."}, stderr: new(strings.Builder)}
	if status := p.run(context.Background()); status != 1 || !strings.Contains(p.stderr.(*strings.Builder).String(), "has to be called pmdaspool") {
		t.Errorf("status %d, %v", status, p.stderr)
	}
}

// TestTerminal: an agent whose standard output is a terminal says what it is.
func TestTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminal here: ", err)
	}
	defer terminal.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, tt := range []struct {
		out    *os.File
		status int
	}{{terminal, 1}, {null, 0}} {
		var errs strings.Builder
		p := &program{newAgent: withNames("test.a"), args: []string{"pmdatest", "-l", os.DevNull}, stdin: strings.NewReader(""), stdout: tt.out, stderr: &errs}
		if got := p.run(context.Background()); got != tt.status || strings.Contains(errs.String(), "this is an agent") != (tt.status == 1) {
			t.Errorf("%s: status %d, %q", tt.out.Name(), got, &errs)
		}
	}
}

// TestFlagValues: the agent's own options arrive with their arguments.
func TestFlagValues(t *testing.T) {
	var got map[string]string
	p := &program{own: []Flag{{Short: 's', Name: "spool", Arg: "DIR"}}, args: []string{"pmdatest", "--pmns", "-s", "/x"}, stdout: new(strings.Builder), stderr: new(strings.Builder),
		newAgent: func(o *Options) (Provider, error) {
			got = o.Flags
			return withNames("test.a")(o)
		}}
	if status := p.run(context.Background()); status != 0 || got["spool"] != "/x" {
		t.Errorf("status %d, flags %v", status, got)
	}
}
