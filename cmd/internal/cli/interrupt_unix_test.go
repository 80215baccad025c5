//go:build unix

package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptible runs this test as a program that catches a signal, and writes to a stream that nobody reads: the signal ends it. One
// that can write ends by itself.
func TestInterruptible(t *testing.T) {
	if mode := os.Getenv("CLI_TEST_INTERRUPTIBLE"); mode != "" {
		os.Exit(Run(t.Context(), System(), func(env *Env) Func {
			return func(ctx context.Context) error {
				ctx, stop := env.Interruptible(ctx, os.Interrupt, syscall.SIGTERM)
				defer stop()
				fmt.Fprintln(env.Stdout, "ready")
				to := env.Stdout
				if strings.HasPrefix(mode, "errors") {
					to = env.Stderr
				}
				for text := strings.Repeat("x", 1000); ctx.Err() == nil; {
					fmt.Fprintln(to, text)
				}
				return Exit(7)
			}
		}))
	}
	for _, tt := range []struct {
		mode   string
		sig    syscall.Signal
		read   bool
		status int
	}{
		{"output", syscall.SIGINT, false, -1}, {"output", syscall.SIGTERM, false, -1}, {"errors", syscall.SIGINT, false, -1}, {"output", syscall.SIGINT, true, 7},
		{"errors", syscall.SIGTERM, true, 7},
	} {
		c := exec.Command(os.Args[0], "-test.run=^TestInterruptible$")
		c.Env = append(c.Environ(), "CLI_TEST_INTERRUPTIBLE="+tt.mode)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		errs, err := c.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
		if _, err := out.Read(make([]byte, 6)); err != nil {
			t.Error(err)
		}
		if tt.read {
			go discard(out)
			go discard(errs)
		}
		time.Sleep(100 * time.Millisecond) // to fill the pipe
		if err := c.Process.Signal(tt.sig); err != nil {
			t.Error(err)
		}
		state, err := c.Process.Wait()
		if !late.Stop() || err != nil {
			t.Errorf("%+v: it does not end: %v", tt, err)
			continue
		}
		if state.ExitCode() != tt.status || tt.status < 0 && state.Sys().(syscall.WaitStatus).Signal() != tt.sig {
			t.Errorf("%+v: %v", tt, state)
		}
		_ = out.Close()
		_ = errs.Close()
	}
}

func discard(r interface{ Read([]byte) (int, error) }) {
	for b := make([]byte, 4096); ; {
		if _, err := r.Read(b); err != nil {
			return
		}
	}
}
