// Package harness runs command lines with this project's commands and with the reference's, and
// reports differences that test/known-differences.md does not explain. The packages beside it are
// the differential tests of make peer; they need the root that peer-up makes.
package harness

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Side is one of the two implementations: a directory of commands.
type Side struct {
	Bin string
}

// A Command is one command line: the program's name, its arguments, what it is given in the
// environment beyond the common part, and where it runs.
type Command struct {
	Args []string
	Env  []string
	Dir  string
	Note string // what the arguments do not show, such as the content of a file
}

// String returns c as one would type it, with its note.
func (c Command) String() string {
	words := append([]string{}, c.Env...)
	for _, a := range c.Args {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\*?$&|;<>()[]") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	if c.Note != "" {
		words = append(words, "# "+c.Note)
	}
	return strings.Join(words, " ")
}

// An Outcome is the outcome of a run.
type Outcome struct {
	Stdout, Stderr []byte
	Status         int // -1: killed by a signal or the time limit
	State          *os.ProcessState
}

// limit is how long one command may run before it is counted as hanging.
const limit = 60 * time.Second

// Run runs c on side s. Both sides use the configuration in the reference's root.
func (s Side) Run(c Command, root string) (Outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.Bin, c.Args[0]), c.Args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "TZ=UTC", "PCP_DERIVED_CONFIG=",
		"PCP_CONF=" + root + "/etc/pcp.conf",
		"PCP_VAR_DIR=" + root + "/var/lib/pcp",
		"PCP_SYSCONF_DIR=" + root + "/etc/pcp",
		"PCP_BINADM_DIR=" + root + "/bin-host",
	}, c.Env...)
	for _, e := range c.Env {
		if name, ok := strings.CutPrefix(e, "-"); ok { // a variable that is not set
			cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return v == e || strings.HasPrefix(v, name+"=") })
		}
	}
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	e := cmd.Run()
	o := Outcome{Stdout: out.Bytes(), Stderr: err.Bytes(), Status: cmd.ProcessState.ExitCode(), State: cmd.ProcessState}
	if _, exit := e.(*exec.ExitError); e != nil && !exit {
		return o, fmt.Errorf("%s: %w", c, e)
	}
	return o, nil
}

// varying are the parts of messages that differ from run to run.
var varying = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d\] (\w+)\(\d+\)`), "[DATE] $1(PID)"},
	// Addresses in the output of -Dderive, for which we have numbers.
	{regexp.MustCompile(`expr node (?:0x[0-9a-f]+|\d+\.\d+) type=`), "expr node ADDR type="},
	{regexp.MustCompile(`expr dump from (?:0x[0-9a-f]+|\d+\.\d+)\.\.\.`), "expr dump from ADDR..."},
	{regexp.MustCompile(`right=(?:0x[0-9a-f]+|\d+\.\d+) save_last=`), "right=ADDR save_last="},
	{regexp.MustCompile(`left=(?:0x[0-9a-f]+|\d+\.\d+) right=(ADDR|\(nil\)) save_last=`), "left=ADDR right=$1 save_last="},
	{regexp.MustCompile(`@ (?:0x[0-9a-f]+|\d+\.\d+)\(COLON\)`), "@ ADDR(COLON)"},
	{regexp.MustCompile(`called dm->0x[0-9a-f]+`), "called dm->ADDR"},
	{regexp.MustCompile(`vbp=(?:0x[0-9a-f]+|\d+) \(len=`), "vbp=ADDR (len="},
}

// Normal returns b without what differs from run to run.
func Normal(b []byte) []byte {
	for _, v := range varying {
		b = v.re.ReplaceAll(b, []byte(v.with))
	}
	return b
}

// Equal reports whether two outcomes are the same, dates and process numbers in messages aside.
func (o Outcome) Equal(p Outcome) bool {
	return o.Status == p.Status && bytes.Equal(Normal(o.Stdout), Normal(p.Stdout)) && bytes.Equal(Normal(o.Stderr), Normal(p.Stderr))
}

// Crashed reports whether the program did not end by itself.
func (o Outcome) Crashed() bool {
	return o.Status < 0 || o.Status > 128
}

// Diff describes the first difference in each stream.
func Diff(ours, theirs Outcome) string {
	var b strings.Builder
	if ours.Status != theirs.Status {
		fmt.Fprintf(&b, "status: ours %d, theirs %d\n", ours.Status, theirs.Status)
	}
	for _, s := range []struct {
		name string
		o, t []byte
	}{{"stdout", ours.Stdout, theirs.Stdout}, {"stderr", ours.Stderr, theirs.Stderr}} {
		o, t := bytes.SplitAfter(Normal(s.o), []byte("\n")), bytes.SplitAfter(Normal(s.t), []byte("\n"))
		for i := 0; i < len(o) || i < len(t); i++ {
			x, y := line(o, i), line(t, i)
			if x != y {
				fmt.Fprintf(&b, "%s line %d:\n  ours   %s\n  theirs %s\n", s.name, i+1, x, y)
				break
			}
		}
	}
	return b.String()
}

// line returns line i quoted and shortened, or "(end)".
func line(lines [][]byte, i int) string {
	if i >= len(lines) {
		return "(end)"
	}
	s := fmt.Sprintf("%q", lines[i])
	if len(s) > 400 {
		s = s[:400] + "..."
	}
	return s
}
