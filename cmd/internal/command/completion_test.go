package command

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	_ "pmtools/test/env"
)

// A result is the outcome of a command.
type result struct {
	status         int
	stdout, stderr string
	ran            bool
}

// run runs a command with some of pminfo's options.
func run(args ...string) (got result) {
	var out, errs strings.Builder
	env := &cli.Env{Prog: "pminfo", Args: args, Stdout: &out, Stderr: &errs, LookupEnv: func(string) (string, bool) { return "", false }}
	got.status = cli.Run(context.Background(), env, func(env *cli.Env) *Command {
		c := New(env, "pminfo", "[options] [metricname | pmid | indom]...")
		c.Section("General options")
		c.Shared("archive", "debug", "host", "version", "help")
		c.Bool(new(bool), "d", "desc", "get and print metric description")
		c.Bool(new(bool), "1", "desc-oneline", "variant of -d with one output line per metric")
		c.Bool(new(bool), "f", "fetch", "fetch and print values for all instances")
		c.Shared("derived")
		c.Run = func(context.Context, []string) error { got.ran = true; return nil }
		return c
	})
	got.stdout, got.stderr = out.String(), errs.String()
	return got
}

// TestStatus: what ends a command before it runs.
func TestStatus(t *testing.T) {
	for args, want := range map[string]result{
		"-f x": {ran: true},
		"-V":   {stderr: "pminfo version 7.2.2\n"},
		"-a":   {status: 1, stderr: "pminfo: option requires an argument -- 'a'\n"},
	} {
		got := run(strings.Fields(args)...)
		got.stderr, _, _ = strings.Cut(got.stderr, "Usage:")
		if got != want {
			t.Errorf("%s: %+v, want %+v", args, got, want)
		}
	}
}

// TestPropose: a shell is offered the long options, in the form that it wants.
func TestPropose(t *testing.T) {
	const options = "--debug\tset debug options, see pmdbg(1)\n--desc\tget and print metric description\n" +
		"--desc-oneline\tvariant of -d with one output line per metric\n--derived\tload derived metric definitions from FILE(s)\n"
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"zsh", "pminfo -f --d"}, "space\n" + options},
		{[]string{"fish", "A=b sudo ./pminfo -f --d"}, "space\n" + options},
		{[]string{"powershell", "=pminfo", "=-f", "=--d"}, "space\n" + options},
		{[]string{"bash", "pminfo -f --deb", "--deb", "9"}, "space\n--debug \n"},
		{[]string{"bash", "pminfo -f '--deb", "--deb", "9"}, "space\n--debug\n"},
		{[]string{"bash", "pminfo -f --desc", "--desc", "63"}, "space\n--desc  (get and print metric description)\n--desc-oneline  (variant of -d with one output line per metric)\n"},
		{[]string{"bash", "pminfo -a ", "", "9"}, "files\n"},
		{[]string{"bash", "pminfo --deb", "other", "9"}, "space\n"},
		{[]string{"bash", "pminfo $(x) --deb", "--deb", "9"}, "names\n"},
		{nil, "names\n"},
		{[]string{"bash"}, "names\n"},
		{[]string{"powershell"}, "files\n"},
	} {
		if got := run(append([]string{"__propose"}, tt.args...)...); got.stdout != tt.want || got.stderr != "" {
			t.Errorf("%q: %q, %q, want %q", tt.args, got.stdout, got.stderr, tt.want)
		}
	}
}

// TestOutdated: scripts of earlier versions, which quote nothing, get nothing.
func TestOutdated(t *testing.T) {
	for _, request := range []string{"__complete", "__completeNoDesc"} {
		if got := run(request, "-f", "--d"); got.stdout != ":1\n" || got.ran {
			t.Errorf("%s: %+v", request, got)
		}
	}
}

// TestNames: names that a shell cannot show, or that would be options, are not proposed.
func TestNames(t *testing.T) {
	list := func(context.Context, string) []string {
		return []string{"a b", "a\nb", "a\tb", "a\u00a0b", "a\x1bb", "a\u009bb", "a\u202eb", "a\u2028b", "a\xff", "-rf", "a ", " a", "$(b)"}
	}
	if got, _ := Names(list)(new(cobra.Command), nil, ""); !slices.Equal(got, []string{"a b", "$(b)"}) {
		t.Errorf("%q", got)
	}
}

// TestCompletionScript: --completion is written in full or not known.
func TestCompletionScript(t *testing.T) {
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		got := run("--completion", shell)
		if got.status != 0 || got.ran {
			t.Errorf("%s: status %d, %q, %d bytes", shell, got.status, got.stderr, len(got.stdout))
		} else if !strings.Contains(got.stdout, " __propose "+shell) || got.stderr != "" {
			t.Errorf("%s: status %d, %q, %d bytes", shell, got.status, got.stderr, len(got.stdout))
		}
	}
	for args, want := range map[string]string{
		"--completion=sh": "no completion for shell 'sh'; there is one for bash, fish, powershell and zsh",
		"--completio=zsh": "unrecognized option '--completio=zsh'",
	} {
		got := run(args)
		if got.status != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, "pminfo: "+want+"\nUsage:") {
			t.Errorf("%s: status %d, %q", args, got.status, got.stderr)
		}
	}
}

// TestFlag: options as flags of pflag's.
func TestFlag(t *testing.T) {
	c := New(&cli.Env{}, "x", "")
	fs := pflag.NewFlagSet("x", pflag.ContinueOnError)
	for _, long := range []string{"archive", "host", "local-PMDA", "interval", "debug"} {
		fs.AddFlag(Flag(c.SharedOption(long)))
	}
	if err := fs.Parse([]string{"-a", "one", "--archive=two", "-L", "-t", "2min", "-Dderive", "rest"}); err != nil {
		t.Fatal(err)
	}
	o := &c.Options
	if o.Archive != "one,two" || !o.Local {
		t.Errorf("%+v", o)
	} else if o.Interval.Minutes() != 2 || !o.Debug.Has("derive") || fs.Arg(0) != "rest" {
		t.Errorf("%+v", o)
	}
	if err := fs.Parse([]string{"-h", "x"}); err == nil || !strings.Contains(err.Error(), "only one host or archive allowed") {
		t.Errorf("two sources: %v", err)
	}
}
