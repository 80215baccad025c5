//go:build unix

package cli

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWaits runs this test as a program that waits, and ends it by signals.
func TestWaits(t *testing.T) {
	if os.Getenv("CLI_TEST_WAITS") != "" {
		System().Waits()
		fmt.Println("waiting")
		time.Sleep(time.Minute)
		return
	}
	for _, sig := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGALRM, syscall.SIGUSR1, syscall.SIGUSR2} {
		c := exec.Command(os.Args[0], "-test.run=^TestWaits$")
		c.Env = append(c.Environ(), "CLI_TEST_WAITS=1")
		var errs strings.Builder
		c.Stderr = &errs
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "waiting\n" {
			t.Fatalf("%q, %v", line, err)
		}
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // the status says it
		if got := c.ProcessState.ExitCode(); got != 128+int(sig) || errs.Len() > 0 {
			t.Errorf("%v: status %d, %s", sig, got, &errs)
		}
	}
}
