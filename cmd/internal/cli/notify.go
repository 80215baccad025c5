package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"pmtools/lib/when"
)

// Notify writes a message of the library: a warning or an error in the form of the reference's
// pmNotifyErr, anything else unchanged.
func (env *Env) Notify(msg string) {
	if strings.HasPrefix(msg, "Warning: ") || strings.HasPrefix(msg, "Error: ") {
		msg = fmt.Sprintf("[%s] %s(%d) %s", env.Now().In(env.Zone()).Format("Mon Jan _2 15:04:05"), env.Prog, os.Getpid(), msg)
	}
	env.Messages.Print(msg + "\n")
	env.Messages.Flush()
}

// Zone returns the time zone of the process.
func (env *Env) Zone() *time.Location {
	tz, set := env.LookupEnv("TZ")
	return when.Local(tz, set)
}
