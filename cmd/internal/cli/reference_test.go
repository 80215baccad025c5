package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pmerr"
)

// A world is the environment of a test: variables, and files that Open finds.
type world struct {
	vars  map[string]string
	files map[string]string
	stdin string
}

// A result is what a command leaves behind.
type result struct {
	status         int
	stdout, stderr string
	options        Options
	operands       []string
	ran            bool // Run was called
}

// run runs the command called args[0], one of those of newReference.
func (w world) run(t testing.TB, args ...string) result {
	t.Helper()
	var got result
	var stdout, stderr bytes.Buffer
	env := w.env(&stdout, &stderr, args...)
	var c *Command
	got.status = Run(context.Background(), env, func(env *Env) *Command {
		c = newReference(env)
		run := c.Run
		c.Run = func(ctx context.Context, operands []string) error {
			got.operands, got.ran = operands, true
			return run(ctx, operands)
		}
		return c
	})
	got.stdout, got.stderr, got.options = stdout.String(), stderr.String(), c.Options
	return got
}

// env returns an environment of w.
func (w world) env(stdout, stderr io.Writer, args ...string) *Env {
	return &Env{
		Prog:   args[0],
		Args:   args[1:],
		Stdin:  strings.NewReader(w.stdin),
		Stdout: stdout,
		Stderr: stderr,
		LookupEnv: func(name string) (string, bool) {
			value, ok := w.vars[name]
			return value, ok
		},
		Open: func(name string) (io.ReadCloser, error) {
			text, ok := w.files[name]
			if !ok {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			return io.NopCloser(strings.NewReader(text)), nil
		},
		Hostname: func() (string, error) { return "vm", nil },
		Now:      func() time.Time { return time.Unix(0, 0).UTC() },
	}
}

// testdata returns a file of testdata without the comment at its beginning.
func testdata(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	rest := string(text)
	for strings.HasPrefix(rest, "#") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return rest
}

// newReference returns a command with the option table of the reference's
// pminfo, pmval or pmstore. It does nothing with the options.
func newReference(env *Env) *Command {
	var c *Command
	switch env.Prog {
	case "pmval":
		c = newPmval(env)
	case "pmstore":
		c = newPmstore(env)
	default:
		c = newPminfo(env)
	}
	c.Namespace = func(file string, unique bool) error {
		env.Messages.Printf("Error Parsing ASCII PMNS: Cannot open \"%s\"\n", file)
		return pmerr.ENOENT
	}
	return c
}

func ignore(string) error { return nil }

// atLeast returns a setter that wants a number.
func atLeast(least int, message string) setter {
	return func(arg string) error {
		if n, ok := Number(arg); !ok || n < least {
			return errors.New(message)
		}
		return nil
	}
}

func newPminfo(env *Env) *Command {
	c := New(env, "pminfo", "[options] [metricname | pmid | indom]...")
	c.Section("General options")
	c.Shared("archive", "debug", "host", "container", "local-PMDA", "spec-local", "namespace", "uniqnames", "origin", "timezone", "hostzone", "version", "help")
	c.Section("Protocol and reporting options")
	c.Func(atLeast(-1<<31, "-b requires numeric argument"), "b", "batch", "N", "fetch N metrics at a time for -f and -v [128]")
	c.Bool(new(bool), "d", "desc", "get and print metric description")
	c.Bool(new(bool), "1", "desc-oneline", "variant of -d with one output line per metric")
	c.Bool(new(bool), "e", "metadata-errors", "like -v, but don't report metrics with no values")
	c.Bool(new(bool), "f", "fetch", "fetch and print values for all instances")
	c.Bool(new(bool), "F", "fetchall", "fetch and print values for non-enumerable indoms")
	c.Bool(new(bool), "I", "fullindom", "print InDom in verbose format")
	c.Bool(new(bool), "l", "labels", "print InDom, metric and instance labels")
	c.Bool(new(bool), "m", "pmid", "print PMID")
	c.Bool(new(bool), "M", "fullpmid", "print PMID in verbose format")
	c.Bool(new(bool), "s", "series", "print source, metric, instance series identifiers")
	c.Bool(new(bool), "t", "oneline", "get and display (terse) oneline text")
	c.Bool(new(bool), "T", "helptext", "get and display (verbose) help text")
	c.Section("Metrics options")
	c.Func(ignore, "c", "derived", "FILE", "load global derived metric definitions from FILE(s)")
	c.Func(ignore, "r", "register", "name=expr", "register a per-context derived metric")
	c.Bool(new(bool), "x", "events", "unpack and report on any fetched event records")
	c.Bool(new(bool), "v", "verify", "verify mode, be quiet and only report errors")
	c.Run = func(ctx context.Context, args []string) error { return nil }
	return c
}

func newPmval(env *Env) *Command {
	c := New(env, "pmval", "[options] metricname")
	c.LateChecks = true
	c.Section("General options")
	c.Shared("align", "archive", "debug", "guimode", "host", "namespace", "origin", "guiport", "start", "samples", "finish", "interval", "timezone", "hostzone", "version", "help", "spec-local", "local-PMDA", "container", "derived")
	c.Section("Reporting options")
	c.Bool(new(bool), "d", "delay", "delay, pause between updates for archive replay")
	c.Func(atLeast(0, "-f requires +ve numeric argument"), "f", "precision", "N", "fixed output format with N digits precision")
	c.Func(ignore, "i", "instances", "INST", "comma-separated metrics instance list")
	c.Bool(new(bool), "r", "raw", "output raw counter values (no rate conversion)")
	c.Func(c.Options.AddArchive, "U", "nointerp", "FILE", "non-interpolated fetching; ignores interval")
	c.Bool(new(bool), "v", "verbose", "increase diagnostic output")
	c.Func(atLeast(1, "-w requires +ve numeric argument"), "w", "width", "N", "set the width of each column of output")
	c.Func(ignore, "x", "filter", "VALUE", "store to the metric before fetching (filter)")
	c.Count(new(int), "X", "timestamp", "include date and microseconds in reported timestamps")
	c.Run = func(ctx context.Context, args []string) error {
		switch {
		case len(args) == 0:
			return UsageError("error - no metricname specified")
		case len(args) > 1:
			return UsageError("error - too many arguments")
		}
		if err := c.CheckSource(); err != nil {
			return err
		}
		return nil
	}
	return c
}

func newPmstore(env *Env) *Command {
	c := New(env, "pmstore", "[options] metricname value")
	c.FirstOperandEnds = true
	c.Section("General options")
	c.Shared("debug", "host", "local-PMDA", "spec-local", "namespace", "version", "help")
	c.Section("Value options")
	c.Bool(new(bool), "F", "fetch", "perform pmFetch after pmStore to confirm value")
	c.Bool(new(bool), "f", "force", "store the value even if there is no current value set")
	c.Func(ignore, "i", "insts", "INSTS", "restrict store to comma-separated list of instances")
	c.Run = func(ctx context.Context, args []string) error {
		if len(args) != 2 {
			env.Messages.Print(c.Usage())
			return Exit(1)
		}
		return nil
	}
	return c
}
