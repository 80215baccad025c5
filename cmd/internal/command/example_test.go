package command_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
)

// A command with one option of its own, run in an environment made for it. The constructor is what
// main hands to cli.Main.
func Example() {
	newCommand := func(env *cli.Env) *command.Command {
		var loud bool
		c := command.New(env, "greet", "[options] [name]...")
		c.Section("General options")
		c.Shared("archive", "version", "help")
		c.Section("Greeting options")
		c.Bool(&loud, "l", "loud", "greet in capitals")
		c.Run = func(_ context.Context, args []string) error {
			for _, name := range args {
				text := "hello " + name
				if loud {
					text = strings.ToUpper(text)
				}
				fmt.Fprintln(env.Out, text)
			}
			return nil
		}
		return c
	}
	run := func(args ...string) {
		env := &cli.Env{
			Prog:      "greet",
			Args:      args,
			Stdout:    os.Stdout,
			Stderr:    os.Stdout,
			LookupEnv: func(string) (string, bool) { return "", false },
		}
		fmt.Println("status", cli.Run(context.Background(), env, newCommand))
	}
	run("you", "--lo", "me")
	run("-x", "-a")
	// Output:
	// HELLO YOU
	// HELLO ME
	// status 0
	// greet: invalid option -- 'x'
	// greet: option requires an argument -- 'a'
	// Usage: greet [options] [name]...
	//
	// General options:
	//   -a FILE, --archive=FILE
	//                         metrics source is a PCP archive
	//   -V, --version         display version number and exit
	//   -?, --help            show this usage message and exit
	//
	// Greeting options:
	//   -l, --loud            greet in capitals
	// status 1
}
