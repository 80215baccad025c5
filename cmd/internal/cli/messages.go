package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"pmtools/lib/pmerr"
)

// Messages is the message channel of the reference (pmprintf, pmflush). It collects text and writes
// it as one block to standard error, or to the destination that PCP_STDERR names (commands.md T1.6,
// values.md V21).
type Messages struct {
	env     *Env
	text    strings.Builder
	decided bool
	file    string // append to this file
	dialog  string // show with this program
}

// Printf adds to the block.
func (m *Messages) Printf(format string, args ...any) { fmt.Fprintf(&m.text, format, args...) }

// Write implements io.Writer: it adds to the block.
func (m *Messages) Write(p []byte) (int, error) { return m.text.Write(p) }

// Print adds to the block.
func (m *Messages) Print(text string) { m.text.WriteString(text) }

// Refuse adds an error as a line that begins with the program's name, and returns what ends the command.
func (m *Messages) Refuse(err error) error {
	m.Printf("%s: %v\n", m.env.Prog, err)
	return Exit(1)
}

// Flush writes the collected text.
func (m *Messages) Flush() {
	if m.text.Len() == 0 {
		return
	}
	m.decide()
	text := m.text.String()
	m.text.Reset()
	switch {
	case m.dialog != "":
		m.show(text)
	case m.file != "":
		if err := appendTo(m.file, text); err != nil {
			fmt.Fprintf(m.env.Stderr, "pmflush: cannot append to file '%s' (from $PCP_STDERR): %v\n%s", m.file, pmerr.Of(err), text)
		}
	default:
		fmt.Fprint(m.env.Stderr, text)
	}
}

func (m *Messages) decide() {
	if m.decided {
		return
	}
	m.decided = true
	name := m.env.Getenv("PCP_STDERR")
	if !strings.EqualFold(name, "DISPLAY") {
		m.file = name
		return
	}
	program, ok := m.env.Config().Lookup("PCP_XCONFIRM_PROG")
	if !ok {
		m.env.Errorf("using stderr - no PCP_XCONFIRM_PROG")
	} else if err := executable(program); err != nil {
		m.env.Errorf("using stderr - cannot access %s: %v", program, pmerr.Of(err))
	} else {
		m.dialog = program
	}
}

// longText is how many characters a dialog shows without a slider.
const longText = 80

// show runs the dialog program. Its output and exit status are ignored.
func (m *Messages) show(text string) {
	args := []string{m.dialog, "-t", text, "-c", "-B", "OK", "-icon", "info"}
	if len(text) > longText {
		args = append(args, "-useslider")
	}
	args = append(args, "-header", "PCP Information")
	// Not exec.Command, which would look for a name without a slash in PATH.
	_ = (&exec.Cmd{Path: m.dialog, Args: args}).Run()
}

// eacces is the code for a file without permission.
const eacces pmerr.Code = -13

func executable(name string) error {
	info, err := os.Stat(name)
	if err == nil && info.Mode()&0o111 == 0 {
		return eacces
	}
	return err
}

func appendTo(name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
