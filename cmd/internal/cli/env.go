package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"pmtools/lib/config"
)

// An Env is everything a command takes from the process it runs in, so that a test can run it in
// another. It belongs to one command.
type Env struct {
	Prog      string   // the name in messages: the last component of the program's path
	Args      []string // the arguments, without the program's name
	Stdin     io.Reader
	Stdout    io.Writer // Run replaces both by streams that filter text for a terminal
	Stderr    io.Writer
	LookupEnv func(name string) (string, bool)
	Open      func(name string) (io.ReadCloser, error)
	Hostname  func() (string, error)
	Now       func() time.Time

	channels
	signals
	config *config.Config // read when first needed
}

// The signals of a process may do what they do not by default. A function is nil for nothing.
type signals struct {
	waits  func() // see Waits
	unread func() // see OutliveReader
}

// The channels are where a command writes to; Run sets them.
type channels struct {
	Out      *bufio.Writer // standard output, buffered
	OwnForm  bool          // the output is not one of the reference's: to lose any of it is a failure
	Messages *Messages     // the message channel
	painted  atomic.Uint32 // see Paints

	stalls []*stall // of both
}

// System returns the environment of the process.
func System() *Env {
	return &Env{
		Prog:      strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"),
		Args:      os.Args[1:],
		Stdin:     os.Stdin,
		Stdout:    os.Stdout,
		Stderr:    os.Stderr,
		LookupEnv: os.LookupEnv,
		Open:      func(name string) (io.ReadCloser, error) { return os.Open(name) },
		Hostname:  os.Hostname,
		Now:       time.Now,
		signals: signals{
			waits:  func() { RestoreOn(func() {}, unheeded...) },
			unread: func() { signal.Ignore(syscall.SIGPIPE) },
		},
	}
}

// Getenv returns the value of an environment variable, or "".
func (env *Env) Getenv(name string) string {
	value, _ := env.LookupEnv(name)
	return value
}

// Config returns the configuration of PCP on this machine.
func (env *Env) Config() *config.Config {
	if env.config == nil {
		env.config = config.Read(env.LookupEnv, env.Open)
	}
	return env.config
}

// Errorf writes one line that begins with the program's name to standard error.
func (env *Env) Errorf(format string, args ...any) {
	fmt.Fprintf(env.Stderr, env.Prog+": "+format+"\n", args...)
}
