// Package cases is the command that runs files of cases.
package cases

import (
	"errors"
	"fmt"

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
	mutate                 bool
	minScore               float64 // the same
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
	fs.BoolVar(&o.mutate, "mutate", false, "make mistakes in the definitions, and show those that no case notices")
	fs.Float64Var(&o.minScore, "min-score", -1, "end with status 1 if less than `PERCENT` of the mistakes are noticed")
	fs.Lookup("min-score").DefValue = ""
	fs.BoolVar(&o.record, "record", false, "write the results into cases that expect nothing, or whose results were recorded before")
	fs.StringVar(&o.Definitions, "definitions", "", "look for the files under test in `DIR`")
	fs.StringVar(&o.Keep, "keep", "", "keep the archives with the values in `DIR`")
}

// Check checks the options, and completes those that follow from others.
func (o *Options) Check(fs *pflag.FlagSet) error {
	if err := form.CheckOutput(o.Output, Outputs()); err != nil {
		return err
	}
	for name, percent := range map[string]float64{"min-coverage": o.minCoverage, "min-score": o.minScore} {
		if fs.Changed(name) && !(0 <= percent && percent <= 100) {
			return fmt.Errorf("--%s requires a percentage from 0 to 100", name)
		}
	}
	o.coverage = o.coverage || o.lcov != "" || fs.Changed("min-coverage")
	o.mutate = o.mutate || fs.Changed("min-score")
	if o.record && (o.coverage || o.mutate) {
		return errors.New("--record excludes --coverage and --mutate: record first")
	}
	return nil
}
