package files

import (
	"errors"
	"os"
	"os/exec"

	"pmtools/cmd/internal/cli"
)

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
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", f.Name())
	cli.Attach(cmd)
	if err := cmd.Run(); err != nil {
		return "", errors.New(editor + ": " + err.Error())
	}
	edited, err := FS{}.ReadFile(f.Name())
	return string(edited), err
}
