//go:build unix

package cli

import (
	"bufio"
	"context"
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

// TestUnread writes to a pipe that nobody reads.
func TestUnread(t *testing.T) {
	if kind := os.Getenv("CLI_TEST_UNREAD"); kind != "" {
		os.Exit(Run(t.Context(), System(), func(env *Env) Func {
			return func(context.Context) error {
				env.OwnForm = kind == "own"
				if kind != "recorded" {
					env.OutliveReader()
				}
				env.Out.WriteString("12345")
				err := env.Flush()
				env.Errorf("%v", IsLost(err))
				return err
			}
		}))
	}
	for kind, want := range map[string]struct {
		signal syscall.Signal
		stderr string
	}{
		"live":     {0, "true\n"},
		"recorded": {syscall.SIGPIPE, ""},
		"own":      {syscall.SIGPIPE, ""},
	} {
		c := exec.Command(os.Args[0], "-test.run=^TestUnread$")
		c.Env = append(c.Environ(), "CLI_TEST_UNREAD="+kind)
		var errs strings.Builder
		c.Stderr = &errs
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c.Stdout = w
		r.Close()
		_ = c.Run() // the status says it
		w.Close()
		status := c.ProcessState.Sys().(syscall.WaitStatus)
		var signal syscall.Signal // that ended it, 0 for none
		if status.Signaled() {
			signal = status.Signal()
		}
		if signal != want.signal || signal == 0 && status.ExitStatus() != 0 {
			t.Errorf("%s: status %v, want %v", kind, c.ProcessState, want.signal)
		}
		if !strings.HasSuffix(errs.String(), want.stderr) {
			t.Errorf("%s: %q, want %q", kind, &errs, want.stderr)
		}
	}
}
