package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	noCoverage = "pmderive no longer measures what cases reach; remove the option, and write a case for each arm of a choice"
	noMutants  = "pmderive no longer makes mistakes in definitions; remove the option, and write cases with values on both sides of each condition"
	noCost     = "the rule cost is, too; remove the option"
	noWanted   = "the rule unused is, too; remove the option"
	noGrowth   = "the rule wrap looks at delta() alone; remove the option"
)

// gone has the options of earlier versions by their commands, with what to do instead.
var gone = map[string]map[string]string{
	"test":  {"coverage": noCoverage, "lcov": noCoverage, "min-coverage": noCoverage, "mutate": noMutants, "min-score": noMutants},
	"check": checks, "install": checks, "lsp": checks,
}

var checks = map[string]string{"max-cost": noCost, "wanted": noWanted, "interval": noGrowth}

// explainGone returns an error that says what to do about an option that is gone, or else the error of an option as it is.
func explainGone(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if advice, ok := gone[cmd.Name()][unknown.GetSpecifiedName()]; ok {
			return fmt.Errorf("--%s is gone: %s", unknown.GetSpecifiedName(), advice)
		}
	}
	return err
}
