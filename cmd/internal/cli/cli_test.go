package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
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

// TestRunStatus: exit status and messages for what Run returns.
func TestRunStatus(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		status int
		stderr string
	}{
		{"nil", nil, 0, ""},
		{"exit", Exit(3), 3, ""},
		{"wrapped exit", fmt.Errorf("x: %w", Exit(2)), 2, ""},
		{"error", errors.New("something"), 1, "prog: something\n"},
		{"usage", UsageError("no %s", "name"), 1, "prog: no name\nUsage: prog OPERANDS\n\nOptions:\n  -x\n"},
		{"configuration", &ConfigError{"/c", pmerr.ENOENT}, 1, "FATAL PCP ERROR: could not open config file \"/c\" : " +
			"No such file or directory\nYou may need to set PCP_CONF or PCP_DIR in your environment.\n"},
		{"host", SourceError(DefaultHost, "local:", "", pmerr.NYI), 1,
			"prog: Cannot connect to PMCD on host \"local:\": Functionality not yet implemented\n"},
		{"archive", SourceError(Archive, "a,b", "", fmt.Errorf("a.meta: %w", os.ErrNotExist)), 1,
			"prog: Cannot open archive \"a,b\": No such file or directory\n"},
		{"local", SourceError(Local, "", "Cannot establish local context", pmerr.NYI), 1,
			"prog: Cannot establish local context: Functionality not yet implemented\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			status := Run(t.Context(), world{}.env(&stdout, &stderr, "prog"), func(env *Env) *Command {
				c := New(env, "prog", "OPERANDS")
				c.Section("Options")
				c.Bool(new(bool), "x", "extra", "extra text")
				c.Bool(new(bool), "", "hidden", "")
				c.Hide("hidden")
				c.Shared("help")
				c.Run = func(context.Context, []string) error { return test.err }
				return c
			})
			want := strings.ReplaceAll(test.stderr, "  -x\n", "  -x, --extra           extra text\n  -?, --help            show this usage message and exit\n")
			if status != test.status || stderr.String() != want || stdout.Len() != 0 {
				t.Errorf("status %d, want %d\nstderr %q\nwant   %q", status, test.status, stderr.String(), want)
			}
		})
	}
}

// TestStreams: output is buffered, and comes before later messages.
func TestStreams(t *testing.T) {
	var both strings.Builder
	status := Run(t.Context(), world{}.env(&both, &both, "prog", "-x", "y"), func(env *Env) *Command {
		return Plain(env, func(_ context.Context, args []string) error {
			fmt.Fprintf(env.Out, "args %q\n", args)
			env.Messages.Print("queued\n")
			env.Errorf("at %s", "once")
			env.Out.WriteString("more\n")
			return nil
		})
	})
	want := "args [\"-x\" \"y\"]\nprog: at once\nmore\nqueued\n"
	if status != 0 || both.String() != want {
		t.Errorf("status %d, %q, want %q", status, both.String(), want)
	}
}

// TestMessages: the places that PCP_STDERR names.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out")
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const version = "pminfo version 7.2.2\n"
	tests := []struct {
		name string
		vars map[string]string
		want string
	}{
		{"unset", nil, version},
		{"empty", map[string]string{"PCP_STDERR": ""}, version},
		{"file", map[string]string{"PCP_STDERR": file}, ""},
		{"file again", map[string]string{"PCP_STDERR": file}, ""},
		{"no such directory", map[string]string{"PCP_STDERR": "/no/such"},
			"pmflush: cannot append to file '/no/such' (from $PCP_STDERR): No such file or directory\n" + version},
		{"no dialog", map[string]string{"PCP_STDERR": "display"}, "pminfo: using stderr - no PCP_XCONFIRM_PROG\n" + version},
		{"dialog not there", map[string]string{"PCP_STDERR": "DISPLAY", "PCP_XCONFIRM_PROG": "/no/such"},
			"pminfo: using stderr - cannot access /no/such: No such file or directory\n" + version},
		{"dialog not a program", map[string]string{"PCP_STDERR": "Display", "PCP_XCONFIRM_PROG": plain},
			"pminfo: using stderr - cannot access " + plain + ": Permission denied\n" + version},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := (world{vars: test.vars}).run(t, "pminfo", "-V"); got.stderr != test.want || got.status != 0 {
				t.Errorf("status %d, %q, want %q", got.status, got.stderr, test.want)
			}
		})
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != version+version {
		t.Errorf("%s: %q, %v", file, text, err)
	}
}

// TestDialog: how the dialog program is called.
func TestDialog(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	out, program := filepath.Join(dir, "out"), filepath.Join(dir, "confirm")
	script := "#!/bin/sh\nfor i; do echo \"[$i]\"; done > " + out + "\necho noise\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"-V": "[-t]\n[pminfo version 7.2.2\n]\n[-c]\n[-B]\n[OK]\n[-icon]\n[info]\n[-header]\n[PCP Information]\n",
		"-V -Q -W -Q": "[-t]\n[pminfo version 7.2.2\npminfo: invalid option -- 'Q'\npminfo: invalid option -- 'W'\npminfo: invalid option -- 'Q'\n]\n" +
			"[-c]\n[-B]\n[OK]\n[-icon]\n[info]\n[-useslider]\n[-header]\n[PCP Information]\n",
	} {
		w := world{vars: map[string]string{"PCP_STDERR": "DISPLAY"}, files: map[string]string{"/etc/pcp.conf": "PCP_XCONFIRM_PROG=" + program}}
		got := w.run(t, append([]string{"pminfo"}, strings.Fields(args)...)...)
		text, err := os.ReadFile(out)
		if err != nil || string(text) != want || got.stderr != "" {
			t.Errorf("%s: %q, %v, want %q; standard error %q", args, text, err, want, got.stderr)
		}
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

// TestCompletion: the shell is offered the long options.
func TestCompletion(t *testing.T) {
	got := world{}.run(t, "pminfo", "__complete", "-f", "--d")
	want := "--debug\tset debug options, see pmdbg(1)\n--desc\tget and print metric description\n" +
		"--desc-oneline\tvariant of -d with one output line per metric\n--derived\tload global derived metric definitions from FILE(s)\n:4\n"
	if got.stdout != want {
		t.Errorf("completions of --d: %q, want %q", got.stdout, want)
	}
}

// TestCompletionScript: --completion is written in full or not known.
func TestCompletionScript(t *testing.T) {
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		got := world{}.run(t, "pminfo", "--completion", shell)
		if got.status != 0 || got.ran || !strings.Contains(got.stdout, "__complete") || got.stderr != "" {
			t.Errorf("%s: status %d, %q, %d bytes", shell, got.status, got.stderr, len(got.stdout))
		}
	}
	for args, want := range map[string]string{
		"--completion=sh": "no completion for shell 'sh'; there is one for bash, fish, powershell and zsh",
		"--completio=zsh": "unrecognized option '--completio=zsh'",
	} {
		got := world{}.run(t, "pminfo", args)
		if got.status != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, "pminfo: "+want+"\nUsage:") {
			t.Errorf("%s: status %d, %q", args, got.status, got.stderr)
		}
	}
}

// TestSharedUnknown: a table cannot ask for an option that does not exist.
func TestSharedUnknown(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Shared(nosuch) did not panic")
		}
	}()
	New(world{}.env(nil, nil, "x"), "x", "").Shared("nosuch")
}
