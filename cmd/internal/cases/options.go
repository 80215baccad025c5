// Package cases is the command that runs files of cases.
package cases

import (
	"errors"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/form"
)

// Options are those of the command.
type Options struct {
	Run, Definitions, Keep string
	Output, junit, lcov    string
	verbose, record        bool
	coverage               bool
	minCoverage            float64 // below 0 if none is wanted
}

// Outputs are the forms of output.
func Outputs() []string { return []string{"text", "json"} }

// Add adds the options.
func (o *Options) Add(fs *pflag.FlagSet) {
	fs.StringVarP(&o.Run, "run", "r", "", "run only cases whose names match `PATTERN`, a regular expression")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "list all cases")
	form.AddOutputs(fs, &o.Output, Outputs(), "json")
	fs.StringVar(&o.junit, "junit", "", "also write the outcome to `FILE` as JUnit's XML")
	fs.BoolVar(&o.coverage, "coverage", false, "show which parts of the definitions no case has reached")
	fs.StringVar(&o.lcov, "lcov", "", "also write what has been reached to `FILE` as lcov does")
	fs.Float64Var(&o.minCoverage, "min-coverage", -1, "end with status 1 below a coverage of `PERCENT`")
	fs.Lookup("min-coverage").DefValue = ""
	fs.BoolVar(&o.record, "record", false, "write the results into cases that expect nothing, or whose results were recorded before")
	fs.StringVar(&o.Definitions, "definitions", "", "look for the files under test in `DIR`")
	fs.StringVar(&o.Keep, "keep", "", "keep the archives with the values in `DIR`")
}

// Check checks the options, and completes those that follow from others.
func (o *Options) Check(fs *pflag.FlagSet) error {
	if err := form.CheckOutput(o.Output, Outputs()); err != nil {
		return err
	}
	if fs.Changed("min-coverage") && !(0 <= o.minCoverage && o.minCoverage <= 100) {
		return errors.New("--min-coverage requires a percentage from 0 to 100")
	}
	o.coverage = o.coverage || o.lcov != "" || fs.Changed("min-coverage")
	if o.record && o.coverage {
		return errors.New("--record and --coverage exclude each other: record first")
	}
	return nil
}
