package cli

import (
	"errors"
	"fmt"
	"os/exec"

	"pmtools/lib/pmns"
)

// LoadNames reads the name space file of -n, or of -N, which wants the names to
// be unique. What the preprocessor and the parser say goes where the reference
// puts it.
func (env *Env) LoadNames(file string, unique bool) (*pmns.Tree, error) {
	names, err := pmns.Load(file, &pmns.Options{
		Preprocess:  true,
		DupOK:       !unique,
		IncludeDirs: []string{env.Config().Get("PCP_VAR_DIR") + "/pmns"},
		Shell:       func(command string) ([]byte, error) { return exec.Command("sh", "-c", command).Output() },
		Warn:        func(line string) { fmt.Fprintln(env.Stderr, line) },
	})
	if bad, ok := errors.AsType[*pmns.Error](err); ok {
		fmt.Fprint(env.Stderr, bad.Preprocessor)
		env.Messages.Print(bad.Message)
	}
	return names, err
}
