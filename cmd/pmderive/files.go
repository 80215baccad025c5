package main

import (
	"errors"
	"strings"

	"pmtools/cmd/internal/files"
	"pmtools/cmd/internal/repl"
	"pmtools/derive/derivetest"
	"pmtools/derive/lint"
	"pmtools/lib/safefile"
)

// readFiles reads files, or standard input if there are no names. The error tells which cannot be read, beside the others.
func (a *app) readFiles(names []string) (list []lint.File, bad error) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	var errs []error
	for _, name := range files.Below(names, func(name string) bool { return !strings.HasSuffix(name, derivetest.Suffix) }) {
		var text []byte
		var err error
		if name == "-" {
			name = repl.Stdin
			text, err = files.ReadAll(a.Env.Stdin)
		} else {
			text, err = safefile.ReadStream(name, files.MaxFile) // the shell's <(command) is a pipe
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, lint.File{Name: name, Text: text})
	}
	return list, errors.Join(errs...)
}
