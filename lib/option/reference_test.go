package option

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
)

// A world is the environment of a test: variables, and files that Open finds.
type world struct {
	vars  map[string]string
	files map[string]string
}

// A result is the outcome of a scan.
type result struct {
	status   int
	stderr   string
	options  Options
	operands []string
	ran      bool // the command would run
}

// A reference is a command with the option table of one of the reference's.
type reference struct {
	*Parser
	run func(operands []string) error
}

// run runs the command called args[0], one of those of newReference.
func (w world) run(t testing.TB, args ...string) result {
	t.Helper()
	return newReference(w.parser(args[0])).parse(args[1:])
}

// parse parses arguments and runs the command.
func (r *reference) parse(args []string) result {
	var messages strings.Builder
	r.Messages, r.Stderr = &messages, &messages
	got := result{}
	operands, err := r.Parse(args)
	if err == nil {
		got.ran = true
		got.operands = operands
		err = r.run(operands)
	}
	if errors.Is(err, ErrUsage) {
		got.status = 1
	}
	got.stderr, got.options = messages.String(), r.Options
	return got
}

// parser returns a parser in the world.
func (w world) parser(prog string) *Parser {
	return &Parser{
		Prog: prog,
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

// newReference returns a command with the option table of the reference's pminfo, pmval or pmstore.
// It does nothing with the options.
func newReference(p *Parser) *reference {
	r := &reference{Parser: p, run: func([]string) error { return nil }}
	switch p.Prog {
	case "pmval":
		addPmval(p)
		r.run = func(args []string) error {
			switch {
			case len(args) == 0:
				return p.UsageError("error - no metricname specified")
			case len(args) > 1:
				return p.UsageError("error - too many arguments")
			}
			return p.CheckSource()
		}
	case "pmstore":
		addPmstore(p)
		r.run = func(args []string) error {
			if len(args) != 2 {
				p.print(p.Usage())
				return ErrUsage
			}
			return nil
		}
	default:
		addPminfo(p)
	}
	p.Namespace = func(file string, unique bool) error {
		p.print("Error Parsing ASCII PMNS: Cannot open \"" + file + "\"\n")
		return pmerr.ENOENT
	}
	return r
}

func ignore(string) error { return nil }

// atLeast returns a setter that requires a number.
func atLeast(least int, message string) setter {
	return func(arg string) error {
		if n, ok := Number(arg); !ok || n < least {
			return errors.New(message)
		}
		return nil
	}
}

func addPminfo(c *Parser) {
	c.Operands = "[options] [metricname | pmid | indom]..."
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
}

func addPmval(c *Parser) {
	c.Operands = "[options] metricname"
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
}

func addPmstore(c *Parser) {
	c.Operands = "[options] metricname value"
	c.FirstOperandEnds = true
	c.Section("General options")
	c.Shared("debug", "host", "local-PMDA", "spec-local", "namespace", "version", "help")
	c.Section("Value options")
	c.Bool(new(bool), "F", "fetch", "perform pmFetch after pmStore to confirm value")
	c.Bool(new(bool), "f", "force", "store the value even if there is no current value set")
	c.Func(ignore, "i", "insts", "INSTS", "restrict store to comma-separated list of instances")
}
