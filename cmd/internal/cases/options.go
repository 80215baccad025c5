// Package cases is the command that runs files of cases.
package cases

import (
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/form"
)

// Options are those of the command.
type Options struct {
	Run, Definitions, Keep string
	Output, junit          string
	verbose, record        bool
}

// Outputs are the forms of output.
func Outputs() []string { return []string{"text", "json"} }

// Add adds the options.
func (o *Options) Add(fs *pflag.FlagSet) {
	fs.StringVarP(&o.Run, "run", "r", "", "run only cases whose names match `PATTERN`, a regular expression")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "list all cases")
	form.AddOutputs(fs, &o.Output, Outputs(), "json")
	fs.StringVar(&o.junit, "junit", "", "also write the outcome to `FILE` as JUnit's XML")
	fs.BoolVar(&o.record, "record", false, "write the results into cases that expect nothing, or whose results were recorded before")
	fs.StringVar(&o.Definitions, "definitions", "", "look for the files under test in `DIR`")
	fs.StringVar(&o.Keep, "keep", "", "keep the archives with the values in `DIR`")
}
