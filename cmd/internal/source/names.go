package source

import (
	"errors"
	"fmt"
	"os/exec"

	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// loadNames reads the name space file of -n, or of -N, which requires unique names. The messages of
// the preprocessor and the parser go where the reference puts them.
func (o *Opener) loadNames(file string, unique bool) error {
	if o.names != nil {
		return pmerr.DupPMNS
	}
	env := o.env
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
	if err == nil {
		o.names = names
	}
	return err
}
