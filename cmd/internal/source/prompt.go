package source

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// prompt asks a question on a console, or on the controlling terminal if console is "". The answer
// is echoed only if echo is set.
func prompt(_ context.Context, console, text string, echo bool) (string, error) {
	if console == "" {
		console = "/dev/tty"
	}
	f, err := os.OpenFile(console, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	fmt.Fprint(f, text)
	if fd := int(f.Fd()); !echo && term.IsTerminal(fd) {
		secret, err := term.ReadPassword(fd)
		fmt.Fprintln(f)
		return string(secret), err
	}
	line, err := bufio.NewReader(f).ReadString('\n')
	if err != nil && line == "" {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}
