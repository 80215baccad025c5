package cli

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// RestoreOn calls restore and ends the program when one of the signals that end programs arrives,
// until stop is called. It is for a terminal whose mode has been changed: the parent sees the death
// it asked for, and the user a terminal that works.
func RestoreOn(restore func(), sigs ...os.Signal) (stop func()) {
	arrived := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(arrived, sigs...)
	go func() {
		select {
		case sig := <-arrived:
			restore()
			dieOf(sig)
		case <-done:
		}
	}()
	return func() {
		signal.Stop(arrived)
		close(done)
	}
}

// Fatal are the signals that end a program at its terminal, but for os.Interrupt.
var Fatal = []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// Waits is for a command that goes on until it is ended: the signals that Go's runtime ignores, or
// answers with its goroutines, end it then, as they end other programs.
func (env *Env) Waits() {
	if env.waits != nil {
		env.waits()
	}
}

// OutliveReader makes a write to a pipe without a reader fail rather than end the command, unless the
// output has a form that the reference lacks: the reference ignores SIGPIPE from its first connection
// on.
func (env *Env) OutliveReader() {
	if env.unread != nil && !env.OwnForm {
		env.unread()
	}
}

// dieOf ends the program by a signal, or as a shell would report it: the runtime does not let
// every signal end it, and not every system can send one.
func dieOf(sig os.Signal) {
	number, ok := sig.(syscall.Signal)
	if !ok {
		os.Exit(1)
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil && !slices.Contains(unheeded, sig) {
		signal.Reset(sig)
		if self.Signal(sig) == nil {
			time.Sleep(time.Second) // the signal may reach another thread first
		}
	}
	os.Exit(128 + int(number))
}
