// Package cli connects a command with the process it runs in: environment, streams, messages, exit
// status, terminal.
//
// A constructor makes a command for an [Env], and main runs it:
//
//	func main() { os.Exit(cli.Main(newCommand)) }
//
// Its error becomes the exit status: nil is 0; an [Exit] is that status, silently; anything else
// prints "PROG: error" and is 1.
//
// Output goes to env.Out, which is buffered and flushed at the end and before each write to
// env.Stderr. Failed writes are ignored, as in the reference; with env.OwnForm it is a failure.
// [Env.Errorf] writes a "PROG: ..." line there at once. Messages that the reference sends through
// pmprintf go to env.Messages.
package cli

import (
	"context"
	"errors"
	"fmt"

	"pmtools/lib/config"
)

// A Command is run once.
type Command interface {
	Execute(ctx context.Context) error
}

// Func is a function as a Command.
type Func func(ctx context.Context) error

// Execute calls f.
func (f Func) Execute(ctx context.Context) error { return f(ctx) }

// Exit is an error that ends a command with this status, without a message.
type Exit int

// Error implements error.
func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Main runs a command in the environment of the process and returns its exit status. It is called
// from main only.
func Main[C Command](newCommand func(*Env) C) int {
	growStack(0)
	return Run(context.Background(), System(), newCommand)
}

// growStack makes the stack as large as most command lines need while there is little on it. Later,
// deep in a call, the runtime looks up every function on it to copy it. Copying then costs a tenth
// of the page faults by which a start exceeds that of an empty program.
//
//go:noinline
func growStack(n int) byte {
	if n == 0 {
		return 0
	}
	var room [20 << 10]byte // the compiler still reserves it in the frame
	room[n] = 1
	return room[n/2]
}

// Run runs a command in env and returns its exit status.
func Run[C Command](ctx context.Context, env *Env, newCommand func(*Env) C) int {
	env.useStreams()
	env.Messages = &Messages{env: env}
	status := env.status(newCommand(env).Execute(ctx))
	env.Messages.Flush()
	return env.finish(status)
}

const outputBuffer = 64 << 10

// status reports err and returns the exit status that it stands for. A failed write is left to
// finish.
func (env *Env) status(err error) int {
	if err == nil || IsLost(err) {
		return 0
	}
	if exit, ok := errors.AsType[Exit](err); ok {
		return int(exit)
	}
	if bad, ok := errors.AsType[*config.Error](err); ok {
		fmt.Fprintln(env.Stderr, bad)
	} else {
		env.Errorf("%v", err)
	}
	return 1
}
