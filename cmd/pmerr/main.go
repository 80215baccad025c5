// Command pmerr explains the error codes of the Performance Co-Pilot.
package main

import (
	"os"

	"pmtools/cmd/internal/cli"
)

func main() { os.Exit(cli.Main(newCommand)) }
