package files

import (
	"cmp"
	"errors"
	"os"
	"os/exec"

	"pmtools/cmd/internal/cli"
)

// Shell runs a command, or without one a shell, on the terminal of the program. The operands are $1 and so on of a command.
// An empty name of a shell means sh.
func Shell(shell, command string, operands ...string) error {
	args := append([]string{"-c", command, "sh"}, operands...)
	if command == "" {
		args = nil
	}
	cmd := exec.Command(cmp.Or(shell, "sh"), args...)
	cli.Attach(cmd)
	return cmd.Run()
}

// Edit lets the user change a text with the editor that the environment names.
func Edit(lookup func(string) (string, bool), text string) (string, error) {
	editor := "vi"
	for _, name := range []string{"EDITOR", "VISUAL"} {
		if value, _ := lookup(name); value != "" {
			editor = value
		}
	}
	f, err := os.CreateTemp("", "pmderive*.conf")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(text); err != nil {
		_ = f.Close()
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	if err := Shell("", editor+` "$1"`, f.Name()); err != nil {
		return "", errors.New(editor + ": " + err.Error())
	}
	edited, err := FS{}.ReadFile(f.Name())
	return string(edited), err
}
